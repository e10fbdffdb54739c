"""Makes docs/figures.md: every figure with its caption and the query that gives its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.files import list_of, load_yaml, mapping

DECLARED = Path(__file__).resolve().parents[1] / "figures" / "figures.yml"
SHAPE = list_of(mapping(name=str, title=str, caption=str, query=str))
HEAD = """\
# Figures

<!-- made by `traincompute dev docs` from pipeline/present/figures/figures.yml -->

Every figure of the dataset, with the query that gives its numbers. `traincompute figures` draws them as SVG and as PNG,
6.25 inches wide at 300 dpi; `traincompute figures --svg --to docs/figures` renews those below. The caption inside a \
figure
names version and sources.
"""


class Figure(NamedTuple):
    """name (of the file), title, caption in Markdown, and query."""

    name: str
    title: str
    caption: str
    query: str


def declared_figures() -> list[Figure]:
    """The entries of figures.yml. Raises DataError if it is not valid YAML."""
    return [Figure(**entry) for entry in load_yaml(DECLARED, "pipeline/present/figures/figures.yml", SHAPE)]


def figures_page(figures: Iterable[Figure]) -> str:
    """The page."""
    return "".join([HEAD, *_sections(figures)])


def _sections(figures: Iterable[Figure]) -> Iterator[str]:
    for figure in figures:
        yield f"\n## {figure.title}\n\n![{figure.title}](figures/{figure.name}.svg)\n\n{figure.caption}\n"
        yield f"\n```sql\n{figure.query}\n```\n"
