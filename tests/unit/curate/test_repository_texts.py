"""Texts of repositories: from copies of which the tests write the objects themselves, or from the net."""

from __future__ import annotations

import hashlib
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from pipeline.curate import snapshots
from pipeline.curate.snapshots import NotAtHandError, NotThereError, Snapshots
from traincompute.web import FetchError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CARD = b"# Model card\n671B parameters, \xff14.8T tokens\n"
LINES = ("# Model card", "671B parameters, \ufffd14.8T tokens", "")
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n"
PAPER = b"%PDF-1.5\npage one\fpage two"
ELSEWHERE = f"https://raw.githubusercontent.com/lab/card/{COMMIT}/a%20b/card.md"


def stored(objects: Path, kind: str, body: bytes) -> str:
    """The name of an object as git keeps it."""
    whole = f"{kind} {len(body)}\0".encode() + body
    name = hashlib.sha1(whole).hexdigest()
    (objects / name[:2]).mkdir(exist_ok=True)
    (objects / name[:2] / name[2:]).write_bytes(zlib.compress(whole))
    return name


def repository(folder: Path, body: bytes = CARD) -> str:
    """Makes a git directory whose one commit has card.md; the name of that commit."""
    for part in ("objects", "refs"):
        (folder / part).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    blob = stored(folder / "objects", "blob", body)
    tree = stored(folder / "objects", "tree", b"100644 card.md\0" + bytes.fromhex(blob))
    who = "nobody <nobody@example.org> 1700000000 +0000"
    return stored(folder / "objects", "commit", f"tree {tree}\nauthor {who}\ncommitter {who}\n\ncard\n".encode())


@pytest.mark.parametrize(
    "place", ["lab/card", "lab/card.git", "lab+card", "lab+card.git", "lab+card/2026-03-30", "lab/card/.git"]
)
def test_a_copy_is_found_in_each_of_its_places(tmp_path: Path, place: str) -> None:
    commit = repository(tmp_path / place)
    assert Snapshots(tmp_path, net=False).read("lab/card", commit, "card.md") == LINES


def test_what_a_copy_lacks_is_told_from_what_is_not_at_hand(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    commit, copies = repository(tmp_path / "lab" / "card"), Snapshots(tmp_path, net=True)
    with pytest.raises(NotThereError, match="the copy of the repository has no such commit"):
        copies.read("lab/card", COMMIT, "card.md")
    with pytest.raises(NotThereError, match="no such file in that commit"):
        copies.read("lab/card", commit, "paper.pdf")
    for folder in (tmp_path, None):
        with pytest.raises(NotAtHandError, match="no copy of the repository"):
            Snapshots(folder, net=False).read("lab/other", commit, "card.md")
    assert capfd.readouterr() == ("", "")  # what git says of it is not shown


def test_a_pointer_is_no_text(tmp_path: Path) -> None:
    commit = repository(tmp_path / "lab" / "card", POINTER)
    with pytest.raises(NotAtHandError, match="the copy has a pointer for the file"):
        Snapshots(tmp_path, net=False).read("lab/card", commit, "card.md")


@pytest.mark.parametrize(("mirror", "before"), [("", "https://"), ("http://127.0.0.1:1/", "http://127.0.0.1:1/")])
def test_without_a_copy_a_text_comes_from_the_net_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mirror: str, before: str
) -> None:
    asked: list[str] = []

    def answer(address: str, out: BytesIO, _: object) -> None:
        asked.append(address)
        out.write(CARD)

    monkeypatch.setattr(snapshots, "fetch", answer)
    there = Snapshots(tmp_path, net=True, mirror=mirror)
    assert there.read("lab/card", COMMIT, "a b/card.md") == there.read("lab/card", COMMIT, "a b/card.md") == LINES
    assert asked == [ELSEWHERE.replace("https://", before)]


@pytest.mark.parametrize(
    ("reason", "error", "said"),
    [("HTTP 404 (Not Found)", NotThereError, "no such file or commit"), ("HTTP 503", NotAtHandError, "HTTP 503")],
)
def test_only_what_the_server_does_not_have_is_not_there(
    monkeypatch: pytest.MonkeyPatch, reason: str, error: type[Exception], said: str
) -> None:
    def refuse(address: str, *_: object) -> None:
        raise FetchError(address, reason, "wait")

    monkeypatch.setattr(snapshots, "fetch", refuse)
    with pytest.raises(error, match=said):
        Snapshots(None, net=True).read("lab/card", COMMIT, "card.md")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("cat", ""),
        ("cat >&2; exit 3", "a PDF that pdftotext does not read"),
        ("", "pdftotext (poppler) is not installed"),
    ],
)
def test_a_pdf_is_read_by_its_pages(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str], script: str, said: str
) -> None:
    if script:  # in the place of pdftotext, which need not be installed
        (tmp_path / "pdftotext").write_text(f"#!/bin/sh\nPATH=/usr/bin:/bin\n{script}\n")
        (tmp_path / "pdftotext").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(snapshots, "fetch", lambda _, out, __: out.write(PAPER))
    if not said:
        assert Snapshots(None, net=True).read("lab/card", COMMIT, "p.pdf") == ("%PDF-1.5\npage one", "page two")
        return
    with pytest.raises(NotAtHandError) as caught:
        Snapshots(None, net=True).read("lab/card", COMMIT, "p.pdf")
    assert said in str(caught.value)
    assert capfd.readouterr().err == ""
