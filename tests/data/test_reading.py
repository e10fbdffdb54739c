"""docs/reading.md: every Python and shell snippet runs on a release of the real data, and they all count the same
models."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest
from release_folders import write_index, write_release

import traincompute as t
from pipeline.paths import Paths, build_version
from pipeline.schema import TYPES, load_schemas
from traincompute.base.errors import ReleaseError


@pytest.fixture(scope="module")
def releases(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an index that has the real data as 2026.11.0."""
    folder = tmp_path_factory.mktemp("reading")
    write_index(folder, [write_release(published, folder, "2026.11.0")])
    return folder


@pytest.fixture
def release(releases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Its release, whose index is in use."""
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(releases))
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "mine.csv").write_text("model,score\nGPT-4,86.4\nllama 3.1 405b,87.3\n")
    (tmp_path / "work" / "data").mkdir()
    (tmp_path / "work" / "data" / "processed").symlink_to(releases / "v2026.11.0")
    monkeypatch.chdir(tmp_path / "work")
    return releases / "v2026.11.0"


def test_every_table_comes_with_the_dtypes_of_its_schema(release: Path, tables: dict[str, pd.DataFrame]) -> None:
    for table, schema in load_schemas(Paths()).items():
        frame = t.load(table)
        wanted = {c.name: "object" if c.type == "list" else TYPES[c.type][0] for c in schema.columns}
        assert frame.dtypes.astype(str).to_dict() == wanted, table
        flat = frame.assign(**{c.name: frame[c.name].str.join(";") for c in schema.columns if c.type == "list"})
        pd.testing.assert_frame_equal(flat.astype(tables[table].dtypes), tables[table], check_exact=True)


def test_a_build_has_its_own_version_alone(real: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TRAINCOMPUTE_INDEX", "TRAINCOMPUTE_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(real.root))
    assert len(t.load("models")) > 3000
    for style in ("text", "bibtex"):
        assert "A build that is not released" in t.cite(style=style)
    assert len(t.load("models", build_version())) > 3000
    for version in (t.__version__, "2025.1.0"):
        with pytest.raises(
            ReleaseError, match=rf"{re.escape(version)};.*{re.escape(build_version())}.*TRAINCOMPUTE_INDEX"
        ):
            t.load("models", version=version)
