"""The build as a whole: the order of its steps."""

from __future__ import annotations

import json
import shutil
from typing import Any
from unittest import mock

import pytest
from checkouts import unpublished

from pipeline import build
from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths


def test_nothing_is_written_that_was_not_checked(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    checked: set[int] = set()
    added: list[str] = []
    check = build.check_tables

    def noted(context: Any, tables: Any, claims: Any = None) -> Any:
        checked.update(map(id, tables.values()))
        return check(context, tables, claims)

    def compared(tables: Any) -> None:
        assert {name for name, frame in tables.items() if id(frame) not in checked and len(frame)} == set()
        added.extend(tables)

    monkeypatch.setattr(build, "check_tables", noted)
    with mock.patch.object(build, "publication") as publication:  # which takes half of the time
        publication.return_value.__enter__.return_value.add = compared
        build.build(small)
    assert {"models", "claims", "estimates", "trends"} <= set(added)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "table",
    [*(pytest.param(name, marks=pytest.mark.thorough) for name in ("revisions", "claims", "organizations")), "models"],
)
def test_a_table_that_breaks_its_schema_leaves_nothing_behind(
    small: Paths, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    check = build.check_tables

    def refused(context: Any, tables: Any, claims: Any = None) -> Any:
        if table in tables:
            raise DataError([Problem(table, "", "", "", "breaks a rule", "look at it")])
        return check(context, tables, claims)

    monkeypatch.setattr(build, "check_tables", refused)
    with pytest.raises(DataError, match=f"{table}.*breaks a rule"):
        build.build(small)
    assert not list(small.processed.glob("*.parquet"))
    assert not list((small.processed / ".builds").iterdir())


@pytest.mark.thorough
@pytest.mark.parametrize(
    "keeps_source",
    [True, pytest.param(False, marks=pytest.mark.thorough)],
    ids=["a source without snapshots", "no source"],
)
def test_a_checkout_without_chips_builds_without_estimates_by_them(small: Paths, keeps_source: bool) -> None:
    """What a model ran on stays as it is printed, without a link to a chip."""
    folder, lock = small.raw / "epoch_hardware", json.loads(small.lock.read_text())
    del lock["epoch_hardware"]
    small.lock.write_text(json.dumps(lock))
    (folder / "facts.csv").unlink()
    if not keeps_source:
        shutil.rmtree(folder)
    made = unpublished(small)
    assert made["hardware"].empty
    estimates = made["estimates"]
    assert estimates.loc[estimates["method"] == "hardware", "value"].isna().all()
    assert estimates.query("method == 'operation_counting'")["value"].notna().any()
    assert "NVIDIA GeForce GTX 580" in set(made["model_hardware"]["mention"])
    assert made["model_hardware"]["hardware_id"].isna().all()
