"""Keeps docs/quality.md current: the answers of its queries, and the known issues as a release prints them."""

from __future__ import annotations

from pathlib import Path

from pipeline.paths import Paths
from pipeline.present.docs.markdown import between_marks
from pipeline.present.docs.queries import with_output
from pipeline.publish.describe import known_issues


def quality(page: str, paths: Paths, database: Path) -> str:
    """The page with today's answers, and the known issues between their marks."""
    issues = "".join(f"- {issue}\n" for issue in known_issues(paths, database))
    return between_marks(with_output(page, database), "known issues", issues)
