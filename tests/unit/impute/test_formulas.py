"""One definition of each formula: what the methods call is what the expressions of an engine call."""

from __future__ import annotations

import ast
from pathlib import Path

import ibis
import numpy as np
import pandas as pd
import pytest

from pipeline.base.paths import CHECKOUT
from pipeline.impute.flop import formulas

# who has to call what
CALLS = {
    "pipeline/impute/flop/methods/operation_count.py": {"counted"},
    "pipeline/impute/flop/methods/hardware.py": {"from_chips"},
    "pipeline/impute/flop/methods/forward_pass.py": {"from_passes"},
    "pipeline/impute/flop/methods/base_model.py": {"with_base"},
    "pipeline/impute/flop/result.py": {"interval"},
    "pipeline/impute/flop/residual_forest.py": {"upper"},
    "pipeline/impute/derive/columns.py": {"interval"},
    "pipeline/hub/estimates.py": {"counted", "with_base", "lower", "upper"},
}
ROWS = pd.DataFrame({"a": [7e9, 1.75e11, 3.3e8], "b": [2e12, 3e11, np.nan], "c": [0.3, 0.41, 0.5]})


def called(file: Path) -> set[str]:
    """The functions of formulas.py that a file calls."""
    calls = [node.func for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call)]
    return {
        call.attr
        for call in calls
        if isinstance(call, ast.Attribute) and isinstance(call.value, ast.Name) and call.value.id == "formulas"
    }


@pytest.mark.parametrize("file", CALLS)
def test_arithmetic_comes_from_one_place(file: str) -> None:
    assert called(CHECKOUT / file) >= CALLS[file]


def test_no_method_raises_ten_to_a_half_width_itself() -> None:
    """An interval that a method computes by itself could differ from the others."""
    for file in (CHECKOUT / "pipeline").glob("estimate/*.py"):
        powers = [n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.BinOp)]
        own = [n for n in powers if isinstance(n.op, ast.Pow) and "half" in ast.unparse(n.right)]
        assert file.name == "formulas.py" or not own, file


@pytest.mark.parametrize("name", ["counted", "from_chips", "from_passes", "with_base", "lower", "upper", "chip_hours"])
def test_columns_in_memory_and_on_an_engine_give_the_same(name: str) -> None:
    """Products exactly, even where a value is missing; powers of ten to 1e-12."""
    function = getattr(formulas, name)
    columns = ["a", "b", "c"][: function.__code__.co_argcount]
    if name in ("lower", "upper"):
        columns = ["a", "c"]
    in_memory = function(*(ROWS[column] for column in columns)).to_numpy()
    table = ibis.memtable(ROWS.astype("float64").replace({np.nan: None}))
    on_engine = (
        table.select(x=function(*(table[column] for column in columns)))["x"].to_pyarrow().to_pandas().to_numpy()
    )
    on_numbers = [function(*row) for row in ROWS[columns].itertuples(index=False)]
    limit = 0 if name not in ("lower", "upper") else 1e-12
    np.testing.assert_allclose(on_engine.astype(float), in_memory, rtol=limit, equal_nan=True)
    np.testing.assert_allclose(on_numbers, in_memory, rtol=limit, equal_nan=True)


def test_gpt_3_takes_what_its_paper_prints() -> None:
    """3.14e23 FLOP from 174.6e9 parameters and 300e9 tokens: arXiv:2005.14165, table D.1."""
    assert formulas.counted(formulas.FLOP_PER_PARAMETER_AND_TOKEN, 174.6e9, 300e9) == pytest.approx(3.14e23, rel=1e-2)


def test_the_usual_errors_are_factors_of_three_and_ten() -> None:
    assert (formulas.STATED_DEX, formulas.ASSUMED_DEX) == (0.48, 1.0)
