"""Which model a person means: by id, name, an alias used by a source, or a prefix of one of these."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches

import click
import duckdb

from traincompute.query.rows import Row, rows

LOOKED_AT = "select model_id, name, is_notable, training_compute_flop from models"
MOST_CANDIDATES = 12  # a prefix that fits more models than this has no main one


def find_model(connection: duckdb.DuckDBPyConnection, text: str) -> tuple[str, str | None]:
    """The model_id the text stands for, and a line that says so if it was chosen from several.

    Raises click.ClickException with the candidates or the nearest names if it stands for none."""
    wanted = " ".join(unicodedata.normalize("NFC", text).split())
    models = {row["model_id"]: row for row in rows(connection, LOOKED_AT)}
    if wanted in models:
        return wanted, None
    spelled = [(row["name"], key) for key, row in models.items()] + [(key, key) for key in models]
    spelled += [(r["record"], r["model_id"]) for r in rows(connection, "select distinct record, model_id from claims")]
    spelled = [(name, key) for name, key in spelled if key in models]
    folded = wanted.casefold()
    for form in (str, str.casefold, _letters):  # CALM and CaLM are two models: the stricter form decides
        found = {key: models[key] for name, key in spelled if form(name) == form(wanted) != ""}
        if len(found) == 1:
            return next(iter(found)), None
        if found:
            raise click.ClickException(_candidates(wanted, found))
    # gpt-3 is a prefix of gpt-3-175b, not of gpt-3.5
    begins = re.compile(re.escape(folded) + r"(?![0-9a-z]|\.[0-9])")
    fits = {key: models[key] for name, key in spelled if folded and begins.match(name.casefold())}
    if main := _main_one(fits):
        others = ", ".join(key for key in sorted(fits) if key != main)
        which = f"{wanted!r} fits {len(fits)} models; this is the notable one with the most compute. The others: "
        return main, which + others if others else None
    if len(fits) > MOST_CANDIDATES:
        raise click.ClickException(_candidates(wanted, fits))
    near = dict.fromkeys([*nearest(wanted, models, spelled), *fits])
    listed = ", ".join(_named(models[key]) for key in near)
    raise click.ClickException(f"no model {wanted!r}" + (f"; did you mean: {listed}?" if near else ""))


def _main_one(fits: Mapping[str, Row]) -> str | None:
    """The only model; or, if there are not too many, the notable one with the largest compute."""
    if len(fits) == 1:
        return next(iter(fits))
    notable = [row for row in fits.values() if row["is_notable"] and row["training_compute_flop"]]
    if not notable or len(fits) > MOST_CANDIDATES:
        return None
    return str(max(notable, key=lambda row: row["training_compute_flop"])["model_id"])


def _candidates(wanted: str, fits: Mapping[str, Row]) -> str:
    ordered = sorted(fits.values(), key=lambda row: (not row["is_notable"], row["model_id"]))
    listed = "".join(f"\n  {_named(row)}" for row in ordered[:MOST_CANDIDATES])
    more = f"\n  … and {len(fits) - MOST_CANDIDATES} more" if len(fits) > MOST_CANDIDATES else ""
    return f"{wanted!r} fits {len(fits)} models; name one:{listed}{more}"


def nearest(wanted: str, models: Mapping[str, Row], spelled: Iterable[tuple[str, str]], most: int = 5) -> list[str]:
    """The ids of the models spelled most like it; those that differ only in punctuation come first."""
    letters = _letters(wanted)
    keys: dict[str, str] = {}
    for name, key in spelled:
        keys.setdefault(name.casefold(), key)
    begun = {key for name, key in keys.items() if letters and _letters(name).startswith(letters)}

    def rank(key: str) -> tuple[bool, float]:
        return not models[key]["is_notable"], -SequenceMatcher(None, wanted.casefold(), key).ratio()

    alike = [keys[name] for name in get_close_matches(wanted.casefold(), list(keys), n=2 * most, cutoff=0.6)]
    return list(dict.fromkeys(sorted(begun, key=rank)[:3] + alike))[:most]


def _letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.casefold())


def _named(row: Row) -> str:
    return f"{row['model_id']} ({row['name']})"
