"""What the SQL page knows before the engine runs: tables and views with columns and units, macros, and the questions
of docs/examples.md and docs/queries.md."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from traincompute.database import SEALED
from traincompute.query.catalogue import list_tables
from traincompute.query.columns import read_columns
from traincompute.query.rows import rows

Entry = dict[str, Any]
MACROS = """
select function_name as name, parameters, comment as about from duckdb_functions()
where not internal order by function_name"""
# what has no meaning in a browser: there is neither Python, nor a disk, nor a second thread
NOT_THERE = ("python_enable_replacements", "temp_directory", "max_temp_directory_size", "threads")

QUESTION = re.compile(r"^## (?P<section>.+)|^### (?P<title>.+)|^```sql\n(?P<query>[^`]*)```", re.MULTILINE)


class Question(NamedTuple):
    """A query of a page, with the section and the heading above it."""

    section: str
    title: str
    query: str


def questions(page: str) -> list[Question]:
    """The queries of a page with the headings above them."""
    section = title = ""
    found = []
    for part in QUESTION.finditer(page):
        section, title = part["section"] or section, part["title"] or title
        if part["query"]:
            found.append(Question(section, title, part["query"].strip()))
    return found


def read_schema(connection: duckdb.DuckDBPyConnection, pages: Iterable[Path]) -> Entry:
    """tables (name, view, rows, about, columns), macros, questions and the settings that seal the engine off."""
    return {
        "tables": [_table(connection, entry) for entry in list_tables(connection)],
        "macros": rows(connection, MACROS),
        "questions": [question._asdict() for page in pages for question in questions(page.read_text(encoding="utf-8"))],
        "seal": {
            name: value
            for name, value in {"enable_external_access": "false", **SEALED, "lock_configuration": "true"}.items()
            if name not in NOT_THERE
        },
    }


def _table(connection: duckdb.DuckDBPyConnection, entry: Entry) -> Entry:
    is_view = entry.get("view", False)
    columns = read_columns(connection, entry["table"], is_view)
    return {
        "name": entry["table"],
        "view": is_view,
        "rows": entry["rows"],
        "about": entry["description"],
        "columns": [[column["name"], column["type"], column["unit"], column["description"]] for column in columns],
    }
