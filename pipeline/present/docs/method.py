"""Keeps the tables of results in docs/method.md current, from the files of `calibrate --write`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pipeline.impute.calibration.storage import read_rows
from pipeline.paths import Paths
from pipeline.present.docs import markdown

INPUTS = ("upstream", "curated")
FEWEST = 30  # rows of a stratum
AIM = (0.87, 0.93)
ALL = {"method": "cascade", "subset": "whole", "tier": "all", "domain": "all", "period": "all", "confidence": "all"}
EVERY = {"subset": "all"}  # also values that leave out the base
# Shares within a factor of 3 on the snapshot of 2026-05-03 before these methods were built, and their targets
SHARES = [
    ("all models, within ×3", EVERY, "60.5 %", "≥ 79 %"),
    ("– values that are the whole", {}, "–", "≥ 79 %"),
    ("2018 on, within ×3", EVERY | {"period": "2018 on"}, "68.4 %", "≥ 82 %"),
    ("– values that are the whole", {"period": "2018 on"}, "–", "≥ 82 %"),
    ("language, within ×3", EVERY | {"domain": "language"}, "79.7 %", "≥ 89 %"),
    ("– values that are the whole", {"domain": "language"}, "–", "≥ 89 %"),
    ("physical methods where they apply, within ×3", EVERY | {"method": "physical"}, "~80 %", "≥ 90 %"),
    ("– values that are the whole", {"method": "physical"}, "–", "≥ 90 %"),
    ("against audited values, within ×3", EVERY | {"evaluation": "audited"}, "–", "≥ 83 %"),
]
TIERS = {
    "1": "a physical method",
    "2": "the base's compute alone",
    "3": "an index, size, data or chips",
    "4": "date and kind",
}
METHODS = {"base_plus_finetune": "base + fine-tune", "operation_counting": "operation counting", "hardware": "hardware",
           "statistical": "the regression, wherever a value is published"}  # fmt: skip
JUDGED = {
    "each model by other organisations, values that are the whole": {},
    **{f"– which rest on {words}": {"tier": tier} for tier, words in TIERS.items()},
    **{f"– {words}": {"method": method} for method, words in METHODS.items()},
    "the same, independent values": {"subset": "independent"},
    "the same, also values that leave out the base": EVERY,
    "with models that are not notable": {"evaluation": "folds_all"},
    "two years ahead": {"evaluation": "forward"},
    "– also values that leave out the base": EVERY | {"evaluation": "forward"},
    "as if only date and kind were known": {"evaluation": "masked"},
    "as if only size, date and kind were known": {"evaluation": "sized"},
    "reweighted to resemble the models without a value": {"evaluation": "missing"},
    "blank once, filled since": EVERY | {"evaluation": "filled"},
    "against audited values": EVERY | {"evaluation": "audited"},
}
Row = dict[str, str]


def with_targets(page: str, paths: Paths) -> str:
    """The page with the tables between its markers filled in from the calibration files."""
    table = read_rows(paths, "calibration")
    lines = ["| | before | target | upstream facts alone | with curated facts |\n|---|---|---|---|---|\n"]
    lines += [markdown.row(label, before, target, *_cells(table, key, _share)) for label, key, before, target in SHARES]
    lines.append(_head("judged"))
    lines += [markdown.row(label, *_cells(table, key, _interval)) for label, key in JUDGED.items()]
    lines.append(_head(f"stratum, each model by other organisations, {FEWEST} models or more"))
    lines += [markdown.row(f"{name}: {word}", *cells) for name, word, cells in _strata(table)]
    return markdown.between_marks(page, "targets", "".join(lines))


def _head(label: str) -> str:
    return f"\n| {label} | upstream facts alone | with curated facts |\n|---|---|---|\n"


def _strata(table: Sequence[Row]) -> list[tuple[str, str, list[str]]]:
    """By domain, period and confidence word: the stratum, and what its intervals hold."""
    strata = []
    for name in ("domain", "period", "confidence"):
        for word in sorted({row[name] for row in table} - {"all"}):
            cells = _cells(table, {name: word}, lambda row: _interval(row) if int(row["n"]) >= FEWEST else "–")
            if set(cells) != {"–"}:
                strata.append((name, word, cells))
    return strata


def _cells(table: Sequence[Row], key: Row, show: Callable[[Row], str]) -> list[str]:
    """What is shown of the row with that key, for each kind of inputs."""
    wanted = ALL | {"evaluation": "folds"} | key
    shown = {row["inputs"]: show(row) for row in table if wanted.items() <= row.items()}
    return [shown.get(inputs, "–") for inputs in INPUTS]


def _share(row: Row) -> str:
    return f"{100 * float(row['within_3']):.1f} % of {row['n']}"


def _interval(row: Row) -> str:
    """Coverage of the 90 % intervals with its own interval, mean half-width, and scores; bold beyond the aim."""
    coverage = float(row["coverage_90"])
    low, high = (100 * float(row[f"coverage_90_{end}"]) for end in ("low", "high"))
    mark = "" if AIM[0] <= coverage <= AIM[1] else "**"
    alike = f" ({float(row['winkler_90_alike_dex']):.2f})" if row["winkler_90_alike_dex"] else ""
    score = f"{float(row['winkler_90_dex']):.2f}{alike}"
    width = f"±{float(row['mean_half_width_90_dex']):.2f}"
    return f"{mark}{100 * coverage:.1f} %{mark} of {row['n']} [{low:.0f}–{high:.0f}]; {width}; {score}"
