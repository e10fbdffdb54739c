"""docs/queries.md asks fourteen questions in one line of SQL and in one of pandas; both give the same answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import traincompute
from pipeline.base.paths import CHECKOUT

PAGE = (CHECKOUT / "docs" / "queries.md").read_text(encoding="utf-8")
SECTION = PAGE.partition("## Fourteen questions")[2].partition("\n## ")[0]
# the question, the query, the table that it printed, and the line of pandas
ASKED = re.findall(r"### (.*)\n\n```sql\n(.*)\n```\n\n(?:\|.*\n)+\n```python\n(.*)\n```\n", SECTION)


def test_there_are_fourteen_and_each_has_one_line_of_both() -> None:
    assert len(ASKED) == SECTION.count("### ") == 14


@pytest.mark.parametrize(("question", "query", "line"), ASKED, ids=[question for question, _, _ in ASKED])
def test_sql_and_pandas_agree(question: str, query: str, line: str, published: Path) -> None:
    tables = {name: _load(name, str(published)) for name in re.findall(r"^(\w+)[.\[]", line)}
    by_sql, by_pandas = traincompute.sql(query, version=str(published)), _frame(eval(line, tables))
    assert len(by_sql), "the answer is empty"
    assert _rows(by_pandas) == [[_close(value) for value in row] for row in _rows(by_sql)]


_loaded: dict[str, pd.DataFrame] = {}


def _load(name: str, folder: str) -> pd.DataFrame:
    return _loaded.setdefault(name, traincompute.load(name, version=folder))


def _frame(answer: Any) -> pd.DataFrame:
    """A number, a column or a table as a table."""
    if isinstance(answer, pd.Series):
        return answer.reset_index()
    return answer if isinstance(answer, pd.DataFrame) else pd.DataFrame([[answer]])


def _close(value: Any) -> Any:
    """A float up to rounding: the two add up in another order."""
    return pytest.approx(value, rel=1e-12, nan_ok=True) if isinstance(value, float) else value


def _rows(table: pd.DataFrame) -> list[list[Any]]:
    return table.to_numpy(dtype=object).tolist()
