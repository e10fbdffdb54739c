"""The slider over the vintages: what the page shows for a day is what a build of that day has."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest

from pipeline.config import Config, load_config, load_lock, locked_snapshots
from pipeline.frames import Tables
from pipeline.normalize.stage import Read, load_ledger, read_ledger
from pipeline.paths import Paths

OLDER = locked_snapshots(load_lock(Paths()), "epoch_notable")[:-1]
FEW = [date(2022, 9, 1), date(2026, 3, 30)]
# for the notable and for all: models, values, the largest value, and runs at or above 1e25
SHOWN = """
const flags = (value) => ({ ...traincompute.current.state.flags, is_notable: value });
return ["yes", "any"].map((value) => {
  const state = { ...traincompute.current.state, flags: flags(value) };
  const { rows } = traincompute.select(state);
  const found = traincompute.figuresOf(rows, state);
  const flop = traincompute.data.column.training_compute_flop.values;
  return [rows.length, found.known, flop[found.largest], rows.filter((row) => flop[row] >= 1e25).length];
});"""


@pytest.fixture(scope="module")
def context(_real_once: tuple[Paths, Tables]) -> Config:
    return load_config(_real_once[0])


@pytest.fixture(scope="module")
def read(context: Config) -> Read:
    return read_ledger(context, load_ledger(context))


def held(models: pd.DataFrame) -> list[list[Any]]:
    """The same of a table of models, its imputed values left out."""
    flop = models["training_compute_flop"].where(models["training_compute_source"] != "imputed")
    return [
        [len(some), int(some.notna().sum()), some.max(), int((some >= 1e25).sum())]
        for some in (flop[models["is_notable"].astype("bool")], flop)
    ]
