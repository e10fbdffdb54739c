"""The formulas take numbers and columns alike."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pipeline.impute.flop import formulas

ROWS = pd.DataFrame({"a": [7e9, 1.75e11, 3.3e8], "b": [2e12, 3e11, np.nan], "c": [0.3, 0.41, 0.5]})


@pytest.mark.parametrize("name", ["counted", "from_chips", "from_passes", "with_base", "lower", "upper", "chip_hours"])
def test_numbers_and_columns_give_the_same(name: str) -> None:
    function = getattr(formulas, name)
    columns = ["a", "c"] if name in ("lower", "upper") else ["a", "b", "c"][: function.__code__.co_argcount]
    in_columns = function(*(ROWS[column] for column in columns)).to_numpy()
    on_numbers = [function(*row) for row in ROWS[columns].itertuples(index=False)]
    np.testing.assert_allclose(on_numbers, in_columns, rtol=1e-12, equal_nan=True)


def test_gpt_3_takes_what_its_paper_prints() -> None:
    """3.14e23 FLOP from 174.6e9 parameters and 300e9 tokens: arXiv:2005.14165, table D.1."""
    assert formulas.counted(formulas.FLOP_PER_PARAMETER_AND_TOKEN, 174.6e9, 300e9) == pytest.approx(3.14e23, rel=1e-2)
