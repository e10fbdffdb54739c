"""What DuckDB says about a query that fails, in one message, with the nearest name or the place in the query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import get_close_matches

from traincompute.base.engine import duckdb

NO_COLUMN = re.compile(r'Referenced column "([^"]+)" not found|column named "([^"]+)"|Column "([^"]+)" (?:in|does not)')
NO_TABLE = re.compile(r"Table with name \"?([^\s\"]+)\"? does not exist")
KIND = re.compile(r"^[A-Z][\w-]*(?: [\w-]+)* Error: ")
OUT_OF_REACH = (
    "`sql` reads the tables of the dataset only: files, network, extensions and settings are out of its reach"
)
LISTS = (
    "a column such as hardware holds lists: list_contains(hardware, 'NVIDIA A100') asks for an item, "
    "array_to_string(hardware, ';') like '%A100%' for a part of one"
)
SAID = {  # what DuckDB says → what that means here
    r"^Out of Memory|bad_alloc": "the query needs more than {memory} of memory; select fewer rows or join on a key",
    r"(?:operations|extensions) are disabled|extensions is disabled|has been locked": OUT_OF_REACH,
    r"is disabled (?:by|through) configuration": OUT_OF_REACH,
    r"read-only mode": "the dataset is open for reading only",
    r"pytz": "times with a time zone cannot be shown; cast them, as in now()::timestamp",
    r"argument types '\S+\(VARCHAR\[\]|can't be cast to the destination type VARCHAR\[\]": LISTS,
}
COLUMNS = """
select column_name from duckdb_columns() where not internal and ($asked = [] or table_name in $asked)
group by column_name order by min(column_index), column_name"""


def plain(connection: duckdb.DuckDBPyConnection, query: str, error: Exception, memory_limit: str) -> str:
    """The message for people: what is missing with the nearest name, else DuckDB's words with the place."""
    text = "Out of Memory" if isinstance(error, MemoryError) else str(error)
    for said, message in SAID.items():
        if re.search(said, text):
            return message.format(memory=memory_limit)
    if found := NO_COLUMN.search(text):
        return _no_column(connection, query, next(filter(None, found.groups())))
    if found := NO_TABLE.search(text):
        return no_table(connection, found[1])
    about, *place = re.split(r"\n+LINE \d+: ", KIND.sub("", text))
    message = " ".join(re.split(r"\n\n|\n\t", about)[0].split())
    if not place:
        return message
    line, caret = place[0].split("\n")[:2]
    label = re.search(r"LINE \d+: ", text)
    return f"{message}\n  {line}\n  {caret[len(label[0]) if label else 0 :]}"


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """`; did you mean …?` with the nearest name, which of several words is the first that only adds others, or
    nothing."""
    longer = [known for known in names if "_" in name and known.startswith(f"{name.lower()}_")]
    near = longer or get_close_matches(name.lower(), names, n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""


def table_names(connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The tables and views of the dataset."""
    tables, views = "select table_name from duckdb_tables()", "select view_name from duckdb_views() where not internal"
    return [str(row[0]) for row in connection.execute(f"{tables} union {views} order by 1").fetchall()]


def no_table(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """The message about a table that is not there, with the nearest one."""
    hint = did_you_mean(name.rsplit(".", 1)[-1], table_names(connection))
    return f"no table {name}" + (hint or "; `traincompute tables` lists them")


def _no_column(connection: duckdb.DuckDBPyConnection, query: str, name: str) -> str:
    """The message about a column that is not in the tables and views of the query, with the nearest of theirs."""
    asked = [table for table in table_names(connection) if re.search(rf"\b(?:from|join|,)\s+{table}\b", query, re.I)]
    columns = [row[0] for row in connection.execute(COLUMNS, {"asked": asked}).fetchall()]
    hint = did_you_mean(name, [column for column in columns if column != name])
    listed = f"; `traincompute tables {asked[0]}` lists its columns" if len(asked) == 1 else ""
    return f"no column {name}" + (f" in {' or '.join(asked)}" if asked else "") + (hint or listed)
