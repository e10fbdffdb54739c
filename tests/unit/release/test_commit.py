"""From which commit a release is made, and its date; git itself answers in tests/data/test_releases.py."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.release import commit
from pipeline.release.commit import Commit, read_commit

SHA = "c0ffee" + "0" * 34
Answer = Callable[..., None]


@pytest.fixture
def git(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Says what git answers: HEAD, the files that differ, and the second of the commit; None where it fails."""
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)

    def answer(sha: str | None = SHA, status: str | None = "", second: str = "1795305600") -> None:  # 2026-11-22, 0:00
        def run(command: list[str], *, capture_output: bool, text: bool, check: bool, **_: Any) -> Any:
            said = {"rev-parse": sha, "status": status, "show": second}[command[3]]
            if said is None and check:
                raise subprocess.CalledProcessError(128, command)
            return subprocess.CompletedProcess(command, 0, f"{said}\n" if capture_output and text else None)

        monkeypatch.setattr(commit.subprocess, "run", run)

    return answer


def test_a_release_bears_the_commit_and_its_day(git: Answer, tmp_path: Path) -> None:
    git()
    assert read_commit(Paths(tmp_path), allow_dirty=False) == Commit(SHA, "2026-11-22")


def test_the_day_may_be_given_and_a_trial_says_that_it_is_one(
    git: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86399")  # the last second of 1970-01-01 in UTC
    git(status=" M a.csv")
    assert read_commit(Paths(tmp_path), allow_dirty=True) == Commit(f"{SHA}-dirty", "1970-01-01")
    git(sha=None)
    assert read_commit(Paths(tmp_path), allow_dirty=True) == Commit(None, "1970-01-01")


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("a.csv", "a.csv differ"),
        ("a.csv b.csv c.csv", "a.csv, b.csv, c.csv differ"),
        ("a.csv b.csv c.csv d.csv", "a.csv, b.csv, c.csv and 1 more differ"),
        ("a.csv b.csv c.csv d.csv e.csv", "a.csv, b.csv, c.csv and 2 more differ"),
    ],
)
def test_files_that_differ_are_named(git: Answer, tmp_path: Path, names: str, told: str) -> None:
    git(status="\n".join(f"?? {name}" for name in names.split()))
    with pytest.raises(DataError, match=f"^release: {told} from the commit; commit first"):
        read_commit(Paths(tmp_path), allow_dirty=False)


def test_where_git_knows_no_commit_or_fails_there_is_no_release(git: Answer, tmp_path: Path) -> None:
    git(sha=None)
    with pytest.raises(DataError, match=f"{tmp_path} is not a git checkout"):
        read_commit(Paths(tmp_path), allow_dirty=False)
    git(status=None)
    with pytest.raises(DataError, match=f"git cannot tell which files of {tmp_path} differ from the commit"):
        read_commit(Paths(tmp_path), allow_dirty=True)


@pytest.mark.parametrize(("epoch", "shown"), [("", ""), ("yesterday", ' "yesterday"')])
def test_without_a_date_there_is_no_release(
    git: Answer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, epoch: str, shown: str
) -> None:
    git(sha=None)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(DataError, match=f"release: SOURCE_DATE_EPOCH{shown}: gives no date; set it to seconds"):
        read_commit(Paths(tmp_path), allow_dirty=True)


def test_the_code_must_be_that_of_the_commit(git: Answer, tmp_path: Path) -> None:
    git()
    assert read_commit(Paths(CHECKOUT), allow_dirty=False).sha == SHA
    (tmp_path / "pipeline").mkdir()
    (tmp_path / "pipeline" / "__init__.py").touch()
    with pytest.raises(DataError, match=f"the running code is from {CHECKOUT}, but the data is from {tmp_path}"):
        read_commit(Paths(tmp_path), allow_dirty=False)
