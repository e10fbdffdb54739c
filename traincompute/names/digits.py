"""Digits that tell models apart. A version or a date is left out of a name only where the model that is found so has no
other one there: Mistral 7B v0.3 is not Mistral-7B-v0.1, and Gemini-Exp-1121 is not Gemini-Exp-1114."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from traincompute.base.engine import duckdb
from traincompute.names.readings import DATE, FORMAT, PICTURES, date_of, left_out
from traincompute.query.rows import Row, rows

VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)*")
Date = tuple[int | None, int, int | None]
NAMES = """
SELECT model_id, kind IN ('name', 'id', 'hub') AS is_own, words FROM aliases
WHERE kind IN ('name', 'id', 'hub', 'record') AND list_contains($ids::varchar[], model_id)"""
# names that end with all of the words, as "GPT-3.5 (davinci-002)" does with "davinci 002"
ENDINGS = """
SELECT DISTINCT a.text, model_id FROM aliases
JOIN (SELECT unnest($texts::varchar[]) AS text) a ON ends_with(array_to_string(words, ' '), ' ' || a.text)
WHERE kind IN ('name', 'record')"""


def of_other_models(connection: duckdb.DuckDBPyConnection, read: Mapping[str, tuple[str, str]]) -> set[str]:
    """Of these names (their words: the words that were read and the model that these stand for) those whose digits say
    that they are another model's."""
    guesses = {words: guess for words, guess in read.items() if any(_numbers(words, guess[0]))}
    if not guesses:
        return set()
    names: dict[str, list[Row]] = {}
    for row in rows(connection, NAMES, ids=sorted({model_id for _, model_id in guesses.values()})):
        names.setdefault(row["model_id"], []).append(row)
    ending = {(row["text"], row["model_id"]) for row in rows(connection, ENDINGS, texts=sorted(guesses))}
    return {
        words
        for words, (read_as, model_id) in guesses.items()
        if _differs(words, read_as, names.get(model_id, []))
        or any(text == words and other != model_id for text, other in ending)
    }


def _differs(words: str, read_as: str, names: Iterable[Row]) -> bool:
    """Whether a model's names have another version, or its own names another date, than what the reading leaves out."""
    versions, dates = _numbers(words, read_as)
    known_versions, known_dates = list[str](), list[Date]()
    for name in names:
        if {*read_as.split()} <= {*name["words"]}:
            numbers = _numbers(" ".join(name["words"]), read_as)
            known_versions += numbers[0]
            known_dates += numbers[1] if name["is_own"] else []
    # Claude Instant v1 may be 1.2; two dates are the same as far as both are stated
    same_version = any(known == one or known.startswith(f"{one}.") for one in versions for known in known_versions)
    same_date = any(
        all(None in pair or pair[0] == pair[1] for pair in zip(one, known, strict=True))
        for one in dates
        for known in known_dates
    )
    return bool((versions and known_versions and not same_version) or (dates and known_dates and not same_date))


def _numbers(words: str, read_as: str) -> tuple[set[str], set[Date]]:
    """The versions and dates that a reading leaves out of a name; sizes, formats and what is said of pictures are
    none."""
    text = re.sub(rf" (?:{FORMAT}|{PICTURES})\b", "", " " + " ".join(left_out(words, read_as)))
    return {*filter(VERSION.fullmatch, DATE.sub("", text).split())}, {date_of(found) for found in DATE.finditer(text)}
