"""What the package raises."""

from __future__ import annotations

import re

import pytest

import traincompute
from pipeline.paths import CHECKOUT, Paths
from traincompute.query import run as sealed

DEAF = "select list_sum(list_transform(range(4000000), lambda x: x * x % 7))"  # it listens to no interruption


def test_a_library_raises_no_error_of_the_command_line() -> None:
    """Outside the commands, nothing ends the process."""
    found = []
    for file in sorted([*(CHECKOUT / "traincompute").rglob("*.py"), *(CHECKOUT / "pipeline").rglob("*.py")]):
        name = file.relative_to(CHECKOUT).as_posix()
        if "/commands/" not in name and file.name not in ("cli.py", "options.py", "__main__.py", "workbook.py"):
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
