"""Schemas, vocabularies and identities as their files declare them."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.registry.cell_rules import cell_rules
from pipeline.registry.identities import Decision, load_decisions
from pipeline.registry.rules import read_rules
from pipeline.registry.schema import Column, load_schema, load_schemas
from pipeline.registry.vocabularies import load_vocabularies, resolve_items, split_items

SCHEMA = """name: chips
title: Chips
description: One row per chip.
fields:
- {name: chip, type: string, description: Its name, constraints: {required: true}}
- {name: tdp_w, type: number, description: Its power, unit: W, derived: from the data sheet}
primaryKey: [chip]
"""


def refused(load: Any, *given: Any) -> list[str]:
    """What is said, a line each."""
    with pytest.raises(DataError) as caught:
        load(*given)
    return str(caught.value).splitlines()


def test_a_schema_names_its_columns_what_they_mean_and_which_must_be_filled(tmp_path: Path) -> None:
    (tmp_path / "schemas").mkdir()
    (tmp_path / "schemas" / "chips.yml").write_text(SCHEMA.replace("[chip]", "[chip, tdp_w]"))
    (table,) = load_schemas(Paths(tmp_path)).values()
    assert (table.name, table.key, table.primary_key, table.rules) == ("chips", "chip", ("chip", "tdp_w"), ())
    assert table.names == ["chip", "tdp_w"]
    assert [(column.required, column.set) for column in table.columns] == [(True, False), (False, False)]
    for shared in (table, table.columns[0]):  # all who ask are given the same
        with pytest.raises(FrozenInstanceError):
            shared.name = "other"
    assert table.column("chip").comment == "Its name"
    assert table.column("tdp_w").comment == "Its power [W]. Derived: from the data sheet"
    assert refused(load_schemas(Paths(tmp_path)).__getitem__, "models")[0].startswith("schemas/models.yml: the file is")


def test_what_the_parts_of_a_schema_say_against_each_other_is_named(tmp_path: Path) -> None:
    file = tmp_path / "chips.yml"
    file.write_text(
        SCHEMA.replace("name: chips", "name: chip").replace("tdp_w", "chip").replace("[chip]", "[chip, id]")
    )
    assert refused(load_schema, file, Paths(tmp_path)) == [
        'chips.yml: name "chip": is not the name of the file; name it chips',
        'chips.yml: fields "chip": two columns of this name; rename or remove one',
        'chips.yml: primaryKey "id": no such column; add the column; `git diff` shows what changed',
    ]


def test_rules_of_one_name_and_without_a_reason_are_refused() -> None:
    rule = {"name": "r", "rule": "low <= high", "why": "because"}
    (read,) = read_rules([rule], ["low", "high"], "a.yml")
    assert (read.columns, read.acknowledged) == (("low", "high"), frozenset())
    assert refused(read_rules, [rule, rule, rule | {"name": "s"}], ["low", "high"], "a.yml") == [
        'a.yml [r]: checks: two rules of this name; rename one'
    ]  # fmt: skip
    (line,) = refused(read_rules, [{"name": "r", "rule": "low <= high"}], ["low", "high"], "a.yml")
    assert line.startswith('a.yml [r]: checks "name, rule": a rule has name, rule and why; write a comparison')


WORDS = """description: Codes.
ignored: [Unknown]
on_unknown: error
codes:
  Vision: {aliases: [Images, "Images, video", "Images, video, film"]}
  Language:
