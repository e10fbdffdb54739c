"""The tables beside models and claims, each from a few rows."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from plain_source import source

from pipeline.normalize import tables
from pipeline.normalize.facts import Vintage
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.ledger import Witness
from pipeline.schema import load_schemas
from pipeline.vocabularies import Vocabulary

SCHEMAS = load_schemas(Paths(CHECKOUT))


def vocabulary(name: str, codes: dict[str, dict[str, Any]], lookup: dict[str, str | None]) -> Vocabulary:
    return Vocabulary(name, f"{name}.yml", True, codes, lookup)


CHIPS = {"hardware": vocabulary("hardware", {"NVIDIA A100": {}}, {"a100": "NVIDIA A100", "NVIDIA A100": "NVIDIA A100"})}


def stated(record: str, field: str, said: str | float, source: str = "epoch", why: str = "") -> dict[str, Any]:
    value, code = (np.nan, said) if isinstance(said, str) else (said, "")
    fact = {"record": record, "field": field, "value": value, "code": code}
    return fact | {"source_id": source, "reason_code": why}


RANKED = {"epoch": source(priority=1), "mlco2": source(priority=2)}


def test_a_record_is_a_row_with_the_name_that_the_vocabulary_gives_and_the_cells_of_the_first_source() -> None:
    facts = [
        stated("a100", "name", "a100", "mlco2"),
        stated("a100", "tdp_w", 250.0, "mlco2"),
        stated("a100", "memory_bytes", 8e10, "mlco2"),
        stated("NVIDIA A100", "name", "A100 SXM"),
        stated("NVIDIA A100", "tdp_w", 400.0),
        stated("NVIDIA A100", "release_date", "2020-05-14"),
        stated("NVIDIA A100", "reference_url", "see https://example.org/a100 (pdf)"),
        stated("NVIDIA A100", "die_size_mm2", 826.0, why="withdrawn"),
        stated("Graphcore IPU", "name", "Graphcore IPU (C2)"),
    ]
    made = tables.make_records(pd.DataFrame(facts), SCHEMAS["hardware"], CHIPS, RANKED).set_index("hardware_id")
    assert made.index.tolist() == ["graphcore-ipu", "nvidia-a100"]
    assert made["name"].tolist() == ["Graphcore IPU (C2)", "NVIDIA A100"]
    assert made["source_id"].tolist() == ["epoch", "epoch"]
    chip = made.loc["nvidia-a100"]
    assert chip[["tdp_w", "memory_bytes", "reference_url"]].tolist() == [400.0, 8e10, "https://example.org/a100"]
    assert chip["release_date"] == pd.Timestamp("2020-05-14")
    assert pd.isna(chip["die_size_mm2"])


def test_a_chip_is_worth_as_many_others_as_its_dense_rate_is_theirs() -> None:
    rates = {"peak_tensor_fp16_flops": [6e14, np.nan, np.nan], "peak_fp16_flops": [9e14, 3e13, np.nan]}
    chips = pd.DataFrame({**rates, "peak_fp32_flops": [9e14, 1.5e13, np.nan]})
    made = tables.with_equivalents(chips, {"a100": 3e14, "h100": 1e15})
    assert made["a100_equivalents"].tolist()[:2] == [2.0, 0.1]
    assert made["h100_equivalents"].tolist()[:2] == [0.6, 0.03]
    assert made["a100_equivalents"].isna().tolist() == [False, False, True]


def test_a_source_is_counted_by_what_the_vintage_has_of_it() -> None:
    facts = pd.DataFrame({"source_id": "epoch", "record": ["A", "A", "B"], "snapshot": pd.Timestamp("2026-05-03")})
    of_two = ("https://example.org/1", "https://example.org/2")
    sources = {"epoch": source(id="epoch", title="All", urls=of_two), "later": source(id="later", title="Later")}
    made = tables.make_sources(facts, sources, {"epoch": ["2026-03-30", "2026-05-03"], "later": []})
    cells = made.set_index("source_id")[["title", "url", "snapshots", "records", "facts"]].astype(object).fillna("")
    assert cells.T.to_dict("list") == {"epoch": ["All", of_two[0], 2, 2, 3], "later": ["Later", "", 0, 0, 0]}
    assert made["snapshot"].dt.strftime("%m-%d").fillna("").tolist() == ["05-03", ""]


FILE, OTHER = {"size": 5, "sha256": "aa", "md5": "bb"}, {"size": 7, "sha256": "cc"}
TAKEN = {"retrieved_at": "2026-07-20T01:02:03Z"}
LOCK = {
    "epoch": {"snapshots": {"2026-03-30": TAKEN | {"files": {"a.csv": FILE}}}},
    "helm": {"snapshots": {"2026-07-19": TAKEN | {"files": {"a.json": FILE, "b.json": OTHER}}}},
}
NO_FACTS = pd.DataFrame({"source_id": [], "record": [], "since": [], "until": []}, dtype="datetime64[s]")


def test_a_snapshot_of_one_file_has_its_sums_and_its_witness() -> None:
    witnesses = {("bb", 5): Witness("Web archive", "https://example.org/list")}
    made = tables.make_snapshots(NO_FACTS, LOCK, witnesses, None, SCHEMAS["snapshots"]).set_index("source_id")
    columns = ["files", "bytes", "sha256", "md5", "witnessed_by", "witness_reference"]
    assert made[columns].astype(object).fillna("").T.to_dict("list") == {
        "epoch": [1, 5, "aa", "bb", "Web archive", "https://example.org/list"],
        "helm": [2, 12, "", "", "", ""],
    }
    assert made["retrieved"].tolist() == [pd.Timestamp("2026-07-20")] * 2


FIRST, SECOND = "2026-03-30", "2026-07-19"


def test_records_and_facts_stand_from_their_first_day_until_the_day_on_which_they_end() -> None:
    spans = [("A", FIRST, SECOND), ("B", FIRST, None), ("B", FIRST, None), ("C", SECOND, None)]
    ledger = pd.DataFrame(spans, columns=["record", "since", "until"]).assign(source_id="s")
    days = {name: pd.to_datetime(ledger[name]).astype("datetime64[s]") for name in ("since", "until")}
    lock = {
        name: {"snapshots": {day: TAKEN | {"files": {"a.csv": FILE}} for day in (FIRST, SECOND)}}
        for name in ("s", "without facts")
    }
    made = tables.make_snapshots(ledger.assign(**days), lock, {}, None, SCHEMAS["snapshots"]).set_index("snapshot_id")
    counted = made[["records", "facts"]].T.to_dict("list")
    assert counted[f"s:{FIRST}"] == [2, 3]
    assert counted[f"s:{SECOND}"] == [2, 3]
    assert counted[f"without facts:{FIRST}"] == [0, 0]


CONTEXT: Any = SimpleNamespace(schemas=SCHEMAS, sources=("epoch_all",))
CLAIMS = pd.DataFrame({"source_id": ["epoch_all"], "record": ["StyleGAN"], "model_id": ["stylegan"]})
ENTRY: dict[str, Any] = {
    "id": "stylegan-all",
    "source": "epoch_all",
    "record": "StyleGAN",
    "field": "training_compute_flop",
    "value_text": 1.34e20,
    "since": date(2022, 9, 1),
    "entered": date(2026, 11, 21),
    "action": "drop",
    "reason": "41 days of 8 chips",
    "upstream": "not reported",
    "line": 7,
}


def test_an_entry_is_a_row_with_its_model() -> None:
    other = {
        **ENTRY,
        "until": date(2026, 7, 19),
        "id": "chip",
        "record": "V100",
        "action": "set",
        "new_value": 5,
        "rule": "low_high",
    }
    elsewhere, later = ENTRY | {"source": "of another checkout"}, ENTRY | {"entered": date(2026, 11, 22)}
    made = tables.make_corrections(
        Vintage(CONTEXT, fixes=[ENTRY, other, elsewhere, later], as_of=date(2026, 11, 21)), CLAIMS
    ).set_index("correction_id")
    assert made["model_id"].fillna("none").to_dict() == {"stylegan-all": "stylegan", "chip": "none"}
    assert made.loc["chip", ["new_value", "rule", "action"]].tolist() == ["5", "low_high", "set"]
    assert made.loc["stylegan-all", ["since", "value_text"]].tolist() == [pd.Timestamp("2022-09-01"), "1.34e+20"]
    assert made["new_value"].isna()["stylegan-all"]
    assert made["until"].isna().to_dict() == {"chip": False, "stylegan-all": True}, "without a day it still holds"
