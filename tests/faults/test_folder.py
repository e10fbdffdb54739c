"""Row 53 of the fault list: the folder of the site is the old one or the new one, whenever its writer dies."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.present.site import folders
from pipeline.present.site.folders import new_folder, write_or_link

NEW = {"index.html": b"new", "data/00.js": b"[2]", "style.css": b"same"}
OLD = {"index.html": b"old", "data/00.js": b"[1]", "style.css": b"same"}
MINE = {"CNAME": b"example.org"}


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(target: Path, files: dict[str, bytes]) -> None:
    with new_folder(target) as work:
        for name, content in files.items():
            write_or_link(work / name, content, target / name)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A site with a file of its owner's."""
    write(tmp_path / "public", OLD)
    (tmp_path / "public" / "CNAME").write_bytes(b"example.org")
    return tmp_path / "public"


def test_a_new_site_keeps_the_files_of_its_owner_and_the_dates_of_what_is_the_same(site: Path) -> None:
    before = (site / "style.css").stat().st_mtime_ns
    write(site, NEW)
    assert contents(site) == NEW | MINE
    assert (site / "style.css").stat().st_mtime_ns == before
    assert site.stat().st_mode & 0o777 == 0o755
    assert [path.name for path in site.parent.iterdir()] == ["public"]


def test_fault_53_a_failure_leaves_the_old_site_and_no_litter(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders, "_put", full)
    with pytest.raises(OSError, match="No space left"):
        write(site, NEW)
    assert contents(site) == OLD | MINE
    assert [path.name for path in site.parent.iterdir()] == ["public"]


def test_fault_53_a_system_that_cannot_exchange_folders_puts_it_in_place_all_the_same(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "_exchange", lambda *_: False)
    write(site, NEW)
    assert contents(site) == NEW | MINE
    assert [path.name for path in site.parent.iterdir()] == ["public"]
