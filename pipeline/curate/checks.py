"""Runs the checks of pipeline/curate/sql over the built tables: one file, one list of what a person can do something
about.

A check is one query. Its file begins with `-- title: …` and `-- remedy: …` (and `-- needs: …`, a view without which it
is skipped), and its name is that of the check. The checks of a folder run in the order of their names; `views.sql` has
what they share, and `around.sql` is a query around each of theirs."""

from __future__ import annotations

import ast
import math
import operator
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pandas as pd

from pipeline.config import last_look, load_lock, load_sources, locked_snapshots
from pipeline.names import skeleton, slug
from pipeline.normalize.correct import lapsed
from pipeline.paths import Paths
from pipeline.pull.snapshot import notes_to_read
from pipeline.validate.gate import Finding, read_findings
from traincompute.base.places import DUCKDB_NAME
from traincompute.database import rows
from traincompute.query.run import list_tables

FOLDER = Path(__file__).parent / "sql"
HEADING = re.compile(r"-- title: (?P<title>.+)\n-- remedy: (?P<remedy>.+)\n(?:-- needs: (?P<view>.+)\n)?")
LEDGER = """
    CREATE TEMP TABLE ledger AS
    SELECT split_part(filename, '/', -2) AS source_id, record, field, value_text, since, until,
    list_contains($speaking, source_id) AS only_speaks
    FROM read_csv($files, all_varchar = true, header = true, filename = true, union_by_name = true)
    WHERE field IN ('name', 'parameters', 'publication_date', 'reference_url')"""
OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: math.pow}  # fmt: skip


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
        for file in (paths.identities, paths.architectures):
            connection.register(file.stem, pd.read_csv(file, dtype="str", keep_default_na=False, na_values=[""]))
        for function in (slug, skeleton):
            connection.create_function(function.__name__, function, ["VARCHAR"], "VARCHAR")
        connection.create_function("arithmetic", both_sides, ["VARCHAR"], "DOUBLE[]")
        yield connection


def run_folder(connection: duckdb.DuckDBPyConnection, name: str) -> list[Section]:
    """The checks of a folder that find something."""
    texts = {file.stem: file.read_text(encoding="utf-8") for file in sorted((FOLDER / name).glob("*.sql"))}
    connection.execute(texts.pop("views", ""))
    around, known = texts.pop("around", "{}"), {entry["table"] for entry in list_tables(connection)}
    return [
        Section(check, heading["title"], heading["remedy"], found)
        for check, query in texts.items()
        if (heading := HEADING.match(query)) and (not heading["view"] or heading["view"] in known)
        if (found := rows(connection, around.format(query)))
    ]


def find_open(connection: duckdb.DuckDBPyConnection, paths: Paths) -> list[Section]:
    """What is stale, unresolved or open. The checks see what stands beside the tables as tables of texts:
    `findings` of the release gate and `idle_waivers`, `snapshots_now` with the newest snapshot of each source, `lapsed`
    corrections and `closed_notes`."""
    (findings, idle), lock = read_findings(paths.processed), load_lock(paths)
    looks = [(name, max(locked_snapshots(lock, name), default=None), last_look(lock, name)) for name in lock]
    corrections = connection.execute("FROM corrections ORDER BY correction_id").df()
    claims = connection.execute("FROM claims SEMI JOIN corrections USING (source_id, record, field)").df()
    cell = ["source_id", "record", "field", "value_text"]
    tables = {
        "findings": pd.DataFrame(findings, columns=Finding._fields),
        "idle_waivers": pd.DataFrame({"waiver": idle}),
        "snapshots_now": pd.DataFrame(looks, columns=["source_id", "newest", "last_looked_at"]),
        "lapsed": pd.DataFrame(lapsed(corrections, claims), columns=["correction_id", *cell, "now"]),
        "closed_notes": pd.DataFrame(notes_to_read(paths), columns=[*cell, "locator"]),
    }
    for name, table in tables.items():
        connection.register(name, table.astype("str"))
    return run_folder(connection, "status")


def find_duplicates(connection: duckdb.DuckDBPyConnection, paths: Paths) -> list[Section]:
    """The open pairs by check, each under the first check that found it. The checks see the facts of all snapshots as
    the table `ledger`; `only_speaks` marks sources that make no models of their own."""
    about = [source for source in load_sources(paths).values() if source.subject == "models"]
    files = [file.as_posix() for source in about for file in sorted((paths.raw / source.id).glob("facts*.csv"))]
    speaking = [source.id for source in about if not source.makes_models]
    connection.execute(LEDGER, {"files": files, "speaking": speaking})
    sections, seen = [], set[frozenset[str]]()
    for section in run_folder(connection, "duplicates"):
        pairs = {frozenset((row["record"], row["other"])): row for row in section.rows[::-1]}
        if new := [row for pair, row in reversed(pairs.items()) if pair not in seen]:
            sections.append(section._replace(rows=new))
        seen |= pairs.keys()
    return sections


@cache  # files repeat the same notes
def both_sides(text: str) -> list[float | None]:
    """The values of the left and the right side of a calculation; None for a side that is absent, or that is not a
    positive number made of numbers, + - * / ^ and brackets."""
    sides: list[float | None] = []
    for side in text.partition("=")[::2]:
        try:
            value = _compute(ast.parse(side.strip().replace("^", "**"), mode="eval").body)
        except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
            value = 0.0
        sides.append(value if 0 < value < 1e100 else None)
    return sides


def _compute(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_compute(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return float(OPERATORS[type(sign)](_compute(left), _compute(right)))
    raise ValueError(f"{type(node).__name__} is not arithmetic")
