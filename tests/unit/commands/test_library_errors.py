"""What the package raises, and what the command line makes of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import traincompute
from pipeline import cli as command
from pipeline.base.paths import CHECKOUT, Paths
from traincompute.base import errors
from traincompute.query import run as sealed

DEAF = "select list_sum(list_transform(range(4000000), lambda x: x * x % 7))"  # it listens to no interruption
TREE = {
    "ReleaseError": ValueError,
    "NotFoundError": LookupError,
    "QueryError": ValueError,
    "QueryTimeoutError": TimeoutError,
    "InputError": ValueError,
    "FileError": OSError,
    "MissingExtraError": ImportError,
}


@pytest.mark.parametrize(("name", "ordinary"), TREE.items())
def test_an_error_of_the_package_is_an_ordinary_one_too(name: str, ordinary: type[Exception]) -> None:
    error = getattr(errors, name)("what to do")
    assert isinstance(error, ordinary)
    assert isinstance(error, errors.TraincomputeError)
    assert str(error) == "what to do"


def test_a_library_raises_no_error_of_the_command_line() -> None:
    """Outside the commands, nothing ends the process, exits or raises an error of click."""
    found = []
    for file in sorted([*(CHECKOUT / "traincompute").rglob("*.py"), *(CHECKOUT / "pipeline").rglob("*.py")]):
        name = file.relative_to(CHECKOUT).as_posix()
        if "/commands/" not in name and file.name not in ("cli.py", "options.py", "__main__.py", "bounded.py"):
            lines = file.read_text(encoding="utf-8").splitlines()
            found += [
                f"{name}: {line.strip()}" for line in lines if re.search(r"raise click\.|os\._exit|sys\.exit", line)
            ]
    assert found == []


def test_a_query_that_listens_to_nothing_leaves_the_interpreter_alive(
    built: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(built.processed))
    limit = sealed.limit_time
    monkeypatch.setattr("traincompute.reader.limit_time", lambda connection, _: limit(connection, 0.2))
    monkeypatch.setattr(sealed, "GRACE_S", 0.1)
    with pytest.raises(TimeoutError, match=r"stopped after 0.2 s"):
        traincompute.sql(DEAF)
    assert traincompute.sql("select 1 as one")["one"].to_list() == [1]


def test_a_full_disk_is_said_to_leave_what_is_published(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    monkeypatch.setattr("pipeline.build.build", full)
    result = CliRunner().invoke(command.build)
    assert result.output == "Error: [Errno 28] No space left on device; the published dataset is as it was\n"
    assert result.exit_code == 1


def test_a_file_that_cannot_be_read_has_nothing_to_do_with_publishing(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "traincompute", "sql", "select 1", "--data", str(tmp_path / "none.duckdb")]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "published" not in ended.stderr
