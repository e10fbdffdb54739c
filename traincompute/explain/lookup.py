"""Which model a person means who asks about one; no other is ever shown in its place."""

from __future__ import annotations

from traincompute.base.engine import duckdb
from traincompute.base.errors import NotFoundError
from traincompute.query.rows import Row, rows

MOST_CANDIDATES = 12  # a name that fits more models than this has no main one
MOST_SUGGESTIONS, MOST_OTHERS = 5, 3
FITTING = """
select model_id, name, is_notable, starts_with(name_key(name), name_key($text)) as begins_so, training_compute_flop
from models where list_contains($ids::varchar[], model_id)"""


def find_model(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, str | None]:
    """The model_id the text stands for, and a line that says so if it was chosen from several: the notable one with the
    most compute among those whose names begin with the text.

    Raises NotFoundError with the candidates or the nearest names if it stands for none."""
    if rows(connection, "select 1 from models where model_id = ?", text):
        return text, None
    from traincompute.names.resolve import resolve, search  # an id needs none of its patterns

    [found] = resolve(connection, [text])
    if found["model_id"]:
        return str(found["model_id"]), None
    ids: list[str] = found["candidates"]
    if not ids:
        near = ", ".join(map(_named, search(connection, text, MOST_SUGGESTIONS)))
        raise NotFoundError(f"no model {text!r}" + (f"; did you mean: {near}?" if near else ""))
    by_id = {row["model_id"]: row for row in rows(connection, FITTING, ids=ids, text=text)}
    fits = [by_id[key] for key in ids]
    main = [row for row in fits if row["begins_so"]]
    if len(fits) > 1:
        main = [row for row in main if row["is_notable"] and row["training_compute_flop"]]
    if len(fits) > MOST_CANDIDATES or not main:
        listed = "".join(f"\n  {_named(row)}" for row in fits[:MOST_CANDIDATES])
        more = f"\n  … and {len(fits) - MOST_CANDIDATES} more" if len(fits) > MOST_CANDIDATES else ""
        raise NotFoundError(f"{text!r} is no model's name; it could mean:{listed}{more}")
    chosen = str(max(main, key=lambda row: row["training_compute_flop"] or 0)["model_id"])
    others = ", ".join([key for key in ids if key != chosen][:MOST_OTHERS])
    others += f" and {len(ids) - 1 - MOST_OTHERS} more" if len(ids) - 1 > MOST_OTHERS else ""
    which = f"fits {len(fits)} models; this is the notable one with the most compute. The others: {others}"
    return chosen, f"{text!r} {which if others else 'is no full name; this is the only model that begins so'}"


def _named(row: Row) -> str:
    return f"{row['model_id']} ({row['name']})"
