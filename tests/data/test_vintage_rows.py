"""The ledger gives each day's rows of the notable file."""

from __future__ import annotations

import csv
import hashlib
import io
from datetime import date

import pandas as pd
import pytest
from machine import UPSTREAM, needs_upstream

from pipeline.config import Config, load_config, load_lock, locked_snapshots
from pipeline.normalize.facts import load_facts, vintage
from pipeline.paths import CHECKOUT, Paths
from pipeline.pull.tabular import LONGEST_NAME

DAYS = locked_snapshots(load_lock(Paths(CHECKOUT)), "epoch_notable")
WITNESSED = (
    "2025-05-20",
    "2026-01-13",
    "2026-03-10",
    "2026-06-15",
    "2026-08-19",
)  # as Our World in Data's list has them


@pytest.fixture(scope="module")
def context(real: Paths) -> Config:
    return load_config(real)


@pytest.fixture(scope="module")
def ledger(context: Config) -> pd.DataFrame:
    return load_facts(context.paths, context.sources, context.lock)


@needs_upstream
@pytest.mark.parametrize("day", DAYS, ids=str)
def test_a_vintage_has_the_named_rows_of_the_file_of_that_day(context: Config, ledger: pd.DataFrame, day: date) -> None:
    present = vintage(ledger, context.sources, context.lock, day)
    records = present.loc[present["source_id"] == "epoch_notable", "record"].nunique()
    file = UPSTREAM / "history" / "notable" / f"{day}.csv"
    newest = UPSTREAM / "epoch.ai" / "data" / "notable_ai_models.csv"  # of 2026-07-19
    text = (file if file.exists() else newest).read_text(encoding="utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    named = [
        row for row in rows if 0 < len(" ".join((row.get("Model") or row.get("System") or "").split())) <= LONGEST_NAME
    ]
    assert records == len(named)
    assert len(rows) - len(named) == (150 if day == date(2022, 9, 1) else 0)  # papers without a name, in 2022 alone


def test_the_snapshots_that_a_third_party_took_too_are_witnessed(tables: dict[str, pd.DataFrame]) -> None:
    seen = tables["snapshots"].dropna(subset=["witnessed_by"])
    days = seen["snapshot"].dt.strftime("%Y-%m-%d").groupby(seen["source_id"]).agg(list).to_dict()
    assert days == {"epoch_notable": list(WITNESSED), "epoch_large_scale": ["2026-08-19"]}
    listed = tables["witnesses"].set_index(["md5", "bytes"])["commit"]
    for row in seen.itertuples():
        assert f"/{listed.loc[(row.md5, row.bytes)]}/" in row.witness_reference


@needs_upstream
@pytest.mark.parametrize("day", WITNESSED)
def test_the_witnessed_md5_is_that_of_the_file(tables: dict[str, pd.DataFrame], day: str) -> None:
    content = (UPSTREAM / "history" / "notable" / f"{day}.csv").read_bytes()
    row = tables["snapshots"].set_index("snapshot_id").loc[f"epoch_notable:{day}"]
    assert (row["md5"], row["bytes"]) == (hashlib.md5(content, usedforsecurity=False).hexdigest(), len(content))


def test_the_newest_state_has_the_models_of_this_summer(tables: dict[str, pd.DataFrame]) -> None:
    models = tables["models"]
    assert len(models) >= 3430
    assert models["is_notable"].sum() >= 1049
    assert {"Kimi K3", "DeepSeek-V4-Pro-0813", "Solar Open2 250B"} <= set(models["name"])
