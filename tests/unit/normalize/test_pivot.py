"""One row of the wide table from the claims of one model: what is taken from them, and what follows from their
words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from pipeline.normalize.models import make_models
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.vocabularies import load_vocabularies

Claim = dict[str, Any]
USUAL: Claim = {
    "value": float("nan"),
    **dict.fromkeys(("code", "value_text", "note", "reference", "evidence", "correction"), ""),
    "status": "selected",
    "source_id": "epoch_all",
    "publisher": "Epoch AI",
}
FLOP, METHOD, LINK = "training_compute_flop", "training_compute_method", "reference_url"
TABLE, VOCABULARIES = load_schemas(Paths(CHECKOUT))["models"], load_vocabularies(Paths(CHECKOUT))


def claim(field: str, code: str = "", model: str = "m", **others: Any) -> Claim:
    return USUAL | {"model_id": model, "record": model.upper(), "field": field, "code": code} | others


def model(*claims: Claim) -> pd.Series:
    """The row of the model m that these claims and its name make, beside the model n and one without a name."""
    (row,) = models(claims)
    return row


def models(*each: Sequence[Claim]) -> list[pd.Series]:
    """The rows that these claims about m make, each of a model of its own, and that model's name: M, M2, M3 …"""
    names = ["M", *(f"M{number}" for number in range(2, len(each) + 1))]
    named = [claim("name", name, name.lower()) for name in (*names, "N")]
    lists = [claim(field, "x", "n") for field in ("organization", METHOD, "accessibility", "dataset_unit", "hardware")]
    unnamed = claim("organization", "Acme", "nameless")
    own = [
        one | ({"model_id": name.lower(), "record": name} if one["model_id"] == "m" else {})
        for name, claims in zip(names, each, strict=True)
        for one in claims
    ]
    made = make_models(pd.DataFrame([*named, *lists, unnamed, *own]), TABLE, VOCABULARIES).set_index("model_id")
    assert set(made.index) == {name.lower() for name in (*names, "N")}
    return [made.loc[name.lower()] for name in names]


def known(cell: object) -> object:
    """The cell, and None for an empty one."""
    return None if pd.isna(cell) else cell


def test_numbers_texts_dates_and_truths_are_taken_as_what_they_are() -> None:
    row = model(
        claim("parameters", value=7e9),
        claim("organization", "Acme;Other"),
        claim("publication_date", "2024-05-01", note="month"),
        claim("open_weights", "true"),
        claim(FLOP, value=8.64e19),
    )
    assert (row["name"], row["parameters"], row["organization"], row["organizations"]) == (
        "M",
        7e9,
        "Acme",
        "Acme;Other",
    )
    assert (row["publication_date"], row["publication_date_precision"]) == (pd.Timestamp("2024-05-01"), "month")
    assert row["open_weights"]
    assert row["training_compute_pfs_days"] == 1.0
    assert not row["is_notable"]


def test_a_model_is_notable_where_the_notable_source_has_it_whatever_is_selected() -> None:
    assert model(claim("domain", "Vision", source_id="epoch_notable", status="superseded"))["is_notable"]


def test_a_model_is_notable_where_its_criteria_were_entered_by_hand() -> None:
    assert model(claim("notability_criteria", "sota_improvement", source_id="curated"))["is_notable"]
    assert not model(claim("domain", "vision", source_id="curated"))["is_notable"]


LINKS: list[tuple[str, dict[str, str]]] = [
    ("https://arxiv.org/abs/2005.14165", {"arxiv_id": "2005.14165"}),
    ("see https://arxiv.org/pdf/cs.CL/0301001 and more", {"arxiv_id": "cs.CL/0301001"}),
    ("https://doi.org/10.1038/s41586-021-03819-2?x=1", {"doi": "10.1038/s41586-021-03819-2"}),
    ("https://huggingface.co/acme/m-7b", {"huggingface_id": "acme/m-7b"}),
    ("https://huggingface.co/blog/m-7b", {}),
    ("https://huggingface.co/datasets/m-7b", {}),
]


def test_identifiers_are_taken_from_the_link() -> None:
    for (text, found), row in zip(LINKS, models(*([claim(LINK, value_text=text)] for text, _ in LINKS)), strict=True):
        names = ("arxiv_id", "doi", "huggingface_id")
        assert {name: row[name] for name in names if pd.notna(row[name])} == found, text
        assert row["reference_url"].startswith("https://")


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ("acme/m-7b-base", "acme/m-7b-base"),
        ("https://huggingface.co/acme/m-7b-base", "acme/m-7b-base"),
        ("https://github.com/acme/m-7b-base", "acme/m-7b"),
        ("m-7b-base", "acme/m-7b"),
    ],
)
def test_an_address_that_is_stated_comes_before_that_of_the_link(stated: str, found: str) -> None:
    link = claim(LINK, value_text="https://huggingface.co/acme/m-7b")
    assert model(link, claim("huggingface_id", stated, value_text=stated))["huggingface_id"] == found


@pytest.mark.parametrize(
    ("cited", "found"), [("https://huggingface.co/acme/m", "acme/m"), ("https://huggingface.co/acme/n", None)]
)
def test_an_address_that_several_models_cite_is_that_of_the_model_with_its_name(cited: str, found: str | None) -> None:
    row = model(claim(LINK, value_text=cited), claim(LINK, model="n", value_text=cited))
    assert (row["huggingface_id"] if pd.notna(row["huggingface_id"]) else None) == found


def test_weights_that_are_closed_have_no_address_on_the_hub() -> None:
    row = model(claim(LINK, value_text="https://huggingface.co/acme/m"), claim("open_weights", "false"))
    assert pd.isna(row["huggingface_id"])
    assert row["reference_url"] == "https://huggingface.co/acme/m"


