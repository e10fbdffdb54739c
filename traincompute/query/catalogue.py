"""What can be asked: the tables and views of a dataset with their rows, and the columns of one with type, unit,
meaning, share of rows filled and an example."""

from __future__ import annotations

from typing import Any

from traincompute.base.engine import duckdb
from traincompute.query.rows import Row, rows
from traincompute.show.values import exact

Entry = dict[str, Any]

CATALOGUE = """
select table_name as "table", estimated_size as rows, column_count as columns, coalesce(comment, '') as description
from duckdb_tables()
union all
select view_name, null, column_count, coalesce(comment, '') from duckdb_views() where not internal
order by 1"""
MEANINGS = """
select column_name as name, unit, description, derived, claim from columns where table_name = $1 order by position"""
# a view's column means what that column of a table means whose comment it carries, else what its own comment says
DESCRIBED = """
with own as (select * from duckdb_columns() where table_name = $1 and not internal
), meant as (
    select s.column_index, m.* from own s join columns m using (column_name)
    left join duckdb_columns() t on t.table_name = m.table_name and t.column_name = m.column_name
    where m.table_name = $1 or t.comment = s.comment
    qualify row_number() over (partition by s.column_index order by m.table_name = $1 desc, m.table_name) = 1)
select s.column_name as name, s.data_type as type, unit, coalesce(description, s.comment, '') as description, derived,
    claim
from own s left join meant using (column_index) order by column_index"""


def list_tables(connection: duckdb.DuckDBPyConnection) -> list[Entry]:
    """One entry per table and view: table, rows (of a view null: it would have to be run), columns (number),
    description; of a view also view = True."""
    return [entry | ({"view": True} if entry["rows"] is None else {}) for entry in rows(connection, CATALOGUE)]


def describe_table(connection: duckdb.DuckDBPyConnection, entry: Entry) -> Entry:
    """table, rows, description, and per column: name, type, unit, meaning, derived (formula), fill_rate, example.

    The fill rate is the share of rows that are not null, or null in a table without rows. The examples are those of
    the fullest row; where that has none, the first that there is."""
    described = read_columns(connection, entry["table"])
    source, names = f'"{entry["table"]}"', [f'"{column["name"]}"' for column in described]
    filled = " + ".join(f"({name} is not null)::int" for name in names)

    def first(query: str) -> tuple[Any, ...]:
        return connection.execute(query).fetchone() or ()

    total, *counts = first(f"select count(*), {', '.join(f'count({name})' for name in names)} from {source}")
    anything = first(f"select {', '.join(f'any_value({name})' for name in names)} from {source}")
    fullest = first(f"select * from {source} order by {filled} desc, {names[0]} limit 1") or anything
    columns = [
        {
            **{key: column[key] for key in ("name", "type", "unit")},
            "meaning": column["description"],
            "derived": column["derived"],
            "fill_rate": round(count / total, 4) if total else None,
            "example": None if value is None and spare is None else exact(spare if value is None else value),
        }
        for column, count, value, spare in zip(described, counts, fullest, anything, strict=True)
    ]
    return {**entry, "rows": total, "columns": columns}


def read_columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[Row]:
    """What the columns of a table or view mean, in order: name, DuckDB type, unit, description, derived (how), and
    claim (the field of the claims that it carries, where that has another name)."""
    return rows(connection, DESCRIBED, table)


def read_meanings(connection: duckdb.DuckDBPyConnection, table: str) -> list[Row]:
    """The same of a table but for the DuckDB type, for which its catalogue would have to be asked."""
    return rows(connection, MEANINGS, table)
