"""What DuckDB says about a query that fails, in one clean line, with the nearest name or the place in the query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

import duckdb

NO_COLUMN = re.compile(
    r'Referenced column "([^"]+)" not found|does not have a column named "([^"]+)"|Column "([^"]+)" (?:in EXCLUDE|does'
    r" not)"
)
NO_TABLE = re.compile(r"Table with name \"?([^\s\"]+)\"? does not exist")
NO_FUNCTION = re.compile(r'[Ff]unction with name "?(\S+?)"? does not exist(?:!\nDid you mean "([^"]+)")?')
IS_LIST = re.compile(r"argument types '\S+\(VARCHAR\[\]|can't be cast to the destination type VARCHAR\[\]")
CANDIDATES = re.compile(r"Candidate bindings: .*")
PLACE = re.compile(r"\n+(LINE \d+: )(.*)\n( *\^+)\s*$")
KIND = re.compile(r"^[A-Z][\w-]*(?: [\w-]+)* Error: ")
SEALED = (
    "file system operations are disabled",
    "Loading external extensions is disabled",
    "is disabled by configuration",
    "is disabled through configuration",
    "configuration has been locked",
)


def plain(connection: duckdb.DuckDBPyConnection, query: str, error: Exception, memory_limit: str) -> str:
    """The message for people: what is missing with the nearest name, else DuckDB's words with one caret line."""
    text = str(error)
    if isinstance(error, MemoryError) or text.startswith("Out of Memory") or "bad_alloc" in text:
        return f"the query needs more than {memory_limit} of memory; select fewer rows or join on a key"
    if any(words in text for words in SEALED):
        return (
            "`sql` reads the tables of the dataset only: files, network, extensions and settings are out of its reach"
        )
    if "read-only mode" in text:
        return "the dataset is open for reading only"
    if "pytz" in text:
        return "times with a time zone cannot be shown; cast them, as in now()::timestamp"
    if found := NO_COLUMN.search(text):
        listed = CANDIDATES.search(text)
        near = re.findall(r'"([^"]+)"', listed[0]) if listed else []
        return _no_column(connection, query, next(filter(None, found.groups())), near)
    if found := NO_TABLE.search(text):
        return no_table(connection, found[1])
    if IS_LIST.search(text):
        return _is_list(connection, query)
    if found := NO_FUNCTION.search(text):
        return f"no function {found[1]}" + did_you_mean(found[1], [found[2]] if found[2] else [])
    return _with_place(text)


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """`; did you mean …?` with the nearest name, which of several words is the first that only adds others, or
    nothing."""
    longer = [known for known in names if "_" in name and known.startswith(f"{name.lower()}_")]
    near = longer or get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def table_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables and views of the dataset."""
    found = connection.execute(
        "select table_name from duckdb_tables() union select view_name from duckdb_views() where not internal order"
        " by 1"
    )
    return [str(row[0]) for row in found.fetchall()]


def _no_column(connection: duckdb.DuckDBPyConnection, query: str, name: str, candidates: Sequence[str]) -> str:
    try:
        tables = sorted(connection.get_table_names(query) & set(table_names(connection)))
    except duckdb.Error:  # it binds what it reads, and a join on a missing column does not bind
        tables = []
    tables = [table for table in tables if re.search(rf"\b{table}\b", query)] or _views(connection, query)
    found = connection.execute(
        "select column_name from duckdb_columns() where not internal and table_name in (select unnest($tables)) "
        "group by column_name order by min(column_index), column_name",
        {"tables": tables or table_names(connection)},
    )
    columns = [*(str(row[0]) for row in found.fetchall()), *candidates]
    where = f" in {' or '.join(tables)}" if tables else ""
    hint = did_you_mean(
        name, [column for column in columns if column != name]
    )  # it may be in a table that is not asked
    listed = f"; `traincompute tables {tables[0]}` lists its columns" if len(tables) == 1 else ""
    return f"no column {name}{where}{hint or listed}"


def _views(connection: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    """The view that the query reads; to DuckDB it reads the tables behind it. None where it reads several."""
    asked = re.findall(r"\b(?:from|join)\s+\"?(\w+)", query, re.IGNORECASE)
    return [name for name in asked if name in table_names(connection)] if len(asked) == 1 else []


def _is_list(connection: duckdb.DuckDBPyConnection, query: str) -> str:
    found = connection.execute(
        "select distinct column_name from duckdb_columns() where data_type = 'VARCHAR[]' and not internal order by 1"
    )
    asked = [name for (name,) in found.fetchall() if re.search(rf"\b{name}\b", query)]
    name = asked[0] if asked else "the_column"
    return (
        f"{name} holds lists: list_contains({name}, 'NVIDIA A100') asks for an item, "
        f"array_to_string({name}, ';') like '%A100%' for a part of one"
    )


def no_table(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """The message about a table that is not there, with the nearest one."""
    hint = did_you_mean(name.rsplit(".", 1)[-1], table_names(connection))
    return f"no table {name}" + (hint or "; `traincompute tables` lists them")


def _with_place(text: str) -> str:
    """DuckDB's words without kind, candidates and advice, then the line of the query with one caret line."""
    place = PLACE.search(text)
    about = KIND.sub("", text[: place.start()] if place else text)
    message = " ".join(re.split(r"\n\n|\n\t", about)[0].split())
    if not place:
        return message
    label = len(place[1])
    return f"{message}\n  {place[2]}\n  {place[3][label:]}"
