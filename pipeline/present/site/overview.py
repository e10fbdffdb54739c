"""What the explorer loads at the start: every column of `models`, column by column, with what the columns mean.

Repeated texts and lists are indices into a list of words; dates are days since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import click
import duckdb

from pipeline.present.site.shards import shard_of
from traincompute import __version__
from traincompute.explain.collect import claims_of
from traincompute.query.columns import read_columns

Entry = dict[str, Any]

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
REPEATED = 0.5  # below this share of distinct texts, a list of words is shorter


def read_overview(connection: duckdb.DuckDBPyConnection, settings: Mapping[str, Any]) -> Entry:
    """about, settings, sources, columns, aliases (further names), said (who says the value of an axis), shards.

    Raises click.ClickException for a dataset without a model."""
    described = read_columns(connection, "models")
    rows = connection.execute("select * from models order by model_id").fetchall()
    if not rows:
        raise click.ClickException("the dataset holds no model")
    columns = [describe(column, values) for column, values in zip(described, zip(*rows, strict=True), strict=True)]
    ids = [str(row[0]) for row in rows]
    aliases = dict(connection.execute(ALIASES).fetchall())
    cursor = connection.execute(SOURCES)
    names = [column[0] for column in cursor.description or []]
    sources = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    newest = max((row["snapshot"] for row in sources if row["snapshot"]), default=None)
    return {
        "about": {"version": __version__, "newest": newest},
        "settings": settings,
        "claim_of": {name: claim for name, claim in claims_of(described).items() if name != claim},
        "sources": sources,
        "columns": [column for column in columns if column],
        "aliases": [aliases.get(key, "") for key in ids],
        "said": _said(connection, [axis["column"] for axis in settings["axes"]], ids),
        "shards": [shard_of(key) for key in ids],
    }


def describe(column: Entry, values: Sequence[Any]) -> Entry | None:
    """A column: name, unit, about, derived, kind (number, boolean, date, list, text), values; None without a value."""
    if all(value is None for value in values):
        return None
    kind, texts = column["type"], {"unit": column["unit"], "about": column["description"], "derived": column["derived"]}
    told = {"name": column["name"], **{key: text or "" for key, text in texts.items()}}
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
    """words (sorted, each once) and values: the index of each in words, -1 for none."""
    words = sorted({value for value in values if value is not None})
    place = {word: number for number, word in enumerate(words)}
    return {"words": words, "values": [-1 if value is None else place[value] for value in values]}


def _said(connection: duckdb.DuckDBPyConnection, fields: Sequence[str], ids: Sequence[str]) -> dict[str, Entry]:
    """For each field, the reference or source of its selected claim, model by model."""
    found: dict[str, dict[str, str]] = {}
    for model, field, place in connection.execute(SAID, [list(fields)]).fetchall():
        found.setdefault(field, {})[model] = place
    return {field: in_words([places.get(key) for key in ids]) for field, places in sorted(found.items())}
