"""Keeps the table of past counts in docs/method.md current, from the files of `calibrate --write`."""

from __future__ import annotations

from datetime import date

from pipeline.impute.calibration.storage import read_rows
from pipeline.paths import Paths
from pipeline.present.docs import markdown

GROUPS = {
    "filled": "models without a value that got one",
    "valued": "models with a value then or since",
    "known": "all models known then",
}
APART_DAYS = 120  # between the snapshots that are shown; all are counted
HEAD = """\
| counted | snapshot | runs | at least | expected | 90 % | printed since |
|---|---|--:|--:|--:|--:|--:|
"""
Row = dict[str, str]


def with_counts(page: str, paths: Paths) -> str:
    """The page with how many later counts were inside, and the counts of snapshots that lie apart."""
    rows = read_rows(paths, "counts")
    days = _apart(sorted({row["vintage"] for row in rows}))
    shown = [_line(row) for name in GROUPS for row in rows if row["models"] == name and row["vintage"] in days]
    inside = [f"- {_inside(rows, name)} of {words}\n" for name, words in GROUPS.items()]
    return markdown.between_marks(page, "counts", "".join([*inside, "\n", HEAD, *shown]))


def _inside(rows: list[Row], name: str) -> str:
    """How many later counts were inside, of all and of those at which a run was expected or printed."""
    counts = [row for row in rows if row["models"] == name]
    some = [row for row in counts if float(row["expected_runs"]) >= 0.5 or int(row["later_runs"])]
    of_all, of_some = (f"{sum(row['is_inside'] == 'True' for row in part)} of {len(part)}" for part in (counts, some))
    return (
        f"**{of_all}** later counts inside the 90 % interval ({of_some} where half a run was expected or one was"
        " printed)"
    )


def _apart(days: list[str]) -> set[str]:
    kept: list[str] = []
    for day in days:
        if not kept or (date.fromisoformat(day) - date.fromisoformat(kept[-1])).days >= APART_DAYS:
            kept.append(day)
    return set(kept)


def _line(row: Row) -> str:
    mark = "" if row["is_inside"] == "True" else "**"
    interval = f"{float(row['low_90']):.0f}–{float(row['high_90']):.0f}"
    threshold = f"{float(row['threshold_flop']):.0e}".replace("+", "")
    expected = f"{float(row['expected_runs']):.1f}"
    cells = (GROUPS[row["models"]], row["vintage"], row["runs_of"], threshold, expected, interval)
    return markdown.row(*cells, f"{mark}{row['later_runs']}{mark}")
