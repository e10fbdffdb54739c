"""What the columns of a table mean, as the published table `columns` has it.

A dataset made before that table existed has comments alone: they are then the descriptions, with unit and derivation as
part of the text.
"""

from __future__ import annotations

import duckdb

from traincompute.query.rows import Row, holds, rows, rows_if_held

SHOWN = "(select * from duckdb_columns() where table_name = $1 and not internal)"
OF_TABLE = f"""
select s.column_name as name, data_type as type, unit, coalesce(description, comment, '') as description, derived, claim
from {SHOWN} s left join columns using (table_name, column_name) order by column_index"""
# a view's column means what that column of a table means whose comment it carries, else what its own comment says
OF_VIEW = f"""
select s.column_name as name, s.data_type as type, m.unit, coalesce(m.description, s.comment, '') as description,
    m.derived, m.claim
from {SHOWN} s left join duckdb_columns() t on t.column_name = s.column_name and t.comment = s.comment
left join columns m on m.table_name = t.table_name and m.column_name = t.column_name
qualify row_number() over (partition by s.column_index order by m.table_name nulls last) = 1
order by s.column_index"""
OF_COMMENTS = f"""
select column_name as name, data_type as type, null as unit, coalesce(comment, '') as description, null as derived,
    null as claim
from {SHOWN} order by column_index"""

MEANINGS = """
select column_name as name, unit, description, derived, claim from columns where table_name = $1 order by position"""


def read_meanings(connection: duckdb.DuckDBPyConnection, table: str) -> list[Row]:
    """The same as read_columns of a table but for the DuckDB type, for which its catalogue would have to be asked."""
    return rows_if_held(connection, "columns", MEANINGS, table) or read_columns(connection, table)


def read_columns(connection: duckdb.DuckDBPyConnection, table: str, is_view: bool = False) -> list[Row]:
    """One row per column of a table or view, in order: name, DuckDB type, unit, description, derived (how), and claim
    (the field of the claims that it carries, where that has another name)."""
    if not holds(connection, "columns"):
        return rows(connection, OF_COMMENTS, table)
    return rows(connection, OF_VIEW if is_view else OF_TABLE, table)
