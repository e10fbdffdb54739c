"""A comparison as text, Markdown, JSON and CSV, on changes made by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from traincompute.comparison.compare import COLUMNS, Comparison, Side
from traincompute.comparison.render import as_csv, as_markdown, as_text

FLOP = "training_compute_flop"
LONG = "Möbius-" + "x" * 42  # 49 signs, one more than a cell has


def comparison(
    changes: list[tuple[Any, ...]], compute: dict[str, float], columns: dict[str, list[str]] | None = None
) -> Comparison:
    """Of changes without source and detail; one table and two figures differ."""
    texts = dict.fromkeys([*COLUMNS[:6], "cause", "source_id", "detail"], "str")
    rows = [(kind, name.lower(), name, *cell, cause, None, None) for kind, name, *cell, cause in changes]
    frame = pd.DataFrame(rows, columns=COLUMNS).astype({**texts, "ratio": "float64"})
    old, new = (
        Side(Path(label), label, {"tables": {"models": {"content_sha256": label}}}) for label in ("old", "2026.11.0")
    )
    tables = [
        {"table": "models", "old": 20_000, "new": 32_345, "added": 12_345, "removed": 0, "changed": 7},
        {"table": "sources", "old": 1, "new": 1, "added": 0, "removed": 0, "changed": 0},
    ]
    figures = [{"figure": "models", "old": 20_000, "new": 32_345}, {"figure": "growth", "old": None, "new": 4.5}]
    return Comparison(old, new, frame, tables, figures, columns or {}, pd.Series(compute, dtype="float64"))


CELLS = comparison(
    [
        ("filled", "First", FLOP, None, "2e+20", None, "new curated fact"),
        ("changed", "Zero", FLOP, "5", "0", 0.0, "upstream revision"),
        ("filled", "Second", FLOP, None, "3e+20", None, "new curated fact"),
        ("changed", "Twice", FLOP, "1e+20", "2e+20", 2.0, "selection"),
        ("changed", "Third", FLOP, "3e+20", "1e+20", 0.333333, "selection"),
        ("changed", "Fivefold", FLOP, "1e+20", "5e+20", 5.0, "selection"),
        ("blanked", "Blank", FLOP, "5e+20", None, None, "identity"),
        ("model_added", "Came", None, None, None, None, "upstream revision"),
        ("changed", LONG, "hardware", "A100", "H100", None, "selection"),
        ("changed", "Fivefold", "parameters", "1", "9", 9.0, "selection"),
    ],
    {},
    {"added": ["training_run_id"], "removed": ["notes"]},
)


def test_text_has_figures_counts_and_then_the_changes_that_matter_most() -> None:
    """Blanked cells first, then by the factor, whichever way it goes; those without one stay as they were."""
    head, *parts = as_text(CELLS, limit=20).split("\n\n")
    assert head == "old -> 2026.11.0"
    assert [part.splitlines()[0].split("  ")[0] for part in parts] == [
        *("figure", "Rows by table", "Models and cells by cause", "Cells by column", "Columns"),
        "Changes (10 of 10; --csv prints all of them)",
    ]
    assert parts[1].splitlines()[2].split() == ["models", "12,345", "0", "7"]
    first = [line.split()[0] for line in parts[-1].splitlines()[2:]]
    assert first == [
        "Blank",
        "Fivefold",
        "Third",
        "Twice",
        "First",
        "Zero",
        "Second",
        "Fivefold",
        "Came",
        LONG[:47] + "…",
    ]


LARGE = comparison(
    [
        ("model_added", LONG, None, None, None, None, "upstream revision"),
        ("model_added", "Great", None, None, None, None, "new curated fact"),
        ("model_removed", "Gone", None, None, None, None, "identity"),
        ("changed", "Revised", FLOP, "1e+25", "9e+24", 0.9, "selection"),
        ("changed", "Little", FLOP, "9e+24", "8e+24", 0.888889, "selection"),
        ("changed", "Revised", "parameters", "2e+25", "3e+25", 1.5, "selection"),
    ],
    {LONG.lower(): 3.14159e20, "great": 1e25, "gone": 2e26, "revised": 9e24, "little": 8e24},
)


def test_markdown_names_every_model_that_came_went_or_is_large() -> None:
    large, came, went, *_ = as_markdown(LARGE, limit=1).split("\n\n**")
    assert [line.split(" | ")[0] for line in large.splitlines()[4:]] == ["| Gone", "| Great", "| Revised"]
    assert came.startswith("All 2: model added**")
    assert went.startswith("All 1: model removed**")
    assert as_markdown(CELLS, limit=1).startswith("**All 1: model added**"), "nothing large, and nothing that went"
    assert "All 0" not in as_markdown(CELLS, limit=1)


def test_a_text_that_is_a_formula_is_escaped_in_csv() -> None:
    changes = comparison(
        [("changed", "=HYPERLINK(1)", FLOP, "-1e5", "1", None, "x"), ("changed", "a", "n", "-x", "+", None, "x")], {}
    ).changes
    assert as_csv(changes).splitlines() == [
        "kind,model_id,name,column,old,new,ratio,cause,source_id,detail",
        f"changed,=hyperlink(1),'=HYPERLINK(1),{FLOP},-1e5,1,,x,,",
        "changed,a,a,n,'-x,'+,,x,,",
    ]
