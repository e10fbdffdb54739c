"""Settings at the end of a name: claude-opus-4.5 (thinking-32k) and gpt-5-high say how a model was run, not which model
it is. The dataset lists them (table model_settings, from schemas/vocab/model_settings.yml)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain
from typing import NamedTuple

from traincompute.base.engine import duckdb
from traincompute.names.readings import HUB
from traincompute.query.rows import Row, holds, rows

LISTED = "select spelling, only_marked from model_settings order by length(spelling) desc, spelling"
SIZES = ("medium", "max")  # bare, these are sizes of other models: Stable Diffusion 3 Medium
CLEAR = ("exact", "normalised", "alias")
# of these names those that are the beginning of a model's name, or whose stem has another model beside it that ends in
# a size
OWN_NAMES = """
WITH asked AS (SELECT unnest($names::VARCHAR[]) AS name, unnest($stems::VARCHAR[]) AS stem
), keyed AS (SELECT name, name_key(name) AS key, name_key(stem) AS stem FROM asked)
SELECT DISTINCT name FROM keyed k JOIN aliases a ON starts_with(a.key, k.key)
  OR starts_with(a.key, k.stem) AND regexp_matches(substr(a.key, length(k.stem) + 1), \
'^(tiny|small|large|big|plus|turbo|ultra)')"""
# the models of these that can be told how hard to think: o1 was the first; and whether their weights can be had
THINKING = """
SELECT model_id, open_weights FROM models WHERE list_contains($ids::varchar[], model_id) AND publication_date >= \
'2024-09-12'"""
# a number of tokens; without a k no version, nor a year and month such as 2507
BUDGETS = {r"\#k": "[1-9][0-9]{0,3}k", r"\#": "(?!2[3-6](?:0[1-9]|1[0-2])(?:[0-3][0-9])?(?![0-9]))[1-9][0-9]{2,5}"}


class Shorter(NamedTuple):
    """A name without a setting at its end: `whole` is the name with it, `is_bare` whether nothing marked it as one."""

    whole: str
    text: str
    setting: str
    is_bare: bool


class Settings:
    """The settings that a dataset lists; none for one from before it had a table of them."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        listed = rows(connection, LISTED) if holds(connection, "model_settings") else []
        bare = "|".join(_pattern(row["spelling"]) for row in listed if not row["only_marked"])
        marked = "|".join(_pattern(row["spelling"]) for row in listed)
        self.forms = (
            (False, re.compile(rf"[-_ ]*[_,;(\[][-_ ]*({marked})[)\] ]*$", re.I)),
            (True, re.compile(rf"[-: ]+({bare})[)\] ]*$", re.I)),
        )
        self.is_empty = not listed

    def taken_off(self, text: str) -> list[Shorter]:
        """The name without the last of its settings, without the last two, and so on."""
        for is_bare, form in () if self.is_empty else self.forms:
            if (found := form.search(text)) and found.start():
                # in capitals, as no model_id is: a service's gemini-2.5-pro is any of three, and the id only one
                shorter = Shorter(text, text[: found.start()].upper(), found[1].lower(), is_bare)
                return [shorter, *self.taken_off(shorter.text)]
        return []


def settle(
    connection: duckdb.DuckDBPyConnection, shortened: Mapping[str, list[Shorter]], found: Mapping[str, Row]
) -> dict[str, Row]:
    """The answers for names that stand for a model, or for one of several, only without their settings; none for a name
    that itself is the beginning of a model's. `found` are the answers for all names, with their settings and
    without."""
    open_names = [steps for name, steps in shortened.items() if steps and found[name]["how"] not in CLEAR]
    if not open_names:
        return {}
    # with the account on a hub and without
    asked = [
        (step.whole, name, stem if step.is_bare and step.setting in SIZES else name)
        for step in chain(*open_names)
        for name, stem in {(step.whole, step.text), (step.whole.rpartition("/")[2], step.text.rpartition("/")[2])}
    ]
    _, names, stems = map(list, zip(*asked, strict=True))
    models_names = {row["name"] for row in rows(connection, OWN_NAMES, names=names, stems=stems)}
    own = {whole for whole, name, _ in asked if name in models_names}
    ids = sorted({key for step in chain(*open_names) if (key := found[step.text]["model_id"])})
    thinking = {row["model_id"]: row["open_weights"] for row in rows(connection, THINKING, ids=ids)}
    answers = {}
    for steps in open_names:
        left_out: list[str] = []
        for step in steps:
            answer = found[step.text]
            # weights on a hub that are called so are a model of their own, as Phi-4-mini-reasoning is
            is_weights = step.is_bare and step.setting == "reasoning" and HUB.fullmatch(step.whole)
            if step.whole in own or (is_weights and thinking.get(answer["model_id"])):
                break
            if step.is_bare and step.setting in SIZES and answer["how"] not in CLEAR:
                break
            left_out[:0] = re.findall(r"\w+", step.setting)
            is_open = answer["how"] == "ambiguous" and found[steps[0].whole]["how"] == "none"
            if answer["model_id"] in thinking or is_open:
                how = "ambiguous" if is_open else "unique part"
                answers[steps[0].whole] = {**answer, "how": how, "taken_off": [*answer["taken_off"], *left_out]}
                break
    return answers


def _pattern(spelling: str) -> str:
    pattern = re.escape(spelling).replace(r"\ ", "[-_: ]?")
    for number, written in BUDGETS.items():
        pattern = pattern.replace(number, written)
    return pattern
