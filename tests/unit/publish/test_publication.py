"""A publication of two small tables."""

from __future__ import annotations

import json
import os
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import duckdb
import pandas as pd
import pytest

from pipeline.config import Config
from pipeline.errors import DataError
from pipeline.frames import empty_frame
from pipeline.paths import Paths
from pipeline.publish import builds, publication
from pipeline.publish.publication import load, save
from pipeline.schema import Column, TableSchema, View

WATTS = Column("watts", "number", "Power.", "W", {"required": True})
CHIPS = TableSchema("chips", "Chips", "One chip each.", ("chip_id",), (Column("chip_id", "string", "The id."), WATTS))
MAKERS = TableSchema("makers", "Makers", "One maker each.", ("maker_id",), (Column("maker_id", "string", "Its id."),))
SCHEMAS = {"makers": MAKERS, "chips": CHIPS}
VIEWS = [View("hot", "Chips of more than a kilowatt.", {}, "SELECT * FROM chips WHERE watts > 1000", is_macro=False)]
FRAME = pd.DataFrame({"chip_id": pd.Series(["a", "b"], dtype="str"), "watts": [700.0, 1200.0]})


def publish(target: Path, serial: int = 1) -> None:
    with publication.publication(SCHEMAS, VIEWS, target) as out:
        out.add({"chips": FRAME})
        out.finish({"name": "größer", "serial": serial}, "digest")


def test_what_is_published_is_whole_and_listed_in_the_manifest(tmp_path: Path) -> None:
    publish(tmp_path)
    names = {f"{table}.{kind}" for table in SCHEMAS for kind in ("csv", "parquet")}
    names |= {"manifest.json", "traincompute.sql", "traincompute.duckdb", ".current", ".inputs"}
    assert {path.name for path in tmp_path.iterdir() if path.is_symlink()} == names
    assert (tmp_path / "makers.csv").read_text() == '"maker_id"\n', "never added: empty"
    with duckdb.connect(str(tmp_path / "traincompute.duckdb"), read_only=True) as connection:
        assert connection.sql("SELECT * FROM hot").fetchall() == [("b", 1200.0)]
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    assert list(manifest) == ["name", "serial", "tables"]
    assert {name: table["rows"] for name, table in manifest["tables"].items()} == {"chips": 2, "makers": 0}


def test_a_publication_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(tmp_path)
    with pytest.raises(ZeroDivisionError), publication.publication(SCHEMAS, [], tmp_path) as out:  # noqa: PT012
        out.add({"chips": FRAME})
        _ = 1 / 0
    monkeypatch.setattr(publication, "insert_table", lambda *_: (_ for _ in ()).throw(duckdb.IOException("No space")))
    with pytest.raises(OSError, match="No space"):
        publish(tmp_path, serial=2)
    assert json.loads((tmp_path / "manifest.json").read_text())["serial"] == 1
    assert len(list((tmp_path / ".builds").iterdir())) == 1


def test_a_copy_that_followed_links_is_replaced_and_what_others_put_there_stays(tmp_path: Path) -> None:
    publish(tmp_path)
    (tmp_path / "chips.csv").unlink()
    (tmp_path / "chips.csv").mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "gone.csv").symlink_to(".current/gone.csv")
    publish(tmp_path, serial=2)
    assert (tmp_path / "chips.csv").readlink() == Path(".current/chips.csv")
    assert (tmp_path / "mine.txt").read_text() == "mine"
    assert not (tmp_path / "gone.csv").is_symlink()


def test_a_build_that_was_replaced_stays_for_a_minute(tmp_path: Path) -> None:
    with builds.new_build(tmp_path) as current:
        pass
    for name, age in (("young", 55), ("old", 65)):
        folder = current.with_name(name)
        folder.mkdir()
        os.utime(folder, (folder.stat().st_mtime - age,) * 2)
    os.utime(current, (0, 0))
    builds.sweep_builds(tmp_path)
    assert {path.name for path in current.parent.iterdir()} == {current.name, "young"}


def test_tables_wait_for_the_next_stage_with_what_it_is_to_complete(tmp_path: Path) -> None:
    context = cast(Config, SimpleNamespace(paths=Paths(tmp_path), schemas=SCHEMAS))
    with pytest.raises(DataError, match=r"data/processed/stages: .*traincompute stage normalize"):
        load(context)
    begun = FRAME.assign(watts=[700.0, float("nan")])
    save(context, {"chips": begun, "makers": empty_frame(MAKERS)}, date(2026, 3, 30))
    tables, as_of = load(context)
    assert (sorted(tables), as_of) == (["chips", "makers"], date(2026, 3, 30))
    pd.testing.assert_frame_equal(tables["chips"], begun)
    save(context, {"chips": FRAME}, None)
    assert (sorted(load(context)[0]), load(context)[1]) == (["chips"], None)
    for name in ("vintage.txt", "chips.parquet"):
        (context.paths.stages / name).write_bytes(b"PAR1")
        with pytest.raises(DataError, match=rf"data/processed/stages/{name}: .*traincompute stage normalize"):
            load(context)
