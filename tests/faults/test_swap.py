"""Rows 49, 50 and 52 of the fault list: who reads while builds are swapped finds a whole build, builders at once all
succeed, and what killed ones left is gone after the next."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep

import duckdb
import pytest
from click.testing import CliRunner

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.commands.build import build as build_command
from pipeline.publish import publication, swap
from pipeline.registry.schema import TableSchema, load_schemas

LEFT = "build-killed"
ROUNDS = 40


def publish(target: Path, text: str) -> None:
    """Publishes a build of one file."""
    with swap.work_folder(target) as work:
        (work / "models.csv").write_text(text)
        swap.swap_in(work, target)


def builds(target: Path) -> set[str]:
    return {path.name for path in (target / ".builds").iterdir()}


def test_fault_49_a_file_that_was_looked_up_before_a_swap_can_be_opened_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, "first")
    found = (tmp_path / "models.csv").resolve()
    publish(tmp_path, "second")
    publish(tmp_path, "third")
    assert found.read_text() == "first"
    assert (tmp_path / "models.csv").read_text() == "third"
    monkeypatch.setattr(swap, "GRACE_S", 0.0)
    publish(tmp_path, "a minute later")
    assert not found.exists()
    assert len(builds(tmp_path)) == 1


def test_fault_49_queries_while_builds_swap_never_fail(tmp_path: Path) -> None:
    done, answers = Event(), []

    def ask() -> None:
        while not done.is_set():
            place = os.path.realpath(tmp_path / "models.csv")
            sleep(0.001)
            answers.append(Path(place).read_text())

    publish(tmp_path, "0")
    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(ask) for _ in range(2)]
        for number in range(ROUNDS):
            publish(tmp_path, str(number))
            sleep(0.005)
        done.set()
        assert [future.exception() for future in asked] == [None, None]
    assert set(answers) <= set(map(str, range(ROUNDS)))
    assert len(answers) > ROUNDS


@pytest.fixture(scope="module")
def schemas() -> dict[str, TableSchema]:
    return {"sources": load_schemas(Paths())["sources"]}


def test_fault_50_four_builders_at_once_all_succeed(
    tmp_path: Path, schemas: dict[str, TableSchema], monkeypatch: pytest.MonkeyPatch
) -> None:
    unlink = Path.unlink

    def slowly(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok)
        sleep(0.001)  # so that builders without a lock would overtake each other

    monkeypatch.setattr(Path, "unlink", slowly)

    def build(number: int) -> None:
        for _ in range(2):
            publication.publish({}, schemas, [], {"serial": number}, tmp_path)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(build, range(4)))
    with duckdb.connect(str(tmp_path / "traincompute.duckdb"), read_only=True) as connection:
        assert connection.sql("select count(*) from sources").fetchall() == [(0,)]
    assert not list(tmp_path.glob(".*.tmp"))


KILLED = """
import os, signal, sys
from pathlib import Path
from pipeline.publish import swap
target = Path(sys.argv[1])
with swap.work_folder(target) as work:
    (work / "models.csv").write_text("half")
    work.rename(work.with_name(sys.argv[2]))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_fault_52_the_next_build_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    publish(tmp_path, "first")
    command = [sys.executable, "-c", KILLED, str(tmp_path), LEFT]
    assert subprocess.run(command, env={**os.environ, "PYTHONPATH": str(CHECKOUT)}).returncode == -9
    assert LEFT in builds(tmp_path)
    with swap.work_folder(tmp_path):
        pass  # a thread removes it beside the build
    assert LEFT not in builds(tmp_path)
    assert (tmp_path / "models.csv").read_text() == "first"


def test_fault_52_a_build_with_nothing_to_do_sweeps_too(built_copy: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built_copy.root))
    left = built_copy.raw / "epoch_all" / ".facts.csv.x1.tmp"
    left.write_text("half")
    (built_copy.processed / ".builds" / LEFT).mkdir()
    before = (built_copy.processed / "manifest.json").read_bytes()
    result = CliRunner().invoke(build_command)
    assert result.output.startswith("up to date")
    assert not left.exists()
    assert LEFT not in builds(built_copy.processed)
    assert (built_copy.processed / "manifest.json").read_bytes() == before


def test_fault_52_the_folder_of_a_build_that_is_being_made_stays(tmp_path: Path) -> None:
    with swap.work_folder(tmp_path) as slow:
        publish(tmp_path, "quick")
        publish(tmp_path, "quicker")
        (slow / "models.csv").write_text("slow")
        swap.swap_in(slow, tmp_path)
    assert (tmp_path / "models.csv").read_text() == "slow"


def test_fault_52_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    publish(tmp_path, "first")
    before = builds(tmp_path)

    def fail() -> None:
        with swap.work_folder(tmp_path) as work:
            (work / "models.csv").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert builds(tmp_path) == before
    assert (tmp_path / "models.csv").read_text() == "first"
