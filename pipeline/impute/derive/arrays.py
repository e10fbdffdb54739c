"""The constants of the derived columns: schemas/constants.yml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

# The derived columns are worked out on plain arrays: on a thousand rows a pandas operation takes a hundred times what
# its arithmetic takes, and there are hundreds of them.
Arrays = dict[str, "np.ndarray"]


def by_word(name: str, table: Mapping[str, Any]) -> Any:
    """The value of the first word of the table that occurs in the name, else that of `default`."""
    return next((value for word, value in table.items() if word in name), table["default"])


def texts(template: str, *columns: Iterable[object]) -> np.ndarray:
    """The template with the numbers of each row put in; {:.4g} is how formulas print them."""
    write = template.format
    return np.array([write(*row) for row in zip(*columns, strict=True)], dtype=object)


def significant(values: np.ndarray) -> np.ndarray:
    """Numbers with twelve significant digits, since powers and logarithms may differ in the last bit between machines."""
    return np.array([float(f"{value:.12g}") for value in values.tolist()], dtype="float64")


def subset(columns: Arrays, rows: np.ndarray) -> Arrays:
    """The columns with only those rows (a mask or positions)."""
    return {name: values[rows] for name, values in columns.items()}
