"""Which model a name stands for, and how surely: `explain` and `match` ask here. SQL has the macro `model_id_of`, which
gives the same answer for every name that needs no thought."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

import duckdb

from traincompute.base.errors import NotFoundError
from traincompute.query.rows import Row, holds, rows

KNOWN, UNCLEAR, SEARCH = (Path(__file__).with_name(f"{name}.sql") for name in ("known", "unclear", "search"))
# a name is folded apart from the search for it: within that, DuckDB would plan and run the expression several times over
FOLD = "select list_transform($names::varchar[], lambda name: words_key(name_words(name))) as keys"
CALLED = "select model_id, name from models where list_contains($ids::varchar[], model_id)"
ON_HUB = re.compile(
    r"^\s*(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?!papers/|datasets/|spaces/|blog/)([\w.-]+/[\w.-]+).*$",
    re.ASCII,
)
UNDECIDED = ("ambiguous", "none")
HOW = ("exact", "normalised", "alias", "unique part", *UNDECIDED)  # the surest first


def resolve(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> list[Row]:
    """For each name in turn: asked, model_id and name (None where it stands for no one model), how (one of HOW) and
    candidates, the ids of the models that it could mean otherwise, the likeliest first.

    Raises NotFoundError for a dataset that has no table of names."""
    if not holds(connection, "aliases"):
        raise NotFoundError("this dataset was made before it had a table of names; build it, or take a later release")
    asked = list(names)
    distinct = {name: folded(name) for name in dict.fromkeys(asked)}
    found = _answers(connection, sorted({text for text in distinct.values() if text}))
    nothing: Row = {"model_id": None, "name": None, "how": "none", "candidates": []}
    return [{**found.get(distinct[name], nothing), "asked": name} for name in asked]


def folded(name: str) -> str:
    """The name as the table of names is asked for it: full-width letters as plain ones, white space collapsed, and of an
    address on a hub the account and the model."""
    plain = unicodedata.normalize("NFKC", name.replace("™", "").replace("®", ""))
    return " ".join(ON_HUB.sub(r"\1", plain).split())


def search(connection: duckdb.DuckDBPyConnection, text: str, limit: int) -> list[Row]:
    """Models that a text may be about, the likeliest first; the columns are told in search.sql."""
    return rows(connection, SEARCH.read_text(encoding="utf-8"), text=folded(text), limit=limit)


def _answers(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, Row]:
    """The answer for each name; what is known at once is not thought about."""
    found = _known(connection, names) if names else {}
    unclear = [name for name in names if name not in found]
    thought = rows(connection, UNCLEAR.read_text(encoding="utf-8"), names=unclear) if unclear else []
    return found | {row["asked"]: row for row in thought}


def _known(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, Row]:
    """The answers for names that need no thought."""
    [folds] = rows(connection, FOLD, names=names)
    found = rows(connection, KNOWN.read_text(encoding="utf-8"), names=names, keys=folds["keys"])
    ids = sorted({row["model_id"] for row in found})
    called = {row["model_id"]: row["name"] for row in rows(connection, CALLED, ids=ids)}
    return {row["asked"]: {**row, "name": called[row["model_id"]]} for row in found}
