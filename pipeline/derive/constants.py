"""The constants of the derived columns: schemas/constants/derivation.yml."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pipeline.paths import Paths
from pipeline.yamlfile import load_yaml

if TYPE_CHECKING:
    import pandas as pd

Constants = Mapping[str, Mapping[str, Any]]


def load_constants(paths: Paths) -> Constants:
    """Subject → name → value. Raises DataError where the file is missing or no YAML."""
    file = paths.schemas / "constants" / "derivation.yml"
    constants: Constants = load_yaml(file, paths.short(file))
    return constants


def by_word(names: pd.Series, table: Mapping[str, float]) -> pd.Series:
    """The value of the first word of the table that occurs in each name, else that of `default`; null without a name."""
    known = {
        name: next((value for word, value in table.items() if word in name), table["default"])
        for name in names.dropna().unique()
    }
    return names.map(known).astype("float64")
