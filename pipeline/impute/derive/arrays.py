"""What the derived columns share: columns as plain arrays, formulas as text, lookup in data/constants.yml by word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

# The derived columns are computed on plain arrays: for a thousand rows, a pandas operation takes a hundred times as
# long as its arithmetic, and there are hundreds of them.
Arrays = dict[str, "np.ndarray"]


def by_word(name: str, table: Mapping[str, Any]) -> Any:
    """The value for the first word of the table that occurs in the name, else the value for `default`."""
    return next((value for word, value in table.items() if word in name), table["default"])


def texts(template: str, *columns: Iterable[object]) -> np.ndarray:
    """The template filled in with the values of each row; formulas print numbers as {:.4g}."""
    write = template.format
    return np.array([write(*row) for row in zip(*columns, strict=True)], dtype=object)


def subset(columns: Arrays, rows: np.ndarray) -> Arrays:
    """The columns with only those rows (a mask or positions)."""
    return {name: values[rows] for name, values in columns.items()}
