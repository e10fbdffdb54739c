"""The Python interface."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from release_folders import write_index, write_release

import traincompute as t
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import TYPES, load_schemas
from traincompute.base.errors import ReleaseError
from traincompute.base.files import cache_folder

VINTAGE, OLD, NEW = "vintage-2026-03-30", "2026.9.0", "2026.11.0"


@pytest.fixture(scope="module")
def made(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three releases of the small checkout and their index."""
    releases = tmp_path_factory.mktemp("reader") / "releases"
    entries = [write_release(built.processed, releases, version) for version in (OLD, NEW, VINTAGE)]
    write_index(releases, entries, serial=3)
    return releases


@pytest.fixture(autouse=True)
def index(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index in use, and a cache of its own."""
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(made))
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))


def test_every_column_has_the_dtype_and_unit_of_its_schema(made: Path) -> None:
    schemas = load_schemas(Paths())
    tables = [path.stem for path in sorted((made / f"v{NEW}").glob("*.parquet"))]
    assert len(tables) >= 9
    for table in tables:
        frame, schema = t.load(table), schemas[table]
        assert list(frame.columns) == schema.names
        wanted = {c.name: "object" if c.type == "list" else TYPES[c.type][0] for c in schema.columns}
        assert frame.dtypes.astype(str).to_dict() == wanted, table
        assert frame.attrs["units"] == {c.name: c.unit for c in schema.columns if c.unit}


def test_values_are_those_that_were_published(made: Path) -> None:
    # the golden row of GPT-3: 174.6e9 parameters, 3.14e23 FLOP, 28 May 2020
    row = t.load("models").set_index("model_id").loc["gpt-3-175b-davinci"]
    assert row["parameters"] == 174_600_000_000
    assert row["training_compute_flop"] == 3.14e23
    assert row["publication_date"] == pd.Timestamp("2020-05-28")
    assert row["organizations"] == ["OpenAI"]
    assert bool(row["is_notable"])


def test_columns_come_in_the_order_asked_for_and_a_slip_is_explained() -> None:
    frame = t.load("models", columns=["training_compute_flop", "name"])
    assert list(frame) == ["training_compute_flop", "name"]
    assert frame.attrs["units"] == {"training_compute_flop": "FLOP"}
    assert list(t.load("models", columns="name")) == ["name"]
    with pytest.raises(ReleaseError, match="no column training_flop; did you mean training_compute_flop"):
        t.load("models", columns=["training_flop"])
    with pytest.raises(ReleaseError, match="no table model; did you mean models"):
        t.load("model")


def test_the_latest_release_is_the_newest_version_and_no_vintage(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert t.load("models").attrs["version"] == NEW
    assert t.load("models", version=VINTAGE).attrs["version"] == VINTAGE
    assert t.load("models", version=f"v{OLD}").attrs["version"] == OLD
    monkeypatch.setenv("HOME", str(made))
    assert t.load("models", version=f"~/v{OLD}").attrs["version"] == OLD
    with pytest.raises(ReleaseError, match=r"/nowhere is no folder with a manifest\.json; name a version"):
        t.load("models", version="/nowhere")
    with pytest.raises(ReleaseError, match=f"no release 2025.1.0; there are: {OLD}, {NEW}, {VINTAGE}"):
        t.load("models", version="2025.1.0")


def test_sql_gives_the_dtypes_of_load() -> None:
    query = """select model_id, parameters, publication_date, is_notable, organizations
        from models order by model_id"""
    by_query, loaded = t.sql(query), t.load("models")
    wanted = loaded[list(by_query)].sort_values("model_id", ignore_index=True)
    pd.testing.assert_frame_equal(by_query, wanted)
    kinds = t.sql("select count(*) as n, sum(1) as s, true as b, null::bigint as nothing, 1 as n")
    assert kinds.dtypes.astype(str).to_dict() == {
        "n": "Int64", "s": "float64", "b": "boolean", "nothing": "Int64", "n_1": "Int32"
    }  # fmt: skip


def test_a_citation_names_version_hash_and_day() -> None:
    line, digest = t.cite(), t.load("models").attrs["manifest_sha256"]
    assert NEW in line
    assert digest in line
    assert "2026-11-21" in line
    assert f"version = {{{NEW}}}" in t.cite(style="bibtex")


def test_path_names_a_file_of_the_release(made: Path) -> None:
    assert t.path("models") == made / f"v{NEW}" / "models.parquet"
    assert t.path("models.csv", OLD) == made / f"v{OLD}" / "models.csv"
    assert t.path(version=OLD).suffix == ".duckdb"
    assert t.path().parent == cache_folder() / "databases"


def test_in_a_checkout_the_build_comes_first_unless_something_is_named(
    built: Paths, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(made, tmp_path / "data" / "processed" / "releases")
    shutil.copytree(made / f"v{OLD}", tmp_path / "data" / "processed", dirs_exist_ok=True)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path))
    assert t.load("models").attrs["version"] == NEW, "the index that the environment names"
    monkeypatch.delenv("TRAINCOMPUTE_INDEX")
    assert t.path("models").parent == tmp_path / "data" / "processed"
    assert t.load("models", version=NEW).attrs["version"] == NEW, "the checkout's own releases"
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(made / VINTAGE))
    assert t.load("models").attrs["version"] == VINTAGE
    assert t.path("models", version=NEW).parent.name == f"v{NEW}"


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, traincompute; print([n for n in ('pandas', 'click', 'pyarrow', 'duckdb') if n in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    assert ast.literal_eval(result.stdout) == []
    assert set(t.__all__) <= set(dir(t))
    with pytest.raises(AttributeError, match="has no attribute 'lod'"):
        _ = t.lod
