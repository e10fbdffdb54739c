"""Folders and files that are written whole, and where things are in a checkout."""

from __future__ import annotations

import ctypes
import io
import re
import sys
from dataclasses import fields
from datetime import date
from pathlib import Path

import pytest

from pipeline.base import folders, shapes
from pipeline.base.errors import DataError
from pipeline.base.folders import new_folder, write_or_link
from pipeline.base.jsonfile import load_json
from pipeline.base.paths import CHECKOUT, Paths, checkout
from pipeline.base.whole_files import replace_file, show_progress


def make(target: Path, **files: str) -> None:
    with new_folder(target) as work:
        for name, text in files.items():
            write_or_link(work / "in" / name, text.encode(), target / "in" / name)


@pytest.mark.parametrize("exchanges", [True, False])
def test_a_new_folder_has_what_was_written_and_what_else_the_old_one_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exchanges: bool
) -> None:
    if not exchanges:
        monkeypatch.setattr(ctypes, "CDLL", object)  # knows no renameat2
    target = tmp_path / "still" / "deeper" / "site"
    make(target, same="same", other="old")
    assert target.stat().st_mode & 0o777 == 0o755
    (target / "in" / "mine").write_text("mine")
    (target / "linked").symlink_to("in")
    (target / "nowhere").symlink_to("missing")
    target.chmod(0o751)
    before = {name: (target / "in" / name).stat().st_ino for name in ("same", "other", "mine")}
    make(target, same="same", other="new", more="more")
    assert {path.name: path.read_text() for path in (target / "in").iterdir()} == {
        "same": "same",
        "other": "new",
        "mine": "mine",
        "more": "more",
    }
    after = {name: (target / "in" / name).stat().st_ino for name in before}
    assert {name for name in before if before[name] == after[name]} == {"same", "mine"}  # the files that were there
    assert [(target / name).readlink() for name in ("linked", "nowhere")] == [Path("in"), Path("missing")]
    assert target.stat().st_mode & 0o777 == 0o751
    assert [path.name for path in target.parent.iterdir()] == ["site"]
    write_or_link(tmp_path / "a" / "b" / "c", b"c", target / "in" / "none")
    assert (tmp_path / "a" / "b" / "c").read_bytes() == b"c"


@pytest.mark.skipif(sys.platform != "linux", reason="no other system exchanges folders in one step")
def test_two_folders_change_places_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "was").write_text(name)
    assert folders._exchange(Path("one"), Path("two"))
    assert [(tmp_path / name / "was").read_text() for name in ("one", "two")] == ["two", "one"]
    assert not folders._exchange(Path("one"), Path("missing"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"a": 1, "b": {"c": 2, "d": 3, "c": 4}}',
            'lock.json: not valid JSON: the name "c" stands twice in it; pull again',
        ),
        ('{"a" 1}', "lock.json: not valid JSON: .*line 1 column 6.*; pull again"),
        ('{"a": "x", "b": {}}', 'lock.json: a "x": is a text, not a number; pull again'),
    ],
)
def test_a_json_file_that_is_not_as_it_should_be_is_named(tmp_path: Path, text: str, message: str) -> None:
    shape: shapes.Shape = {"a": float, "b": {...: float}}
    file = tmp_path / "lock.json"
    file.write_text('{"a": 1, "b": {"a": 2, "b": 3}}')
    assert load_json(file, "lock.json", shape) == {"a": 1, "b": {"a": 2, "b": 3}}
    file.write_text(text)
    with pytest.raises(DataError) as caught:
        load_json(file, "lock.json", shape, "pull again")
    assert re.fullmatch(message, str(caught.value))
    file.write_text("[" * 100_000)
    with pytest.raises(DataError, match=r"^lock\.json: not valid JSON: .+; `git diff` shows what changed$"):
        load_json(file, "lock.json", shape)


def test_where_things_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folders of a checkout are what is committed; a build and its vintages may be elsewhere."""
    paths = Paths(Path("/c"))
    places = {
        name: Path(getattr(paths, name)).as_posix() for name in dir(paths) if isinstance(getattr(paths, name), Path)
    }
    assert places == {
        "root": "/c",
        "schemas": "/c/schemas",
        "vocab": "/c/schemas/vocab",
        "sql": "/c/pipeline/publish/sql",
        "docs": "/c/docs",
        "calibration": "/c/data/calibration",
        "constants": "/c/data/constants.yml",
        "known_issues": "/c/data/known_issues.yml",
        "raw": "/c/data/raw",
        "curated": "/c/data/raw/curated",
        "identities": "/c/data/raw/curated/identities.csv",
        "architectures": "/c/data/raw/curated/architectures.csv",
        "components": "/c/data/raw/curated/components.csv",
        "declined": "/c/data/raw/curated/declined.csv",
        "lock": "/c/data/raw/lock.json",
        "cache": "/c/data/cache",
        "processed": "/c/data/processed",
        "stages": "/c/data/processed/stages",
        "releases": "/c/data/processed/releases",
    }
    assert [field.name for field in fields(paths)] == ["root", "output"]
    vintage = paths.of(date(2026, 3, 30))
    assert (vintage.root, vintage.processed) == (paths.root, Path("/c/data/processed/vintage-2026-03-30"))
    assert paths.of(None) is paths
    elsewhere = Paths(Path("/c"), Path("/tmp/o"))
    assert (elsewhere.stages, elsewhere.releases) == (Path("/tmp/o/stages"), Path("/c/data/processed/releases"))
    assert [paths.short(Path(name)) for name in ("/c/data/raw", "/other/raw")] == ["data/raw", "/other/raw"]
    monkeypatch.delenv("TRAINCOMPUTE_ROOT", raising=False)
    assert checkout().root == CHECKOUT == Path(__file__).resolve().parents[3]
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", "/c/../d")
    assert checkout() == Paths(Path("/d"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_download_is_told_in_megabytes_on_one_line_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert show_progress("https://epoch.ai/data/all.csv?download=1") is None
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    show = show_progress("https://epoch.ai/data/all.csv?download=1")
    assert show
    for done, total in ((1_500_000, None), (15 * 10**11, 3 * 10**12), (3_000_000, 3_000_000)):
        show(done, total)
    steps = "\rall.csv: 1.5 MB", "\rall.csv: 1500000.0 MB of 3000000.0", "\rall.csv: 3.0 MB of 3.0\n"
    assert terminal.getvalue() == "".join(steps)


def test_a_text_is_put_in_place_of_another_in_folders_that_are_made_for_it(tmp_path: Path) -> None:
    for text in ("one", "dvě"):
        replace_file(tmp_path / "a" / "b" / "c.txt", text)
    assert (tmp_path / "a" / "b" / "c.txt").read_bytes() == "dvě".encode()
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.txt"]
