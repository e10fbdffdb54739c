"""What a build did, in a few lines for people."""

from __future__ import annotations

import pandas as pd

from pipeline.frames import Tables
from pipeline.impute.calibrate import is_stale
from pipeline.paths import Paths

AGAIN = "facts that contradict others or whose model no source has; `traincompute curate status` lists them, too"
SHOWN = 10  # facts that were set aside
EARLIER = "calibration   measured before these facts or methods; that is measured again for the next release, not now"


def summarize(paths: Paths, tables: Tables) -> list[str]:
    """The counts of a build, and the facts that were set aside."""
    models, claims, estimates, quarantine = (tables[name] for name in ("models", "claims", "estimates", "quarantine"))
    chosen = estimates[estimates["is_selected"] & (estimates["field"] == "training_compute_flop")]
    mentions = tables["model_hardware"]["hardware_id"]
    aside = quarantine[quarantine["reason_code"].isin(["breaks_rule", "no_model"])]
    cell = 'set aside     {source_id} [{record}]: {field} "{value_text}": {reason}'
    return [
        f"models        {len(models)}, {int(models['is_notable'].sum())} of them notable",
        f"training FLOP {models['training_compute_flop'].count()}: {_counts(models['training_compute_source'])}",
        f"imputed       {_counts(chosen.loc[chosen['value'].notna(), 'method'], ' by') or 'none'}; "
        f"{chosen['value'].isna().sum()} more have a bound; {estimates['value'].isna().sum()} times a method abstained",
        f"claims        {len(claims)}, {len(quarantine)} of them quarantined",
        f"hardware      {mentions.count()} of {len(mentions)} mentions resolved",
        *([f"set aside     {len(aside)} {AGAIN}"] if len(aside) else []),
        *(cell.format_map(row) for row in aside.head(SHOWN).to_dict("records")),
        *([f"{len(aside) - SHOWN} more of these"] if len(aside) > SHOWN else []),
        *([EARLIER] if is_stale(paths) else []),
    ]


def _counts(names: pd.Series, word: str = "") -> str:
    return ", ".join(f"{n}{word} {name}" for name, n in names.value_counts().sort_index().items())
