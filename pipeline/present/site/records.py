"""What the pages of organisations, chips and sources load: those tables whole, with the unit and meaning of each
column."""

from __future__ import annotations

from datetime import date
from typing import Any

import duckdb

from traincompute.query.columns import read_columns
from traincompute.query.rows import holds

Entry = dict[str, Any]
TABLES = {
    "organizations": "select * from organizations order by organization",
    "hardware": "select * from hardware order by hardware_id",
    "model_hardware": "select model_id, hardware_id from model_hardware where hardware_id is not null order by 1, 2",
    "snapshots": "select source_id, snapshot, records, facts, sha256 from snapshots order by source_id, snapshot",
    "claimed": """select source_id, count(*) as claims, count(*) filter (status = 'selected') as selected,
        count(distinct model_id) as models from claims group by source_id order by source_id""",
}


def read_records(connection: duckdb.DuckDBPyConnection) -> dict[str, Entry]:
    """Table → its rows, and its columns: name, unit and description. A table that the dataset lacks has no rows."""
    return {name: _table(connection, name, query) for name, query in TABLES.items()}


def _table(connection: duckdb.DuckDBPyConnection, name: str, query: str) -> Entry:
    if name != "claimed" and not holds(connection, name):
        return {"columns": [], "rows": []}
    cursor = connection.execute(query)
    names, rows = [column[0] for column in cursor.description or []], cursor.fetchall()
    known = {column["name"]: column for column in read_columns(connection, name)}
    described = [[each, known.get(each, {}).get("unit"), known.get(each, {}).get("description")] for each in names]
    return {"columns": described, "rows": [[_plain(cell) for cell in row] for row in rows]}


def _plain(cell: Any) -> Any:
    return cell.isoformat() if isinstance(cell, date) else cell
