"""What does not count, and why: each rule on a few facts or claims, and that the first rule that finds one gives the
reason."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from plain_source import source

from pipeline.curated import Component
from pipeline.impute.rows import base_edges
from pipeline.normalize.exclude import LOW, OF_CLAIMS, OF_FACTS, exclude
from pipeline.normalize.facts import Vintage
from pipeline.normalize.pivot import make_models
from pipeline.normalize.select import select
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.vocabularies import load_vocabularies

MARCH, JULY, AUGUST, LATER = "2026-03-30", "2026-07-25", "2026-08-19", "2026-09-01"
USUAL: dict[str, Any] = {
    **dict.fromkeys(("locator", "reason_code", "reason", "remedy", "correction", "code", "value_text", "unit"), ""),
    **dict.fromkeys(("reference", "evidence", "note"), ""),
    **dict.fromkeys(("value", "low", "high"), np.nan),
    **dict.fromkeys(("snapshot", "since"), pd.Timestamp(MARCH)),
    "source_id": "epoch_all",
    "publisher": "Epoch AI",
    "voice": "Epoch AI",
    "record": "M",
    "model_id": "m",
    **dict.fromkeys(("rank", "changed", "place"), 0),
}
NO_LEDGER = pd.DataFrame({"source_id": [], "record": [], "field": [], "locator": [], "model_id": []}, dtype="str")
NO_LEDGER = NO_LEDGER.assign(**dict.fromkeys(("since", "until"), pd.Series([], dtype="datetime64[s]")))


def facts(*cells: dict[str, Any]) -> pd.DataFrame:
    rows = [USUAL | cell | {"hash": n, "claim_id": f"{n:016x}"} for n, cell in enumerate(cells, start=1)]
    days = {"snapshot": "datetime64[s]", "since": "datetime64[s]", "hash": "uint64", "reason": "str"}
    return pd.DataFrame(rows).astype(days)


def vintage(components: Any = (), sources: Any = None, **known: Any) -> Vintage:
    sources = sources or {"epoch_all": source(id="epoch_all", publisher="Epoch AI")}
    context: Any = SimpleNamespace(sources=sources, components=components)
    return Vintage(context, **{"ledger": NO_LEDGER, **known})


def judged(rows: pd.DataFrame, rules: Any = OF_FACTS, **known: Any) -> list[str]:
    """The reason of each fact: its code, and the sentence."""
    found = exclude(rows, rules, vintage(**known))
    return [
        f"{code}: {reason}" if code else "" for code, reason in zip(found["reason_code"], found["reason"], strict=True)
    ]


def test_the_first_rule_gives_the_reason_and_what_could_not_be_read_keeps_its_own() -> None:
    rows = facts(
        {"field": "publication_date", "code": "2027-01-01"}, {"field": LOW, "value": 2.0, "reason_code": "zero"}
    )
    found = exclude(rows, OF_FACTS, vintage(held={("epoch_all", "M"): date(2026, 1, 1)}))
    assert found["reason_code"].tolist() == ["held", "zero"]
    assert rows["reason_code"].tolist() == ["", "zero"], "the facts that were given stay as they are"


@pytest.mark.parametrize(
    ("field", "code", "is_ahead"),
    [
        ("publication_date", "2026-03-31", True),
        ("price_date", "2027-01-01", True),
        ("publication_date", MARCH, False),  # the day of the snapshot itself
        ("publication_date", "", False),
        ("end_date", "2027-01-01", False),  # which may be planned
    ],
)
def test_a_date_after_the_snapshot_that_has_it_does_not_count(field: str, code: str, is_ahead: bool) -> None:
    rows = facts({"field": field, "code": code}, {"field": "publication_date", "code": "2020-01-01"})
    assert judged(rows) == [f"after_snapshot: later than the snapshot of {MARCH}" if is_ahead else "", ""]


@pytest.mark.parametrize(
    ("field", "code", "action", "record", "stays"),
    [
        ("training_hours", "corrected", "", "M", False),  # Falcon-180B: 18.92 % of half a year of the calendar
        ("hardware_quantity", "replaced", "", "M", False),
        ("training_hours", "corrected", "acknowledge", "M", True),  # MegaScale: 54.3 % do not follow from its hours
        ("training_hours", "corrected", "", "N", True),  # another record
        ("training_hours", "older_snapshot", "", "M", True),
        ("parameters", "corrected", "", "M", True),
    ],
)
def test_a_utilisation_falls_with_the_hours_it_was_worked_out_from(
    field: str, code: str, action: str, record: str, stays: bool
) -> None:
    share = {"field": "hardware_utilization", "value_text": "18.92 %", "value": 0.1892, "unit": "1"}
    rows = facts(share, {"field": field, "record": record, "value": 4320, "reason_code": code, "correction": "hours"})
    entry = {"source": "epoch_all", "record": "M", "field": share["field"], "value_text": 0.1892, "action": action}
    found = exclude(rows, OF_CLAIMS, vintage(fixes=[entry]))
    assert found["reason_code"].tolist() == ["" if stays else "corrected", code]
    assert found["correction"].tolist() == ["" if stays else "hours", "hours"]


# (source, record, field, since, until): what Epoch AI's files say of Mistral Large, and of a neighbour; and where that
# is not so, the locator and the model
FLOP = "training_compute_flop"
FACTS = [
    ("epoch_all", "Mistral Large", FLOP, MARCH, None),
    ("epoch_all", "Mistral Large", "parameters", MARCH, None),
    ("epoch_notable", "Mistral Large", FLOP, MARCH, JULY),
    ("epoch_notable", "Mistral Large", "parameters", MARCH, None),
    ("epoch_notable", "GPT-3 175B", FLOP, MARCH, None),
]


def withdrawn(spans: list[tuple[Any, ...]], publisher: str = "Epoch AI", snapshot: str = MARCH) -> dict[Any, str]:
    """The reasons by source and field for Mistral Large on the day of the newest file; `snapshot` is that of the
    other."""
    sources = {"epoch_all": source(publisher=publisher), "epoch_notable": source(publisher="Epoch AI")}
    sources |= {"helm": source(publisher="CRFM"), "chips": source(publisher="Epoch AI", subject="hardware")}
    full = [(*span, "", None if span[0] == "chips" else span[1]) if len(span) == 5 else span for span in spans]
    ledger = pd.DataFrame(full, columns=["source_id", "record", "field", "since", "until", "locator", "model_id"])
    ledger = ledger.assign(**{name: pd.to_datetime(ledger[name]) for name in ("since", "until")})
    used = {"epoch_all": snapshot, "epoch_notable": AUGUST, "helm": MARCH, "chips": AUGUST}
    rows = ledger.assign(snapshot=pd.to_datetime(ledger["source_id"].map(used)), value=np.nan, code="")
    rows = rows.assign(**dict.fromkeys(("reason_code", "reason", "remedy"), ""))
    stands = (rows["since"] <= rows["snapshot"]) & ~(rows["until"] <= rows["snapshot"])
    found = exclude(rows[stands].reset_index(drop=True), OF_FACTS, vintage(sources=sources, ledger=ledger))
    found = found[found["record"] == "Mistral Large"]
    return dict(zip(zip(found["source_id"], found["field"], strict=True), found["reason"], strict=True))


def test_what_the_newer_file_has_emptied_is_withdrawn() -> None:
    found = withdrawn(FACTS)
    assert found.pop(("epoch_all", FLOP)) == f"withdrawn: blank in epoch_notable since {JULY}"
    assert set(found.values()) == {""}
    emptied_last = [(*fact[:4], fact[4] and AUGUST) for fact in FACTS]
    assert withdrawn(emptied_last)["epoch_all", FLOP].endswith(AUGUST), "by the newest file itself"


@pytest.mark.parametrize(
    "spans",
    [
        pytest.param([fact for fact in FACTS if fact[1] != "GPT-3 175B"], id="the whole column is gone"),
        pytest.param([f for f in FACTS if (f[0], f[2]) != ("epoch_notable", "parameters")], id="the record is gone"),
        pytest.param([*FACTS, ("epoch_notable", "Mistral Large", FLOP, JULY, None)], id="another value instead"),
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
        pytest.param(
            [*(("chips", *fact[1:]) if fact[0] == "epoch_notable" else fact for fact in FACTS)],
            id="a record that is no model has no key to join on",
        ),
    ],
)
def test_nothing_else_is_withdrawn(spans: list[tuple[Any, ...]]) -> None:
    assert set(withdrawn(spans).values()) == {""}


def test_neither_another_publisher_nor_a_file_of_the_same_day_withdraws() -> None:
    assert set(withdrawn(FACTS, publisher="LLMStats").values()) == {""}
    same_day = [(*fact[:3], JULY if fact[0] == "epoch_all" else MARCH, fact[4]) for fact in FACTS]
    other = ("helm", "Mistral Large", "parameters", MARCH, None)
    assert set(withdrawn([*same_day, other], snapshot=JULY).values()) == {""}


NAMES = {"imagen": "Imagen", "t5-11b": "T5-11B", "molmoact": "MolmoAct", "qwen2.5-7b": "Qwen2.5-7B", "siglip": "SigLIP"}
BASES = {"imagen": "T5-11B", "molmoact": "SigLIP, Qwen2.5-7B"}  # as Epoch AI prints the bases of both
USED = [
    Component(model, "table 1", "", "seen", "", 2, other, "text_encoder")
    for model, other in (("imagen", "t5-11b"), ("molmoact", "siglip"), ("imagen", "not-yet-there"))
]


def test_a_component_is_no_base_and_what_was_printed_stays() -> None:
    cells = [(model, "name", name) for model, name in NAMES.items()]
    cells += [(model, "base_model", text) for model, text in BASES.items()]
    rows = facts(
        *(
            {"model_id": key, "record": NAMES[key], "field": field, "code": text, "value_text": text}
            for key, field, text in cells
        )
    )
    claims = select(exclude(rows, OF_CLAIMS, vintage(USED)))
    base = claims[claims["field"] == "base_model"].set_index("model_id")
    assert base["status"].to_dict() == {"imagen": "superseded", "molmoact": "selected"}
    assert base["reason_code"].to_dict() == {"imagen": "component", "molmoact": "first"}
    assert base["value_text"].to_dict() == BASES
    runs = pd.DataFrame({"model_id": list(NAMES), "training_run_id": list(NAMES)})
    assert base_edges(claims, runs)[["model_id", "base_id"]].values.tolist() == [["molmoact", "qwen2.5-7b"]]
    paths = Paths(CHECKOUT)
    models = make_models(claims, load_schemas(paths)["models"], load_vocabularies(paths), USED).set_index("model_id")
    assert models["components"].dropna().to_dict() == {"imagen": "t5-11b", "molmoact": "siglip"}
    assert models["base_model_id"].dropna().to_dict() == {"molmoact": "qwen2.5-7b"}
