"""What the explorer loads at the start: every column of `models`, column by column, with what the columns mean.

Repeated texts and lists are indices into a list of words; dates are days since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import duckdb

from pipeline.frames import PUBLISHED
from pipeline.present.site.shards import shard_of
from traincompute.base.errors import NotFoundError
from traincompute.explain.collect import claims_of
from traincompute.query.columns import read_columns
from traincompute.query.rows import holds
from traincompute.query.rows import rows as rows_of
from traincompute.units.table import FLOP_PER_PFS_DAY

Entry = dict[str, Any]

SOURCES = """
select source_id, title, publisher, url, licence, attribution, strftime(snapshot, '%Y-%m-%d') as snapshot from sources
order by source_id"""
SAID = """
select model_id, field, coalesce(reference || coalesce(', ' || locator, ''), publisher || ', ' || source_id)
from claims where status = 'selected' and field in (select unnest(?)) order by model_id, field"""
ALIASES = """
select model_id, string_agg(distinct record, ' ' order by record) from claims join models using (model_id)
where record <> name group by model_id"""
OTHER_NAMES = """
select model_id, string_agg(distinct alias, ' ' order by alias) from aliases join models using (model_id)
where alias <> name and kind not in ('name', 'id', 'distinct') group by model_id"""
EPOCH = date(1970, 1, 1)
PARENTS = "select organization, parent from organizations where parent is not null order by 1"
TRENDS = """
select quantity, "group", strftime(since, '%Y-%m-%d') as since, n, growth_per_year, growth_low, growth_high,
    doubling_months, doubling_low, doubling_high, columns('^(selection_warning|valued_share_since_2024)$')
from trends where "group" in ('all', 'notable', 'frontier_flag') order by trend_id"""
EXPECTED = """
select threshold_flop as level, scope, strftime(published_until, '%Y-%m-%d') as until, low_90 as low, high_90 as high
from thresholds order by all"""
CHIPS = """
select name, strftime(release_date, '%Y-%m-%d') as released from hardware join model_hardware using (hardware_id)
where release_date is not null group by all having count(distinct model_id) >= 10
order by count(distinct model_id) desc, name limit 12"""
QUANTILES = """
select model_id, tier, method, flop_05, flop_25, flop_50, flop_75, flop_95, tier_coverage_90, tier_models
from models_completed where training_compute_flop is null order by model_id"""
KEPT_DIGITS = 7
# column → the one that it repeats in most rows, after a prefix
REPEATS = {"training_run_id": ("model_id", ""), "reference_url": ("arxiv_id", "https://arxiv.org/abs/")}
# column → the one that it is a part of, and the divisor
RATIOS = {"training_compute_pfs_days": ("training_compute_flop", FLOP_PER_PFS_DAY)}
REPEATED = 0.5  # below this share of distinct texts, a list of words is shorter


def read_overview(connection: duckdb.DuckDBPyConnection, settings: Mapping[str, Any]) -> Entry:
    """about, settings, sources, columns, aliases (further names), said (who says the value of an axis), shards, parents
    (organisation → the one that it belongs to), the rows of trends and thresholds (`expected`) that are quoted, and the
    chips that most models were trained on, with the day on which they came out.

    Raises NotFoundError for a dataset without a model."""
    described = read_columns(connection, "models")
    rows = connection.execute("select * from models order by model_id").fetchall()
    if not rows:
        raise NotFoundError("the dataset holds no model")
    columns = [describe(column, values) for column, values in zip(described, zip(*rows, strict=True), strict=True)]
    ids = [str(row[0]) for row in rows]
    other_names = OTHER_NAMES if holds(connection, "aliases") else ALIASES
    aliases = dict(connection.execute(other_names).fetchall())
    sources = rows_of(connection, SOURCES)
    newest = max((row["snapshot"] for row in sources if row["snapshot"]), default=None)
    return {
        "about": {"newest": newest},
        "settings": settings,
        "claim_of": {name: claim for name, claim in claims_of(described).items() if name != claim},
        "sources": sources,
        "columns": shortened([column for column in columns if column]),
        "aliases": [aliases.get(key, "") for key in ids],
        "said": _said(connection, [axis["column"] for axis in settings["axes"]], ids),
        "shards": [shard_of(key) for key in ids],
        "parents": dict(connection.execute(PARENTS).fetchall()) if holds(connection, "organizations") else {},
        "trends": rows_of(connection, TRENDS) if holds(connection, "trends") else [],
        "expected": rows_of(connection, EXPECTED) if holds(connection, "thresholds") else [],
        "chips": rows_of(connection, CHIPS) if holds(connection, "model_hardware") else [],
    }


def read_quantiles(connection: duckdb.DuckDBPyConnection) -> Entry | None:
    """columns and one row per model without a value: the quantiles of its training compute and what they rest on."""
    if not holds(connection, "models_completed"):
        return None
    found = rows_of(connection, QUANTILES)
    return (
        {"columns": list(found[0]), "rows": [[_rounded(cell) for cell in row.values()] for row in found]}
        if found
        else None
    )


def _rounded(cell: Any) -> Any:
    """With more digits than are shown."""
    return float(f"{cell:.{KEPT_DIGITS}g}") if isinstance(cell, float) else cell


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


def shortened(columns: Sequence[Entry]) -> list[Entry]:
    """The columns, where a text repeats another column with 0 in its place (`like`, after a `prefix`), and without the
    values of a column that has the first items of a list column (`first_of`) or another's divided by `divisor`
    (`ratio_of`)."""
    by_name = {column["name"]: column for column in columns}
    return [_short(column, by_name) for column in columns]


def _short(column: Entry, by_name: Mapping[str, Entry]) -> Entry:
    told = {key: value for key, value in column.items() if key not in ("words", "values")}
    if column["name"] == "organization" and (lists := by_name.get("organizations")):
        firsts = [lists["words"][place][0] if place >= 0 else None for place in lists["values"]]
        if _texts(column) == firsts:
            return {**told, "first_of": "organizations"}
    like, prefix = REPEATS.get(column["name"], ("", ""))
    if like in by_name:
        pairs = zip(_texts(column), _texts(by_name[like]), strict=True)
        values = [0 if text and text == f"{prefix}{other}" else text for text, other in pairs]
        return {**told, "like": like, "prefix": prefix, "values": values}
    whole, divisor = RATIOS.get(column["name"], ("", 1.0))
    if whole in by_name and column["values"] == [_divided(value, divisor) for value in by_name[whole]["values"]]:
        return {**told, "ratio_of": whole, "divisor": divisor}
    return column


def _divided(value: float | None, divisor: float) -> float | None:
    """The quotient with the digits that are published; the page divides in the same way (dataset.js)."""
    return None if value is None else float(f"{value / divisor:.{PUBLISHED}g}")


def _texts(column: Entry) -> list[Any]:
    """The values of a text column, whichever way they are held."""
    words = column.get("words")
    return column["values"] if words is None else [words[place] if place >= 0 else None for place in column["values"]]


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
