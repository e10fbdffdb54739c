"""Single files that come into the cache, and whole folders made of them."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from traincompute.base.locks import claims
from traincompute.base.places import ReleaseError
from traincompute.cache import placement, store
from traincompute.cache.index import Entry, Release
from traincompute.cache.placement import check_contents, place
from traincompute.cache.store import intact, obtain, sweep_parts
from traincompute.network import transport
from traincompute.network.parts import validator_of
from traincompute.verification import verify

CONTENT = bytes(range(256)) * 600  # 153,600 bytes: two pieces of 65,536 and a third
WEEK = 604_800  # seconds
AT = "https://example.org/models.csv"


def entry(source: Path | str, content: bytes = CONTENT) -> Entry:
    return Entry("models.csv", str(source), len(content), hashlib.sha256(content).hexdigest())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "source.csv").write_bytes(CONTENT)
    return tmp_path / "source.csv"


def left(cache: Path) -> list[Path]:
    """The parts that are still in the cache."""
    return sorted((cache / "parts").iterdir())


def test_a_file_is_copied_once_and_kept_under_its_hash(source: Path, cache: Path) -> None:
    told: list[int] = []
    path = obtain(entry(source), told.append)
    assert path == cache / "content" / hashlib.sha256(CONTENT).hexdigest() / "models.csv"
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (CONTENT, 0o444)
    assert told == [65_536, 131_072, 153_600]
    assert left(cache) == []
    source.unlink()
    assert obtain(entry(source), told.append) == path
    assert told[3:] == [153_600]


def test_a_file_that_was_altered_in_the_cache_is_copied_again(source: Path) -> None:
    path = obtain(entry(source))
    path.chmod(0o644)
    path.write_bytes(CONTENT[::-1])
    assert not intact(path, entry(source))
    assert obtain(entry(source)).read_bytes() == CONTENT
    assert intact(path, entry(source))
    assert not intact(path / "below", entry(source))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CONTENT[::-1], "sha256 is {found}, but {wanted} in the index; none of it was kept"),
        (CONTENT[:-1], "has 153599 bytes, but 153600 in the index; it was truncated, or belongs to another release"),
        (CONTENT + b"a", "has 153601 bytes, but 153600 in the index; it was truncated, or belongs to another release"),
    ],
)
def test_a_file_that_is_another_than_the_index_says_is_not_kept(
    tmp_path: Path, cache: Path, content: bytes, said: str
) -> None:
    file, told = tmp_path / "other.csv", list[int]()
    file.write_bytes(content)
    with pytest.raises(ReleaseError) as refused:
        obtain(entry(file), told.append)
    found, wanted = (hashlib.sha256(text).hexdigest() for text in (content, CONTENT))
    assert str(refused.value) == f"{file}: {said.format(found=found, wanted=wanted)}"
    assert told == sorted(set(told)), "it is read once"
    assert left(cache) == list((cache / "content").glob("*")) == []


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert obtain(entry(tmp_path / "empty", b"")).read_bytes() == b""
    (tmp_path / "full").write_bytes(b"full")
    other = entry(tmp_path / "full", b"")._replace(name="full")
    with pytest.raises(ReleaseError, match="has 4 bytes, but 0 in the index"):
        obtain(other)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"none\.csv: cannot be read: No such file or directory; the release there"):
        obtain(entry(tmp_path / "none.csv"))


def test_a_full_disk_leaves_nothing_behind(source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(store, "write_all", fail)
    with pytest.raises(ReleaseError, match="No space left on device; check space and permissions"):
        obtain(entry(source))
    assert left(cache) == []


@pytest.mark.parametrize(
    ("answers", "asked"), [([CONTENT], 1), ([CONTENT[::-1], CONTENT], 2), ([CONTENT[::-1], CONTENT[::-1]], 2)]
)
def test_what_comes_from_the_net_is_asked_for_once_more_where_it_is_another(
    cache: Path, monkeypatch: pytest.MonkeyPatch, answers: list[bytes], asked: int
) -> None:
    sizes: list[int] = []

    def fetch(address: str, part: Path, size: int, show: Callable[[int], None]) -> None:
        assert (address, size) == (AT, len(CONTENT))
        sizes.append(part.stat().st_size)
        part.write_bytes(answers[len(sizes) - 1])
        validator_of(part).touch()

    monkeypatch.setattr(transport, "fetch_listed", fetch)
    if CONTENT in answers:
        assert obtain(entry(AT)).read_bytes() == CONTENT
    else:
        with pytest.raises(ReleaseError, match="none of it was kept"):
            obtain(entry(AT))
    assert sizes == [0] * asked, "a second attempt starts at zero"
    assert left(cache) == []


@pytest.mark.parametrize("locks", [True, False])
def test_while_another_process_receives_a_file_this_one_uses_a_part_of_its_own(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, locks: bool
) -> None:
    monkeypatch.setattr(store, "LOCKS", locks)
    (cache / "parts").mkdir(parents=True)
    theirs = cache / "parts" / f"{entry(source).sha256}.part"
    with theirs.open("wb") as handle:
        assert claims(handle.fileno())
        handle.write(b"theirs")
        handle.flush()
        assert obtain(entry(source)).read_bytes() == CONTENT
        assert left(cache) == [theirs]
        assert theirs.read_bytes() == b"theirs"


@pytest.mark.parametrize("locks", [True, False])
def test_a_file_that_another_process_brought_meanwhile_is_taken(
    source: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, locks: bool
) -> None:
    monkeypatch.setattr(store, "LOCKS", locks)
    obtain(entry(source))
    source.unlink()
    asked: list[Path] = []

    def look(path: Path, listed: Entry) -> bool:
        asked.append(path)
        return len(asked) > 1 and intact(path, listed)

    monkeypatch.setattr(store, "intact", look)
    assert obtain(entry(source)).read_bytes() == CONTENT
    assert left(cache) == []


def test_a_part_that_nobody_came_back_for_within_a_week_is_removed(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cache / "parts").mkdir(parents=True)
    for age in (WEEK, WEEK + 1):
        (cache / "parts" / f"{age}.part").touch()
        os.utime(cache / "parts" / f"{age}.part", (10**9 - age, 10**9 - age))
    monkeypatch.setattr(time, "time", lambda: 1e9)
    sweep_parts()
    assert [path.name for path in left(cache)] == [f"{WEEK}.part"]


# --- whole folders ---


def same(release: Release, folder: Path) -> bool:
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    return files == {entry.name: Path(entry.source).read_bytes() for entry in release.files.values()}


@pytest.mark.parametrize("exists", [True, False])
def test_a_release_is_copied_to_where_it_is_wanted_and_linked_in_the_cache(
    listed: Callable[..., Release], tmp_path: Path, exists: bool
) -> None:
    release, target, told = listed(), tmp_path / "to" / "v2026.11.0", list[int]()
    if exists:
        target.mkdir(parents=True)
    assert place(release, target, told.append) == target
    assert same(release, target)
    assert max(told) == sum(entry.bytes for entry in release.files.values())
    kept = obtain(release.files["models.csv"])
    assert not (target / "models.csv").samefile(kept)
    assert place(release, release.cached) == release.cached
    assert same(release, release.cached)
    assert (release.cached / "models.csv").samefile(kept)


def test_what_is_missing_or_altered_in_a_folder_is_put_back(listed: Callable[..., Release], tmp_path: Path) -> None:
    release, target = listed(), tmp_path / "to" / "v2026.11.0"
    place(release, target)
    (target / "sources.csv").unlink()
    (target / "models.csv").write_bytes(b"other")
    untouched = (target / "models.parquet").stat().st_ino
    place(release, target)
    assert same(release, target)
    assert (target / "models.parquet").stat().st_ino == untouched
    assert [path.name for path in target.parent.iterdir()] == ["v2026.11.0"]


def test_a_folder_of_something_else_is_left_alone_but_in_the_cache(
    listed: Callable[..., Release], tmp_path: Path
) -> None:
    release, target = listed(), tmp_path / "to" / "v2026.11.0"
    for folder in (target, release.cached):
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text("mine")
    with pytest.raises(ReleaseError, match=r"holds something else than release 2026\.11\.0; move it away"):
        place(release, target)
    assert [path.read_text() for path in target.iterdir()] == ["mine"]
    place(release, release.cached)
    assert same(release, release.cached)


@pytest.mark.parametrize(
    ("problems", "said"), [(["a", "b", "c"], "a (and 2 more)"), (["a", "b"], "a (and 1 more)"), (["a"], "a")]
)
def test_a_release_that_holds_something_else_is_not_put_in_place(
    listed: Callable[..., Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problems: list[str], said: str
) -> None:
    release = listed()
    monkeypatch.setattr(verify, "run_bounded", lambda *_: problems)
    with pytest.raises(ReleaseError) as refused:
        place(release, tmp_path / "to")
    assert str(refused.value) == f"release 2026.11.0: {said}; it was not put in place"
    assert not (tmp_path / "to").exists()


def test_where_another_process_was_quicker_its_folder_is_taken(
    listed: Callable[..., Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release, target = listed(), tmp_path / "to"

    def meanwhile(release: Release, folder: Path) -> None:
        monkeypatch.setattr(placement, "check_contents", check_contents)
        place(release, target)

    monkeypatch.setattr(placement, "check_contents", meanwhile)
    assert place(release, target) == target
    assert same(release, target)


def test_a_folder_that_cannot_be_put_in_place_is_told(
    listed: Callable[..., Release], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(placement, "check_contents", lambda _, folder: folder.rename(tmp_path / "gone"))
    with pytest.raises(ReleaseError, match="No such file or directory; check space and permissions"):
        place(listed(), tmp_path / "to")


class Started:
    """A thread that runs when it is told to; `all` are those that were started."""

    all: list[Started]

    def __init__(self, target: Callable[[], None], daemon: bool) -> None:
        assert daemon, "what waits for the net shall not keep the process alive"
        self.run, self.waited = target, list[float | None]()

    def start(self) -> None:
        self.all.append(self)

    def join(self, seconds: float | None = None) -> None:
        self.waited.append(seconds)
        if seconds is None:
            self.run()


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> list[Started]:
    Started.all = []
    monkeypatch.setattr(placement, "Thread", Started)
    return Started.all


def work_on(listed: Callable[..., Release], work: Callable[[Entry], Any]) -> None:
    placement._each(listed(), lambda _: None, lambda entry, _: work(entry))


def test_four_files_come_at_once_and_the_largest_come_first(
    listed: Callable[..., Release], threads: list[Started]
) -> None:
    seen: list[Entry] = []
    work_on(listed, seen.append)
    assert len(threads) == 4
    assert [entry.bytes for entry in seen] == sorted((entry.bytes for entry in seen), reverse=True)
    assert len(seen) == len(listed().files)


def test_the_first_failure_is_told_and_nothing_is_begun_after_it(
    listed: Callable[..., Release], threads: list[Started]
) -> None:
    seen: list[str] = []

    def fail(entry: Entry) -> None:
        seen.append(entry.name)
        if len(seen) == 1:
            threads[1].run()  # meanwhile another one fails
        raise ValueError(entry.name)

    with pytest.raises(ValueError, match=r".") as failed:
        work_on(listed, fail)
    assert (len(seen), str(failed.value)) == (2, seen[1])


def test_an_interruption_waits_half_a_second_for_each_file_that_is_under_way(
    listed: Callable[..., Release], threads: list[Started], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, interrupted = list[Entry](), Event()

    def interrupt() -> None:
        interrupted.set()
        raise KeyboardInterrupt

    def start(thread: Started) -> None:
        threads.append(thread)
        thread.run, thread.begun = interrupt, thread.run  # type: ignore[attr-defined]

    monkeypatch.setattr(Started, "start", start)
    with pytest.raises(KeyboardInterrupt):
        work_on(listed, seen.append)
    assert [thread.waited for thread in threads] == [[None, 0.5], [0.5], [0.5], [0.5]]
    for thread in threads:
        thread.begun()  # type: ignore[attr-defined]
    assert (interrupted.is_set(), seen) == (True, []), "none is begun any more"
