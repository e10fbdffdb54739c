"""Rows 37-39 of the fault list for the build: killed, out of disk space, two at once. What is published is complete."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from checkouts import copy_checkout

from pipeline import build
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.publish import files, publication, swap


def published(paths: Paths) -> dict[str, str]:
    files = [path for path in sorted(paths.processed.glob("[!.]*")) if path.is_file()]
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
        if not path.name.startswith("traincompute.duckdb")
    }


def change(paths: Paths, old: str = "4.7e+17", new: str = "4.8e+17") -> None:
    """Changes one fact, the FLOP of AlexNet, in both files that state it."""
    fact = "AlexNet,training_compute_flop,"
    for source in ("epoch_all", "epoch_notable"):
        file = paths.raw / source / "facts.csv"
        text = file.read_text(encoding="utf-8")
        assert text.count(fact + old) == 1
        file.write_text(text.replace(fact + old, fact + new), encoding="utf-8")


@pytest.fixture(scope="module")
def states(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict[str, str]]:
    """The hashes of the build of the first facts, and of that of the changed ones."""
    paths = copy_checkout(built, tmp_path_factory.mktemp("states") / "checkout")
    old = published(paths)
    change(paths)
    build.build(paths)
    new = published(paths)
    change(paths, "4.8e+17", "4.7e+17")
    build.build(paths)
    assert published(paths) == old != new
    return old, new


@pytest.fixture
def changed(
    built_copy: Paths, states: tuple[dict[str, str], dict[str, str]]
) -> tuple[Paths, dict[str, str], dict[str, str]]:
    """A checkout with a build of its first state, the hashes of that build, and those that the changed facts
    will give."""
    change(built_copy)
    assert published(built_copy) == states[0]
    return built_copy, *states


def fail_at(monkeypatch: pytest.MonkeyPatch, target: Any, name: str, call: int, error: BaseException) -> None:
    """Makes the given call of a function raise."""
    real, count = getattr(target, name), [0]

    def failing(*args: Any, **kwargs: Any) -> Any:
        count[0] += 1
        if count[0] == call:
            raise error
        return real(*args, **kwargs)

    monkeypatch.setattr(target, name, failing)


@pytest.mark.parametrize("call", [1, 2, 20, 24])
def test_fault_37_a_build_that_dies_at_a_rename_leaves_one_whole_state(
    changed: Any, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    paths, old, new = changed
    with monkeypatch.context() as patch:
        fail_at(patch, swap, "_link", call, KeyboardInterrupt())
        try:
            build.build(paths)
        except KeyboardInterrupt:
            assert published(paths) in (old, new)
    build.build(paths)
    assert published(paths) == new


@pytest.mark.parametrize(
    ("target", "name", "call"),
    [(files, "write_csv", 3), (publication, "insert_table", 2), (files, "_file_entry", 5)],
)
def test_fault_38_a_full_disk_leaves_the_old_state_and_no_rest(
    changed: Any, monkeypatch: pytest.MonkeyPatch, target: Any, name: str, call: int
) -> None:
    paths, old, new = changed
    with monkeypatch.context() as patch:
        fail_at(patch, target, name, call, OSError(28, "No space left on device"))
        with pytest.raises(OSError, match="No space left"):
            build.build(paths)
    assert published(paths) == old
    assert len(list((paths.processed / ".builds").iterdir())) == 1
    build.build(paths)
    assert published(paths) == new


@pytest.mark.parametrize("delay", [0.7, 1.1, 1.4, 1.7])
def test_fault_37_sigkill_leaves_one_whole_state(changed: Any, delay: float) -> None:
    paths, old, new = changed
    command = [sys.executable, "-c", "from traincompute.cli import main; main()", "build"]
    env = {**os.environ, "TRAINCOMPUTE_ROOT": str(paths.root), "PYTHONPATH": str(CHECKOUT)}
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert published(paths) in (old, new)
    build.build(paths)
    assert published(paths) == new


def test_fault_39_two_builders_at_once(changed: Any) -> None:
    paths, _, new = changed
    command = [sys.executable, "-c", "from traincompute.cli import main; main()", "build"]
    env = {**os.environ, "TRAINCOMPUTE_ROOT": str(paths.root), "PYTHONPATH": str(CHECKOUT)}
    both = [subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(2)]
    codes = [(process.communicate()[1], process.returncode) for process in both]
    assert [code for _, code in codes] == [0, 0], codes
    assert published(paths) == new
