"""Who reads while builds are swapped finds a whole build; builders at once all succeed, and what killed ones left is
gone after the next."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from time import sleep
from typing import Any

import duckdb
import pytest
from click.testing import CliRunner
from strange_rows import enter_strange

from pipeline.cli import build as build_command
from pipeline.config import load_config
from pipeline.frames import Tables
from pipeline.paths import CHECKOUT, Paths
from pipeline.publish import builds
from pipeline.publish.publication import publication, publish_tables
from pipeline.schema import load_schemas

LEFT = "build-killed"
ROUNDS = 40


def publish(target: Path, text: str) -> None:
    """Publishes a build of one file."""
    with builds.new_build(target) as work:
        (work / "models.csv").write_text(text)


def made_builds(target: Path) -> set[str]:
    return {path.name for path in (target / ".builds").iterdir()}


def test_a_file_that_was_looked_up_before_a_swap_can_be_opened_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(tmp_path, "first")
    found = (tmp_path / "models.csv").resolve()
    publish(tmp_path, "second")
    publish(tmp_path, "third")
    assert found.read_text() == "first"
    assert (tmp_path / "models.csv").read_text() == "third"
    monkeypatch.setattr(builds, "GRACE_S", 0.0)
    publish(tmp_path, "a minute later")
    builds.sweep_builds(tmp_path)
    assert not found.exists()
    assert len(made_builds(tmp_path)) == 1


def test_queries_while_builds_swap_never_fail(tmp_path: Path) -> None:
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


def test_four_builders_at_once_all_succeed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schemas, unlink = {"sources": load_schemas(Paths())["sources"]}, Path.unlink

    def slowly(path: Path, missing_ok: bool = False) -> None:
        unlink(path, missing_ok)
        sleep(0.001)  # so that builders without a lock would overtake each other

    def build(number: int) -> None:
        with publication(schemas, [], tmp_path) as out:
            out.finish({"serial": number})

    monkeypatch.setattr(Path, "unlink", slowly)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(build, range(8)))
    with duckdb.connect(str(tmp_path / "traincompute.duckdb"), read_only=True) as connection:
        assert connection.sql("select count(*) from sources").fetchall() == [(0,)]
    assert not list(tmp_path.glob(".*.tmp"))


KILLED = """
import os, signal, sys
from pathlib import Path
from pipeline.publish import builds
with builds.new_build(Path(sys.argv[1])) as work:
    (work / "models.csv").write_text("half")
    work = work.rename(work.with_name(sys.argv[2]))
    os.utime(work, (0, 0))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_the_next_build_removes_what_a_killed_one_left_and_no_other(tmp_path: Path) -> None:
    publish(tmp_path, "first")
    command = [sys.executable, "-c", KILLED, str(tmp_path), LEFT]
    assert subprocess.run(command, env={**os.environ, "PYTHONPATH": str(CHECKOUT)}).returncode == -9
    assert LEFT in made_builds(tmp_path)
    with builds.new_build(tmp_path) as slow:
        os.utime(slow, (0, 0))
        assert LEFT not in made_builds(tmp_path)
        assert (tmp_path / "models.csv").read_text() == "first"
        publish(tmp_path, "quick")
        (slow / "models.csv").write_text("slow")
    assert (tmp_path / "models.csv").read_text() == "slow"


def test_a_build_with_nothing_to_do_sweeps_too(built_copy: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(built_copy.root))
    left, killed = built_copy.raw / "epoch_all" / ".facts.csv.x1.tmp", built_copy.processed / ".builds" / LEFT
    left.write_text("half")
    killed.mkdir()
    os.utime(killed, (0, 0))
    before = (built_copy.processed / "manifest.json").read_bytes()
    assert CliRunner().invoke(build_command).output.startswith("up to date")
    assert not left.exists()
    assert not killed.exists()
    assert (built_copy.processed / "manifest.json").read_bytes() == before


def published(paths: Paths) -> dict[str, str]:
    """The hashes of what is the same in every build."""
    files = [path for path in paths.processed.glob("[!.]*") if path.is_file() and path.suffix != ".duckdb"]
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("call", [2, 20])
def test_a_build_that_dies_at_a_rename_leaves_one_whole_state(
    built_copy: Paths, strange: tuple[Paths, Tables], monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    """The tables are those of strange rows."""
    old, new, real, calls = published(built_copy), published(strange[0]), builds._link, []

    def dies(*paths: Any) -> None:
        calls.append(paths)
        if len(calls) == call:
            raise KeyboardInterrupt
        real(*paths)

    assert old["models.csv"] != new["models.csv"]
    enter_strange(built_copy)
    context = load_config(built_copy)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):  # noqa: PT012
        patch.setattr(builds, "_link", dies)
        publish_tables(context, strange[1], None)
    assert published(built_copy) in (old, new)
    publish_tables(context, strange[1], None)
    assert published(built_copy) == new