STATERS: list[tuple[Claim, str, str, str]] = [
    ({}, "", "", "third_party"),
    ({}, "stated", "", "reported"),
    ({}, "hardware", "", "third_party"),
    ({}, "stated;hardware", "", "reported"),
    ({}, "stated;comparison", "", "third_party"),
    ({}, "stated;other", "", "third_party"),
    ({"evidence": "seen"}, "hardware", "", "reported"),
    ({"evidence": "secondary"}, "", "", "third_party"),
    ({"evidence": "seen", "correction": "c"}, "", "", "corrected"),
    ({"reference": "arXiv:2005.14165"}, "", "https://arxiv.org/abs/2005.14165", "reported"),
    ({"reference": "doi:10.1/x"}, "", "https://doi.org/10.1/x", "reported"),
    ({"reference": "arXiv:2005.14165"}, "", "https://arxiv.org/abs/2005.14166", "third_party"),
    ({"reference": "arXiv:2005.14165", "correction": "c"}, "", "https://arxiv.org/abs/2005.14165", "corrected"),
    ({"reference": ""}, "", "https://arxiv.org/abs/2005.14165", "third_party"),
]


def test_who_states_the_compute() -> None:
    made = models(
        *(
            [
                claim(FLOP, value=1e24, **flop),
                *([claim(METHOD, method)] if method else []),
                *([claim(LINK, value_text=link)] if link else []),
            ]
            for flop, method, link, _ in STATERS
        )
    )
    for row, case in zip(made, STATERS, strict=True):
        assert row["training_compute_source"] == case[-1], case


def test_nothing_is_said_about_compute_that_nobody_states() -> None:
    row = model(claim(METHOD, "stated"), claim("training_compute_confidence", "likely"))
    assert row[["training_compute_source", METHOD, "training_compute_confidence"]].isna().all()


WEIGHTS: list[tuple[str, str, bool | None]] = [
    ("open_weights_unrestricted", "", True),
    ("open_weights_unrestricted", "false", False),
    ("api_access", "", False),
    ("limited_access", "", False),
    ("", "true", True),
    ("", "", None),
]


def test_weights_are_open_as_stated_or_else_as_the_kind_of_access_implies() -> None:
    words = [{"accessibility": access, "open_weights": stated} for access, stated, _ in WEIGHTS]
    made = models(*([claim(field, word) for field, word in said.items() if word] for said in words))
    assert [known(row["open_weights"]) for row in made] == [found for *_, found in WEIGHTS]


NAMED: list[tuple[str, str, str | None]] = [
    ("N", "selected", "n"),
    ("N, Other", "selected", "n"),
    ("Other, N", "selected", None),
    ("M4", "selected", None),  # no model is its own base
    ("NAMELESS", "selected", None),  # which is no row of the table
    ("N", "conflicting", None),
]


def test_a_base_model_is_another_model_that_has_the_name() -> None:
    made = models(*([claim("base_model", base, status=status)] for base, status, _ in NAMED))
    assert [known(row["base_model_id"]) for row in made] == [found for *_, found in NAMED]
    assert all(pd.isna(row["training_run_id"]) for row in made)
    assert model(claim("training_run", "N"))["training_run_id"] == "n"


UNITS: list[tuple[Claim, Claim, str | None]] = [
    ({}, {}, "tokens"),
    ({"publisher": "Other"}, {}, None),  # whose tokens may be another's words
    ({}, {"publisher": "Other"}, None),
    ({"publisher": "Other"}, {"publisher": "Other"}, "tokens"),
    ({}, {"status": "superseded"}, "tokens"),
    ({}, {"status": "conflicting"}, None),
]


def test_a_unit_is_that_of_the_size_where_one_publisher_stands_by_both() -> None:
    made = models(
        *(
            [claim("dataset_unit", "tokens", **unit), claim("dataset_size", value=5e11, **size)]
            for unit, size, _ in UNITS
        )
    )
    assert [known(row["dataset_unit"]) for row in made] == [found for *_, found in UNITS]


def test_a_publisher_who_gave_the_same_unit_and_agrees_with_the_size_is_enough() -> None:
    units = [
        claim("dataset_unit", "tokens"),
        claim("dataset_unit", "tokens", status="superseded", publisher="Other"),
        claim("dataset_unit", "words", status="conflicting", publisher="Third"),
    ]
    for publisher, found in (("Other", "tokens"), ("Third", None)):
        made = model(*units, claim("dataset_size", value=5e11, publisher=publisher))["dataset_unit"]
        assert made == found if found else pd.isna(made)


@pytest.mark.parametrize(
    ("day", "link", "cited", "basis"),
    [
        ("2017-06-12", "https://arxiv.org/abs/1706.03762", "", "paper"),
        ("2017-06-01", "https://arxiv.org/abs/1706.03762", "", "paper"),
        ("2017-06-30", "https://arxiv.org/abs/1706.03762", "", "paper"),
        ("2017-05-31", "https://arxiv.org/abs/1706.03762", "", "announcement"),
        ("2017-07-01", "https://arxiv.org/abs/1706.03762", "", "release"),
        ("2017-06-12", "https://example.org/attention", "", "upstream"),
        ("2017-06-12", "https://example.org/attention", "arXiv:1706.03762", "paper"),
        ("", "https://arxiv.org/abs/1706.03762", "", None),
    ],
)
def test_the_basis_of_a_date_is_the_month_of_the_paper(day: str, link: str, cited: str, basis: str | None) -> None:
    dated = [claim("publication_date", day, reference=cited)] if day else []
    assert known(model(*dated, claim(LINK, link, value_text=link))["publication_date_basis"]) == basis
