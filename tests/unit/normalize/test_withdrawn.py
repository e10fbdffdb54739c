"""Values that a publisher withdraws in its newer file do not come back from its older one."""

from __future__ import annotations

import dataclasses
from typing import Any

import pandas as pd
import pytest

from pipeline.config import Source
from pipeline.normalize.withdrawn import mark_withdrawn

MARCH, JULY, AUGUST, LATER = "2026-03-30", "2026-07-25", "2026-08-19", "2026-09-01"
# (source, record, field, since, until): what Epoch AI's files say of Mistral Large, and of a neighbour; and where that
# is not so, the locator and the model
FACTS = [
    ("epoch_all", "Mistral Large", "training_compute_flop", MARCH, None),
    ("epoch_all", "Mistral Large", "parameters", MARCH, None),
    ("epoch_notable", "Mistral Large", "training_compute_flop", MARCH, JULY),
    ("epoch_notable", "Mistral Large", "parameters", MARCH, None),
    ("epoch_notable", "GPT-3 175B", "training_compute_flop", MARCH, None),
]


def source(name: str, publisher: str) -> Source:
    about = {"title": name, "licence": "L", "redistribute": True, "attribution": "A", "adapter": "plain_table"}
    return Source(id=name, publisher=publisher, subject="models", priority=1, **about)  # type: ignore[arg-type]


def judged(
    facts: list[tuple[Any, ...]], publisher: str = "Epoch AI", snapshot: str = MARCH, reason_code: str = ""
) -> dict[tuple[str, str], str]:
    """The reason code by source and field for Mistral Large on the day of the newest file; `snapshot` is that of the
    other."""
    made = marked(facts, publisher, snapshot, reason_code)
    return dict(zip(zip(made["source_id"], made["field"], strict=True), made["reason_code"], strict=True))


def marked(facts: list[tuple[Any, ...]], publisher: str, snapshot: str, reason_code: str) -> pd.DataFrame:
    sources = {"epoch_all": source("epoch_all", publisher), "epoch_notable": source("epoch_notable", "Epoch AI")}
    sources["helm"] = source("helm", "CRFM")
    full = [(*fact, "", fact[1]) if len(fact) == 5 else fact for fact in facts]
    ledger = pd.DataFrame(full, columns=["source_id", "record", "field", "since", "until", "locator", "model_id"])
    ledger = ledger.assign(**{name: pd.to_datetime(ledger[name]) for name in ("since", "until")})
    newest = ledger["source_id"].map({"epoch_all": snapshot, "epoch_notable": AUGUST, "helm": MARCH})
    typed = ledger.assign(snapshot=pd.to_datetime(newest), reason_code=reason_code, reason="")
    stands = (typed["since"] <= typed["snapshot"]) & ~(typed["until"] <= typed["snapshot"])
    made = mark_withdrawn(typed[stands].reset_index(drop=True), ledger, sources)
    return made[made["record"] == "Mistral Large"]


def test_what_the_newer_file_has_emptied_is_withdrawn() -> None:
    made = judged(FACTS)
    assert made.pop(("epoch_all", "training_compute_flop")) == "withdrawn"
    assert set(made.values()) == {""}
    assert marked(FACTS, "Epoch AI", MARCH, "")["reason"].tolist()[0] == (
        "withdrawn: blank in epoch_notable since 2026-07-25"
    )


def test_a_cell_that_the_newest_file_itself_has_emptied_is_withdrawn() -> None:
    facts = [(*fact[:4], fact[4] and AUGUST) for fact in FACTS]
    assert judged(facts)["epoch_all", "training_compute_flop"] == "withdrawn"


def test_a_file_of_the_same_day_is_no_older_one() -> None:
    other = ("helm", "Mistral Large", "parameters", MARCH, None)
    facts = [(*fact[:3], JULY if fact[0] == "epoch_all" else MARCH, fact[4]) for fact in FACTS]
    assert set(judged([*facts, other], snapshot=JULY).values()) == {""}


def test_what_could_not_be_read_keeps_its_reason() -> None:
    assert set(judged(FACTS, reason_code="zero").values()) == {"zero"}


