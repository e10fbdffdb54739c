"""What the pages tell besides the answers in api/: rivals, chips and medians of models, and the tables of the other
kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import duckdb

from traincompute.query.columns import read_columns
from traincompute.query.rows import Row, holds, rows, rows_if_held

# of the notable models of other developers, of the same field and published within half a year: those nearest in
# compute
RIVALS = """
with told as (
    select model_id, organization, training_run_id as run, domains[1] as field, publication_date as day, is_notable,
        ln(flop_50) as size
    from models join predictions using (model_id) where publication_date is not null and flop_50 is not null
)
select m.model_id, o.model_id as rival from told m join told o on o.field = m.field and o.is_notable and o.run <> m.run
    and o.organization is distinct from m.organization and o.day between m.day - 183 and m.day + 183
qualify row_number() over (partition by m.model_id order by abs(o.size - m.size), o.model_id) <= 4
order by m.model_id, abs(o.size - m.size), o.model_id"""
LINES = """
select * from models left join predictions using (model_id) order by flop_50 desc nulls last, model_id"""
CHIPS = "select model_id, hardware_id from model_hardware where hardware_id is not null order by model_id, ordinal"
ORGANIZATIONS = "select * from organizations order by organization"
SOURCES = "select * from sources order by source_id"
SNAPSHOTS = "select * from snapshots order by source_id, snapshot desc"
CLAIMED = """
select source_id, count(*) as claims, count(*) filter (status = 'selected') as selected,
    count(distinct model_id) as models from claims group by source_id"""


class Told(NamedTuple):
    """models: id → its line; rivals and chips: model → ids; organizations, hardware, sources: id → row, and snapshots
    and claims of sources; parts: organisation → those that belong to it; `meanings`: the columns of hardware."""

    models: Mapping[str, Row]
    rivals: Mapping[str, Sequence[str]]
    chips: Mapping[str, Sequence[str]]
    organizations: Mapping[str, Row]
    parts: Mapping[str, Sequence[str]]
    hardware: Mapping[str, Row]
    sources: Mapping[str, Row]
    snapshots: Mapping[str, Sequence[Row]]
    claimed: Mapping[str, Row]
    meanings: Sequence[Row]


def read_told(connection: duckdb.DuckDBPyConnection) -> Told:
    """The whole of it; empty is what a dataset of an earlier version lacks."""

    def table(name: str, query: str) -> list[Row]:
        return rows_if_held(connection, name, query)

    has_predictions = holds(connection, "predictions")
    lines = rows(connection, LINES) if has_predictions else rows(connection, "select * from models order by model_id")
    makers = table("organizations", ORGANIZATIONS)
    return Told(
        _by(lines, "model_id"),
        _lists(rows(connection, RIVALS) if has_predictions else [], "rival"),
        _lists(table("model_hardware", CHIPS), "hardware_id"),
        _by(makers, "organization"),
        _lists(makers, "organization", "parent"),
        _by(table("hardware", "select * from hardware order by hardware_id"), "hardware_id"),
        _by(rows(connection, SOURCES), "source_id"),
        _groups(table("snapshots", SNAPSHOTS), "source_id"),
        _by(rows(connection, CLAIMED), "source_id"),
        read_columns(connection, "hardware"),
    )


def _by(found: Sequence[Row], key: str) -> dict[str, Row]:
    return {row[key]: row for row in found}


def _lists(found: Sequence[Row], value: str, by: str = "model_id") -> dict[str, list[Any]]:
    return {key: [row[value] for row in group] for key, group in _groups(found, by).items()}


def _groups(found: Sequence[Row], key: str) -> dict[str, list[Row]]:
    made: dict[str, list[Row]] = {}
    for row in found:
        made.setdefault(row[key], []).append(row)
    return made
