"""Rows that mix models up: which pairs the audit asks about, and which are settled."""

from typing import Any

import pandas as pd
import pytest

from pipeline.curate.checks import Finding, View
from pipeline.curate.twins import check_mixtures, check_twins, stem
from pipeline.impute.flop.rows import Declared

FLOP = "training_compute_flop"
UNRELATED = {"base_model_id": None, "training_run_id": None, "arxiv_id": None, "reference_url": None}
PLAIN = {"organizations": "LG AI Research", FLOP: float("nan"), **UNRELATED}
CLAIMS = [
    {"model_id": model_id, "field": field, "claim_id": f"{model_id} {field}", "status": "selected", "reason_code": ""}
    for model_id in ("r", "deep")
    for field in ("name", FLOP)
]
# EXAONE 3.5-R 32B and EXAONE Deep 32B (arXiv:2503.12524), both made from EXAONE 3.5 32B
R = {"name": "EXAONE 3.5-R 32B", "parameters": 3.2e10, "publication_date": "2025-03-14"}
DEEP = {"name": "EXAONE Deep 32B", "parameters": 3.2e10, "publication_date": "2025-03-16"}


def view(one: dict[str, Any], other: dict[str, Any]) -> View:
    """Two models with the ids r and deep."""
    models = pd.DataFrame([PLAIN | R | one, PLAIN | DEEP | other], index=["r", "deep"])
    models["publication_date"] = pd.to_datetime(models["publication_date"])
    return View(models, pd.DataFrame(CLAIMS), Declared({}, {}, {}, {}, ()))


def twins(one: dict[str, Any], other: dict[str, Any]) -> list[Finding]:
    return list(check_twins(view(one, other)))


def test_size_and_punctuation_are_no_part_of_a_stem() -> None:
    assert stem("BELLE-7B-0.2M") == stem("belle 7b (2M)") == "belle"
    assert stem("Sarashina1-7B") != stem("Sarashina2-7B")
    assert stem("OPT-2.7B (finetuned on PTB)") != stem("OPT-2.7B (finetuned on WT2)")


def test_two_of_name_date_and_compute_make_a_pair() -> None:
    (found,) = twins({FLOP: 1.2692e24}, {FLOP: 1.26e24})
    assert found[:7] == (4, "deep", "twin", "name", "EXAONE Deep 32B", "EXAONE 3.5-R 32B", None)
    assert found.evidence == "the same parameters, date and compute as EXAONE 3.5-R 32B (r)"
    assert found.claim_ids == ["deep name"]
    assert twins({}, {}) == []  # the date alone
    assert twins({FLOP: 1.2692e24}, {FLOP: 1.31e24}) == []
    other = {"name": "EXAONE 3.5-R (7.8B)"}
    assert len(twins({}, other)) == 1  # name and date
    assert len(twins({}, other | {"publication_date": "2025-03-21"})) == 1
    assert len(twins({}, other | {"parameters": 3.232e10})) == 1  # 1 % more
    assert twins({}, other | {"parameters": 7.8e9}) == []
    assert twins({}, other | {"parameters": float("nan")}) == []
    assert twins({}, other | {"publication_date": "2025-03-22"}) == []
    assert twins({}, other | {"organizations": "Google"}) == []
    assert len(twins({}, other | {"organizations": "Google;LG AI Research"})) == 1


def test_a_paper_has_two_models_of_one_size_and_many_without_a_size() -> None:
    # MegaScale (530B) and MegaScale (Production), 5.3e11 parameters both; two pages of arXiv:2402.15627
    pages = [
        {"arxiv_id": "2402.15627", "reference_url": f"https://arxiv.org/abs/2402.15627{end}"} for end in ("", "v2")
    ]
    (found,) = twins(*pages)
    assert found.evidence == "the same parameters, date and link as EXAONE 3.5-R 32B (r)"
    assert len(twins(pages[0] | {"organizations": None}, pages[1])) == 1
    assert twins({"reference_url": "https://a.example"}, {"reference_url": "https://b.example"}) == []
    # Vine copula (crime) and Vine copula (wine quality), arXiv:1812.01226: 8.4591e15 FLOP both
    unsized = [page | {"parameters": float("nan"), FLOP: 8.4591e15} for page in pages]
    (found,) = twins(*unsized)
    assert found.evidence == "the same date, compute and link as EXAONE 3.5-R 32B (r)"
    assert twins(unsized[0], unsized[1] | {FLOP: float("nan")}) == []
    assert twins(unsized[0], unsized[1] | {FLOP: 9e15}) == []
    assert twins(unsized[0], unsized[1] | {"publication_date": "2025-04-16"}) == []
    assert twins(unsized[0], unsized[1] | {"arxiv_id": "1812.01227"}) == []
    sized = [page | {"parameters": 3.2e10} for page in unsized]
    assert twins(sized[0], unsized[1]) == twins(unsized[0], sized[1]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"base_model_id": "deep"}, {}),
        ({}, {"base_model_id": "r"}),
        ({"training_run_id": "deep"}, {}),
        ({"organizations": None}, {}),
    ],
)
def test_what_is_related_is_not_asked_again(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert twins({"name": DEEP["name"]} | one, other) == []


def test_what_is_called_distinct_is_not_asked_again() -> None:
    made = view({"name": DEEP["name"]}, {})
    assert len(list(check_twins(made))) == 1
    assert list(check_twins(made._replace(distinct=frozenset([frozenset(["r", "deep"])])))) == []


def test_one_models_parameters_and_anothers_compute() -> None:
    def mixtures(one: float, other: float, flop: float = 5.05e22) -> list[Finding]:
        return list(check_mixtures(view({FLOP: flop, "parameters": one}, {FLOP: flop, "parameters": other})))

    # Stable Diffusion (LDM-KL-8-G): 1.45e9 parameters of LDM with the compute of Stable Diffusion v1, of 9.83e8
    (found,) = mixtures(1.45e9, 9.83e8)
    assert found[1:7] == ("deep", "mixture", FLOP, 5.05e22, "EXAONE 3.5-R 32B", None)
    assert found.evidence.startswith(
        "5.05e+22 FLOP with 9.83e+08 parameters, and so has EXAONE 3.5-R 32B (r) with 1.45"
    )
    assert found.claim_ids == [f"deep {FLOP}", f"r {FLOP}"]
    assert mixtures(1e9, 1.1e9) == []  # 10 % more: one size, counted in two ways
    assert len(mixtures(1e9, 1.11e9)) == 1
    assert mixtures(1.45e9, float("nan")) == mixtures(float("nan"), 1.45e9) == []
    assert mixtures(1.45e9, 9.83e8, flop=5.1e22) == []  # two digits