@pytest.mark.parametrize(
    "facts",
    [
        pytest.param([fact for fact in FACTS if fact[1] != "GPT-3 175B"], id="the whole column is gone"),
        pytest.param([f for f in FACTS if (f[0], f[2]) != ("epoch_notable", "parameters")], id="the record is gone"),
        pytest.param([*FACTS, ("epoch_notable", "Mistral Large", FACTS[0][2], JULY, None)], id="another value instead"),
        pytest.param([(*fact[:4], fact[4] and MARCH) for fact in FACTS], id="emptied before the older file"),
        pytest.param(
            [(*fact, "note", "Mistral Large") if fact[3:] == (MARCH, JULY) else fact for fact in FACTS],
            id="a note said so, no cell",
        ),
        pytest.param([(*FACTS[0], "note", "Mistral Large"), *FACTS[1:]], id="the older file says so in a note"),
        pytest.param(
            [(*fact[:3], LATER, LATER) if fact[3:] == (MARCH, JULY) else fact for fact in FACTS],
            id="the newer file gets it later",
        ),
        pytest.param([*((*fact, "", "") for fact in FACTS[:4]), FACTS[4]], id="about no model"),
    ],
)
def test_nothing_else_is(facts: list[tuple[Any, ...]]) -> None:
    assert set(judged(facts).values()) == {""}


def test_one_publisher_does_not_withdraw_for_another() -> None:
    assert set(judged(FACTS, publisher="LLMStats").values()) == {""}


CLUSTER, CHIP = "Colossus", "NVIDIA H100 SXM5 80GB"
# what is about no model: (its source, record, field), and the cell of another source that a null key would take for the
# same
OTHERS = [
    (("epoch_clusters", CLUSTER, "power_w"), ("epoch_data_centers", "Colossus 2", "power_w")),
    (("epoch_clusters", CLUSTER, "power_w"), ("epoch_chip_counts", "H100 Q1 2024", "power_w")),
    (("epoch_clusters", CLUSTER, "chip_quantity"), ("mlperf_training", "v3.0 dgxh100", "chip_quantity")),
    (("epoch_hardware", CHIP, "tdp_w"), ("mlco2_gpus", "H100", "tdp_w")),
    (("epoch_hardware", CHIP, "release_date"), ("curated_hardware", "Ascend 910C", "release_date")),
    (("epoch_data_centers", "Colossus 2", "name"), ("bls_ppi", "2025-11", "name")),
    (("epoch_chip_owners", "xAI Q1 2025", "units"), ("epoch_chip_counts", "H100 Q1 2024", "units")),
    (("epoch_clusters", CLUSTER, "reference_url"), ("epoch_all", "Mistral Large", "reference_url")),
    (("epoch_all", "Mistral Large", "training_hours"), ("mlperf_training", "v3.0 dgxh100", "training_hours")),
]


@pytest.mark.parametrize(("emptied", "other"), OTHERS)
def test_a_cell_that_is_about_no_model_takes_no_value_of_another(
    emptied: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    models = {"epoch_all"}
    neighbour = (emptied[0], "Neighbour", emptied[2])  # so that the column is still there
    facts = [(*emptied, MARCH, JULY), (emptied[0], emptied[1], "name", MARCH, None)]
    facts += [(*neighbour, MARCH, None), (*other, MARCH, None), ("epoch_all", "GPT-3 175B", "name", MARCH, None)]
    ledger = pd.DataFrame(facts, columns=["source_id", "record", "field", "since", "until"]).assign(locator="")
    ledger["model_id"] = ledger["record"].where(ledger["source_id"].isin(models))
    ledger = ledger.assign(**{name: pd.to_datetime(ledger[name]) for name in ("since", "until")})
    newest = ledger["source_id"].map({emptied[0]: AUGUST}).fillna(MARCH)
    typed = ledger.assign(snapshot=pd.to_datetime(newest), reason_code="", reason="")[ledger["until"].isna()]
    sources = {
        name: dataclasses.replace(source(name, "Epoch AI"), subject="models" if name in models else "others")
        for name in ledger["source_id"]
    }
    made = mark_withdrawn(typed.reset_index(drop=True), ledger, sources)
    assert set(made["reason_code"]) == {""}
