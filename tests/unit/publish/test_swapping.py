"""Builds in place of each other: which links there are, which builds stay and which are removed."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from pipeline.publish import swap
from traincompute.base import locks

NOW = 1_600_000_000  # in 2020: whatever is made now counts as recent


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(swap, "time", SimpleNamespace(time=lambda: NOW))


def publish(target: Path, *names: str) -> Path:
    with swap.work_folder(target) as work:
        for name in names:
            (work / name).write_text(work.name)
        swap.swap_in(work, target)
    return work


def aged(path: Path, seconds: float) -> Path:
    os.utime(path, (NOW - seconds, NOW - seconds))
    return path


def test_what_readers_see_are_links_through_the_current_build(tmp_path: Path) -> None:
    target = tmp_path / "data" / "processed"
    first = publish(target, "models.csv", "old.csv")
    assert first.stat().st_mode & 0o777 == 0o755
    (target / "models.csv").unlink()
    (target / "models.csv").mkdir()  # as a copy that followed links has it
    (target / "mine.txt").write_text("mine")
    second = publish(target, "models.csv")
    assert (target / ".current").readlink() == Path(".builds") / second.name
    assert (target / "models.csv").readlink() == Path(".current/models.csv")
    assert (target / "models.csv").read_text() == second.name
    names = {path.name for path in target.iterdir()}
    assert names == {".builds", ".current", "mine.txt", "models.csv"}  # nothing links to what is there no more
    assert {path.name for path in second.iterdir()} == {"models.csv"}
    assert {path.name for path in first.iterdir()} == {"models.csv", "old.csv", ".replaced"}


def test_a_build_that_was_replaced_stays_for_a_minute(tmp_path: Path) -> None:
    first, second, third = (publish(tmp_path, "a.csv") for _ in range(3))
    aged(first / ".replaced", 59.5)
    aged(second / ".replaced", 60)
    with swap.work_folder(tmp_path):
        pass
    assert (first.exists(), second.exists(), third.exists()) == (True, False, True)


def test_without_locks_a_build_is_left_by_a_killed_one_where_it_is_a_day_old(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "LOCKS", False)
    swap.sweep_builds(tmp_path)  # nothing is there yet
    published = publish(tmp_path, "a.csv")
    young, old = published.with_name("build-young"), published.with_name("build-old")
    for folder, seconds in ((young, 86_399.5), (old, 86_400)):
        folder.mkdir()
        aged(folder, seconds)
    aged(published, 100_000)
    swap.sweep_builds(tmp_path)
    assert (young.exists(), old.exists(), published.exists()) == (True, False, True)


@pytest.mark.parametrize("swapped", [False, True])
def test_a_build_that_fails_is_removed_unless_it_is_the_current_one(tmp_path: Path, swapped: bool) -> None:
    with pytest.raises(KeyboardInterrupt), swap.work_folder(tmp_path) as work:  # noqa: PT012
        (work / "a.csv").write_text("")
        if swapped:
            swap.swap_in(work, tmp_path)
        raise KeyboardInterrupt
    assert work.exists() is swapped
    if swapped:
        with pytest.raises(KeyboardInterrupt), swap.work_folder(tmp_path) as work:  # noqa: PT012
            swap.swap_in(work, tmp_path)
            publish(tmp_path, "a.csv")  # another has already replaced it, and a reader may still open it
            raise KeyboardInterrupt
        assert work.exists()
