"""Each rule across columns refuses a row that broke it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.validate.stage import broken_rows, row_key

PATHS = Paths(CHECKOUT)
SCHEMAS = load_schemas(PATHS)
FLOP, LOW = "training_compute_flop", "training_compute_low"
CHILD: dict[str, Any] = {"model_id": "vicuna-13b", "base_model_id": "llama-13b", "training_run_id": "llama-13b"}
CHILD |= {"publication_date": "2023-03-30", FLOP: 5e22, LOW: 4e22, "chip_hours": 5.7e7, "parameters": 9e9}
CHILD |= {"finetune_compute_flop": 1e20, "training_compute_source": "third_party", "domains": "Video"}
BASE: dict[str, Any] = {"model_id": "llama-13b", "base_model_id": None, "training_run_id": "llama-13b"}
BASE |= {"publication_date": "2023-02-24", FLOP: 7.8e22, LOW: 1e22}

CASES = {
    tuple(case["rule"].split(".")): case
    for case in yaml.safe_load(Path(__file__).with_name("broken.yml").read_text(encoding="utf-8"))
}
# Rules that look at the row of another model: what the base says
BASES = {
    # ColPali, of 27 June 2024, from PaliGemma, whose paper is of 10 July 2024
    "base_is_not_later": ({"publication_date": "2024-07-10"}, {"publication_date": "2023-02-24"}),
    # Vicuna 13B: the fine-tuning alone was entered as the whole
    "compute_includes_the_base": ({"training_compute_low": 7.8e22}, {"training_compute_low": 1e21}),
    # a total with another value of the base in it, as Foundation-sec-8B had 1.224e24 of Llama 3.1-8B, which is 7.2e23
    "total_is_base_and_further": ({FLOP: 3e22}, {FLOP: 4e22}),
    # the version of GPT-4 of June 2023, with the chip-hours of GPT-4
    "hours_are_its_own": ({"chip_hours": 5.7e7}, {"chip_hours": 1e6}),
    # IDEFICS 9B with CLIP, which sees for it, as its base in the place of LLaMA-7B
    "base_is_no_small_part": ({"parameters": 1e9}, {"parameters": 7e9}),
    # Otter with the 1.3e9 parameters that are trained, beside LLaMA-7B, in the scale of the child below
    "parameters_are_of_the_whole": ({"parameters": 4.8e10}, {"parameters": 9e9}),
    # Mochi 1, whose text T5 encodes, with T5 v1.1 XXL as its base
    "encoder_is_no_base": ({"domains": "Language"}, {"domains": "Language;Video"}),
    # two models that were entered as the same run as each other
    "run_has_one_name": ({"training_run_id": "vicuna-13b"}, {"training_run_id": "llama-13b"}),
}


def frame(table: str, *rows: dict[str, Any]) -> pd.DataFrame:
    """The rows with the types of the table's columns."""
    types = {"number": "float64", "integer": "Int64", "boolean": "boolean", "date": "datetime64[s]"}
    made = pd.DataFrame(rows)
    return made.astype({name: types.get(SCHEMAS[table].column(name).type, "str") for name in made})


def held(table: str, name: str, made: pd.DataFrame) -> bool:
    rules = tuple(one for one in SCHEMAS[table].rules if one.name == name)
    made = made.assign(**{key: "x" for key in SCHEMAS[table].primary_key if key not in made})
    broken = broken_rows(made, replace(SCHEMAS[table], rules=rules))
    return row_key(made, 0, SCHEMAS[table]) not in [problem.record for problem in broken]


def test_every_rule_was_broken_once() -> None:
    rules = {(table, one.name) for table, schema in SCHEMAS.items() for one in schema.rules}
    assert rules == set(CASES) | {("models", name) for name in BASES}


@pytest.mark.parametrize(("table", "name"), CASES)
def test_a_rule_refuses_what_broke_it_and_nothing_else(table: str, name: str) -> None:
    assert not held(table, name, frame(table, CASES[table, name]["broken"]))
    assert held(table, name, frame(table, CASES[table, name]["right"]))


@pytest.mark.parametrize("name", BASES)
def test_a_rule_looks_at_the_base(name: str) -> None:
    of_base, sound = BASES[name]
    assert not held("models", name, frame("models", CHILD, BASE | of_base))
    assert held("models", name, frame("models", CHILD, BASE | sound))
