"""The constants of the derived columns: schemas/constants/derivation.yml."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pipeline.paths import Paths
from pipeline.yamlfile import load_yaml

if TYPE_CHECKING:
    import numpy as np

Constants = Mapping[str, Mapping[str, Any]]
# The derived columns are worked out on plain arrays: on a thousand rows a pandas operation takes a hundred times what
# its arithmetic takes, and there are hundreds of them.
Arrays = dict[str, "np.ndarray"]


def load_constants(paths: Paths) -> Constants:
    """Subject → name → value. Raises DataError where the file is missing or no YAML."""
    file = paths.schemas / "constants" / "derivation.yml"
    constants: Constants = load_yaml(file, paths.short(file))
    return constants


def by_word(name: str, table: Mapping[str, Any]) -> Any:
    """The value of the first word of the table that occurs in the name, else that of `default`."""
    return next((value for word, value in table.items() if word in name), table["default"])


def texts(template: str, *columns: Iterable[object]) -> np.ndarray:
    """The template with the numbers of each row put in; {:.4g} is how formulas print them."""
    import numpy as np

    write = template.format
    return np.array([write(*row) for row in zip(*columns, strict=True)], dtype=object)


def significant(values: np.ndarray) -> np.ndarray:
    """Numbers with twelve significant digits, since powers and logarithms may differ in the last bit between machines."""
    import numpy as np

    return np.array([float(f"{value:.12g}") for value in values.tolist()], dtype="float64")


def subset(columns: Arrays, rows: np.ndarray) -> Arrays:
    """The columns with only those rows (a mask or positions)."""
    return {name: values[rows] for name, values in columns.items()}
