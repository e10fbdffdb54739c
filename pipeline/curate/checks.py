"""Runs the checks of pipeline/curate/sql over the built tables: one file, one list of what a person can do something
about.

A check is one query. Its file begins with `-- title: …` and `-- remedy: …` (and `-- needs: …`, a view without which it
is skipped), and its name is that of the check. The checks of a folder run in the order of their names; `views.sql` has
what they share, and `around.sql` is a query around each of theirs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from pipeline.base.names import skeleton, slug
from pipeline.base.paths import Paths
from pipeline.curate.arithmetic import both_sides
from traincompute.base.places import DUCKDB_NAME
from traincompute.query.rows import holds, rows

FOLDER = Path(__file__).parent / "sql"
HEADING = re.compile(r"-- title: (?P<title>.+)\n-- remedy: (?P<remedy>.+)\n(?:-- needs: (?P<view>.+)\n)?")


class Section(NamedTuple):
    """What one check lists, and what can be done about it. A column `count` says how many things a row stands for."""

    name: str
    title: str
    remedy: str
    rows: list[dict[str, Any]]

    @property
    def total(self) -> int:
        return sum(row.get("count", 1) for row in self.rows)


@contextmanager
def built_tables(paths: Paths, folder: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published dataset in `folder`, read-only, with the views `identities` and `architectures` of the curated
    files, and the functions slug(), skeleton() and arithmetic(), which gives both sides of a calculation."""
    with duckdb.connect(Path(folder) / DUCKDB_NAME, read_only=True) as connection:
        for name in ("identities", "architectures"):
            file = (paths.curated / f"{name}.csv").as_posix().replace("'", "''")
            connection.execute(f"CREATE TEMP VIEW {name} AS FROM read_csv('{file}', all_varchar = true, header = true)")
        for function in (slug, skeleton):
            connection.create_function(function.__name__, function, ["VARCHAR"], "VARCHAR")
        connection.create_function("arithmetic", both_sides, ["VARCHAR"], "DOUBLE[]")
        yield connection


def run_folder(connection: duckdb.DuckDBPyConnection, name: str) -> list[Section]:
    """The sections of all checks of a folder."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted((FOLDER / name).glob("*.sql"))}
    connection.execute(texts.pop("views", ""))
    around = texts.pop("around", "{}")
    headings = {check: HEADING.match(query) for check, query in texts.items()}
    return [
        Section(check, heading["title"], heading["remedy"], rows(connection, around.format(texts[check])))
        for check, heading in headings.items()
        if heading and (not heading["view"] or holds(connection, heading["view"]))
    ]
