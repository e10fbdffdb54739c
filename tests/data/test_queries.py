"""The pages of docs/ that show output: every query and command runs, and prints what the page shows below it."""

from __future__ import annotations

from pathlib import Path

from pipeline.base.paths import CHECKOUT
from pipeline.present.docs.queries import with_output, with_transcript
from traincompute.releases.places import DUCKDB_NAME


def test_the_printed_output_of_every_query_is_current(published: Path) -> None:
    page = (CHECKOUT / "docs" / "queries.md").read_text(encoding="utf-8")
    assert "```sql" in page
    assert with_output(page, published / DUCKDB_NAME) == page


def test_the_transcript_of_the_first_hour_is_current(published: Path) -> None:
    page = (CHECKOUT / "docs" / "first-hour.md").read_text(encoding="utf-8")
    assert page.count("\n$ traincompute") >= 8
    assert with_transcript(page, CHECKOUT, published) == page
