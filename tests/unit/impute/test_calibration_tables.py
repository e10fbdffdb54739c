"""The measured tables as the build reads them, and what it says where one is missing or broken."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from pipeline.errors import DataError
from pipeline.impute.flop.calibration_tables import as_csv, load_calibrated, load_measured
from pipeline.paths import Paths

FILES = {
    "coefficients": "part,name,0,1\nnear,,0.5,1\nfree,year,2,3\n",
    "capability_index": "owner,constant\n,24.0\nxAI,23.5\n",
    "intervals": "method,rows\nhardware,20\n",
    "spreads": "tree,right\n0,\n1,2\n",
}


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    made = Paths(tmp_path)
    made.calibration.mkdir(parents=True)
    for name, text in FILES.items():
        (made.calibration / f"{name}.csv").write_text(text)
    return made


def test_the_tables_are_read_as_they_were_written(paths: Paths) -> None:
    found = load_calibrated(paths)
    assert found.coefficients.loc[("free", "year")].tolist() == [2, 3]
    assert found.coefficients.loc[("near", ""), "0"] == 0.5
    assert found.capability_index["constant"].to_dict() == {"": 24.0, "xAI": 23.5}
    assert found.intervals.to_dict("list") == {"method": ["hardware"], "rows": [20]}
    assert found.spreads["right"].fillna(-1).tolist() == [-1, 2]
    assert as_csv(load_measured(paths, "intervals")) == FILES["intervals"]
    assert as_csv(pd.DataFrame({"b": [0.1 + 0.2], "a": [None]})) == "b,a\n0.30000000000000004,\n"


@pytest.mark.parametrize("text", [None, "", "method,rows\nhardware\n"])
def test_a_file_that_cannot_be_read_is_named_with_the_remedy(paths: Paths, text: str | None) -> None:
    file = paths.calibration / "intervals.csv"
    file.unlink() if text is None else file.write_text(text)
    with pytest.raises(DataError) as caught:
        load_calibrated(paths)
    said = str(caught.value)
    assert said.startswith("data/calibration/intervals.csv")
    assert "cannot be read" in said
    assert "git diff" in said
