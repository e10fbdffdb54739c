"""A small table as files: their bytes, what the manifest says of them, and what a publication leaves behind."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import duckdb
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.publish import publication as publishing
from pipeline.publish.duckdb import disk_errors, write_statements
from pipeline.publish.intermediate import load, save
from pipeline.publish.publication import publication, publish
from pipeline.publish.table_files import write_csv, write_files, write_parquet
from pipeline.registry.context import Context
from pipeline.registry.frames import empty_frame
from pipeline.registry.schema import Column, TableSchema
from pipeline.registry.views import View

HEAD = '"name","n","authors"\n'
DATA = pa.table({"name": ["a", "=b", "=c"], "n": [1, 2, None], "authors": [["x", "y"], None, ["z"]]})


def sha256(content: bytes | str) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def entry(file: Path) -> dict[str, object]:
    return {"bytes": len(file.read_bytes()), "sha256": sha256(file.read_bytes())}


def test_a_table_is_written_with_its_digests_and_without_formulas(tmp_path: Path) -> None:
    found = write_files("made", DATA, tmp_path)
    assert (tmp_path / "made.csv").read_text() == HEAD + '"a",1,"x;y"\n"\'=b",2,\n"\'=c",,"z"\n'
    assert parquet.read_table(tmp_path / "made.parquet").equals(DATA)
    assert found == {
        "rows": 3,
        "columns": 3,
        "content_sha256": sha256(HEAD + '"a",1,"x;y"\n"=b",2,\n"=c",,"z"\n'),  # as the sources have it
        "files": {name: entry(tmp_path / name) for name in ("made.parquet", "made.csv")},
    }


def test_parts_give_the_files_of_the_whole_and_contents_without_formulas_are_those_of_the_file(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    for folder in (whole, parts):
        folder.mkdir()
    wanted = write_files("made", DATA, whole)
    pieces = [DATA.slice(row, 1) for row in range(3)]
    written = write_csv("made", DATA.schema, pieces, parts)
    assert written == {"content_sha256": wanted["content_sha256"], "files": {"made.csv": wanted["files"]["made.csv"]}}
    assert write_parquet("made", DATA.schema, pieces, parts)["rows"] == 3
    assert parquet.read_table(parts / "made.parquet").equals(DATA)
    plain = write_csv("plain", DATA.schema, [pieces[0]], parts)
    assert plain["content_sha256"] == plain["files"]["plain.csv"]["sha256"] == sha256(HEAD + '"a",1,"x;y"\n')
    about = parquet.read_metadata(whole / "made.parquet").row_group(0).column(0)
    assert about.compression == "ZSTD"


def test_models_csv_alone_has_the_notable_and_the_newest_first(tmp_path: Path) -> None:
    """Its contents are hashed in the order of the key, in which Parquet and DuckDB have them."""
    ids, days = ["a", "b", "c", "d"], [date(2020, 1, 1), date(2021, 1, 1), None, date(2021, 1, 1)]
    data = pa.table({"model_id": ids, "is_notable": [True, False, True, True], "publication_date": days})
    lines = [f'"{id}",{str(id != "b").upper()},{day or ""}\n' for id, day in zip(ids, days, strict=True)]
    head = '"model_id","is_notable","publication_date"\n'
    models, others = (write_files(name, data, tmp_path) for name in ("models", "others"))
    assert (tmp_path / "models.csv").read_text() == head + "".join(lines[row] for row in (3, 0, 2, 1))
    assert (tmp_path / "others.csv").read_text() == head + "".join(lines)
    assert parquet.read_table(tmp_path / "models.parquet").equals(data)
    assert models["content_sha256"] == others["content_sha256"] == sha256(head + "".join(lines))


COLUMNS = Column("chip_id", "string", "The id."), Column("watts", "number", "Power.", "W")
CHIPS = TableSchema("chips", "Chips", "One chip each.", ("chip_id",), COLUMNS)
MAKERS = TableSchema("makers", "Makers", "One maker each.", ("maker_id",), (Column("maker_id", "string", "Its id."),))
SCHEMAS = {"makers": MAKERS, "chips": CHIPS}
VIEWS = [View("hot", "Chips of more than a kilowatt.", {}, "SELECT * FROM chips WHERE watts > 1000", is_macro=False)]
FRAME = pd.DataFrame({"chip_id": pd.Series(["a", "b"], dtype="str"), "watts": [700.0, 1200.0]})


def test_what_is_published_is_whole_and_told_in_the_manifest(tmp_path: Path) -> None:
    manifest = publish({"chips": FRAME}, SCHEMAS, VIEWS, {"name": "traincompute – dvě"}, tmp_path)
    names = {f"{table}.{kind}" for table in SCHEMAS for kind in ("csv", "parquet")}
    names |= {"manifest.json", "traincompute.sql", "traincompute.duckdb", ".traincompute.duckdb.sha256"}
    assert {path.name for path in tmp_path.iterdir() if path.is_symlink()} == names | {".current", ".inputs"}
    assert (tmp_path / "chips.csv").read_text() == '"chip_id","watts"\n"a",700.0\n"b",1200.0\n'
    assert (tmp_path / "makers.csv").read_text() == '"maker_id"\n'  # never added: empty
    assert (tmp_path / ".inputs").read_text() == ""
    database = tmp_path / "traincompute.duckdb"
    written = sha256(database.read_bytes())
    assert (tmp_path / ".traincompute.duckdb.sha256").read_text() == f"{written}  traincompute.duckdb\n"
    with duckdb.connect(str(database), read_only=True) as connection:
        assert connection.sql("SELECT * FROM hot").fetchall() == [("b", 1200.0)]
    with duckdb.connect(str(database), read_only=True):  # while others read
        write_statements(database.resolve().parent, ["chips"])
    assert (tmp_path / "traincompute.sql").read_text().count("CREATE TABLE") == 1
    text = manifest.read_text()
    found = json.loads(text)
    assert text == json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    assert list(found) == ["name", "tables", "catalogue"]
    assert [(name, table["rows"]) for name, table in found["tables"].items()] == [("chips", 2), ("makers", 0)]
    assert [(item["table"], item["rows"]) for item in found["catalogue"]] == [
        ("chips", 2),
        ("hot", None),
        ("makers", 0),
    ]


def test_a_publication_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    publish({}, {"makers": MAKERS}, [], {"serial": 1}, tmp_path)
    with pytest.raises(ZeroDivisionError), publication(SCHEMAS, [], tmp_path) as made:  # noqa: PT012
        made.add({"chips": FRAME})
        _ = 1 / 0
    assert json.loads((tmp_path / "manifest.json").read_text())["serial"] == 1
    assert len(list((tmp_path / ".builds").iterdir())) == 1


def test_a_publication_that_fails_lets_go_of_what_waits(tmp_path: Path) -> None:
    asked: list[dict[str, bool]] = []
    with pytest.raises(ZeroDivisionError), publication(SCHEMAS, [], tmp_path) as made:  # noqa: PT012
        shutdown = made.pool.shutdown
        made.pool.shutdown = lambda **given: (asked.append(given), shutdown(**given))
        _ = 1 / 0
    assert asked == [{"cancel_futures": True}, {}]


def test_the_largest_table_is_the_first_and_an_insert_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inserted: list[str] = []

    def insert(_connection: object, _data: pa.Table, name: str) -> None:
        inserted.append(name)
        if name == "makers":
            raise OSError("no space left")

    monkeypatch.setattr(publishing, "insert_table", insert)
    schemas = SCHEMAS | {name: replace(CHIPS, name=name) for name in ("alike", "more")}
    frames = {
        "makers": FRAME[["chip_id"]].set_axis(["maker_id"], axis=1),
        "chips": FRAME,
        "alike": FRAME,
        "more": pd.concat([FRAME] * 2),
    }
    with pytest.raises(OSError, match="no space left"), publication(schemas, [], tmp_path) as made:  # noqa: PT012
        made.add(frames)
        made.finish({})
    assert inserted == ["more", "alike", "chips", "makers"]
    assert not (tmp_path / "manifest.json").exists()
    monkeypatch.undo()
    with publication(SCHEMAS, [], tmp_path / "other") as made:
        assert made._write("chips", FRAME)["rows"] == 2, "what was not inserted yet is written all the same"
        made.finish({})


def test_parquet_is_compressed_with_zstandard_at_level_six(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def writer(*_: object, **given: object) -> None:
        raise RuntimeError(given)

    monkeypatch.setattr(parquet, "ParquetWriter", writer)
    with pytest.raises(RuntimeError) as told:
        write_parquet("made", DATA.schema, [DATA], tmp_path, use_dictionary=False)
    assert told.value.args == ({"compression": "zstd", "compression_level": 6, "use_dictionary": False},)


def test_a_disk_that_duckdb_cannot_write_to_is_an_error_of_the_system() -> None:
    with pytest.raises(OSError, match=r"^No space left$"), disk_errors():
        raise duckdb.IOException("IO Error:\nwhile it wrote\nNo space left")


def test_tables_wait_for_the_next_stage_with_what_it_is_to_complete(tmp_path: Path) -> None:
    watts = Column("watts", "number", "Power.", "W", {"required": True})
    schemas = SCHEMAS | {"chips": replace(CHIPS, columns=(CHIPS.columns[0], watts))}
    context = cast(Context, SimpleNamespace(paths=Paths(tmp_path), schemas=schemas))
    with pytest.raises(DataError) as caught:
        load(context)
    missing = "data/processed/stages: there is nothing to continue from; run `traincompute stage normalize` first"
    assert str(caught.value) == missing
    begun = FRAME.assign(watts=[700.0, float("nan")])
    save(context, {"chips": begun, "makers": empty_frame(MAKERS)}, date(2026, 3, 30))
    made, vintage = load(context)
    assert (sorted(made), vintage) == (["chips", "makers"], date(2026, 3, 30))
    pd.testing.assert_frame_equal(made["chips"], begun)
    save(context, {"chips": FRAME}, None)
    made, vintage = load(context)
    assert (sorted(made), vintage) == (["chips"], None)
    assert (tmp_path / "data" / "processed" / "stages" / "vintage.json").read_text() == '{"as_of": null}\n'
