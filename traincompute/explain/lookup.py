"""Which model a person means who asks about one."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from traincompute.base.errors import NotFoundError
from traincompute.names.resolve import resolve, search
from traincompute.query.rows import Row, rows

MOST_CANDIDATES = 12  # a name that fits more models than this has no main one
MOST_SUGGESTIONS = 5
IN_A_NAME = 60  # the score of search.sql for all words in one name
LOOKED_AT = (
    "select model_id, name, is_notable, training_compute_flop from models where list_contains($ids::varchar[],"
    " model_id)"
)


def find_model(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, str | None]:
    """The model_id the text stands for, and a line that says so if it was chosen from several.

    Raises NotFoundError with the candidates or the nearest names if it stands for none."""
    if rows(connection, "select 1 from models where model_id = ?", text):
        return text, None
    [found] = resolve(connection, [text])
    if found["model_id"]:
        return str(found["model_id"]), None
    ids: list[str] = found["candidates"]
    if len(ids) == 1:  # the only one that begins so is one of several that are called so
        ids = list(dict.fromkeys([*ids, *_called(connection, text)]))
    if not ids:
        near = [_named(row) for row in search(connection, text, MOST_SUGGESTIONS)]
        raise NotFoundError(f"no model {text!r}" + (f"; did you mean: {', '.join(near)}?" if near else ""))
    named = {row["model_id"]: row for row in rows(connection, LOOKED_AT, ids=ids)}
    fits = [named[key] for key in ids]
    if len(fits) > MOST_CANDIDATES or not (main := _main_one(fits)):
        raise NotFoundError(_candidates(text, fits))
    others = ", ".join(key for key in ids if key != main)
    which = f"{text!r} fits {len(fits)} models; this is the notable one with the most compute. The others: {others}"
    return main, which if others else None


def _called(connection: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    """The models with all words of the text in one of their names."""
    found = search(connection, text, MOST_CANDIDATES + 1)
    return [str(row["model_id"]) for row in found if row["score"] >= IN_A_NAME]


def _main_one(fits: Sequence[Row]) -> str | None:
    """The only model; or the notable one with the largest compute."""
    known = [row for row in fits if row["is_notable"] and row["training_compute_flop"]]
    best = max(known, key=lambda row: row["training_compute_flop"], default=fits[0] if len(fits) == 1 else None)
    return str(best["model_id"]) if best else None


def _candidates(wanted: str, fits: Sequence[Row]) -> str:
    listed = "".join(f"\n  {_named(row)}" for row in fits[:MOST_CANDIDATES])
    more = f"\n  … and {len(fits) - MOST_CANDIDATES} more" if len(fits) > MOST_CANDIDATES else ""
    return f"{wanted!r} fits {len(fits)} models; name one:{listed}{more}"


def _named(row: Row) -> str:
    return f"{row['model_id']} ({row['name']})"
