"""What a build did, in a few human-readable lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
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
    """The counts of a build, and what a person should look at: facts that were set aside, corrections whose cell has
    changed, exceptions that are none any more, and unusual values."""
    models, claims, corrections = tables["models"], tables["claims"], tables["corrections"]
    estimates, quarantine = tables["estimates"], tables["quarantine"]
    chosen = estimates[estimates["is_selected"] & (estimates["field"] == "training_compute_flop")]
    mentions = tables["model_hardware"]["hardware_id"]
    aside = quarantine[quarantine["reason_code"].isin([BREAKS_RULE, NO_MODEL_LEFT])]
    excused = with_waivers(context, claims) if corrections["rule"].notna().any() else context
    looked_at = set(zip(corrections["model_id"], corrections["field"], strict=True))
    return [
        f"models        {len(models)}, {int(models['is_notable'].sum())} of them notable",
        f"training FLOP {models['training_compute_flop'].count()}: {_counts(models['training_compute_source'])}",
        f"imputed       {_counts(chosen.loc[chosen['value'].notna(), 'method'], ' by') or 'none'}; "
        f"{chosen['value'].isna().sum()} more have a bound; {estimates['value'].isna().sum()} times a method abstained",
        f"claims        {len(claims)}, {len(quarantine)} of them quarantined",
        f"hardware      {mentions.count()} of {len(mentions)} mentions resolved",
        *([f"set aside     {len(aside)} {AGAIN}"] if len(aside) else []),
        *_first(f"set aside     {_cell(row)}: {row['reason']}" for row in aside.to_dict("records")),
        *_first(f"correction    {_cell(row)}: {CHANGED.format(**row)}" for row in lapsed(corrections, claims)),
        *_first(f"warning: {problem}" for problem in idle_acknowledgements(models, excused.schemas["models"])),
        *_first(f"warning: {problem}" for problem in warnings_of(models, context.schemas["models"], looked_at)),
        *([EARLIER] if is_stale(context.paths) else []),
    ]


def _counts(names: pd.Series, word: str = "") -> str:
    return ", ".join(f"{n}{word} {name}" for name, n in names.value_counts().sort_index().items())


def _first(lines: Iterable[str]) -> list[str]:
    """The first lines of a kind, and how many more there are."""
    every = list(lines)
    return [*every[:SHOWN], *([f"{len(every) - SHOWN} more of these"] if len(every) > SHOWN else [])]


def _cell(row: Mapping[Any, Any]) -> str:
    return f'{row["source_id"]} [{row["record"]}]: {row["field"]} "{row["value_text"]}"'


def idle_acknowledgements(frame: pd.DataFrame, table: TableSchema) -> Iterator[Problem]:
    """Rows acknowledged as exceptions to a rule which they keep: the acknowledgement has outlived its reason."""
    for rule in table.rules:
        for key in sorted(rule.acknowledged & {*frame.loc[holds(rule, frame, table), table.key]}):
            reason = f"keeps {rule.name}, though the exception is acknowledged"
            yield Problem(table.name, key, rule.columns[0], "", reason, IDLE)


def warnings_of(
    frame: pd.DataFrame, table: TableSchema, looked_at: Collection[tuple[str, str]] = ()
) -> Iterator[Problem]:
    """Cells above the bound that a schema gives under `warn`: unusual, but not refused. Left out are those at which
    somebody looked, by key and column."""
    for name, most in [(column.name, column.warn["maximum"]) for column in table.columns if column.warn]:
        for key, value in frame.set_index(table.key)[name].dropna().items():
            if value > most and (key, name) not in looked_at:
                where = (table.name, str(key), name, str(value))
                yield Problem(*where, f"is above {most}", "check whether this is intended")
