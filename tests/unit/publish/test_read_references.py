"""Which values rest on texts that were read: a few models by hand, each with one thing that decides."""

from __future__ import annotations

import duckdb
import pandas as pd

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.views import load_views

CITED = ("curated", "seen", "arXiv:1", "table 1")
UPSTREAM = ("epoch_all", None, None, None)
# model, claim, field, value, who says it, the estimate that uses it, and that estimate (all have 1e20 FLOP)
CLAIMS = [
    ("printed", "c1", "training_compute_flop", 1.24e20, *CITED),
    ("printed-otherwise", "c2", "training_compute_flop", 1.26e20, *CITED),
    ("recalled", "c3", "training_compute_flop", 1e20, "curated", "recalled", "arXiv:1", "table 1"),
    ("nowhere", "c4", "training_compute_flop", 1e20, "curated", "seen", "arXiv:1", None),
    ("secondary", "c5", "training_compute_flop", 1e20, "curated", "secondary", "arXiv:1", "table 1"),
    ("upstream", "c6", "training_compute_flop", 1e20, *UPSTREAM),
    ("counted", "c7", "parameters", 1e9, *CITED),
    ("counted", "c8", "training_tokens", 1.6e10, "hub", "seen", None, None),
    ("counted-otherwise", "c9", "parameters", 1e9, *CITED),
    ("half-counted", "c10", "parameters", 1e9, *CITED),
    ("half-counted", "c11", "training_tokens", 1.6e10, *UPSTREAM),
    ("tuned", "c12", "finetune_compute_flop", 1e18, *CITED),
    ("tuned-unread", "c13", "finetune_compute_flop", 1e18, *CITED),
    ("tuned-twice", "c14", "finetune_compute_flop", 1e18, *CITED),
    ("counted", "c15", "training_compute_flop", 1e20, *UPSTREAM),
    ("tuned", "c16", "training_compute_flop", 1e20, *UPSTREAM),
]
ESTIMATES = [
    ("counted", "operation_counting", 0.67e20, "6ND", ["c7", "c8"]),
    ("counted-otherwise", "operation_counting", 1.6e20, "6ND", ["c9"]),
    ("half-counted", "operation_counting", 1e20, "6ND", ["c10", "c11"]),
    ("tuned", "base_plus_finetune", 1e20, "base + tune", ["c15", "c12"]),
    ("tuned-unread", "base_plus_finetune", 1e20, "base + tune", ["c6", "c13"]),
    ("tuned-twice", "base_plus_finetune", 1e20, "base + tune", ["c16", "c14"]),
    ("upstream", "statistical", 1e20, "regression", ["c7"]),
]
EXPECTED = {
    "counted": ("counted", "6ND"),
    "counted-otherwise": (None, None),
    "half-counted": (None, None),
    "nowhere": (None, None),
    "printed": ("stated", None),
    "printed-otherwise": (None, None),
    "recalled": (None, None),
    "secondary": ("stated", None),
    "tuned": ("counted", "base + tune"),
    "tuned-twice": (None, None),  # a base whose own base was not read either way
    "tuned-unread": (None, None),
    "upstream": (None, None),
}


def test_a_value_rests_on_a_figure_or_on_every_number_of_a_calculation() -> None:
    names = ["model_id", "claim_id", "field", "value", "source_id", "evidence", "reference", "locator"]
    claims = pd.DataFrame(CLAIMS, columns=names).assign(status="selected")
    estimates = pd.DataFrame(ESTIMATES, columns=["model_id", "method", "value", "formula", "inputs"])
    estimates = estimates.assign(estimate_id=range(len(estimates)), field="training_compute_flop")
    models = pd.DataFrame({"model_id": sorted(EXPECTED), "training_compute_flop": 1e20, "is_notable": True})
    models = models.assign(name="", publication_date="2020-01-01", training_compute_source="third_party")
    database = duckdb.connect()
    for name, frame in (("claims", claims), ("estimates", estimates), ("models", models)):
        database.register(name, frame)
    view = next(view for view in load_views(Paths(CHECKOUT)) if view.name == "read_references")
    rows = database.execute(f"SELECT model_id, rests_on, formula FROM ({view.query})").fetchall()
    assert {model: tuple(rest) for model, *rest in rows} == EXPECTED
