"""Tables of records that several vintages share."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from pipeline.normalize import stage


def test_records_are_made_again_only_where_their_facts_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    monkeypatch.setattr(stage, "_records", lambda _context, facts, _name: made.append(facts["record"][0]) or facts)
    known: stage.Records = {}
    context: Any = None
    for record, place in (("a", 3), ("a", 7), ("b", 7)):  # the place of a fact in its vintage is not the fact
        facts = pd.DataFrame({"record": [record]}, index=[place])
        assert stage._records_once(context, facts, "hardware", known)["record"].tolist() == [record]
    assert made == ["a", "b"]
