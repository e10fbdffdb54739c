"""The build as a whole: the order of its steps."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from pipeline import build
from pipeline.paths import Paths


def test_nothing_is_written_that_was_not_checked(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: set[int] = set()
    added: list[str] = []
    check = build.check_tables

    def noted(*given: Any) -> Any:
        finished = check(*given)
        checked.update(map(id, finished.values()))
        return finished

    def compared(tables: Any) -> None:
        assert {name for name, frame in tables.items() if id(frame) not in checked and len(frame)} == set()
        added.extend(tables)

    monkeypatch.setattr(build, "check_tables", noted)
    with mock.patch.object(build, "publication") as publication:  # which takes half of the time
        out = publication.return_value.__enter__.return_value
        out.add, out.folder = compared, small.root
        build.build(small)
    assert {"models", "claims", "estimates", "trends"} <= set(added)
