"""What each engine reads and writes, and is asked for, where a listing is small or Spark is a stand-in."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import ibis
import pandas as pd
import pytest
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.hub import discover, engine, run
from pipeline.hub.estimates import SHAPE

RECORD = {
    "id": "a/b",
    "createdAt": "2024-01-02T03:04:05.000Z",
    "downloads": 1,
    "likes": 2,
    "tags": ["x"],
    "safetensors": {"total": 7},
}


@pytest.fixture
def listing(tmp_path: Path) -> Path:
    (tmp_path / "hub.jsonl").write_text(json.dumps(RECORD) + "\n" + json.dumps({**RECORD, "id": "c"}) + "\n")
    return tmp_path / "hub.jsonl"


def test_duckdb_reads_a_listing_of_either_form(listing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = engine.open_engine("duckdb", "nobody", "400MB")
    every = tmp_path / "it's.parquet"
    duckdb.write(duckdb.read(listing), every)
    assert parquet.read_table(every).num_rows == 2
    read = duckdb.read(every)
    assert duckdb.first(read) == duckdb.first(duckdb.read(listing))
    assert duckdb.first(read.order_by(ibis.desc("id")))["id"] == "c"
    assert duckdb.first(duckdb.parquet(every))["safetensors"] == {"total": 7}
    fewer = pd.read_parquet(every).drop(columns=["author", "trainingTokens"])
    fewer.to_parquet(tmp_path / "fewer.parquet")
    assert duckdb.first(duckdb.read(tmp_path / "fewer.parquet"))["trainingTokens"] is None
    fewer.drop(columns=["likes", "tags"]).to_parquet(tmp_path / "none.parquet")
    with pytest.raises(DataError) as caught:
        engine.write_listing(duckdb, tmp_path / "none.parquet", lambda table: table, every)
    expected = f"a listing has the columns {', '.join(SHAPE)}"
    assert [problem[2:] for problem in caught.value.problems] == [
        (name, "", "the column is missing", expected) for name in SHAPE if name in ("likes", "tags")
    ]
    stand = duckdb._replace(read=MagicMock(side_effect=OSError("\n  " + "x" * 400 + "\nmore")))
    with pytest.raises(DataError) as caught:
        engine.write_listing(stand, listing, lambda table: table, every)
    assert caught.value.problems == [(str(listing), "", "", "", "x" * 300, "correct the line or the file")]
    connect = MagicMock()
    monkeypatch.setattr(ibis.duckdb, "connect", connect)
    engine.duckdb_engine(), engine.duckdb_engine("2GB", 3)
    settings = [dict(call.kwargs) for call in connect.call_args_list]
    assert settings == [{"memory_limit": "1GB"}, {"memory_limit": "2GB", "threads": 3}]


def test_spark_is_asked_for_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    session, views = MagicMock(name="session"), []

    def table(name: str) -> Any:
        views.append(name)
        return ibis.table({**SHAPE, "safetensors": "struct<total: int32>"}, name)

    monkeypatch.setattr(engine, "spark_session", lambda master: session(master))
    monkeypatch.setitem(vars(ibis), "pyspark", SimpleNamespace(connect=lambda _: SimpleNamespace(table=table)))
    spark = engine.open_engine("spark", "local[3]", "1GB")
    made = (
        spark.read(tmp_path / "hub.jsonl"),
        spark.read(tmp_path / "hub.parquet"),
        spark.parquet(tmp_path / "other.parquet"),
    )
    assert views == ["view_0", "view_1", "view_2"]
    assert made[1].schema()["safetensors"] == ibis.dtype("struct<total: int64>")
    calls = "\n".join(map(str, session.mock_calls))
    assert "call('local[3]')" in calls
    assert f".option('mode', 'FAILFAST')\ncall().read.schema().option().json('{tmp_path}/hub.jsonl')" in calls
    assert [
        f"call().read.parquet('{tmp_path}/{name}')" in calls for name in ("hub.parquet", "other.parquet", "hub.jsonl")
    ] == [True, True, False]


def test_a_folder_or_a_file_is_replaced(tmp_path: Path) -> None:
    for name in ("old", "new", "newer"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part").write_text(name)
    engine.replace(tmp_path / "new", tmp_path / "old")
    assert (tmp_path / "old" / "part").read_text() == "new"
    (tmp_path / "file").write_text("before")
    (tmp_path / "after").write_text("after")
    engine.replace(tmp_path / "after", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "after"


def test_a_listing_is_written_where_it_breaks_no_rule(
    listing: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known, target = tmp_path / "models.parquet", tmp_path / "made.parquet"
    pd.DataFrame(
        {"huggingface_id": ["a/b", "a/b", None, "c"], "training_compute_flop": [1e20, 2e20, 3e20, None]}
    ).to_parquet(known)
    listing.write_text(
        listing.read_text()
        + json.dumps({**RECORD, "id": "d", "tags": ["base_model:a/b", "base_model:quantized:a/b"]})
        + "\n"
    )
    duckdb = engine.duckdb_engine()
    assert run.run(duckdb, Paths(CHECKOUT), listing, known, target) == {"rows": 3, "estimated": 1}
    assert parquet.read_table(target)["training_compute_flop"].to_pylist() == [None, None, 2e20]
    assert not target.with_name("made.parquet.new").exists()
    before = target.read_bytes()
    listing.write_text(listing.read_text() * 2)
    with pytest.raises(DataError, match="occurs in more than one row"):
        run.run(duckdb, Paths(CHECKOUT), listing, known, target)
    assert target.read_bytes() == before
    assert target.with_name("made.parquet.new").exists()


def test_what_is_declined_or_known_is_handed_on(monkeypatch: pytest.MonkeyPatch, listing: Path) -> None:
    monkeypatch.setattr(discover, "read_known", lambda paths: SimpleNamespace(accounts=["lab"]))
    monkeypatch.setattr(discover, "read_declined", lambda paths: ["declined"])
    monkeypatch.setattr(discover, "listed", lambda records: records)
    monkeypatch.setattr(
        discover,
        "base_models",
        lambda every, accounts, large: every.filter(every.id != accounts[0][0]).limit(int(large)),
    )
    monkeypatch.setattr(
        discover, "find_candidates", lambda rows, known, declined: [rows["id"].tolist(), known.accounts, declined]
    )
    found = discover.discover(engine.duckdb_engine(), Paths(CHECKOUT), listing, 1.0)
    assert found == [["a/b"], ["lab"], ["declined"]]
