"""The gallery: docs/figures.md with every figure drawn from the dataset at hand, as SVG and PNG, and the rows of its
query as CSV. Figures take their time, so they are drawn by a process of its own while the rest of the site is made."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from pipeline.present.processes import beside
from pipeline.site.figures import ENOUGH, ORDER, declared
from traincompute.needs import is_installed

PAGE = "docs/figures.md"
FOLDER = "docs/figures"
DPI = 96  # a PNG of the site is for slides and previews; `traincompute figures` makes larger ones
PICTURE = re.compile(r"!\[.*\]\(figures/(?P<name>[\w-]+)\.svg\)")


def figures_of(database: Path, manifest: Mapping[str, Any]) -> list[str]:
    """The names of the figures that can be drawn: none of few models, of a database alone, or without the extra."""
    tables = manifest.get("tables", {})
    has_many = "models" in tables and tables["models"]["rows"] >= ENOUGH
    is_whole = has_many and (database.parent / "models.parquet").exists() and is_installed("site")
    return list(ORDER) if is_whole else []


@contextmanager
def drawing(database: Path, names: Sequence[str]) -> Iterator[Callable[[], dict[str, bytes]]]:
    """Begins to draw. What it gives waits for the end: {path below the site: content}; it raises DataError where a
    figure cannot be drawn."""
    if not names:
        yield dict
        return
    with TemporaryDirectory() as folder:
        arguments = ["figures", *names, "--data", str(database.resolve().parent), "--to", folder, "--dpi", str(DPI)]
        with beside("traincompute", *arguments) as printed:
            yield lambda: _drawn(Path(folder), printed)


def _drawn(folder: Path, printed: Callable[[], bytes]) -> dict[str, bytes]:
    printed()
    return {f"{FOLDER}/{file.name}": file.read_bytes() for file in sorted(folder.iterdir())}


def with_links(page: str, names: Sequence[str]) -> str:
    """docs/figures.md with the way to the files of each figure, and to its query, below its picture."""
    queries = {name: declared(name)["query"] for name in names}

    def linked(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in queries:
            return found[0]
        links = [f"[{kind.upper()}](figures/{name}.{kind})" for kind in ("svg", "png", "csv")]
        links.append(f"[Ask its query](../sql.html#q={quote(queries[name], safe='')})")
        return f"{found[0]}\n\n{' · '.join(links)}"

    return PICTURE.sub(linked, page)


def places(names: Sequence[str]) -> dict[str, str]:
    """{file below the root that a page may name: its place seen from docs/}."""
    files = {f"{FOLDER}/{name}.{kind}": f"figures/{name}.{kind}" for name in names for kind in ("svg", "png", "csv")}
    return files | {"sql.html": "../sql.html"}
