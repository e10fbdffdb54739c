"""Generated parts of docs/ from a few rows of the measured files, so that a limit or a column that is taken for another
is seen."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from pipeline.paths import Paths
from pipeline.present.docs import counts

FIRST = date(2024, 7, 16)


def row(
    days: int, expected: str = "0.2", later: str = "0", inside: str = "True", models: str = "filled"
) -> dict[str, str]:
    return {
        "models": models,
        "vintage": f"{FIRST + timedelta(days)}",
        "runs_of": "2023",
        "threshold_flop": "1e+24",
        "expected_runs": expected,
        "low_90": "1.0",
        "high_90": "3.6",
        "later_runs": later,
        "is_inside": inside,
    }


def made(rows: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(counts, "read_rows", lambda *_: rows)
    page = counts.with_counts("<!-- counts -->\n<!-- /counts -->\n", Paths(Path()))
    return page.splitlines()


def test_of_the_snapshots_those_are_shown_that_lie_four_months_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = made([row(days) for days in (0, 119, 120, 239, 240, 361)], monkeypatch)
    shown = [line.split(" | ")[1] for line in lines if line.startswith("| models without")]
    assert shown == [f"{FIRST + timedelta(days)}" for days in (0, 120, 240, 361)]


def test_counts_are_told_with_those_of_which_something_was_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = made(
        [row(0), row(1, "0.5"), row(2, "0.49"), row(3, "0.1", "5", "False"), row(0, models="known")], monkeypatch
    )
    counted = "where half a run was expected or one was printed"
    assert lines[1:4] == [
        f"- **3 of 4** later counts inside the 90 % interval (1 of 2 {counted}) of models without a value that got one",
        f"- **0 of 0** later counts inside the 90 % interval (0 of 0 {counted}) of models with a value then or since",
        f"- **1 of 1** later counts inside the 90 % interval (0 of 0 {counted}) of all models known then",
    ]


def test_a_later_count_outside_its_interval_is_bold(monkeypatch: pytest.MonkeyPatch) -> None:
    (line,) = [line for line in made([row(0, "2.345", "7", "False")], monkeypatch) if "2024-07-16" in line]
    assert line == "| models without a value that got one | 2024-07-16 | 2023 | 1e24 | 2.3 | 1–4 | **7** |"
