"""Keeps the tables of results in docs/method.md current, from the table `calibration`."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pipeline.impute.flop.calibration_tables import load_measured
from pipeline.paths import Paths
from pipeline.present.docs import markdown

INPUTS = ("upstream", "curated")
FEWEST = 30  # models of a stratum
ALL = {"evaluation": "folds", "method": "cascade", "subset": "whole", "tier": "all", "domain": "all", "period": "all",
       "confidence": "all"}  # fmt: skip
HEAD = "| {} | upstream facts alone | with curated facts |\n|---|---|---|\n"
JUDGED = {
    "each model by those of other owners": {},
    "– by a physical method": {"tier": "1"},
    "– by the base's compute alone": {"tier": "2"},
    "– by an index, size, data or chips": {"tier": "3"},
    "– by date and kind": {"tier": "4"},
    "– base + fine-tune, wherever it applies": {"method": "base_plus_finetune"},
    "– operation counting, wherever it applies": {"method": "operation_counting"},
    "– hardware, wherever it applies": {"method": "hardware"},
    "– the regression, wherever a value is published": {"method": "statistical"},
    "the same, values that are independent of these formulas": {"subset": "independent"},
    "with models that are not notable": {"evaluation": "folds_all"},
    "two years ahead": {"evaluation": "forward"},
    "as if only date and kind were known": {"evaluation": "masked"},
    "as if only size, date and kind were known": {"evaluation": "sized"},
    "blank once, filled since": {"evaluation": "filled", "subset": "all"},
    "against audited values": {"evaluation": "audited", "subset": "all"},
}


def with_results(page: str, paths: Paths) -> str:
    """The page with the tables between its markers filled in."""
    table = load_measured(paths, "calibration").astype({"tier": "str"})
    lines = [HEAD.format("judged"), *(markdown.row(label, *_cells(table, key)) for label, key in JUDGED.items())]
    lines.append("\n" + HEAD.format(f"stratum of {FEWEST} models or more"))
    for name in ("domain", "period", "confidence"):
        for word in sorted(set(table[name]) - {"all"}):
            if set(cells := _cells(table, {name: word}, FEWEST)) != {"–"}:
                lines.append(markdown.row(f"{name}: {word}", *cells))
    return markdown.between_marks(page, "results", "".join(lines))


def _cells(table: pd.DataFrame, key: Mapping[str, str], fewest: int = 1) -> list[str]:
    """For each kind of inputs the share within a factor of 3, the coverage of the 90 % interval with its own interval,
    the mean half-width and the Winkler score."""
    wanted = ALL | dict(key)
    rows = table[(table[list(wanted)] == pd.Series(wanted)).all(axis=1) & (table["n"] >= fewest)].set_index("inputs")
    shown = {str(inputs): _text(row) for inputs, row in rows.iterrows()}
    return [shown.get(inputs, "–") for inputs in INPUTS]


def _text(row: pd.Series) -> str:
    low, high = (100 * row[f"coverage_90_{end}"] for end in ("low", "high"))
    return (
        f"{100 * row['within_3']:.1f} % of {row['n']}; {100 * row['coverage_90']:.1f} % [{low:.0f}–{high:.0f}];"
        f" ±{row['mean_half_width_90_dex']:.2f}; {row['winkler_90_dex']:.2f}"
    )
