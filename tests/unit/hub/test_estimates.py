"""A listing becomes hub_models: the same on both engines, with the formulas of the estimates, checked by the schema."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.hub.engine import duckdb_engine
from pipeline.hub.run import run

BASE_FLOP = 8.4e22  # of the known base model below


def record(name: str, **other: Any) -> dict[str, Any]:
    plain = {"id": name, "author": None, "createdAt": "2024-11-01T23:59:59.000Z", "downloads": 1, "likes": 0}
    return {**plain, "tags": [], "safetensors": {"total": None}, **other}


RECORDS = [
    record("org/base", safetensors={"total": 7_000_000_000}, tags=["license:mit", "dataset:wiki", "dataset:books"]),
    record("org/tokens", safetensors={"total": 7_000_000_000}, trainingTokens=2e12, author="me"),
    record("org/tuned", safetensors={"total": 7_000_000_000}, tags=["base_model:finetune:org/base"]),
    record("org/more", safetensors={"total": 7_000_000_000}, trainingTokens=1e9, tags=["base_model:finetune:org/base"]),
    record(
        "org/small", safetensors={"total": 4_000_000}, tags=["base_model:org/base", "base_model:quantized:org/base"]
    ),
    record("org/orphan", tags=["base_model:org/unheard"]),
    record("lonely"),
]


def write_listing(file: Path, records: list[dict[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(r) + "\n" for r in records))
    return file


def write_known(folder: Path) -> Path:
    table = pa.table({"huggingface_id": ["org/base", None], "training_compute_flop": [BASE_FLOP, 1e20]})
    parquet.write_table(table, folder / "models.parquet")
    return folder / "models.parquet"


@pytest.fixture
def known(tmp_path: Path) -> Path:
    return write_known(tmp_path)


def made(listing: Path, known: Path, target: Path) -> dict[str, dict[str, Any]]:
    run(duckdb_engine(), Paths(CHECKOUT), listing, known, target)
    return read(target)


def read(file: Path) -> dict[str, dict[str, Any]]:
    return {row["hub_id"]: row for row in parquet.read_table(file).to_pylist()}


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of hub_models of RECORDS, only to be read."""
    folder = tmp_path_factory.mktemp("earlier")
    made(write_listing(folder / "hub.jsonl", RECORDS), write_known(folder), folder / "out.parquet")
    return folder / "out.parquet"


def test_each_model_gets_what_can_be_said_of_it(earlier: Path) -> None:
    rows = read(earlier)
    assert [*rows] == [r["id"] for r in RECORDS]
    assert rows["org/base"]["datasets"] == ["wiki", "books"]
    assert (rows["org/base"]["licence"], rows["org/base"]["author"]) == ("mit", "org")
    assert str(rows["org/base"]["created_date"]) == "2024-11-01"
    assert rows["org/tokens"]["training_compute_flop"] == 6 * 7e9 * 2e12
    assert rows["org/tokens"]["training_compute_low"] < 6 * 7e9 * 2e12 < rows["org/tokens"]["training_compute_high"]
    assert rows["org/more"]["training_compute_flop"] == BASE_FLOP + 6 * 7e9 * 1e9
    assert (rows["org/tuned"]["training_compute_flop"], rows["org/tuned"]["training_compute_low"]) == (None, BASE_FLOP)
    assert rows["org/small"]["training_compute_flop"] == BASE_FLOP
    assert rows["org/orphan"]["reason"] == "needs the compute of the base model"
    assert (rows["lonely"]["parameters"], rows["lonely"]["reason"]) == (None, "needs parameters")


def test_a_parquet_listing_gives_the_same(earlier: Path, tmp_path: Path, known: Path) -> None:
    listing = write_listing(tmp_path / "hub.jsonl", RECORDS)
    import duckdb

    shape = "createdAt: 'TIMESTAMP', tags: 'VARCHAR[]', safetensors: 'STRUCT(parameters JSON, total BIGINT)'"
    columns = (
        f"{{id: 'VARCHAR', author: 'VARCHAR', downloads: 'BIGINT', likes: 'BIGINT', trainingTokens: 'DOUBLE', {shape}}}"
    )
    source = f"read_json('{listing}', columns={columns})"
    duckdb.execute(f"COPY (SELECT * FROM {source}) TO '{tmp_path / 'hub.parquet'}' (FORMAT parquet)")
    assert made(tmp_path / "hub.parquet", known, tmp_path / "out.parquet") == read(earlier)


def test_a_listing_without_a_column_is_refused(tmp_path: Path, known: Path) -> None:
    parquet.write_table(pa.table({"id": ["a/b"], "tags": [["x"]]}), tmp_path / "hub.parquet")
    with pytest.raises(DataError, match=r"createdAt.*the column is missing"):
        made(tmp_path / "hub.parquet", known, tmp_path / "out.parquet")


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (record("org/a b"), r"\[org/a b\].* 1 row: does not match"),
        (record("org/base"), "key occurs in more than one row"),
        (record("org/x", downloads=-1), r"\[org/x\].* 1 row: is below 0"),
        (record("org/x", trainingTokens=-1.0, safetensors={"total": 5}), "is not above 0"),
        (record("org/x", createdAt="1999-01-01T00:00:00.000Z"), "is below 2019-01-01"),
    ],
)
def test_a_bad_record_is_named_and_what_stood_stays(
    earlier: Path, tmp_path: Path, known: Path, broken: dict[str, Any], words: str
) -> None:
    target = tmp_path / "out.parquet"
    shutil.copy(earlier, target)
    with pytest.raises(DataError, match=words):
        made(write_listing(tmp_path / "hub.jsonl", [*RECORDS, broken]), known, target)
    assert target.read_bytes() == earlier.read_bytes()


def test_a_line_that_is_no_record_is_refused(tmp_path: Path, known: Path) -> None:
    listing = write_listing(tmp_path / "hub.jsonl", RECORDS)
    listing.write_text(listing.read_text() + '{"id": "org/x", "tags": [\n')
    with pytest.raises(DataError, match=r"hub\.jsonl"):
        made(listing, known, tmp_path / "out.parquet")
