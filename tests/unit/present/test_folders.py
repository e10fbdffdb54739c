"""A folder that is written whole: it takes the place of the old one, with what else that had."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from pipeline.present.site import folders
from pipeline.present.site.folders import new_folder, write_or_link


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
