"""What a build did, in a few human-readable lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import pandas as pd

from pipeline.config import Config
from pipeline.errors import Problem
from pipeline.frames import Tables
from pipeline.impute.calibration.storage import is_stale
from pipeline.normalize.correct import lapsed, with_waivers
from pipeline.normalize.reasons import BREAKS_RULE, NO_MODEL_LEFT
from pipeline.schema import TableSchema
from pipeline.validate.stage import holds

AGAIN = "facts that contradict others or whose model no source has; `traincompute curate status` lists them, too"
CHANGED = (
    "{correction_id} keeps its effect, but the cell has {now} now; check it, and give the entry `until` or the value"
)
IDLE = "delete the entry that acknowledges it in data/raw/curated/corrections.yml"
SHOWN = 10  # of each kind
EARLIER = "calibration   measured before these facts or methods; that is measured again for the next release, not now"


def summarize(context: Config, tables: Tables) -> list[str]:
    """The counts of a build, and what a person should look at."""
    models, estimates = tables["models"], tables["estimates"]
    counts = models["training_compute_source"].value_counts().sort_index()
    chosen = estimates[estimates["is_selected"] & (estimates["field"] == "training_compute_flop")]
    methods = chosen.loc[chosen["value"].notna(), "method"].value_counts().sort_index()
    mentions, quarantine = tables["model_hardware"], tables["quarantine"]
    aside = quarantine[quarantine["reason_code"].isin([BREAKS_RULE, NO_MODEL_LEFT])]
    return [
        f"models        {len(models)}, {int(models['is_notable'].sum())} of them notable",
        f"training FLOP {int(models['training_compute_flop'].notna().sum())}: "
        + ", ".join(f"{n} {name}" for name, n in counts.items()),
        "imputed       "
        + (", ".join(f"{n} by {name}" for name, n in methods.items()) or "none")
        + f"; {int(chosen['value'].isna().sum())} more have a bound;"
        + f" {int(estimates['value'].isna().sum())} times a method abstained",
        f"claims        {len(tables['claims'])}, {len(quarantine)} of them quarantined",
        f"hardware      {int(mentions['hardware_id'].notna().sum())} of {len(mentions)} mentions resolved",
        *([f"set aside     {len(aside)} {AGAIN}"] if len(aside) else []),
        *_first(f"set aside     {_cell(row)}: {row['reason']}" for row in aside.to_dict("records")),
        *_to_look_at(context, tables),
        *([EARLIER] if is_stale(context.paths) else []),
    ]


def _to_look_at(context: Config, tables: Tables) -> list[str]:
    """Corrections whose cell has changed, exceptions that are none any more, and unusual values."""
    models, corrections = tables["models"], tables["corrections"]
    changed = lapsed(corrections, tables["claims"])
    has_exceptions = corrections["rule"].notna().any()
    excused = with_waivers(context, tables["claims"]) if has_exceptions else context
    idle = idle_acknowledgements(models, excused.schemas["models"])
    looked_at = set(zip(corrections["model_id"], corrections["field"], strict=True))
    unusual: list[Problem] = warnings_of(models, context.schemas["models"], looked_at)
    return [
        *_first(f"correction    {_cell(row)}: {CHANGED.format(**row)}" for row in changed),
        *_first(f"warning: {problem}" for problem in idle),
        *_first(f"warning: {problem}" for problem in unusual),
    ]


def _first(lines: Iterable[str]) -> list[str]:
    """The first lines of a kind, and how many more there are."""
    every = list(lines)
    shown = every[:SHOWN]
    return [*shown, f"{len(every) - len(shown)} more of these"] if len(every) > len(shown) else shown


def _cell(row: Mapping[Any, Any]) -> str:
    return f'{row["source_id"]} [{row["record"]}]: {row["field"]} "{row["value_text"]}"'


def idle_acknowledgements(frame: pd.DataFrame, table: TableSchema) -> list[Problem]:
    """Rows acknowledged as exceptions to a rule which they keep: the acknowledgement has outlived its reason."""
    kept = {rule: set(frame.loc[holds(rule, frame, table), table.key]) for rule in table.rules if rule.acknowledged}
    return [
        Problem(table.name, key, rule.columns[0], "", f"keeps {rule.name}, though the exception is acknowledged", IDLE)
        for rule, keys in kept.items()
        for key in sorted(rule.acknowledged & keys)
    ]


def warnings_of(frame: pd.DataFrame, table: TableSchema, looked_at: Collection[tuple[str, str]] = ()) -> list[Problem]:
    """Cells above the bound that a schema gives under `warn`: unusual, but not refused. Left out are those at which
    somebody looked, by key and column."""
    return [
        Problem(
            table.name, str(key), c.name, str(value), f"is above {c.warn['maximum']}", "check whether this is intended"
        )
        for c in table.columns
        if c.warn
        for key, value in frame.set_index(table.key)[c.name].dropna().items()
        if value > c.warn["maximum"] and (key, c.name) not in looked_at
    ]
