"""What the generated pages share: rows of Markdown tables, and text between two marks of a page."""

from __future__ import annotations

import re


def row(*cells: object) -> str:
    """A row of a table, with its line break; null is an empty cell."""
    texts = ("" if cell is None else str(cell).replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(texts)} |\n"


def between_marks(page: str, name: str, text: str) -> str:
    """The page with that text, which ends in a line break, between `<!-- name -->` and `<!-- /name -->`."""
    block = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
    return block.sub(lambda match: match[1] + text + match[2], page)
