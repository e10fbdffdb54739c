"""The declared views and macros of the DuckDB file, read from pipeline/publish/sql/ and put in an order in which they
can be created."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.base.textfile import read_whole

COLUMN = re.compile(r"([a-z][a-z0-9_]*): (.+)")


@dataclass(frozen=True)
class View:
    """A view, or a macro if `is_macro`: name, what it answers, the meaning of each column, and the SQL."""

    name: str
    description: str
    columns: Mapping[str, str]
    query: str
    is_macro: bool


def load_views(paths: Paths) -> list[View]:
    """All macros, then all views, each after the ones it reads. Raises DataError for a file without a comment."""
    macros = [_read(file, paths.short(file), True) for file in sorted(paths.sql.glob("macros/*.sql"))]
    return _ordered(macros) + _ordered(
        [_read(file, paths.short(file), False) for file in sorted(paths.sql.glob("*.sql"))]
    )


def _read(file: Path, where: str, is_macro: bool) -> View:
    lines = read_whole(file, where).splitlines()
    head = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
    columns = {found[1]: found[2] for line in head if (found := COLUMN.fullmatch(line))}
    description = " ".join(line for line in head if not COLUMN.fullmatch(line))
    if not description:
        raise DataError.of(where, "has no comment", "begin the file with `-- what it answers`", record=file.stem)
    query = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
    return View(file.stem, description, columns, query, is_macro)


def _ordered(views: Sequence[View]) -> list[View]:
    """The views, each after the views whose names occur in it."""
    waiting = {view.name: view for view in views}
    done: list[View] = []
    while waiting:
        ready = [v for v in waiting.values() if not _reads(v, waiting)]
        if not ready:
            names = sorted(waiting)
            raise DataError.of(
                "pipeline/publish/sql", f"views read each other: {', '.join(names)}", "break the cycle", record=names[0]
            )
        done += ready
        waiting = {name: view for name, view in waiting.items() if view not in ready}
    return done


def _reads(view: View, names: Mapping[str, View]) -> bool:
    return any(re.search(rf"\b{name}\b", view.query) for name in names if name != view.name)
