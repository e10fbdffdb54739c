"""Which model a person means who asks about one; no other is ever shown in its place."""

from __future__ import annotations

from collections.abc import Sequence

from traincompute.base.engine import duckdb
from traincompute.base.errors import NotFoundError
from traincompute.query.rows import Row, rows, rows_if_held

MOST_CANDIDATES = 12  # a name that fits more models than this has no main one
MOST_SUGGESTIONS, MOST_OTHERS = 5, 3
FITTING = """
select model_id, name, is_notable, starts_with(name_key(name), name_key($text)) as begins_so, training_compute_flop
from models where list_contains($ids::varchar[], model_id)"""
# models with a name that begins with the words of the text, in the order of `resolve`, which takes ten times as long;
# what stands for one model is clear
BEGINNING = """
with asked as materialized (select words, words_key(words) as key from (select name_words($1) as words))
select model_id, any_value(m.name) as name, any_value(is_notable) as is_notable,
    any_value(training_compute_flop) as training_compute_flop,
    bool_or(kind = 'name' and starts_with(n.key, a.key)) as begins_so,
    bool_or((n.key = a.key and is_decisive) or (alias = $1 and kind in ('name', 'id'))) as is_clear
from asked a, aliases n join models m using (model_id)
where kind not in ('hub', 'distinct')
    and (n.key = a.key or starts_with(array_to_string(n.words, ' '), concat(a.words, ' ')))
group by model_id order by is_notable desc, training_compute_flop desc nulls last, model_id"""


def find_model(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, str | None]:
    """The model_id the text stands for, and a line that says so if it was chosen from several: the notable one with the
    most compute among those whose names begin with the text.

    Raises NotFoundError with the candidates or the nearest names if it stands for none."""
    if rows(connection, "select 1 from models where model_id = ?", text):
        return text, None
    fits = rows_if_held(connection, "aliases", BEGINNING, text)
    if len(fits) < 2 or any(row["is_clear"] for row in fits) or not _main(fits):
        from traincompute.names.resolve import resolve, search  # its patterns take a moment

        [found] = resolve(connection, [text])
        if found["model_id"]:
            return str(found["model_id"]), None
        ids: list[str] = found["candidates"]
        if not ids:
            near = ", ".join(map(_named, search(connection, text, MOST_SUGGESTIONS)))
            raise NotFoundError(f"no model {text!r}" + (f"; did you mean: {near}?" if near else ""))
        by_id = {row["model_id"]: row for row in rows(connection, FITTING, ids=ids, text=text)}
        fits = [by_id[key] for key in ids]
    chosen = _main(fits)
    if not chosen:
        listed = "".join(f"\n  {_named(row)}" for row in fits[:MOST_CANDIDATES])
        more = f"\n  … and {len(fits) - MOST_CANDIDATES} more" if len(fits) > MOST_CANDIDATES else ""
        raise NotFoundError(f"{text!r} is no model's name; it could mean:{listed}{more}")
    others = [row["model_id"] for row in fits if row["model_id"] != chosen]
    if not others:
        return chosen, f"{text!r} is no full name; this is the only model that begins so"
    listed = ", ".join(others[:MOST_OTHERS])
    listed += f" and {len(others) - MOST_OTHERS} more" if len(others) > MOST_OTHERS else ""
    which = f"fits {len(fits)} models; this is the notable one with the most compute. The others: {listed}"
    return chosen, f"{text!r} {which}"


def _main(fits: Sequence[Row]) -> str:
    """The id of the notable model with the most compute among those that begin with what was asked for, or of the only
    one that fits and begins so; "" where there is none, or too many fit."""
    main = [row for row in fits if row["begins_so"]]
    if len(fits) > 1:
        main = [row for row in main if row["is_notable"] and row["training_compute_flop"]]
    if not main or len(fits) > MOST_CANDIDATES:
        return ""
    return str(max(main, key=lambda row: row["training_compute_flop"] or 0)["model_id"])


def _named(row: Row) -> str:
    return f"{row['model_id']} ({row['name']})"
