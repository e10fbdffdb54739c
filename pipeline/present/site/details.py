"""What the explorer loads when a model is opened: its claims, estimates and revisions, as in `traincompute explain`.

Read for all models at once. The texts of a shard are indices into its list of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from operator import itemgetter
from typing import Any

import duckdb

from pipeline.impute.choose import NOT_PHYSICAL
from pipeline.present.site.shards import SHARDS, shard_of
from traincompute.explain.claims import claimed, place
from traincompute.query.rows import holds
from traincompute.show.values import human, short_power

Row = dict[str, Any]

CLAIMS = """
select c.*, q.remedy from claims c left join quarantine q using (claim_id)
order by c.model_id, c.field,
    case c.status when 'selected' then 0 when 'conflicting' then 1 when 'superseded' then 2 else 3 end,
    c.source_id, c.claim_id"""
ESTIMATES = "select * from estimates order by model_id, value is null, not is_selected, estimate_id"
REVISIONS = "select * from revisions order by model_id, to_snapshot desc, field, revision_id"
CORRECTIONS = "select * from corrections where model_id is not null order by model_id, field, correction_id"
# the columns of a row that the page shows; those missing from the table are left out
SHOWN = {
    "claims": (
        *("field", "status", "shown", "value_text", "note", "unit", "source_id", "record", "locator", "reference"),
        *("evidence", "since", "reason", "supporting_publishers", "value", "low", "high", "publisher"),
    ),
    "estimates": (
        *("field", "method", "shown", "low", "high", "unit", "formula", "assumptions", "is_selected", "reason"),
        *("disagreement_dex", "inputs", "value", "is_predicted"),
    ),
    "revisions": (
        *("field", "kind", "old", "new", "ratio", "source_id", "from_snapshot", "to_snapshot"),
        *("old_value", "new_value"),
    ),
    "corrections": (*("field", "value_text", "action", "new_value", "reason", "reference", "entered", "source_id"),),
}
CLAIM_ID = re.compile(r"\b[0-9a-f]{16}$")


def read_details(connection: duckdb.DuckDBPyConnection) -> dict[str, Row]:
    """Shard → columns of each table, words, and the rows of every model that the shard holds."""
    claims = {row["claim_id"]: row for row in _rows(connection, CLAIMS)}
    estimates = _rows(connection, ESTIMATES)
    value_of = {row["estimate_id"]: row for row in estimates}
    tables = {
        "claims": [_claim(row, claims) for row in claims.values()],
        "estimates": [_estimate(row, claims, value_of) for row in estimates],
        "revisions": [_revision(row) for row in _rows(connection, REVISIONS)] if holds(connection, "revisions") else [],
        "corrections": _rows(connection, CORRECTIONS) if holds(connection, "corrections") else [],
    }
    present = {name: [c for c in SHOWN[name] if rows and c in rows[0]] for name, rows in tables.items()}
    ids = [row[0] for row in connection.execute("select model_id from models order by 1").fetchall()]
    shards: dict[str, Row] = {f"{number:02x}": {} for number in range(SHARDS)}
    for key in ids:
        shards[shard_of(key)][key] = {name: [] for name in SHOWN}
    held = {key: model for models in shards.values() for key, model in models.items()}
    for name, rows in tables.items():
        cells = itemgetter(*present[name]) if rows else None
        for row in rows:
            model = held.get(row["model_id"])
            if cells and model:  # there are also revisions of models that the vintage does not have
                model[name].append(cells(row))
    return {key: _in_words(present, models) for key, models in shards.items()}


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[Row]:
    cursor = connection.execute(query)
    names = [column[0] for column in cursor.description or []]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def _claim(row: Row, claims: Mapping[str, Row]) -> Row:
    """Adds the claim's value formatted for people; in its reason, the id of the winning claim becomes its place."""
    reason = "; ".join(filter(None, [row["reason"], row["remedy"]]))
    if found := CLAIM_ID.search(reason):
        winner = claims.get(found[0])
        reason = reason.replace(found[0], place(winner)) if winner else reason
    row |= {"shown": short_power(claimed(row)), "reason": reason}
    return row


def _estimate(row: Row, claims: Mapping[str, Row], estimates: Mapping[str, Row]) -> Row:
    shown = None if row["value"] is None else short_power(human(row["value"], row["unit"]))
    is_predicted = row["reason"] == NOT_PHYSICAL
    return {
        **row,
        "shown": shown,
        "is_predicted": is_predicted,
        "inputs": [_input(key, claims, estimates) for key in row["inputs"] or []],
    }


def _input(key: str, claims: Mapping[str, Row], estimates: Mapping[str, Row]) -> list[str | None]:
    """model_id, field, value, place and reference of an input: a claim, or the estimate of a base model."""
    if claim := claims.get(key):
        return [claim["model_id"], claim["field"], short_power(claimed(claim)), place(claim), claim["reference"]]
    if estimate := estimates.get(key):
        value = short_power(human(estimate["value"], estimate["unit"]))
        return [estimate["model_id"], estimate["field"], value, f"our estimate: {estimate['method']}", None]
    return [None, None, key, None, None]


def _revision(row: Row) -> Row:
    old, new = (row[f"{age}_value"] for age in ("old", "new"))
    return {
        **row,
        "old": row["old_text"] if old is None else short_power(human(old, row["unit"])),
        "new": row["new_text"] if new is None else short_power(human(new, row["unit"])),
    }


class _Words(dict[str, int]):
    """Texts and their numbers, in the order in which they were first asked for."""

    def __missing__(self, text: str) -> int:
        self[text] = number = len(self)
        return number


def _in_words(columns: Mapping[str, Sequence[str]], models: Mapping[str, Any]) -> Row:
    """The shard as it is written: a text becomes its index in the words, a number [number], a list {"list": …}."""
    words = _Words()
    held = {
        key: {name: [_packed(row, words) for row in rows] for name, rows in tables.items()}
        for key, tables in models.items()
    }
    return {"columns": dict(columns), "words": list(words), "models": held}


def _packed(cells: Iterable[Any], words: _Words) -> list[Any]:
    """There are millions of cells: most are texts or nothing."""
    return [words[cell] if type(cell) is str else None if cell is None else _other(cell, words) for cell in cells]


def _other(cell: Any, words: _Words) -> Any:
    if isinstance(cell, list):
        return {"list": _packed(cell, words)}
    if isinstance(cell, date):
        return words[cell.isoformat()]
    return cell if isinstance(cell, bool) else [cell]
