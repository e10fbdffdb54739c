"""How a curated fact is cited: the columns that say where it was read, and the words for how it was checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

CITATION = ("reference", "evidence", "accessed")
EVIDENCE = ("seen", "secondary", "recalled")
NOT_LOCATED = "not located"  # says of a recalled figure that nobody knows where it stands
# Words that name a text but no place in it, whatever follows after a comma
TEXTS = frozenset({
    "announcement", "article", "arxiv", "blog", "journal", "main text", "paper", "post", "preprint", "report",
    "statement", "technical report", "text", "website",
})  # fmt: skip
# Words that name a long part of a text, and are a place only with what follows: "methods, training regimen"
PARTS = frozenset({"appendix", "documentation", "methods", "page", "supplement", "title page"})
PLACE = 'name the section, table or page where the figure is, or "not located" if it is recalled'


def leads_nowhere(locator: str, evidence: str) -> bool:
    """Whether a locator does not say where in the text a figure is. "not located" says so itself, of a recalled one."""
    words = locator.strip().lower()
    first = re.split(r"[,(]", words)[0].strip()
    return not words or first in TEXTS or words in PARTS or (first == NOT_LOCATED and evidence != "recalled")


WEB = re.compile(r"arXiv:[^\s;]+|doi:10\.\S+|https?://[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#]\S*)?")
ADDRESS = "write arXiv:2211.05100, doi:10.1038/… or https://…; several with `; ` between them"


def is_reference(text: str) -> bool:
    """Whether a reference entered by hand consists of arXiv ids, DOIs and addresses of the web, and of nothing that a
    browser would run or read from elsewhere."""
    return all(WEB.fullmatch(part) for part in text.split("; "))


def citation_faults(row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What is wrong with the locator, reference and evidence of a line entered by hand, each with its remedy."""
    if not row["reference"]:
        yield "reference is missing", "name the paper that says so"
    elif not is_reference(row["reference"]):
        yield f'"{row["reference"]}" is not a reference', ADDRESS
    if row["evidence"] not in EVIDENCE:
        yield f'evidence "{row["evidence"]}" is not known', f"one of {', '.join(EVIDENCE)}"
    if leads_nowhere(row["locator"], row["evidence"]):
        yield f'locator "{row["locator"]}" leads nowhere', PLACE
