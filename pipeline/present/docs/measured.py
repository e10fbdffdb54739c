"""Keeps the tables of docs/method.md on measured runs current, from the files of `calibrate --write`."""

from __future__ import annotations

from pipeline.impute.calibration.storage import read_rows
from pipeline.paths import Paths
from pipeline.present.docs import markdown

COMPARED = """\
| method | runs | | median factor, 5–95 % | inside the interval | with priors: median | inside |
|---|---|--:|---|--:|--:|--:|
"""
USED = """\
| chips | number format | model | chips in the run | runs | median share, 5–95 % |
|---|---|---|---|--:|---|
"""
WATTS = "| chip | benchmark | nodes | runs | W per chip, 5–95 % |\n|---|---|--:|--:|---|\n"
SOURCES = {"source_id": "source"}
Row = dict[str, str]


def with_measured(page: str, paths: Paths) -> str:
    """The page with the tables between its marks: how far the methods are off, then utilisation, then power."""
    tables = [
        [COMPARED, *map(_compared, read_rows(paths, "measured"))],
        [USED, *map(_used, read_rows(paths, "utilization"))],
        [WATTS, *map(_watts, read_rows(paths, "power"))],
    ]
    return markdown.between_marks(page, "measured", "\n".join("".join(lines) for lines in tables))


def _compared(row: Row) -> str:
    runs = "all" if row["by"] == "all" else f"{SOURCES.get(row['by'], row['by'])}: {row['class']}"
    stated, needed = _dex(row["half_width_90"]), _dex(row["prior_half_width_90"])
    cells = [row["method"], runs, row["runs"], _spread(row, "factor", 2)]
    cells += [f"{_percent(row['inside'])} of {stated}", f"{float(row['prior_factor_50']):.2f}"]
    return markdown.row(*cells, f"{_percent(row['prior_inside'])} of {needed}")


def _used(row: Row) -> str:
    names = ("generation", "format", "architecture", "scale", "runs")
    return markdown.row(*(row[name] for name in names), _spread(row, "share", 3))


def _watts(row: Row) -> str:
    nodes = f"{float(row['nodes']):.0f}"
    spread = _spread(row, "power_per_chip_w", 0)
    return markdown.row(row["hardware_id"], row["benchmark"], nodes, row["runs"], spread)


def _spread(row: Row, name: str, digits: int) -> str:
    low, median, high = (f"{float(row[f'{name}_{part}']):.{digits}f}" for part in ("05", "50", "95"))
    return f"{median}, {low}–{high}"


def _percent(share: str) -> str:
    return f"{100 * float(share):.0f} %"


def _dex(half_width: str) -> str:
    return f"±{float(half_width):.2f} dex"