"""


def test_a_vocabulary_knows_its_codes_their_spellings_and_what_states_nothing(tmp_path: Path) -> None:
    file = tmp_path / "schemas" / "vocab" / "domains.yml"
    file.parent.mkdir(parents=True)
    file.write_text(WORDS)
    known = load_vocabularies(Paths(tmp_path))["domains"]
    spellings = {
        "Unknown": None,
        "Vision": "Vision",
        "Images": "Vision",
        "Images, video": "Vision",
        "Images, video, film": "Vision",
    }
    assert (known.open, dict(known.lookup)) == (False, spellings | {"Language": "Language"})
    assert known.attribute("Vision", "aliases") == ["Images", "Images, video", "Images, video, film"]
    assert known.attribute("Language", "aliases") is known.attribute("Sound", "aliases") is None
    remedy = "it to schemas/vocab/domains.yml as a code or as an alias of one"
    assert known.unknown("Visiom") == (
        "not in the vocabulary domains",
        f'did you mean "Vision"? Otherwise add {remedy}',
    )
    assert known.unknown("Robotics") == ("not in the vocabulary domains", f"add {remedy}")
    assert split_items("Images, video, Language ,, Images", known) == ["Images, video", "Language", "Images"]
    assert (split_items(" Images ", known), split_items("  ", known)) == (["Images"], [])
    assert resolve_items("Images, Unknown, Vision, Sound", known) == (["Vision", "Sound"], ["Sound"])
    assert resolve_items("Images, video", known) == (["Vision"], [])
    assert split_items("Images, video, film, Images", known) == ["Images, video, film", "Images"]
    with pytest.raises(FrozenInstanceError):
        known.open = True  # type: ignore[misc]
    file.write_text(WORDS.replace("error", "report").replace(', "Images, video", "Images, video, film"]', "]"))
    is_open = load_vocabularies.__wrapped__(Paths(tmp_path))["domains"]
    assert resolve_items("Images, a;b", is_open) == (["Vision", "a,b"], [])
    file.write_text(WORDS.replace("  Language:", "  Language: {aliases: [Images, Vision]}"))
    assert refused(load_vocabularies.__wrapped__, Paths(tmp_path)) == [
        'schemas/vocab/domains.yml [Language]: aliases "Images": also stands for Vision; remove one of the two',
        'schemas/vocab/domains.yml [Language]: aliases "Vision": also stands for Vision; remove one of the two',
    ]


@pytest.mark.parametrize(
    ("kind", "constraints", "cells", "kept", "words"),
    [
        ("number", {"minimum": 1}, [0.9, 1, 2], [False, True, True], "is below 1"),
        ("number", {"exclusiveMinimum": 1}, [0.9, 1, 2], [False, False, True], "is not above 1"),
        ("number", {"maximum": 1}, [0.9, 1, 2], [True, True, False], "is above 1"),
        ("date", {"minimum": "1950-01-01"}, ["1949-12-31", "1950-01-01"], [False, True], "is below 1950-01-01"),
        ("string", {"enum": ["1", 2]}, ["1", "2", "3"], [True, True, False], "is not one of ['1', 2]"),
        ("string", {"pattern": "[a-z]+"}, ["ab", "a1"], [True, False], "does not match [a-z]+"),
    ],
)
def test_a_constraint_tests_the_cells_of_its_column(
    kind: str, constraints: dict[str, Any], cells: list[Any], kept: list[bool], words: str
) -> None:
    column, series = Column("c", kind, "", constraints={"required": True, **constraints}), pd.Series(cells)
    series = pd.to_datetime(series) if kind == "date" else series
    ((said, test),) = cell_rules(column, lambda texts, pattern: texts.str.fullmatch(pattern), pd.Timestamp)
    assert (said, test(series).tolist()) == (words, kept)


IDENTITIES = """alias,source_id,relation,model_id,since,reason
GPT-4,,same,gpt-4,,said so
GPT-4,helm,same,gpt-4-jun-2023,,its date
GPT-4,,distinct,gpt-4o,,another
acme/m,,distinct,m,,another
text-unicorn,,called,palm-2,,in use
Old,,dropped,,,no model
"""


def test_a_decision_says_what_a_name_stands_for_and_whether_a_record_must_have_it(tmp_path: Path) -> None:
    file = tmp_path / "identities.csv"
    file.write_text(IDENTITIES)
    found = load_decisions(file, "identities.csv")
    assert found[1] == Decision("GPT-4", "helm", "same", "gpt-4-jun-2023", "", "its date", 3)
    assert [one.needs_record for one in found] == [True, True, True, False, False, True]
    file.write_text(f"{IDENTITIES}A,,twin,a,,r\nB,,same,,,r\nC,,same,c,,\nGPT-4,helm,renamed,gpt-4,,r\n")
    assert [re.sub(r";.*", "", line) for line in refused(load_decisions, file, "identities.csv")] == [
        'identities.csv:8 [A]: unknown relation "twin"',
        "identities.csv:9 [B]: model_id is missing",
        "identities.csv:10 [C]: reason is missing",
        "identities.csv:11 [GPT-4]: the alias is also on line 3",
    ]
