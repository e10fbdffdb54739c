"""How a curated fact is cited: the columns that say where it was read, and the words for how it was checked."""

from __future__ import annotations

CITATION = ("reference", "evidence", "accessed")
EVIDENCE = ("seen", "secondary", "recalled")
# Words that name a text but no place in it
VAGUE = frozenset({
    "announcement", "article", "appendix", "blog", "documentation", "methods", "page", "paper", "post", "report",
    "statement", "supplement", "technical report", "text", "title page", "website",
})  # fmt: skip


def is_vague(locator: str) -> bool:
    """Whether a locator does not say where in the text a figure is."""
    return locator.strip().lower() in VAGUE
