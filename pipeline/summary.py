"""What a build did, in a few human-readable lines."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from pipeline.config import Config
from pipeline.frames import Tables
from pipeline.impute.calibrate import is_stale
from pipeline.validate.stage import idle_waivers, with_waivers

AGAIN = "facts that contradict others or whose model no source has; `traincompute curate status` lists them, too"
SHOWN = 10  # of each kind
EARLIER = "calibration   measured before these facts or methods; that is measured again for the next release, not now"


def summarize(context: Config, tables: Tables) -> list[str]:
    """The counts of a build, and what a person should look at: facts that were set aside, and exceptions that are none
    any more."""
    models, claims, estimates, quarantine = (tables[name] for name in ("models", "claims", "estimates", "quarantine"))
    chosen = estimates[estimates["is_selected"] & (estimates["field"] == "training_compute_flop")]
    mentions = tables["model_hardware"]["hardware_id"]
    aside = quarantine[quarantine["reason_code"].isin(["breaks_rule", "no_model"])]
    judge = with_waivers(context, claims) if tables["corrections"]["rule"].notna().any() else context
    cell = 'set aside     {source_id} [{record}]: {field} "{value_text}": {reason}'
    return [
        f"models        {len(models)}, {int(models['is_notable'].sum())} of them notable",
        f"training FLOP {models['training_compute_flop'].count()}: {_counts(models['training_compute_source'])}",
        f"imputed       {_counts(chosen.loc[chosen['value'].notna(), 'method'], ' by') or 'none'}; "
        f"{chosen['value'].isna().sum()} more have a bound; {estimates['value'].isna().sum()} times a method abstained",
        f"claims        {len(claims)}, {len(quarantine)} of them quarantined",
        f"hardware      {mentions.count()} of {len(mentions)} mentions resolved",
        *([f"set aside     {len(aside)} {AGAIN}"] if len(aside) else []),
        *_first(cell.format_map(row) for row in aside.to_dict("records")),
        *_first(f"warning: {problem}" for problem in idle_waivers(models, judge.schemas["models"])),
        *([EARLIER] if is_stale(context.paths) else []),
    ]


def _counts(names: pd.Series, word: str = "") -> str:
    return ", ".join(f"{n}{word} {name}" for name, n in names.value_counts().sort_index().items())


def _first(lines: Iterable[str]) -> list[str]:
    """The first lines of a kind, and how many more there are."""
    every = list(lines)
    return [*every[:SHOWN], *([f"{len(every) - SHOWN} more of these"] if len(every) > SHOWN else [])]
