"""docs/queries.md: every query runs, and what is printed below it is what it gives."""

from __future__ import annotations

from pathlib import Path

from pipeline.paths import CHECKOUT
from pipeline.querydoc import with_output
from traincompute.commands import DUCKDB_NAME


def test_the_printed_output_of_every_query_is_current(published: Path) -> None:
    page = (CHECKOUT / "docs" / "queries.md").read_text(encoding="utf-8")
    assert "```sql" in page
    assert with_output(page, published / DUCKDB_NAME) == page
