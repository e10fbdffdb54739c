"""Settings at the end of a name: claude-opus-4.5 (thinking-32k) and gpt-5-high say how a model was run, not which model
it is. The dataset lists them (table model_settings, from schemas/vocab/model_settings.yml)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from traincompute.base.engine import duckdb
from traincompute.query.rows import Row, rows, rows_if_held

LISTED = "select spelling, only_marked from model_settings order by length(spelling) desc, spelling"
CLEAR = ("exact", "normalised", "alias")
# the models of these that can be told how hard to think: o1 was the first; and whether their weights can be had
THINKING = """
SELECT model_id, open_weights FROM models
WHERE list_contains($ids::varchar[], model_id) AND publication_date >= '2024-09-12'"""
# a number of tokens; without a k no version, nor a year and month such as 2507
BUDGETS = {r"\#k": "[1-9][0-9]{0,3}k", r"\#": "(?!2[3-6](?:0[1-9]|1[0-2])(?:[0-3][0-9])?(?![0-9]))[1-9][0-9]{2,5}"}


class Shorter(NamedTuple):
    """A name without a setting at its end, and whether nothing marked it as one."""

    text: str
    setting: str
    is_bare: bool


def read_forms(connection: duckdb.DuckDBPyConnection) -> list[re.Pattern[str]]:
    """What matches a marked and a bare setting at the end of a name; none for a dataset that lists no settings."""
    listed = rows_if_held(connection, "model_settings", LISTED)
    bare = "|".join(_pattern(row["spelling"]) for row in listed if not row["only_marked"])
    marked = "|".join(_pattern(row["spelling"]) for row in listed)
    forms = rf"[-_ ]*[_,;(\[][-_ ]*({marked})[)\] ]*$", rf"[-: ]+({bare})[)\] ]*$"
    return [re.compile(form, re.IGNORECASE) for form in forms] if listed else []


def shorten(text: str, forms: Sequence[re.Pattern[str]]) -> list[Shorter]:
    """The name without the last of its settings, without the last two, and so on."""
    for is_bare, form in enumerate(forms):
        if (found := form.search(text)) and found.start():
            # in capitals, as no model_id is: a service's gemini-2.5-pro is any of three, and the id only one
            shorter = Shorter(text[: found.start()].upper(), found[1].lower(), bool(is_bare))
            return [shorter, *shorten(shorter.text, forms)]
    return []


def settle(
    connection: duckdb.DuckDBPyConnection, shortened: Mapping[str, list[Shorter]], found: Mapping[str, Row]
) -> dict[str, Row]:
    """The answers for names that stand for a model only without their settings, from those for all names."""
    unclear = {name: steps for name, steps in shortened.items() if steps and found[name]["how"] not in CLEAR}
    ids = {found[step.text]["model_id"] for steps in unclear.values() for step in steps}
    listed = rows(connection, THINKING, ids=sorted(ids - {None})) if ids else []
    thinking = {row["model_id"]: row["open_weights"] for row in listed}
    answers = {}
    for name, steps in unclear.items():
        left_out: list[str] = []
        for step in steps:
            answer = found[step.text]
            # weights that are called so are a model of their own, as Phi-4-mini-reasoning is
            if step.is_bare and step.setting == "reasoning" and thinking.get(answer["model_id"]):
                break
            left_out[:0] = re.findall(r"\w+", step.setting)
            if answer["model_id"] in thinking:
                answers[name] = {**answer, "how": "unique part", "taken_off": [*answer["taken_off"], *left_out]}
                break
    return answers


def _pattern(spelling: str) -> str:
    pattern = re.escape(spelling).replace(r"\ ", "[-_: ]?")
    for number, written in BUDGETS.items():
        pattern = pattern.replace(number, written)
    return pattern
