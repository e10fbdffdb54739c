"""Which pages of docs/ are made, or have parts that are, and how."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.paths import Paths
from pipeline.present.docs.dictionary import dictionary
from pipeline.present.docs.figures import declared_figures, figures_page
from pipeline.present.docs.method import with_results
from pipeline.present.docs.notebook import notebook, with_printed
from pipeline.present.docs.quality import quality
from pipeline.present.docs.queries import with_output, with_transcript
from pipeline.present.docs.reproductions import reproductions
from pipeline.present.docs.sources import sources_page
from pipeline.schema import load_schemas
from traincompute.base.places import DUCKDB_NAME
from traincompute.examples.search import PAGE

# commands, and what they print
TRANSCRIPTS = ("first-hour.md", "count-above-threshold.md", "frontier.md", "audit-a-number.md")
PYTHON = "fit-growth.md"  # blocks of Python, and what they print; also a notebook


def pages(paths: Paths) -> dict[str, Callable[[], str]]:
    """{file below docs/: makes its text}, in an order in which each may read those before it."""

    def text(name: str) -> str:
        return (paths.docs / name).read_text(encoding="utf-8")

    database = paths.processed / DUCKDB_NAME
    return {
        "data-dictionary.md": lambda: dictionary(load_schemas(paths)),
        "figures.md": lambda: figures_page(declared_figures()),
        "sources.md": lambda: sources_page(paths),
        "method.md": lambda: with_results(text("method.md"), paths),
        "reproductions.md": lambda: reproductions(paths),
        "examples.md": lambda: with_output(PAGE.read_text(encoding="utf-8"), database),
        "queries.md": lambda: with_output(text("queries.md"), database),
        "quality.md": lambda: quality(text("quality.md"), paths, database),
        PYTHON: lambda: with_printed(text(PYTHON), PYTHON, paths.processed),
        "fit-growth.ipynb": lambda: notebook(text(PYTHON)),
    } | {name: _transcript(name, paths) for name in TRANSCRIPTS}


def _transcript(name: str, paths: Paths) -> Callable[[], str]:
    page = paths.docs / name
    return lambda: with_transcript(page.read_text(encoding="utf-8"), paths.root, paths.processed)
