"""What the columns of a table mean, as the published table `columns` has it; where a dataset has none, their comments
say it, with unit and derivation as part of the text."""

from __future__ import annotations

import duckdb

from traincompute.query.rows import Row, holds, rows, rows_if_held

# a view's column means what that column of a table means whose comment it carries, else what its own comment says
SHOWN = """
select s.column_name as name, s.data_type as type, m.unit, coalesce(m.description, s.comment, '') as description,
    m.derived, m.claim
from duckdb_columns() s left join {meanings} m on m.column_name = s.column_name and {same}
where s.table_name = $1 and not s.internal
qualify row_number() over (partition by s.column_index order by m.table_name nulls last) = 1
order by s.column_index"""
OF_TABLE = "m.table_name = s.table_name"
OF_VIEW = """exists (from duckdb_columns() t
    where t.table_name = m.table_name and t.column_name = s.column_name and t.comment = s.comment)"""
NONE = """(select null::varchar as table_name, null::varchar as column_name, null as unit, null as description,
    null as derived, null as claim)"""
MEANINGS = """
select column_name as name, unit, description, derived, claim from columns where table_name = $1 order by position"""


def read_meanings(connection: duckdb.DuckDBPyConnection, table: str) -> list[Row]:
    """The same as read_columns of a table but for the DuckDB type, for which its catalogue would have to be asked."""
    return rows_if_held(connection, "columns", MEANINGS, table) or read_columns(connection, table)


def read_columns(connection: duckdb.DuckDBPyConnection, table: str, is_view: bool = False) -> list[Row]:
    """One row per column of a table or view, in order: name, DuckDB type, unit, description, derived (how), and claim
    (the field of the claims that it carries, where that has another name)."""
    meanings = "columns" if holds(connection, "columns") else NONE
    return rows(connection, SHOWN.format(meanings=meanings, same=OF_VIEW if is_view else OF_TABLE), table)
