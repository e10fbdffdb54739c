"""Which model a name stands for, and how surely: `explain` and `match` ask here. SQL has the macro `model_id_of`, which
gives the same answer for every name that needs no thought."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from traincompute.base.engine import duckdb
from traincompute.base.errors import NotFoundError
from traincompute.names.readings import HUB, has_other_digits, left_out, readings
from traincompute.names.settings import read_forms, settle, shorten
from traincompute.query.rows import Row, holds, rows

KNOWN, UNCLEAR, BASE, SEARCH = (
    Path(__file__).with_name(f"{name}.sql") for name in ("known", "unclear", "base", "search")
)
# a name is folded apart from the search for it: within that, DuckDB would plan and run the expression several times
# over
FOLD = """select list_transform($names::varchar[], lambda name: name_words(name)) as words,
list_transform(words, lambda text: words_key(text)) as keys"""
# names that are in use and no source has
IN_USE = "select lower(alias) as alias from aliases where kind = 'record' and source_ids is null"
NAMES = """
SELECT model_id, kind IN ('name', 'id', 'hub') AS is_own, words FROM aliases
WHERE kind IN ('name', 'id', 'hub', 'record') AND list_contains($ids::varchar[], model_id)"""
ON_HUB = re.compile(
    r"^\s*(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?!papers/|datasets/|spaces/|blog/)([\w.-]+/[\w.-]+).*$",
    re.ASCII,
)
# how services that run models write a name: the way to it, the version of the service, its settings, and 3p1 for 3.1
REGION = r"(?:us(?:-gov)?|eu|apac|global|au|jp|in)"
SERVED = (
    # service:name, where what follows is no tag
    (r"^[a-z][a-z-]*:(?!(?:instruct|chat|text|code|base|latest|free|v[0-9])\b)(?=[A-Za-z]+[\w./-]*[0-9])", ""),
    (r"^(?:[@\w.-]+/)*models/|^(?:[@\w.-]+/)+(?=[\w.-]+/[^/]+$)", ""),
    (rf"^(?:[\w-]+/)?{REGION}\.([a-z][a-z0-9]+)\.|^([a-z][a-z0-9]+)\.(?=[a-z][\w.-]*-v[0-9]+:[0-9]+$)", r"\1\2/"),
    (r"^(?:databricks/)?databricks-|^aihubmix/(?:cc|coding)-", ""),
    (r"-(?:v[0-9]+|1):0$|@(?:default|00[0-9])$|:(?:free|beta|extended|latest|online|nitro)$|-(?:maas|cloud)$", ""),
    (r"^((?:openai|anthropic)/.+)-fast$|^(.*[0-9].*)-latest$", r"\1\2"),
    (r"(?<=[0-9]):(?=[0-9]$)|(?<=[0-9])p(?=[0-9])", "."),
    (r"@(?=[0-9]{8}$)|:(?=[0-9.]+b)", "-"),
)
MARKED = re.compile(r"[-/:.@]|[0-9]p[0-9]")  # signs without which none of these fits
AT_ONCE = 2000  # names that one query thinks about: 12,000 needed more than the 2 GB of a connection
NOTHING: Row = {"model_id": None, "name": None, "how": "none", "candidates": [], "base_model_id": None, "taken_off": []}
HOW = ("exact", "normalised", "alias", "unique part", "ambiguous", "base", "none")  # the surest first


def resolve(connection: duckdb.DuckDBPyConnection, names: Iterable[str]) -> list[Row]:
    """For each name in turn: asked, model_id and name (None where it stands for no one model), how (one of HOW),
    candidates, the ids of the models that it could mean otherwise, the likeliest first, base_model_id (how = base: the
    model that it was made from, by its name, where it is in the dataset no more than that) and taken_off, the words
    left out to find it.

    Raises NotFoundError for a dataset that has no table of names."""
    if not holds(connection, "aliases"):
        raise NotFoundError("this dataset was made before it had a table of names; build it, or take a later release")
    asked = list(names)
    in_use = {row["alias"] for row in rows(connection, IN_USE)}
    distinct = {name: folded(name, in_use) for name in dict.fromkeys(asked)}
    forms = read_forms(connection)
    shortened = {text: shorten(text, forms) for text in distinct.values() if text}
    texts = sorted({*shortened, *(step.text for steps in shortened.values() for step in steps)})
    [folds] = rows(connection, FOLD, names=texts)
    known = rows(connection, KNOWN.read_text(encoding="utf-8"), names=texts, keys=folds["keys"]) if texts else []
    found = {row["asked"]: row for row in known}
    unclear = [text for text in texts if text not in found]
    for start in range(0, len(unclear), AT_ONCE):
        found |= _thought_about(connection, unclear[start : start + AT_ONCE])
    found |= settle(connection, shortened, {text: NOTHING | row for text, row in found.items()})
    return [{**NOTHING, **found.get(distinct[name], {}), "asked": name} for name in asked]


def folded(name: str, in_use: Collection[str] = ()) -> str:
    """The name as the table of names is asked for it: full-width letters as plain ones, white space collapsed, of an
    address on a hub the account and the model, and of a service's name the developer and the model, unless the name is
    `in_use`."""
    plain = unicodedata.normalize("NFKC", name.replace("™", "").replace("®", ""))
    text = " ".join(ON_HUB.sub(r"\1", plain).split())
    own = text.rpartition("/")[2]
    if own.lower() in in_use:
        return own
    for written, plainly in SERVED if MARKED.search(text) else ():
        text = re.sub(written, plainly, text)
    return text


def search(connection: duckdb.DuckDBPyConnection, text: str, limit: int) -> list[Row]:
    """Models that a text may be about, the likeliest first; the columns are told in search.sql."""
    return rows(connection, SEARCH.read_text(encoding="utf-8"), text=folded(text), limit=limit)


def _thought_about(connection: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, Row]:
    """The answers for names that are asked for in each of their readings: of a model, else of the model that a
    fine-tune's name says it was made from."""
    owns = [name.partition("/")[2] if HUB.fullmatch(name) else "" for name in names]
    [folds] = rows(connection, FOLD, names=[*names, *owns])
    words, own_words = folds["words"][: len(names)], folds["words"][len(names) :]
    pairs = zip(words, own_words, strict=True)
    read = [(place, *reading) for place, pair in enumerate(pairs, 1) for reading in sorted(readings(*pair), key=str)]
    columns = dict(
        zip(("places", "steps", "words", "years", "months"), map(list, zip(*read, strict=True)), strict=True)
    )
    found = rows(connection, UNCLEAR.read_text(encoding="utf-8"), names=names, **columns)
    of_models: dict[str, list[Row]] = {}
    for name in rows(connection, NAMES, ids=sorted({row["model_id"] for row in found if row["model_id"]})):
        of_models.setdefault(name["model_id"], []).append(name)
    for row, text, own in zip(found, words, own_words, strict=True):
        read_as, model_id = row.pop("read_as"), row["model_id"]
        row["taken_off"] = left_out(own or text, read_as)
        if model_id and read_as and has_other_digits(own or text, read_as, of_models[model_id]):
            how = "ambiguous" if row["candidates"] else "none"
            row |= {**NOTHING, "candidates": [model_id, *row["candidates"]], "how": how}
    bare = {place: row for place, row in enumerate(found, 1) if row["how"] == "none" and not row["candidates"]}
    # the first word of the name behind an account: a reading that begins otherwise begins with the account, no base
    firsts = [own.split(" ")[0] for own in own_words]
    named = [
        (place, text) for place, _, text, *_ in read if place in bare and firsts[place - 1] in ("", text.split(" ")[0])
    ]
    asked = {"places": [place for place, _ in named], "words": [text for _, text in named]}
    for row in rows(connection, BASE.read_text(encoding="utf-8"), **asked) if bare else []:
        how = "unique part" if row["model_id"] else "base"
        bare[row["place"]] |= {**{name: row[name] for name in ("base_model_id", "model_id", "name")}, "how": how}
    return {row["asked"]: row for row in found}
