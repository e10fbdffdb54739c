"""The tables beside models and claims, each from a few rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from plain_source import source

from pipeline.normalize import tables
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.witnesses import Witness
from pipeline.schema import load_schemas
from pipeline.vocabularies import Vocabulary

SCHEMAS = load_schemas(Paths(CHECKOUT))


def vocabulary(name: str, codes: dict[str, dict[str, Any]], lookup: dict[str, str | None]) -> Vocabulary:
    return Vocabulary(name, f"{name}.yml", True, codes, lookup)


CHIPS = {"hardware": vocabulary("hardware", {"NVIDIA A100": {}}, {"a100": "NVIDIA A100", "NVIDIA A100": "NVIDIA A100"})}


def stated(
    record: str, field: str, said: str | float, source: str = "epoch", priority: int = 1, why: str = ""
) -> dict[str, Any]:
    value, code = (np.nan, said) if isinstance(said, str) else (said, "")
    return {
        "record": record,
        "field": field,
        "value": value,
        "code": code,
        "source_id": source,
        "priority": priority,
        "reason_code": why,
    }


def test_a_record_is_a_row_with_the_name_that_the_vocabulary_gives_and_the_cells_of_the_first_source() -> None:
    facts = [
        stated("a100", "name", "a100", "mlco2", 2),
        stated("a100", "tdp_w", 250.0, "mlco2", 2),
        stated("a100", "memory_bytes", 8e10, "mlco2", 2),
        stated("NVIDIA A100", "name", "A100 SXM"),
        stated("NVIDIA A100", "tdp_w", 400.0),
        stated("NVIDIA A100", "release_date", "2020-05-14"),
        stated("NVIDIA A100", "reference_url", "see https://example.org/a100 (pdf)"),
        stated("NVIDIA A100", "die_size_mm2", 826.0, why="withdrawn"),
        stated("Graphcore IPU", "name", "Graphcore IPU (C2)"),
    ]
    made = tables.make_records(pd.DataFrame(facts), SCHEMAS["hardware"], CHIPS).set_index("hardware_id")
    assert made.index.tolist() == ["graphcore-ipu", "nvidia-a100"]
    assert made["name"].tolist() == ["Graphcore IPU (C2)", "NVIDIA A100"]
    assert made["source_id"].tolist() == ["epoch", "epoch"]
    chip = made.loc["nvidia-a100"]
    assert chip[["tdp_w", "memory_bytes", "reference_url"]].tolist() == [400.0, 8e10, "https://example.org/a100"]
    assert chip["release_date"] == pd.Timestamp("2020-05-14")
    assert pd.isna(chip["die_size_mm2"])


def test_words_for_true_and_false_become_truths() -> None:
    said = {"A": "true", "B": "false"}
    facts = [stated(name, "name", name) for name in said]
    facts += [stated(name, "possible_duplicate", word) for name, word in said.items()]
    made = tables.make_records(pd.DataFrame(facts), SCHEMAS["clusters"], {})
    assert made["possible_duplicate"].tolist() == [True, False]


def test_the_first_column_of_a_key_is_made_from_the_name_whatever_else_the_key_has() -> None:
    of_two = replace(SCHEMAS["clusters"], primary_key=("cluster_id", "name"))
    made = tables.make_records(pd.DataFrame([stated("El Capitan", "name", "El Capitan")]), of_two, {})
    assert made[["cluster_id", "name"]].to_numpy().tolist() == [["el-capitan", "El Capitan"]]


def test_a_chip_is_worth_as_many_others_as_its_dense_rate_is_theirs() -> None:
    rates = {"peak_tensor_fp16_flops": [6e14, np.nan, np.nan], "peak_fp16_flops": [9e14, 3e13, np.nan]}
    chips = pd.DataFrame({**rates, "peak_fp32_flops": [9e14, 1.5e13, np.nan]})
    made = tables.with_equivalents(chips, {"a100": 3e14, "h100": 1e15})
    assert made["a100_equivalents"].tolist()[:2] == [2.0, 0.1]
    assert made["h100_equivalents"].tolist()[:2] == [0.6, 0.03]
    assert made["a100_equivalents"].isna().tolist() == [False, False, True]


def test_each_chip_that_a_model_names_is_a_row_once_in_the_order_of_the_text() -> None:
    claims = [("m", "hardware", "TPU v9, a100,,TPU v9"), ("n", "hardware", "NVIDIA A100"), ("n", "name", "a100")]
    hardware = pd.DataFrame({"name": ["NVIDIA A100"], "hardware_id": ["nvidia-a100"]})
    frame = pd.DataFrame(claims, columns=["model_id", "field", "value_text"])
    made = tables.make_model_hardware(frame, hardware, CHIPS, SCHEMAS["model_hardware"])
    assert made.fillna("").to_numpy().tolist() == [
        ["m", 1, "TPU v9", ""],
        ["m", 2, "a100", "nvidia-a100"],
        ["n", 1, "NVIDIA A100", "nvidia-a100"],
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
    vocabularies = {"organizations": vocabulary("organizations", codes, {})}
    made = tables.make_organizations(models, vocabularies, SCHEMAS["organizations"]).set_index("organization")
    columns = ["parent", "category", "country", "aliases", "models"]
    assert made[columns].astype(object).fillna("").T.to_dict("list") == {
        "Alphabet": ["", "Industry", "", "", 0],
        "DeepMind": ["Alphabet", "Industry", "United Kingdom", "Google DeepMind;DM", 2],
        "INRIA": ["", "", "", "", 2],
        "Stanford": ["", "Academia", "United States", "", 3],
    }


def test_a_source_is_counted_by_what_the_vintage_has_of_it() -> None:
    facts = pd.DataFrame({"source_id": "epoch", "record": ["A", "A", "B"], "snapshot": pd.Timestamp("2026-05-03")})
    of_two = ("https://example.org/1", "https://example.org/2")
    sources = {"epoch": source(id="epoch", title="All", urls=of_two), "later": source(id="later", title="Later")}
    made = tables.make_sources(facts, sources, {"epoch": ["2026-03-30", "2026-05-03"], "later": []}, SCHEMAS["sources"])
    cells = made.set_index("source_id")[["title", "url", "snapshots", "records", "facts"]].astype(object).fillna("")
    assert cells.T.to_dict("list") == {"epoch": ["All", of_two[0], 2, 2, 3], "later": ["Later", "", 0, 0, 0]}
    assert made["snapshot"].dt.strftime("%m-%d").fillna("").tolist() == ["05-03", ""]


FILE, OTHER = {"size": 5, "sha256": "aa", "md5": "bb"}, {"size": 7, "sha256": "cc"}
TAKEN = {"retrieved_at": "2026-07-20T01:02:03Z"}
LOCK = {
    "epoch": {"snapshots": {"2026-03-30": TAKEN | {"files": {"a.csv": FILE}}}},
    "helm": {"snapshots": {"2026-07-19": TAKEN | {"files": {"a.json": FILE, "b.json": OTHER}}}},
}
NO_FACTS = pd.DataFrame({"source_id": [], "record": [], "since": [], "until": []})


@pytest.mark.parametrize(
    ("as_of", "count"), [(None, 2), (date(2026, 7, 19), 2), (date(2026, 7, 18), 1), (date(2026, 3, 29), 0)]
)
def test_a_vintage_knows_the_snapshots_up_to_its_day(as_of: date | None, count: int) -> None:
    assert len(tables.make_snapshots(NO_FACTS, LOCK, {}, as_of, SCHEMAS["snapshots"])) == count


def test_a_snapshot_of_one_file_has_its_sums_and_its_witness() -> None:
    witnesses = {("bb", 5): Witness("Web archive", "https://example.org/list")}
    made = tables.make_snapshots(NO_FACTS, LOCK, witnesses, None, SCHEMAS["snapshots"]).set_index("source_id")
    columns = ["files", "bytes", "sha256", "md5", "witnessed_by", "witness_reference"]
    assert made[columns].astype(object).fillna("").T.to_dict("list") == {
        "epoch": [1, 5, "aa", "bb", "Web archive", "https://example.org/list"],
        "helm": [2, 12, "", "", "", ""],
    }
    assert made["retrieved"].tolist() == [pd.Timestamp("2026-07-20")] * 2


def test_the_quarantine_has_the_claims_that_are_held_and_the_facts_about_other_things_that_nobody_can_read() -> None:
    columns = [column.name for column in SCHEMAS["quarantine"].columns]
    claims = pd.DataFrame([("01", "quarantined"), ("02", "selected")], columns=["claim_id", "status"]).reindex(
        columns=[*columns, "status"]
    )
    typed = pd.DataFrame(
        [
            ("hardware", "not_a_number", 255),
            ("hardware", "", 4),
            ("hardware", "states_nothing", 5),
            ("models", "zero", 6),
        ],
        columns=["subject", "reason_code", "hash"],
    ).reindex(columns=[*columns[1:], "subject", "hash"])
    made = tables.make_quarantine(claims, typed.astype({"hash": "uint64"}), SCHEMAS["quarantine"])
    assert made["claim_id"].tolist() == ["00000000000000ff", "01"]
    assert made["reason_code"].fillna("").tolist() == ["not_a_number", ""]
