"""Keeps the table of targets in docs/method.md current, with the results from the files of `calibrate --write`."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from pipeline.base.paths import Paths

BLOCK = re.compile(r"(<!-- targets -->\n).*?(<!-- /targets -->)", re.DOTALL)
INPUTS = ("upstream", "curated")
METHODS = ("hardware", "operation_counting", "base_plus_finetune", "statistical", "cascade")
SUBSETS = {"whole": ", whole values", "independent": ", independent values"}
LABELS = {
    "cascade": "all methods",
    "operation_counting": "operation counting",
    "base_plus_finetune": "base + fine-tune",
}
# Shares within a factor of 3 on the snapshot of 2026-05-03 before these methods were built, and their targets
SHARES = [
    ("all models, within ×3", {"method": "cascade"}, "60.5 %", "≥ 72 %"),
    ("2018 on, within ×3", {"method": "cascade", "period": "2018 on"}, "68.4 %", "≥ 80 %"),
    ("language, within ×3", {"method": "cascade", "domain": "language"}, "79.7 %", "≥ 88 %"),
    ("physical methods where they apply, within ×3", {"method": "physical"}, "~80 %", "≥ 90 %"),
]
WIDTHS = {
    "hardware": ("0.67", "≤ 0.34"),
    "operation_counting": ("1.69", "≤ 0.85"),
    "base_plus_finetune": ("1.73", "≤ 0.87"),
    "statistical": ("2.41", "≤ 1.21"),
}
KINDS = ("models", "bounds")
Row = dict[str, str]


def with_targets(page: str, paths: Paths) -> str:
    """The page with the table between its markers filled in from the calibration files."""
    table, imputed = _read(paths, "calibration"), _read(paths, "imputed")
    lines = ["| | before | target | upstream facts alone | with curated facts |", "|---|---|---|---|---|"]
    lines += [_line(label, table, key, before, target, _share) for label, key, before, target in SHARES]
    lines += _coverage_lines(table)
    for method, (before, target) in WIDTHS.items():
        label = f"median half-width in dex, {LABELS.get(method, method)}"
        lines.append(_line(label, table, {"method": method}, before, target, lambda row: f"{_number(row):.2f}"))
    sums = [[sum(int(row[kind]) for row in imputed if row["inputs"] == inputs) for kind in KINDS] for inputs in INPUTS]
    counts = [f"{models}, and {bounds} bounds" for models, bounds in sums]
    lines.append(_join("notable models without a published value, imputed physically", "–", "≥ 80; ≥ 150", counts))
    return BLOCK.sub(lambda found: found[1] + "\n".join(lines) + "\n" + found[2], page)


def _coverage_lines(table: Sequence[Row]) -> list[str]:
    whole = _line("90 % intervals, share inside", table, {"method": "cascade"}, "–", "87–93 %", _coverage)
    parts = [(method, subset) for subset in SUBSETS for method in METHODS]
    return [whole] + [
        _line(
            f"the same, {LABELS.get(method, method)}{SUBSETS[subset]}",
            table,
            {"method": method, "subset": subset},
            "–",
            "90 % in its interval",
            _coverage,
        )
        for method, subset in parts
    ]


def _read(paths: Paths, name: str) -> list[Row]:
    with (paths.calibration / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _line(label: str, table: Sequence[Row], key: Row, before: str, target: str, show) -> str:  # type: ignore[no-untyped-def]
    wanted = {"subset": "all", "domain": "all", "period": "all", "confidence": "all"} | key
    found = [
        next((row for row in table if row["inputs"] == inputs and wanted.items() <= row.items()), None)
        for inputs in INPUTS
    ]
    return _join(label, before, target, ["–" if row is None else show(row) for row in found])


def _join(label: str, before: str, target: str, reached: Sequence[str]) -> str:
    return "| " + " | ".join((label, before, target, *reached)) + " |"


def _share(row: Row) -> str:
    return f"{100 * float(row['within_3']):.1f} % of {row['n']}"


def _coverage(row: Row) -> str:
    low, share, high = (100 * float(row[f"coverage_90{end}"]) for end in ("_low", "", "_high"))
    missed = " (too few)" if high < 90 else " (more than promised)" if low > 90 else ""
    return f"{share:.1f} % [{low:.1f}–{high:.1f}]{missed}"


def _number(row: Row) -> float:
    return float(row["half_width_90_dex"])
