"""Who else holds a file that our facts came from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from plain_source import replace

from pipeline.config import Source, read_source
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.witnesses import Witness, load_witnesses, witness_of

# what Our World in Data wrote down on 2025-04-14 of Epoch's file of notable models
MD5, SIZE = "e92dd16288c14963087815f8e954cdb4", 1043627
LEDGER = f"""record,field,value_text,locator,since,until
{MD5},bytes,{SIZE},,2026-08-19,
{MD5},commit,f7449bc532,,2026-08-19,
{MD5},file,snapshots/epoch.csv.dvc,,2026-08-19,
{MD5},md5,{MD5},,2026-08-19,
"""
STATE = "https://raw.githubusercontent.com/owid/etl/f7449bc532/snapshots/epoch.csv.dvc"
OWID = Witness("Our World in Data", STATE)


@pytest.fixture(scope="module")
def owid() -> Source:
    return read_source(CHECKOUT / "data" / "raw" / "owid_epoch" / "source.yml", "source.yml")


def test_a_file_is_witnessed_by_the_state_of_the_day_on_which_it_was_written_down(owid: Source, tmp_path: Path) -> None:
    paths = Paths(tmp_path)
    unread = [replace(owid, id="models", subject="models"), replace(owid, id="not pulled")]
    for source in (owid, unread[0]):
        (paths.raw / source.id).mkdir(parents=True)
        (paths.raw / source.id / "facts.csv").write_text(LEDGER)
    assert load_witnesses(paths, [*unread, owid]) == {(MD5, SIZE): OWID}
    assert load_witnesses(paths, unread) == {}


@pytest.mark.parametrize(
    ("files", "witness"),
    [
        ({"a.csv": {"md5": MD5, "size": SIZE}}, OWID),
        ({"a.csv": {"md5": MD5, "size": SIZE - 1}}, None),
        ({"a.csv": {"size": SIZE}}, None),  # of the first snapshots the lock has no md5
        ({"a.csv": {"md5": MD5, "size": SIZE}, "b.csv": {"md5": "0", "size": 1}}, None),
        ({}, None),
    ],
)
def test_only_a_snapshot_of_that_one_file_has_the_witness(files: dict[str, Any], witness: Witness | None) -> None:
    assert witness_of({"files": files}, {(MD5, SIZE): OWID, ("", 1): OWID}) == witness
