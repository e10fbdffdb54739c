"""Rows 37-39 of the fault list for the build: killed, out of disk space, two at once. What is published is complete.

What dies inside `publish` is tested with tables that are made once; the processes that are killed run whole builds."""

from __future__ import annotations

import functools
import hashlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forked import command, fork
from strange_rows import enter_strange

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


Changed = tuple[Paths, dict[str, str], dict[str, str]]


@pytest.fixture
def changed(built_copy: Paths, strange: tuple[Paths, Tables]) -> Changed:
    """A checkout with strange rows and a build of what it was without them, the hashes of that build, and those of the
    build of the strange rows."""
    old, new = published(built_copy), published(strange[0])
    assert old.keys() == new.keys()
    assert old["models.csv"] != new["models.csv"]
    enter_strange(built_copy)
    return built_copy, old, new


@pytest.fixture
def publish(changed: Changed, strange: tuple[Paths, Tables]) -> Callable[[], None]:
    """The last step of a build of the strange rows."""
    return functools.partial(publish_tables, load_context(changed[0]), strange[1], None)


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
    changed: Changed, publish: Callable[[], None], monkeypatch: pytest.MonkeyPatch, call: int
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
    changed: Changed, publish: Callable[[], None], monkeypatch: pytest.MonkeyPatch
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
def test_fault_37_sigkill_leaves_one_whole_state(changed: Changed, tmp_path: Path, delay: float) -> None:
    paths, old, new = changed
    process = fork(command, paths.root, ["build"], tmp_path / "said")
    time.sleep(delay)
    process.kill()
    process.join()
    assert published(paths) in (old, new)
    build.build(paths)
    assert published(paths) == new


@pytest.mark.thorough
def test_fault_39_two_builders_at_once(changed: Changed, tmp_path: Path) -> None:
    paths, _, new = changed
    said = [tmp_path / "first", tmp_path / "second"]
    both = [fork(command, paths.root, ["build"], file) for file in said]
    for process in both:
        process.join()
    assert [process.exitcode for process in both] == [0, 0], [file.read_text() for file in said]
    assert published(paths) == new
