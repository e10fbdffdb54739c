"""What a model uses as it is does not count as its base, whoever says so."""

from __future__ import annotations

import pandas as pd

from pipeline.curated import Component
from pipeline.impute.flop.rows import base_edges
from pipeline.normalize.claims import select
from pipeline.normalize.components import without_components
from pipeline.normalize.models import make_models
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.vocabularies import load_vocabularies

NAMES = {
    "imagen": "Imagen",
    "t5-11b": "T5-11B",
    "molmoact": "MolmoAct",
    "qwen2.5-7b": "Qwen2.5-7B",
    "siglip": "SigLIP 400M",
}
STATED = {  # as Epoch AI prints the bases of both
    "imagen": "T5-11B",
    "molmoact": "SigLIP 400M, Qwen2.5-7B",
}
USED = [
    Component("imagen", "t5-11b", ""),
    Component("molmoact", "siglip", ""),
    Component("imagen", "not-yet-there", ""),
]
SAME = {
    **dict.fromkeys(("locator", "reference", "evidence", "correction", "note", "reason_code", "reason"), ""),
    **dict.fromkeys(("value", "low", "high"), float("nan")),
    "rank": 0,
    **dict.fromkeys(("snapshot", "since"), pd.Timestamp("2026-09-21")),
    "changed": 0,
    "place": 0,
    "source_id": "epoch_all",
    "publisher": "Epoch AI",
    "voice": "Epoch AI",
}


def claims() -> pd.DataFrame:
    cells = [(model, "name", name) for model, name in NAMES.items()]
    cells += [(model, "base_model", text) for model, text in STATED.items()]
    rows = [
        {"model_id": model, "record": NAMES[model], "field": field, "code": text, "value_text": text, "hash": n, **SAME}
        for n, (model, field, text) in enumerate(cells)
    ]
    return pd.DataFrame(rows).assign(claim_id=lambda frame: frame["hash"].astype("str"))


def test_a_component_is_no_base_and_what_was_printed_stays() -> None:
    judged = select(without_components(claims(), USED))
    base = judged[judged["field"] == "base_model"].set_index("model_id")
    assert base["status"].to_dict() == {"imagen": "superseded", "molmoact": "selected"}
    assert base["reason_code"].to_dict() == {"imagen": "component", "molmoact": "first"}
    assert base["value_text"].to_dict() == STATED
    assert base_edges(judged, pd.Series(list(NAMES))).values.tolist() == [["molmoact", "qwen2.5-7b"]]


def test_models_names_the_components_and_the_real_base() -> None:
    paths = Paths(CHECKOUT)
    judged = select(without_components(claims(), USED))
    made = make_models(judged, load_schemas(paths)["models"], load_vocabularies(paths), USED).set_index("model_id")
    assert made["components"].dropna().to_dict() == {"imagen": "t5-11b", "molmoact": "siglip"}
    assert made["base_model_id"].dropna().to_dict() == {"molmoact": "qwen2.5-7b"}


def test_without_lines_every_base_stays() -> None:
    assert without_components(claims(), []).equals(claims())
