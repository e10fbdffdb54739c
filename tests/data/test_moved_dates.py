"""What the dates of papers change, as docs/errata.md prints it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.base.paths import Paths
from pipeline.present.docs.moved_dates import _per_year, moved_dates
from pipeline.registry.constants import load_constants
from traincompute.base.places import DUCKDB_NAME


def test_ranks_with_the_date_of_a_later_version_and_of_the_paper(real: Paths) -> None:
    # Meta Pseudo Labels: arXiv:2003.10580, which the databases date by the conference of 2021
    text = moved_dates(real.processed / DUCKDB_NAME, load_constants(real))
    (line,) = [line for line in text.splitlines() if line.startswith("| Meta Pseudo Labels |")]
    upstream, here, before, now = line.strip("| ").split(" | ")[1:]
    assert (upstream, here[:7]) == ("2021-03-01", "2020-03")
    assert int(before) > int(now)
    assert "| ALIGN |" in text
    assert "| GPT-3 175B (davinci) |" not in text  # its rank is the same


def test_growth_is_the_factor_of_a_year() -> None:
    days = pd.date_range("2020-01-01", periods=1461, freq="D")
    flop = 10 ** (0.5 * np.arange(1461) / 365.25)
    models = pd.DataFrame({"day": days, "training_compute_flop": flop})
    assert _per_year(models, "day", "2020-01-01") == pytest.approx(10**0.5)
