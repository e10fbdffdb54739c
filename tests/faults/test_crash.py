"""Rows 37-39 of the fault list for the build: killed, out of disk space, two at once. What is published is complete.

What dies inside `publish` is tested with tables that are made once; the processes that are killed run whole builds."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Any

import pytest
from strange_rows import enter_strange

from pipeline.base.paths import Paths
from pipeline.publish import swap
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


@pytest.mark.parametrize("call", [2, 20])
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
