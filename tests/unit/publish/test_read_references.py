"""Which values rest on texts that were read."""

from __future__ import annotations

import duckdb
import pandas as pd

from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_views

CITED = ("curated", "seen", "arXiv:1", "table 1")
UPSTREAM = ("epoch_all", None, None, None)
# model, claim, field, value, who says it
CLAIMS = [
    ("printed", "c1", "training_compute_flop", 1.24e20, *CITED),
    ("printed-otherwise", "c2", "training_compute_flop", 1.26e20, *CITED),
    ("recalled", "c3", "training_compute_flop", 1e20, "curated", "recalled", "arXiv:1", "table 1"),
    ("secondary", "c5", "training_compute_flop", 1e20, "curated", "secondary", "arXiv:1", "table 1"),
    ("upstream", "c6", "training_compute_flop", 1e20, *UPSTREAM),
    ("counted", "c7", "parameters", 1e9, *CITED),
    ("counted", "c8", "training_tokens", 1.6e10, "hub", "seen", None, None),
    ("half-counted", "c10", "parameters", 1e9, *CITED),
    ("half-counted", "c11", "training_tokens", 1.6e10, *UPSTREAM),
    ("read-otherwise", "c17", "parameters", 1.2e9, *UPSTREAM),
    ("read-otherwise", "c18", "parameters", 1e9, *CITED),
    ("read-otherwise", "c19", "training_tokens", 1e10, *UPSTREAM),
    ("read-otherwise", "c20", "training_tokens", 1.3e10, *CITED),
    ("tuned", "c12", "finetune_compute_flop", 1e18, *CITED),
    ("tuned-twice", "c14", "finetune_compute_flop", 1e18, *CITED),
    ("counted", "c15", "training_compute_flop", 1e20, *UPSTREAM),
    ("tuned", "c16", "training_compute_flop", 1e20, *UPSTREAM),
    ("ran", "c23", "chip_hours", 1e3, *UPSTREAM),
    ("ran", "c24", "hardware_quantity", 10, *CITED),
    ("ran", "c25", "training_hours", 120, *CITED),
    ("ran-longer", "c26", "chip_hours", 1e3, *UPSTREAM),
    ("ran-longer", "c27", "hardware_quantity", 10, *CITED),
    ("ran-longer", "c28", "training_hours", 130, *CITED),
]
ESTIMATES = [
    ("counted", "operation_counting", 0.67e20, "6ND", ["c7", "c8"]),
    ("half-counted", "operation_counting", 1e20, "6ND", ["c10", "c11"]),
    ("read-otherwise", "operation_counting", 1e20, "6ND", ["c17", "c19"]),
    ("tuned", "base_plus_finetune", 1e20, "base + tune", ["c15", "c12"]),
    ("tuned-twice", "base_plus_finetune", 1e20, "base + tune", ["c16", "c14"]),
    ("ran", "hardware", 1e20, "chip-hours", ["c23"]),
    ("ran-longer", "hardware", 1e20, "chip-hours", ["c26"]),
    ("upstream", "statistical", 1e20, "regression", ["c7"]),
]
BASES = {  # model: base and FLOP; all others have none and 1e20
    "from-counted": ("counted", 1.49e20),
    "from-tuned": ("tuned", 1e20),
    "from-twice": ("tuned-twice", 1e20),
    "from-far": ("from-tuned", 1.2e20),
    "much-longer": ("counted", 1.51e20),
}
EXPECTED = dict.fromkeys(BASES, (None, None)) | {
    "from-counted": ("base", None),
    "from-tuned": ("base", None),
    "from-far": ("base", None),
    "counted": ("counted", "6ND"),
    "half-counted": (None, None),
    "printed": ("stated", None),
    "printed-otherwise": (None, None),
    "ran": ("counted", "chip-hours"),
    "ran-longer": (None, None),
    "read-otherwise": (None, None),  # 1e10 tokens counted, 1.3e10 read
    "recalled": (None, None),
    "secondary": ("stated", None),
    "tuned": ("counted", "base + tune"),
    "tuned-twice": (None, None),  # a base whose own base was not read either way
    "upstream": (None, None),
}


def test_a_value_rests_on_a_figure_or_on_every_number_of_a_calculation() -> None:
    names = ["model_id", "claim_id", "field", "value", "source_id", "evidence", "reference", "locator"]
    claims = pd.DataFrame(CLAIMS, columns=names).assign(status="selected")
    estimates = pd.DataFrame(ESTIMATES, columns=["model_id", "method", "value", "formula", "inputs"])
    estimates = estimates.assign(estimate_id=range(len(estimates)), field="training_compute_flop")
    models = pd.DataFrame({"model_id": sorted(EXPECTED)})
    for column, default in (("base_model_id", None), ("training_compute_flop", 1e20)):
        values = {model: row[column == "training_compute_flop"] for model, row in BASES.items()}
        models[column] = [values.get(model, default) for model in models["model_id"]]
    models = models.assign(
        is_notable=True, name="", publication_date="2020-01-01", training_compute_source="third_party"
    )
    database = duckdb.connect()
    for name, frame in (("claims", claims), ("estimates", estimates), ("models", models)):
        database.register(name, frame)
    view = next(view for view in load_views(Paths(CHECKOUT)) if view.name == "read_references")
    rows = database.execute(f"SELECT model_id, rests_on, formula FROM ({view.query})").fetchall()
    assert {model: tuple(rest) for model, *rest in rows} == EXPECTED
