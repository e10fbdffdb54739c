"""audit: which check finds which model."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest
from checkouts import copy_checkout
from click.testing import CliRunner

from pipeline.curate.checks import FOLDER, both_sides
from pipeline.paths import Paths
from traincompute.base.places import DUCKDB_NAME
from traincompute.cli import group

NOTE = "Training compute notes"
V100 = "nvidia-v100"
Claim = dict[str, Any]


def note(*sums: str) -> list[Claim]:
    return [{"field": "arithmetic", "value_text": text, "locator": NOTE} for text in sums]


def stated(value: float) -> Claim:
    return {"field": "training_compute_stated", "value": value, "locator": NOTE}


BASE = {"field": "base_model", "code": "Vicuna-13B"}
LANGUAGE = {"domains": ["Language"], "publication_date": "2025-06-25"}
# the checks that find something → FLOP, other cells of the model, claims beside those cells
CASES: dict[str, tuple[list[str], float | None, dict[str, Any], list[Claim]]] = {
    # Megatron-LM 1.2B: 1.57 × 10e11 in the note of 2026-05-03; upstream corrected it to 1.1304e21 in July 2026
    "a value repeats the slip of its note": (["1_note"], 1.13e22, {}, note("6 * 1.57e11 * 1.2e9 = 1.13e22")),
    "only the note is wrong": ([], 1.1304e21, {}, note("6 * 1.57e11 * 1.2e9 = 1.13e22")),
    "billions are left out on the left": ([], 9.75e21, {}, note("3.25 * 500e9 * 6 = 9.75e21")),
    # RQ-Transformer (LSUN-cat): the exponent slipped by two between note and column
    "far from its note": (["1_note"], 2.9e18, {}, note("4 * 3.12e14 * (9 * 24 * 3600) * 0.3")),
    "one of two agrees": ([], 3.14e23, {}, note("6 * 174e9 * 300e9", "1e20 * 3 * 5")),
    "the sum of two": ([], 1e23, {}, note("1e22 * 4", "6 * 2e9 * 5e12")),
    # CNN Committee (NIST): 2.65e17 by time and 2.6e15 by counting
    "the mean of two": ([], 2.6e16, {}, note("5224840 * 3 * 800000 * 30 * 7", "42 * 3600 * 5.85e12 * 0.3")),
    "a step, no total": ([], 1e22, {}, note("300 * 512")),
    "more than its own training": ([], 7.8e22, {}, [BASE, *note("26 * 3600 * 8 * 3.12e14 * 0.3")]),  # LLaVA 1.5
    "another figure in the note": (["1_note"], 1.6e15, {}, [stated(1.61e16)]),  # Pointer Sentinel-LSTM (WT2)
    "the figure of the note": ([], 1.6e16, {}, [stated(1.61e16)]),
    "more than the figure, with a base": ([], 1e18, {}, [BASE, stated(1.61e16)]),
    "a fine-tune of nothing": (["4_bases"], None, {"finetune_compute_flop": 3.69e21}, []),  # RDT-1B
    "Mixtral 8x7B": (["4_experts"], None, {}, []),
    "Qwen3-235B-A22B": ([], None, {}, [{"field": "architecture", "code": "MoE"}]),
    "MEGNet A": (["4_mixtures"], 4.536e17, {"parameters": 26130, "arxiv_id": "y"}, []),
    "MEGNet B": ([], 4.536e17, {"parameters": 8720, "arxiv_id": "y"}, []),
    # 2.5e25 FLOP at 23e9 active parameters are 1.8e14 tokens; of a mixture's other parameters nothing is multiplied
    "tokens that nobody has": (["5_tokens"], None, LANGUAGE | {"parameters_active": 2.3e10, "tier": 3}, []),
    "as many parameters": ([], None, LANGUAGE | {"parameters": 2.3e11, "tier": 3}, []),
    "at the frontier by its date": (["5_date"], None, LANGUAGE | {"tier": 4, "organizations": ["A"]}, []),
    "of a maker of such": ([], None, LANGUAGE | {"tier": 4, "organizations": ["B"]}, []),
    "the largest of B": ([], 9e24, {"publication_date": "2025-01-01", "organizations": ["B"]}, []),
}  # fmt: skip


def insert(connection: duckdb.DuckDBPyConnection, table: str, **cells: Any) -> None:
    """One row of a table, whose other columns are null."""
    names, marks = ", ".join(cells), ", ".join("?" for _ in cells)
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(cells.values()))


@pytest.fixture(scope="module")
def checkout(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """The small checkout with the models of CASES alone."""
    paths = copy_checkout(built, tmp_path_factory.mktemp("audit") / "checkout")
    with duckdb.connect(str(paths.processed / DUCKDB_NAME)) as connection:
        for table in ("models", "claims", "corrections", "estimates", "model_hardware", "hardware", "predictions"):
            connection.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} LIMIT 0")
        rates = {"peak_tensor_fp16_flops": 1.25e14, "peak_fp16_flops": 3.1e13, "peak_fp32_flops": 1.567e13}
        insert(connection, "hardware", hardware_id=V100, type="GPU", **rates)
        for name, (_, flop, cells, claims) in CASES.items():
            cells = {"training_compute_flop": flop, **cells}
            if chip := cells.pop("chip", None):
                insert(connection, "model_hardware", model_id=name, hardware_id=chip)
            if tier := cells.pop("tier", None):
                insert(connection, "predictions", model_id=name, tier=tier, flop_50=2.5e25)
            insert(connection, "models", model_id=name, name=name, training_compute_source="third_party", **cells)
            known = [{"field": key, "value": x} for key, x in cells.items() if isinstance(x, float | int)]
            known += [{"field": "publication_date"}] if "publication_date" in cells else []
            source = {"source_id": "s", "publisher": "P", "status": "selected", "since": "2026-03-30", "record": name}
            for number, claim in enumerate([*known, *claims]):
                row = {**source, "reason_code": "first", "value_text": str(claim.get("value")), **claim}
                insert(connection, "claims", model_id=name, claim_id=f"{name} {number}", **row)
    return paths


@pytest.fixture
def audit(checkout: Paths, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(checkout.root))
    monkeypatch.delenv("TRAINCOMPUTE_DATA", raising=False)
    return lambda *words: CliRunner().invoke(group, ["curate", "audit", *words])


def test_each_contradiction_is_found_by_its_check_and_nothing_else_is(audit: Any) -> None:
    result = audit("--json", "--limit", "99")
    assert result.exit_code == 1
    listed = {name: [] for name in CASES}  # type: dict[str, list[str]]
    for check, section in json.loads(result.stdout).items():
        for row in section["rows"]:
            listed[row["model_id"]].append(check)
    assert listed == {name: checks for name, (checks, *_) in CASES.items()}
    tried = {check for checks, *_ in CASES.values() for check in checks} | {"2_counting"}
    assert tried == {file.stem for file in (FOLDER / "audit").glob("[0-9]*.sql")}


def test_a_correction_settles_its_finding(audit: Any, checkout: Paths) -> None:
    name = "another figure in the note"
    assert name in audit().output
    claim = {"source_id": "s", "record": name, "field": "training_compute_flop", "value_text": "1.60E15"}
    with duckdb.connect(str(checkout.processed / DUCKDB_NAME)) as connection:
        insert(connection, "corrections", correction_id="seen", action="acknowledge", **claim)
    assert name not in audit().output


SIDES = {"2 * 3^2 = 18": [18, 18], "-(2 - 4) / 4e-1": [5, None], "2 - 3 = 6": [None, 6], "9^9^9^9": [None, None]}


@pytest.mark.parametrize("text", SIDES)
def test_arithmetic_is_numbers_and_operators_alone(text: str) -> None:
    assert both_sides(text) == pytest.approx(SIDES[text])
