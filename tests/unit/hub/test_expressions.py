"""What the expressions say of a few records: base models, estimates, and rows that break a rule."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import ibis
import pyarrow as pa
import pytest

from pipeline.hub.assertions import check
from pipeline.hub.base_models import base_models, listed
from pipeline.hub.engine import duckdb_engine
from pipeline.hub.estimates import hub_models
from pipeline.registry.rules import read_rules
from pipeline.registry.schema import Column, TableSchema

SHAPE = pa.schema(
    [
        ("id", pa.string()), ("author", pa.string()), ("createdAt", pa.timestamp("us")), ("downloads", pa.int64()),
        ("likes", pa.int64()), ("tags", pa.list_(pa.string())), ("safetensors", pa.struct([("total", pa.int64())])),
        ("trainingTokens", pa.float64()),
    ]
)  # fmt: skip
FIRST, LATER = datetime(2026, 6, 1, 23, 59), datetime(2026, 6, 2)


def record(name: str, total: float | None, *tags: str, **more: Any) -> dict[str, Any]:
    plain = {
        "id": name,
        "createdAt": FIRST,
        "downloads": 1000,
        "likes": 7,
        "tags": [*tags],
        "safetensors": {"total": total},
    }
    return plain | more


def table(*records: dict[str, Any]) -> Any:
    return ibis.memtable(pa.Table.from_pylist([*records], SHAPE))


def rows(made: Any) -> dict[str, dict[str, Any]]:
    return {row["hub_id"]: row for row in made.to_pyarrow().to_pylist()}


def test_base_models_are_of_their_account_or_built_upon() -> None:
    """Of the account Big-Lab, which the dataset knows, from a million parameters on; of others from 1e9 on, with 1000
    downloads, if they were first and are built upon or say their task."""
    task = "text-generation"
    records = [
        record("Big-Lab/Least", 1e6, "x", task, "text-to-speech", downloads=0, trainingTokens=5.0),
        record("Big-Lab/Less", 999_999),
        record("Big-Lab/Most", 1e13 - 1),
        record("Big-Lab/More", 1e13),
        record("Big-Lab/Unsized", None),
        record("Big-Lab/Nova-8B-it", 8e9, "base_model:big-lab/nova-8b"),
        record("Big-Lab/Nova-Math", 8.1e9, "base_model:big-lab/nova-8b"),
        record("Big-Lab/GGUF-Nova", 8.2e9),
        record("old-gguf-free", 4e9, task),
        record("quant/Star", 1e9, task),
        record("quant/Small", 1e9 - 1, task),
        record("rare/Star", 1.1e9, task, downloads=999),
        record("silent/Star", 1.2e9),
        record("silent/Used", 1.3e9),
        record("fan/One", 1.4e9, "base_model:merge:other/Thing, silent/Used"),
        record("silent/Own", 1.5e9),
        record("Silent/Tuned", 1.6e9, "base_model:silent/Own"),
        record("anna/Twin", 2e9, task),
        record("berta/Twin", 2e9, task),
        record("zoe/Earlier", 3e9, task),
        record("anna/Later", 3e9, task, createdAt=LATER),
        record("Big-Lab/Copy", 3e9, createdAt=LATER),
        record("Big-Lab/Again", 3e9, createdAt=LATER),
        record("fan/Two", 2.5e9, "base_model:Big-Lab/Again"),
    ]
    found = rows(base_models(listed(table(*records)), ["biglab"], 1e9))
    own = ["Least", "Most", "Nova-8B-it", "Again"]
    others = ["quant/Star", "silent/Used", "anna/Twin", "zoe/Earlier"]
    assert {*found} == {f"Big-Lab/{name}" for name in own} | {*others}
    assert found["Big-Lab/Least"] == {
        "hub_id": "Big-Lab/Least", "author": "Big-Lab", "created_date": date(2026, 6, 1), "parameters": 1e6,
        "training_tokens": 5.0, "downloads": 0, "task": task,
    }  # fmt: skip
    assert found["silent/Used"]["task"] is None


def test_a_model_has_the_compute_of_its_tokens_and_of_its_base() -> None:
    """The intervals are those of 6·N·D with stated numbers: a factor of 2 (0.3 dex) on either side."""
    base = "base_model:org/base"
    known = ibis.memtable(pa.table({"huggingface_id": ["org/base"], "training_compute_flop": [8e22]}))
    records = [
        record("org/base", 7e9, "license:mit", "license:other", "dataset:wiki", "x", "dataset:books", author="me"),
        record("org/own", 7e9, trainingTokens=2e12),
        record("org/more", 7e9, base, "base_model:adapter:org/base", trainingTokens=1e9),
        record("org/tuned", 7e9, base),
        record("org/small", 0, base, "base_model:quantized:org/base", trainingTokens=0.0),
        record("org/merge", 7e9, "base_model:merge:org/base"),
        record("org/orphan", 7e9, "base_model:org/unheard"),
        record("lonely", None),
    ]
    found = rows(hub_models(table(*records), known))
    assert [*found] == [row["id"] for row in records]
    assert [
        (row["training_compute_flop"], row["training_compute_method"], row["reason"]) for row in found.values()
    ] == [
        (None, None, "needs tokens seen"),
        (6 * 7e9 * 2e12, "operation_counting", ""),
        (8e22 + 6 * 7e9 * 1e9, "base_plus_finetune", ""),
        (None, "base_plus_finetune", "needs the compute of the further training: a lower bound"),
        (8e22, "base_plus_finetune", ""),
        (8e22, "base_plus_finetune", ""),
        (None, None, "needs the compute of the base model"),
        (None, None, "needs parameters"),
    ]
    lows, highs = ([row[f"training_compute_{end}"] for row in found.values()] for end in ("low", "high"))
    flop = [None, 8.4e22, 8.0042e22, None, 8e22, 8e22, None, None]
    ends = [[value and pytest.approx(value * factor) for value in flop] for factor in (10**-0.48, 10**0.48)]
    assert lows == [*ends[0][:3], 8e22, *ends[0][4:]]
    assert highs == ends[1]
    first = found["org/base"]
    about = ("author", "created_date", "parameters", "datasets", "licence", "likes", "base_model_id", "base_relation")
    assert [first[name] for name in about] == ["me", date(2026, 6, 1), 7e9, ["wiki", "books"], "other", 7, None, ""]
    small = found["org/small"]
    assert (small["author"], small["parameters"], small["training_tokens"]) == ("org", None, None)
    assert (small["base_model_id"], small["base_relation"]) == ("org/base", "quantized")
    assert (found["org/tuned"]["base_model_id"], found["org/tuned"]["base_relation"]) == ("org/base", "")


def test_a_rule_that_rows_break_has_their_number_and_the_first_key() -> None:
    columns = (
        Column("key", "string", "", constraints={"required": True}),
        Column("least", "number", ""),
        Column("most", "number", "", constraints={"maximum": 9}),
    )
    stated = {"name": "in_order", "rule": "least <= most", "why": "ends are sorted"}
    schema = TableSchema("ends", "", "", ("key",), columns, read_rules([stated], ["least", "most"], ""))
    cells = {"key": ["c", "b", "a", "d", "e", "e"], "least": [9.0, 8.0, 1.0, 1.0, float("nan"), float("-inf")]}
    problems = check(
        duckdb_engine(), ibis.memtable(pa.table(cells | {"most": [1.0, 1.0, None, 10.0, 1.0, 9.0]})), schema
    )
    assert [(p.record, p.field, p.reason) for p in problems] == [
        ("e", "least", "2 rows: is not finite"),
        ("d", "most", "1 row: is above 9"),
        ("b", "least", "3 rows: breaks in_order: ends are sorted"),
        ("", "key", "1 row: key occurs in more than one row"),
    ]
    assert {(p.where, p.remedy) for p in problems} == {("ends", "correct the input")}
    fine = {name: values[:1] for name, values in (cells | {"least": [0.0], "most": [1.0]}).items()}
    assert check(duckdb_engine(), ibis.memtable(pa.table(fine)), schema) == []
