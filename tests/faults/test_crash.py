"""Rows 37-39 of the fault list for the build: killed, out of disk space, two at once. What is published is complete.

What dies inside `publish` is tested with tables that are made once; the processes that are killed run whole builds."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from checkouts import copy_checkout
from forked import command, fork
from once import once_a_run

from pipeline import build
from pipeline.base.paths import Paths
from pipeline.publish import publication, swap, table_files
from pipeline.publish.stage import publish_tables
from pipeline.registry.context import load_context
from pipeline.registry.frames import Tables


def published(paths: Paths) -> dict[str, str]:
    files = [path for path in sorted(paths.processed.glob("[!.]*")) if path.is_file()]
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if not path.name.startswith("traincompute.duckdb")
    }


def change(paths: Paths) -> None:
    """Changes one fact, the FLOP of AlexNet, in both files that state it."""
    fact = "AlexNet,training_compute_flop,"
    for source in ("epoch_all", "epoch_notable"):
        file = paths.raw / source / "facts.csv"
        text = file.read_text(encoding="utf-8")
        assert text.count(f"{fact}4.7e+17") == 1
        file.write_text(text.replace(f"{fact}4.7e+17", f"{fact}4.8e+17"), encoding="utf-8")


class States(NamedTuple):
    """The hashes of the build of the first facts and of that of the changed ones, and the tables of the latter."""

    old: dict[str, str]
    new: dict[str, str]
    tables: Tables


@pytest.fixture(scope="module")
def states(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> States:
    def make(folder: Path) -> States:
        paths = copy_checkout(built, folder / "checkout")
        old = published(paths)
        change(paths)
        tables = build.build(paths)
        assert published(paths) != old
        return States(old, published(paths), tables)

    return once_a_run(tmp_path_factory, "faults_states", make)


@pytest.fixture
def changed(built_copy: Paths, states: States) -> tuple[Paths, dict[str, str], dict[str, str]]:
    """A checkout with a build of its first state, the hashes of that build, and those that the changed facts
    will give."""
    change(built_copy)
    assert published(built_copy) == states.old
    return built_copy, states.old, states.new


@pytest.fixture
def publish(changed: Any, states: States) -> Callable[[], None]:
    """The last step of a build of the changed facts."""
    return functools.partial(publish_tables, load_context(changed[0]), states.tables, None)


def fail_at(monkeypatch: pytest.MonkeyPatch, target: Any, name: str, call: int, error: BaseException) -> None:
    """Makes the given call of a function raise."""
    real, count = getattr(target, name), [0]

    def failing(*args: Any, **kwargs: Any) -> Any:
        count[0] += 1
        if count[0] == call:
            raise error
        return real(*args, **kwargs)

    monkeypatch.setattr(target, name, failing)


@pytest.mark.parametrize("call", [*(pytest.param(call, marks=pytest.mark.thorough) for call in (1, 2, 24)), 20])
def test_fault_37_a_build_that_dies_at_a_rename_leaves_one_whole_state(
    changed: Any, publish: Callable[[], None], monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    paths, old, new = changed
    with monkeypatch.context() as patch:
        fail_at(patch, swap, "_link", call, KeyboardInterrupt())
        try:
            publish()
        except KeyboardInterrupt:
            assert published(paths) in (old, new)
    publish()
    assert published(paths) == new


@pytest.mark.thorough
def test_fault_38_a_full_disk_leaves_the_old_state_and_no_rest(
    changed: Any, publish: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths, old, new = changed
    for target, name, call in [
        (table_files, "write_csv", 3),
        (publication, "insert_table", 2),
        (table_files, "file_entry", 5),
    ]:
        with monkeypatch.context() as patch:
            fail_at(patch, target, name, call, OSError(28, "No space left on device"))
            with pytest.raises(OSError, match="No space left"):
                publish()
        assert published(paths) == old, name
        assert len(list((paths.processed / ".builds").iterdir())) == 1, name
    publish()
    assert published(paths) == new


@pytest.mark.thorough
@pytest.mark.parametrize("delay", [0.2, 0.8])
def test_fault_37_sigkill_leaves_one_whole_state(changed: Any, tmp_path: Path, delay: float) -> None:
    paths, old, new = changed
    process = fork(command, paths.root, ["build"], tmp_path / "said")
    time.sleep(delay)
    process.kill()
    process.join()
    assert published(paths) in (old, new)
    build.build(paths)
    assert published(paths) == new


@pytest.mark.thorough
def test_fault_39_two_builders_at_once(changed: Any, tmp_path: Path) -> None:
    paths, _, new = changed
    said = [tmp_path / "first", tmp_path / "second"]
    both = [fork(command, paths.root, ["build"], file) for file in said]
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0], [file.read_text() for file in said]
    assert published(paths) == new
