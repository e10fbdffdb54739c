"""Keeps the tables of docs/method.md on measured runs current, from the files of `calibrate --write`."""

from __future__ import annotations

import re

from pipeline.base.paths import Paths
from pipeline.impute.calibration.storage import read_rows

BLOCK = re.compile(r"(<!-- measured -->\n).*?(<!-- /measured -->)", re.DOTALL)
HEAD = [
    "| method | runs | | median factor, 5–95 % | inside the interval | with priors: median | inside |",
    "|---|---|--:|---|--:|--:|--:|",
]
USED = [
    "| chips | number format | model | chips in the run | runs | median share, 5–95 % |",
    "|---|---|---|---|--:|---|",
]
WATTS = ["| chip | benchmark | nodes | runs | W per chip, 5–95 % |", "|---|---|--:|--:|---|"]
SOURCES = {"source_id": "source"}
Row = dict[str, str]


def with_measured(page: str, paths: Paths) -> str:
    """The page with the tables between its marks: how far the methods are off, then utilisation, then power."""
    tables = [
        [*HEAD, *map(_compared, read_rows(paths, "measured"))],
        [*USED, *map(_used, read_rows(paths, "utilization"))],
        [*WATTS, *map(_watts, read_rows(paths, "power"))],
    ]
    text = "\n\n".join("\n".join(lines) for lines in tables)
    return BLOCK.sub(lambda found: found[1] + text + "\n" + found[2], page)


def _compared(row: Row) -> str:
    runs = "all" if row["by"] == "all" else f"{SOURCES.get(row['by'], row['by'])}: {row['class']}"
    stated, needed = _dex(row["half_width_90"]), _dex(row["prior_half_width_90"])
    cells = [row["method"], runs, row["runs"], _spread(row, "factor", 2)]
    cells += [f"{_percent(row['inside'])} of {stated}", f"{float(row['prior_factor_50']):.2f}"]
    return _join([*cells, f"{_percent(row['prior_inside'])} of {needed}"])


def _used(row: Row) -> str:
    return _join(
        [*(row[name] for name in ("generation", "format", "architecture", "scale", "runs")), _spread(row, "share", 3)]
    )


def _watts(row: Row) -> str:
    nodes = f"{float(row['nodes']):.0f}"
    return _join([row["hardware_id"], row["benchmark"], nodes, row["runs"], _spread(row, "power_per_chip_w", 0)])


def _spread(row: Row, name: str, digits: int) -> str:
    low, median, high = (f"{float(row[f'{name}_{part}']):.{digits}f}" for part in ("05", "50", "95"))
    return f"{median}, {low}–{high}"


def _percent(share: str) -> str:
    return f"{100 * float(share):.0f} %"


def _dex(half_width: str) -> str:
    return f"±{float(half_width):.2f} dex"


def _join(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
