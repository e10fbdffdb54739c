"""The wide table of models; chips; organisations."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.normalize.pivot import make_model_hardware, make_models, make_organizations
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.vocabularies import Vocabulary, load_vocabularies

Claim = dict[str, Any]
USUAL: Claim = {
    "value": float("nan"),
    **dict.fromkeys(("code", "value_text", "note", "reference", "evidence", "correction"), ""),
    "status": "selected",
    "source_id": "epoch_all",
    "publisher": "Epoch AI",
}
FLOP, METHOD, WHO = "training_compute_flop", "training_compute_method", "training_compute_source"
SCHEMAS, VOCABULARIES = load_schemas(Paths(CHECKOUT)), load_vocabularies(Paths(CHECKOUT))


def claim(field: str, code: str = "", model: str = "m", **others: Any) -> Claim:
    """A claim about a model."""
    return USUAL | {"model_id": model, "record": model.upper(), "field": field, "code": code} | others


def link(text: str, field: str = "reference_url", model: str = "m") -> Claim:
    return claim(field, value_text=text, model=model)


def flop(method: str = "", **others: Any) -> list[Claim]:
    return [claim(FLOP, value=8.64e19, **others), *([claim(METHOD, method)] if method else [])]


def dated(day: str, address: str = "https://arxiv.org/abs/1706.03762", cited: str = "") -> list[Claim]:
    return [claim("publication_date", day, note="day", reference=cited), link(address)]


def sized(unit: Claim, size: Claim) -> list[Claim]:
    return [claim("dataset_unit", "tokens", **unit), claim("dataset_size", value=5e11, **size)]


HUB, OTHER = "https://huggingface.co/acme/m", {"publisher": "Other"}
# the claims about the model m, beside the model n and one without a name, and cells of its row; None is empty
CASES: list[tuple[list[Claim], dict[str, Any]]] = [
    ([claim("parameters", value=7e9)], {"name": "M", "parameters": 7e9, "is_notable": False, WHO: None}),
    ([claim("organization", "Acme;Other")], {"organization": "Acme", "organizations": "Acme;Other"}),
    ([claim("organization", "DeepSeek;Mistral AI")], {"countries": "China;France"}),
    ([claim("organization", "DeepSeek"), claim("country", "France")], {"countries": "France"}),
    # in the notable source, whatever is selected, or with criteria entered by hand
    (
        [claim("domain", "Vision", source_id="epoch_notable", status="superseded")],
        {"is_notable": True, "domains": None},
    ),
    ([claim("notability_criteria", "sota_improvement", source_id="curated")], {"is_notable": True}),
    ([claim("domain", "Vision", source_id="curated")], {"is_notable": False}),
    # addresses
    ([link("https://arxiv.org/abs/2005.14165")], {"arxiv_id": "2005.14165", "doi": None, "huggingface_id": None}),
    ([link("see https://arxiv.org/pdf/cs.CL/0301001 and more")], {"arxiv_id": "cs.CL/0301001"}),
    ([link("https://doi.org/10.1038/s41586-021-03819-2?x=1")], {"doi": "10.1038/s41586-021-03819-2"}),
    ([link(HUB)], {"huggingface_id": "acme/m", "reference_url": HUB}),
    ([link("https://huggingface.co/blog/m-7b")], {"huggingface_id": None}),
    ([link(HUB), link("acme/m-base", "huggingface_id")], {"huggingface_id": "acme/m-base"}),
    ([link(HUB), link(f"{HUB}-base", "huggingface_id")], {"huggingface_id": "acme/m-base"}),
    ([link(HUB), link("https://github.com/acme/m", "huggingface_id")], {"huggingface_id": "acme/m"}),
    ([link(HUB), link(HUB, model="n")], {"huggingface_id": "acme/m"}),  # of two models that with its name
    ([link(HUB[:-1] + "n"), link(HUB[:-1] + "n", model="n")], {"huggingface_id": None}),
    ([link(HUB), claim("open_weights", "false")], {"huggingface_id": None, "reference_url": HUB}),
    # who states the compute
    (flop(), {WHO: "third_party", "training_compute_pfs_days": 1.0}),
    (flop("stated;hardware"), {WHO: "reported"}),
    (flop("hardware"), {WHO: "third_party"}),
    (flop("stated;comparison"), {WHO: "third_party"}),
    (flop("stated;other"), {WHO: "third_party"}),
    ([*flop(reference="arXiv:2005.14165"), link("https://arxiv.org/abs/2005.14165")], {WHO: "reported"}),
    (flop("stated", correction="c"), {WHO: "corrected"}),
    ([claim(METHOD, "stated"), claim("training_compute_confidence", "likely")], {WHO: None, METHOD: None}),
    # weights: as stated, or as the kind of access implies
    ([claim("accessibility", "open_weights_unrestricted")], {"open_weights": True}),
    ([claim("accessibility", "open_weights_unrestricted"), claim("open_weights", "false")], {"open_weights": False}),
    ([claim("accessibility", "api_access")], {"open_weights": False}),
    ([claim("open_weights", "true")], {"open_weights": True}),
    ([], {"open_weights": None}),
    # bases: another model that has the name
    ([claim("base_model", "N")], {"base_model_id": "n", "training_run_id": None}),
    ([claim("base_model", "N, Other")], {"base_model_id": "n"}),
    ([claim("base_model", "Other, N")], {"base_model_id": None}),
    ([claim("base_model", "M")], {"base_model_id": None}),
    ([claim("base_model", "NAMELESS")], {"base_model_id": None}),  # which is no row of the table
    ([claim("base_model", "N", status="conflicting")], {"base_model_id": None}),
    ([claim("training_run", "N")], {"training_run_id": "n"}),
    # a unit is that of the size where one publisher stands by both
    (sized({}, {}), {"dataset_unit": "tokens"}),
    (sized(OTHER, {}), {"dataset_unit": None}),  # whose tokens may be another's words
    (sized(OTHER, OTHER), {"dataset_unit": "tokens"}),
    (sized({}, {"status": "superseded"}), {"dataset_unit": "tokens"}),
    (sized({}, {"status": "conflicting"}), {"dataset_unit": None}),
    # a date, and whether it is that of the paper
    (dated("2017-06-01"), {"publication_date_precision": "day", "publication_date_basis": "paper"}),
    (dated("2017-06-30"), {"publication_date": pd.Timestamp("2017-06-30"), "publication_date_basis": "paper"}),
    (dated("2017-05-31"), {"publication_date_basis": "announcement"}),
    (dated("2017-07-01"), {"publication_date_basis": "release"}),
    (dated("2017-06-12", "https://example.org/attention"), {"publication_date_basis": "upstream"}),
    (dated("2017-06-12", "https://example.org/a", "arXiv:1706.03762"), {"publication_date_basis": "paper"}),
    ([link("https://arxiv.org/abs/1706.03762")], {"publication_date_basis": None}),
]


def test_the_cells_of_a_model_are_what_its_claims_say() -> None:
    others = [claim("name", "N", "n"), claim("name", "M", "m"), claim("organization", "Acme", "nameless")]
    others += [claim(field, "x", "n") for field in ("organization", METHOD, "accessibility", "dataset_unit", "domain")]
    for claims, cells in CASES:
        models = make_models(pd.DataFrame([*others, *claims]), SCHEMAS["models"], VOCABULARIES).set_index("model_id")
        assert sorted(models.index) == ["m", "n"]
        row = models.loc["m", list(cells)]
        assert {name: None if pd.isna(row[name]) else row[name] for name in cells} == cells, claims


def test_each_chip_that_a_model_names_is_a_row_once_in_the_order_of_the_text() -> None:
    claims = [("m", "TPU v9, a100,,TPU v9"), ("n", "NVIDIA Quadro P6000, NVIDIA Quadro P600")]
    chips = {"NVIDIA A100": "nvidia-a100", "NVIDIA Quadro P600": "p600", "NVIDIA Quadro P6000": "p6000"}
    hardware = pd.DataFrame({"name": list(chips), "hardware_id": list(chips.values())})
    lookup = {"a100": "NVIDIA A100", **{name: name for name in chips}}
    chip_names = {"hardware": Vocabulary("hardware", "hardware.yml", True, {}, lookup)}
    frame = pd.DataFrame(claims, columns=["model_id", "value_text"])
    made = make_model_hardware(frame, hardware, chip_names)
    assert made[["model_id", "ordinal", "mention", "hardware_id"]].fillna("").to_numpy().tolist() == [
        ["m", 1, "TPU v9", ""],
        ["m", 2, "a100", "nvidia-a100"],
        ["n", 1, "NVIDIA Quadro P6000", "p6000"],
        ["n", 2, "NVIDIA Quadro P600", "p600"],
    ]


def test_an_organisation_has_its_parent_and_what_the_models_that_it_made_alone_agree_on() -> None:
    codes: dict[str, dict[str, Any]] = {
        "DeepMind": {"parent": "Alphabet", "country": "United Kingdom", "aliases": ["Google DeepMind", "DM"]},
        "Alphabet": {"category": "Industry"},
    }
    rows = [
        ("DeepMind", "Industry", "United States"),
        ("DeepMind;Stanford", "Academia;Industry", "Canada"),
        ("Stanford", "Academia", "United States"),
        ("Stanford", "Academia", "United States"),
        ("INRIA", "Academia", "France"),
        ("INRIA", "Government", "France;Italy"),
        (None, "Industry", "France"),
    ]
    models = pd.DataFrame(rows, columns=["organizations", "organization_category", "countries"], dtype="str")
    known = Vocabulary("organizations", "organizations.yml", True, codes, {})
    made = make_organizations(models, known).set_index("organization")
    columns = ["parent", "category", "country", "aliases", "models"]
    assert made[columns].astype(object).fillna("").T.to_dict("list") == {
        "Alphabet": ["", "Industry", "", "", 0],
        "DeepMind": ["Alphabet", "Industry", "United Kingdom", "Google DeepMind;DM", 2],
        "INRIA": ["", "", "", "", 2],
        "Stanford": ["", "Academia", "United States", "", 3],
    }
