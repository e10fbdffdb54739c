"""Tables that are expensive to make: kept under what they are made from; and the counts above thresholds as a table."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.trends import cached as keeping
from pipeline.impute.trends.thresholds import make_thresholds
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import Column, TableSchema, load_schema
from traincompute.base.quantiles import QUANTILES

COLUMNS = Column("row_id", "string", "The id."), Column("n", "number", "A number.", "1")
TABLE = TableSchema("made", "Made", "One row each.", ("row_id",), COLUMNS)
SEEN = pd.DataFrame({"a": [1.0, 2.0]})


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only module that tables are made by."""
    file = tmp_path / "pipeline" / "impute" / "flop" / "one.py"
    file.parent.mkdir(parents=True)
    file.write_text("1")
    monkeypatch.setattr(keeping, "CHECKOUT", tmp_path)
    return file


def makes(paths: Paths, seen: pd.DataFrame, number: float = 1.5) -> bool:
    """Whether the table is made, and not found; either way it is right."""
    calls: list[int] = []

    def make() -> pd.DataFrame:
        calls.append(1)
        return pd.DataFrame({"row_id": pd.Series(["r"], dtype="str"), "n": [number]})

    assert keeping.cached(paths, TABLE, seen, make)["n"].tolist() == [number]
    return bool(calls)


def test_a_table_is_made_once_of_the_same_rows_code_and_libraries(
    tmp_path: Path, code: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = Paths(tmp_path)
    assert makes(paths, SEEN)
    assert not makes(paths, SEEN.set_axis([7, 8]))
    assert makes(paths, SEEN * 2)
    assert makes(paths, SEEN.rename(columns={"a": "b"}))
    code.write_text("2")
    assert makes(paths, SEEN)
    monkeypatch.setattr(np, "__version__", "9")
    assert makes(paths, SEEN)
    monkeypatch.setattr(sys, "version", "9")
    assert makes(paths, SEEN)
    assert len(list((tmp_path / "data" / "cache" / "tables").glob("made-*.parquet"))) == 6


def test_the_twelve_newest_tables_are_kept_and_a_damaged_one_is_made_again(tmp_path: Path, code: Path) -> None:
    paths, folder = Paths(tmp_path), tmp_path / "data" / "cache" / "tables"
    folder.mkdir(parents=True)
    for age in range(13):
        (folder / f"old-{age:02d}.parquet").write_bytes(b"")
        os.utime(folder / f"old-{age:02d}.parquet", (1e9 - age, 1e9 - age))
    assert makes(paths, SEEN)
    (file,) = folder.glob("made-*.parquet")
    assert sorted(folder.iterdir()) == [file, *(folder / f"old-{age:02d}.parquet" for age in range(11))]
    whole, number = file.read_bytes(), np.float64(1.5).tobytes()
    assert number in whole
    file.write_bytes(whole.replace(number, np.float64(2.5).tobytes(), 1))
    assert makes(paths, SEEN), "its page is not as it was written"
    assert file.read_bytes() == whole


def test_runs_above_four_thresholds_by_year_of_all_models_and_of_the_notable_ones() -> None:
    models = pd.DataFrame(
        {"model_id": ["a", "b", "c"], "training_run_id": ["a", "b", "c"], "is_notable": [True, False, True],
         "publication_date": pd.to_datetime(["2017-03-01", "2018-04-01", "2018-05-01"]), "organization": "O",
         "training_compute_flop": [1e23, 2e26, 3e24], "training_compute_source": "reported"}
    )  # fmt: skip
    said = models[["model_id"]].assign(tier=0, method=None, least_flop=np.nan, most_flop=np.nan)
    said = said.assign(
        **{
            name: models["training_compute_flop"] * factor
            for name, factor in zip(QUANTILES, (0.8, 0.9, 1, 1.1, 1.2), strict=True)
        }
    )
    table = load_schema(Paths(CHECKOUT).schemas / "thresholds.yml", Paths(CHECKOUT))
    made = make_thresholds(models, said, table)
    found = dict(zip(made["threshold_id"], made["runs"], strict=True))
    assert found == {
        f"{power}:{scope}:{day}": runs
        for power, counts in (
            ("1e23", (1, 3, 1, 2)),
            ("1e24", (0, 2, 0, 1)),
            ("1e25", (0, 1, 0, 0)),
            ("1e26", (0, 1, 0, 0)),
        )
        for (scope, day), runs in zip(
            (("all", "2017-12-31"), ("all", "2018-05-01"), ("notable", "2017-12-31"), ("notable", "2018-05-01")),
            counts,
            strict=True,
        )
    }
    assert list(made) == table.names
    assert sorted(set(made["threshold_flop"])) == [1e23, 1e24, 1e25, 1e26]
    assert made.loc[made["threshold_id"] == "1e24:notable:2018-05-01", "expected_tier_0"].tolist() == pytest.approx(
        [1], abs=0.01
    )
