"""Downloads of whole releases from a server on loopback: the cache holds the whole release or none, whatever happens
(rows 14, 15, 37 to 40, 82, 89, 90 and 128 of the list). What the network may do to one answer is tested in
test_fetch.py."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from misbehaving_server import Exchange, MisbehavingServer, ok
from pyarrow import parquet
from release_folders import entry_of, sha256, write_index, write_sums
from tiny_release import VERSION

import traincompute as t
from pipeline.paths import CHECKOUT
from traincompute.base.errors import ReleaseError
from traincompute.published import parse_index, read_index

JSON = {"Content_Type": "application/json"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache; whatever is called a release in it is one."""
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.delenv("TRAINCOMPUTE_SIGNERS", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def served(server: MisbehavingServer, tiny_release: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an index of one release, which a server has."""
    for file in tiny_release.iterdir():
        server.script(
            f"/{tiny_release.name}/{file.name}", ok(file.read_bytes(), Content_Type="application/octet-stream")
        )
    address = server.script("/releases.json", ok(index_of(tiny_release), **JSON))
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", address)
    return address


def index_of(folder: Path, serial: int = 1, **changed: Any) -> bytes:
    entry = entry_of(folder, json.loads((folder / "manifest.json").read_bytes())) | changed
    return write_index(folder.parent, [entry], serial).read_bytes()


def same(folder: Path, release: Path) -> bool:
    return {f.name: sha256(f) for f in folder.iterdir()} == {f.name: sha256(f) for f in release.iterdir()}


def placed(cache: Path) -> list[Path]:
    """The releases in the cache, and whatever is left of one."""
    return list((cache / "releases").glob("*/*"))


def test_a_release_comes_whole_and_is_read_without_the_network_afterwards(
    served: str, server: MisbehavingServer, tiny_release: Path, tmp_path: Path, cache: Path
) -> None:
    folder = t.download(VERSION)
    assert same(folder, tiny_release)
    assert placed(cache) == [folder]
    assert (cache / "releases").stat().st_mode & 0o077 == 0
    asked = len(server.requests)
    assert t.load("models", version=VERSION).model_id.tolist() == ["alexnet", "bert", "gpt-3"]
    assert t.sql("from leaders limit 1", version=VERSION).name.tolist() == ["GPT-3 175B (davinci)"]
    assert len(server.requests) == asked
    assert same(t.download(VERSION, to=tmp_path / "to"), tiny_release)


def test_a_flipped_bit_in_the_cache_is_noticed_and_fetched_again(served: str, tiny_release: Path) -> None:
    file = t.download(VERSION) / "models.parquet"
    file.chmod(0o644)
    content = bytearray(file.read_bytes())
    content[99] ^= 1
    file.write_bytes(content)
    with pytest.raises(ReleaseError, match=r"models\.parquet has sha256"):
        t.load("models", version=VERSION)
    assert same(t.download(VERSION), tiny_release)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("models.csv", b"model_id\nmine\n", "models.csv: sha256 is "),
        ("SHA256SUMS", b"%s  models.csv\n" % (b"0" * 64), "SHA256SUMS: sha256 is"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_leaves_no_release(
    served: str, server: MisbehavingServer, tiny_release: Path, cache: Path, name: str, content: bytes, said: str
) -> None:
    server.script(f"/{tiny_release.name}/{name}", ok(content))
    with pytest.raises(ReleaseError, match=f"^[^\n]*{said}[^\n]*$"):
        t.download(VERSION)
    assert placed(cache) == []


def test_a_full_disk_leaves_no_release(served: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", full)
        with pytest.raises(ReleaseError, match="No space left"):
            t.download(VERSION)
    assert placed(cache) == []
    assert t.download(VERSION).is_dir()


CODE = f"import traincompute as t; print(t.download({VERSION!r}))"


def begun() -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.Popen([sys.executable, "-c", CODE], env=env, stdout=subprocess.PIPE, text=True)


def test_a_killed_download_leaves_nothing_and_two_at_once_make_one_release(
    served: str, server: MisbehavingServer, tiny_release: Path, cache: Path
) -> None:
    body, waiting = (tiny_release / "models.csv").read_bytes(), [True]

    def stall(exchange: Exchange) -> None:
        waiting[0] = False
        exchange.closing.wait(20)

    server.script(f"/{tiny_release.name}/models.csv", stall, ok(body))
    process = begun()
    while waiting[0]:
        os.sched_yield()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert [path.name for path in placed(cache) if not path.name.startswith(".")] == []
    both = [begun(), begun()]
    folders = {process.communicate()[0].strip() for process in both}
    assert [process.returncode for process in both] == [0, 0]
    (folder,) = folders
    assert placed(cache) == [Path(folder)]
    assert same(Path(folder), tiny_release)


def test_a_release_whose_sums_and_manifest_were_rewritten_too_is_noticed_by_its_index(
    served: str, tiny_release: Path
) -> None:
    folder = t.download(VERSION)
    for path in folder.iterdir():
        path.chmod(0o644)
    table = parquet.read_table(folder / "models.parquet")
    before, after = sha256(folder / "models.parquet"), folder / "models.parquet"
    parquet.write_table(table.slice(1), after)
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace(before, sha256(after)))
    write_sums(folder)
    assert len(t.load("models", version=VERSION)) == 3
    assert same(folder, tiny_release)


def test_another_folder_of_that_name_is_left_alone(served: str, tmp_path: Path) -> None:
    note = tmp_path / "to" / f"v{VERSION}" / "notes.txt"
    note.parent.mkdir(parents=True)
    note.write_text("mine")
    with pytest.raises(ReleaseError, match="move it away"):
        t.download(VERSION, to=tmp_path / "to")
    assert note.read_text() == "mine"


def test_a_local_index_is_read_in_place_and_a_file_that_was_altered_there_is_refused(
    tiny_release: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    index_of(tiny_release)
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(tiny_release.parent))
    assert t.download(VERSION) == tiny_release
    shutil.copyfile(tiny_release / "sources.parquet", tiny_release / "models.parquet")
    for work in (lambda: t.load("models", version=VERSION), lambda: t.download(VERSION), lambda: t.sql("from models")):
        with pytest.raises(ReleaseError, match=r"models\.parquet"):
            work()
    assert placed(cache) == []


def test_an_index_that_goes_back_or_changes_a_release_is_refused(
    served: str, server: MisbehavingServer, tiny_release: Path
) -> None:
    server.script("/releases.json", ok(index_of(tiny_release, 5), **JSON))
    assert read_index().serial == 5
    for serial, changed, said in (
        (4, {}, "serial 4 is older than 5"),
        (6, {"sums_sha256": "0" * 64}, f"release {VERSION} was changed"),
    ):
        server.script("/releases.json", ok(index_of(tiny_release, serial, **changed), **JSON))
        with pytest.raises(ReleaseError, match=said):
            read_index()
    assert read_index(fresh=False).serial == 5


def test_an_index_that_lists_a_release_under_another_version_is_refused(
    tiny_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index_of(tiny_release, version="2031.1.0")
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(tiny_release.parent))
    for work in (t.load, t.path):
        with pytest.raises(ReleaseError, match=f"is that of release {VERSION}, not of 2031.1.0"):
            work("models", version="2031.1.0")


def test_an_index_has_its_latest_release(tiny_release: Path) -> None:
    index = json.loads(index_of(tiny_release)) | {"latest": "2020.1.0"}
    with pytest.raises(ReleaseError, match="its latest release not at all"):
        parse_index(json.dumps(index).encode(), "releases.json")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"version": "../2026"}, "version of a release is '../2026', not a version"),
        ({"sums_sha256": "X"}, "not a sha256"),
        ({"bytes": 10**12}, "bytes of a release is 1000000000000"),
        ({"url": "/etc"}, "or a path below"),
        ({"url": "a/../../etc"}, "or a path below"),
    ],
)
def test_an_index_that_cannot_be_used_says_why(tiny_release: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ReleaseError, match=said):
        parse_index(index_of(tiny_release, **changed), str(tiny_release.parent / "releases.json"))
