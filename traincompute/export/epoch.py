"""The notable models under the names, in the order and in the words of Epoch AI's notable_ai_models.csv, so that a
script written for that file runs on ours."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import duckdb
import pyarrow as pa

from traincompute.citation import to_name
from traincompute.export.files import Content, meaning
from traincompute.query.rows import Row, rows
from traincompute.show.values import exact

# in the order of the file of 2026-08-19; `columns.upstream_name` says which of our columns holds each. We hold no texts
HEADER = (
    *("Model", "Organization", "Publication date", "Domain", "Task", "Parameters", "Parameters notes"),
    *("Training compute (FLOP)", "Training compute notes", "Training dataset", "Training dataset size (total)"),
    *("Dataset size notes", "Confidence", "Link", "Reference", "Citations", "Authors", "Abstract"),
    *("Organization categorization", "Country (of organization)", "Notability criteria", "Notability criteria notes"),
    *("Epochs", "Training time (hours)", "Training time notes", "Training hardware", "Hardware quantity"),
    *("Hardware utilization (MFU)", "Training compute cost (2023 USD)", "Compute cost notes"),
    *("Training power draw (W)", "Base model", "Finetune compute (FLOP)", "Finetune compute notes", "Batch size"),
    *("Batch size notes", "Model accessibility", "Training code accessibility", "Inference code accessibility"),
    *("Accessibility notes", "Numerical format", "Frontier model", "Hardware acquisition cost"),
    *("Hardware utilization (HFU)", "Training compute cost (cloud)", "Training compute cost (upfront)"),
    "Open model weights?",
)
# fields of claims that no column of `models` carries
CLAIMED = {
    "Base model": "base_model",
    "Hardware utilization (HFU)": "hardware_utilization_hfu",
    "Training code accessibility": "training_code_accessibility",
    "Training compute cost (upfront)": "training_cost_upfront_usd",
}
UNHELD: Row = {"description": "", "unit": None}
BY_EPOCH = "publisher = 'Epoch AI'"
MAP = """
select upstream_name, column_name as column, coalesce(claim, column_name) as field, description, unit
from columns where table_name = 'models' and upstream_name is not null"""
MODELS = """
select m.*, b.name as base_model from models m left join models b on b.model_id = m.base_model_id
where m.is_notable order by m.publication_date desc, m.model_id"""
# Epoch AI's own cell, where we selected it; and its word for each of our codes
CELLS = f"select model_id, field, value_text from claims where status = 'selected' and {BY_EPOCH}"
WORDS = f"""
select field, code, mode(value_text) as word from claims
where {BY_EPOCH} and code not like '%;%' and value_text not like '%,%' group by all"""


def epoch_content(
    connection: duckdb.DuckDBPyConnection, edition: Mapping[str, Any], with_imputed: bool = False
) -> Content:
    """The 47 columns of HEADER for every notable model, the newest first: texts and numbers, empty where we hold
    nothing. Estimates of ours are left out unless `with_imputed`."""
    held = {row["upstream_name"]: row for row in rows(connection, MAP)}
    both = ("column", "field")
    ours: dict[str, Row] = {name: held.get(name) or UNHELD | dict.fromkeys(both, CLAIMED.get(name)) for name in HEADER}
    cells = {(row["model_id"], row["field"]): row["value_text"] for row in rows(connection, CELLS)}
    words = {(row["field"], row["code"]): row["word"] for row in rows(connection, WORDS)}

    def cell(model: Row, name: str) -> Any:
        column, field = ours[name]["column"], ours[name]["field"]
        value = model.get(column)
        if isinstance(value, float | date):
            source = model.get(f"{column.rpartition('_')[0]}_source")
            return value if with_imputed or source != "imputed" else None
        if value is None and name in held:
            return None
        items = value if isinstance(value, list) else [value] if value is not None else []
        in_their_words = ",".join(words.get((field, exact(item)), exact(item)) for item in items)
        return cells.get((model["model_id"], field)) or in_their_words or None

    models = rows(connection, MODELS)
    data = pa.table({name: pa.array([cell(model, name) for model in models]) for name in HEADER})
    meanings = [meaning(ours[name]["description"], ours[name]["unit"]) for name in HEADER]
    return Content("notable_ai_models", data, meanings, edition, to_name(rows(connection, "from sources")))
