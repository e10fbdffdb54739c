"""What the explorer loads at once: every column of `models`, column by column, with what the columns mean.

Texts and lists that repeat are numbers into a list of words; dates are days since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import click
import duckdb

from pipeline.present.site.shards import shard_of
from traincompute import __version__
from traincompute.explain.collect import CLAIM_OF
from traincompute.query.catalogue import DERIVED, UNIT

Entry = dict[str, Any]

COLUMNS = """
select column_name, data_type, comment from duckdb_columns() where table_name = 'models' and not internal
order by column_index"""
SOURCES = """
select source_id, title, publisher, url, licence, attribution, strftime(snapshot, '%Y-%m-%d') as snapshot from sources
where source_id in (select source_id from claims) order by source_id"""
SAID = """
select model_id, field, coalesce(reference || coalesce(', ' || locator, ''), publisher || ', ' || source_id)
from claims where status = 'selected' and field in (select unnest(?)) order by model_id, field"""
ALIASES = """
select model_id, string_agg(distinct record, ' ' order by record) from claims join models using (model_id)
where record <> name group by model_id"""
EPOCH = date(1970, 1, 1)
REPEATED = 0.5  # below this share of different texts a list of words is shorter


def read_overview(connection: duckdb.DuckDBPyConnection, settings: Mapping[str, Any]) -> Entry:
    """about, settings, sources, columns, aliases (further names), said (who says the value of an axis), shards.

    Raises click.ClickException for a dataset without a model."""
    described = connection.execute(COLUMNS).fetchall()
    rows = connection.execute("select * from models order by model_id").fetchall()
    if not rows:
        raise click.ClickException("the dataset holds no model")
    values = dict(zip((name for name, *_ in described), zip(*rows, strict=True), strict=True))
    columns = [describe(name, kind, comment or "", values[name]) for name, kind, comment in described]
    ids = [str(value) for value in values["model_id"]]
    aliases = dict(connection.execute(ALIASES).fetchall())
    cursor = connection.execute(SOURCES)
    names = [column[0] for column in cursor.description or []]
    sources = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    newest = max((row["snapshot"] for row in sources if row["snapshot"]), default=None)
    return {
        "about": {"version": __version__, "newest": newest},
        "settings": settings,
        "claim_of": CLAIM_OF,
        "sources": sources,
        "columns": [column for column in columns if column],
        "aliases": [aliases.get(key, "") for key in ids],
        "said": _said(connection, [axis["column"] for axis in settings["axes"]], ids),
        "shards": [shard_of(key) for key in ids],
    }


def describe(name: str, kind: str, comment: str, values: Sequence[Any]) -> Entry | None:
    """A column: name, kind (number, boolean, date, list, text), unit, about, derived, values; None without a value."""
    if all(value is None for value in values):
        return None
    about, _, derived = comment.partition(DERIVED)
    unit = UNIT.search(about)
    told = {"name": name, "unit": unit[1] if unit else "", "about": UNIT.sub("", about), "derived": derived}
    if kind == "BOOLEAN":
        return {**told, "kind": "boolean", "values": [None if value is None else int(value) for value in values]}
    if kind == "DATE":
        return {**told, "kind": "date", "values": [value and (value - EPOCH).days for value in values]}
    if kind.endswith("[]"):
        return {**told, "kind": "list", **in_words([None if value is None else tuple(value) for value in values])}
    if kind == "VARCHAR":
        repeated = len(set(values)) < REPEATED * len(values)
        return {**told, "kind": "text", **(in_words(values) if repeated else {"values": list(values)})}
    return {**told, "kind": "number", "values": list(values)}


def in_words(values: Sequence[Any]) -> Entry:
    """words (sorted, each once) and values: the place of each among them, -1 for none."""
    words = sorted({value for value in values if value is not None})
    place = {word: number for number, word in enumerate(words)}
    return {"words": words, "values": [-1 if value is None else place[value] for value in values]}


def _said(connection: duckdb.DuckDBPyConnection, fields: Sequence[str], ids: Sequence[str]) -> dict[str, Entry]:
    """For each field the reference or source that its selected claim comes from, model by model."""
    found: dict[str, dict[str, str]] = {}
    for model, field, place in connection.execute(SAID, [list(fields)]).fetchall():
        found.setdefault(field, {})[model] = place
    return {field: in_words([places.get(key) for key in ids]) for field, places in sorted(found.items())}
