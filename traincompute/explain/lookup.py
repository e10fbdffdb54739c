"""Which model a person means who asks about one; no other is ever shown in its place."""

from __future__ import annotations

from traincompute.base.engine import duckdb
from traincompute.base.errors import NotFoundError
from traincompute.query.rows import Row, rows

MOST_CANDIDATES = 12  # a name that fits more models than this has no main one
MOST_SUGGESTIONS, MOST_OTHERS = 5, 3
# the candidates, and whether one is shown in place of the others: only one that begins with the text
FITTING = """
select model_id, name, coalesce(training_compute_flop, 0) as flop, starts_with(name_key(name), name_key($text))
    and (len($ids::varchar[]) = 1 or is_notable and flop > 0) as is_shown
from models where list_contains($ids::varchar[], model_id) order by list_position($ids::varchar[], model_id)"""


def find_model(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, str | None]:
    """The model_id the text stands for, and a line that says so if it was chosen from several: the notable one with the
    most compute among those whose names begin with the text.

    Raises NotFoundError with the candidates or the nearest names if it stands for none."""
    if rows(connection, "select 1 from models where model_id = ?", text):
        return text, None
    from traincompute.names.resolve import resolve, search  # its patterns take a moment

    [found] = resolve(connection, [text])
    if found["model_id"]:
        return str(found["model_id"]), None
    if not found["candidates"]:
        near = ", ".join(map(_named, search(connection, text, MOST_SUGGESTIONS)))
        raise NotFoundError(f"no model {text!r}" + (f"; did you mean: {near}?" if near else ""))
    fits = rows(connection, FITTING, ids=found["candidates"], text=text)
    shown = [row for row in fits if row["is_shown"]]
    if not shown or len(fits) > MOST_CANDIDATES:
        listed = "".join(f"\n  {_named(row)}" for row in fits[:MOST_CANDIDATES])
        more = f"\n  … and {len(fits) - MOST_CANDIDATES} more" if len(fits) > MOST_CANDIDATES else ""
        raise NotFoundError(f"{text!r} is no model's name; it could mean:{listed}{more}")
    chosen = str(max(shown, key=lambda row: row["flop"])["model_id"])
    others = [row["model_id"] for row in fits if row["model_id"] != chosen]
    if not others:
        return chosen, f"{text!r} is no full name; this is the only model that begins so"
    more = f" and {len(others) - MOST_OTHERS} more" if len(others) > MOST_OTHERS else ""
    which = f"fits {len(fits)} models; this is the notable one with the most compute. The others: "
    return chosen, f"{text!r} {which}{', '.join(others[:MOST_OTHERS])}{more}"


def _named(row: Row) -> str:
    return f"{row['model_id']} ({row['name']})"
