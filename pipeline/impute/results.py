"""What every method of estimation gives (one row per model with value, 90 % interval, formula, assumptions, reason and
the fields that it read), and numbers and texts that are equal on every machine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

from pipeline.frames import significant

FIELD = "training_compute_flop"
# the 90 and 50 % intervals and the median of an estimate
ENDS = ["low", "quantile_25", "quantile_50", "quantile_75", "high"]
SECONDS_PER_HOUR = 3600
OPERATIONS = 6  # FLOP per parameter and token in training (operation_count.py)
# How far a figure may be off either way, by the confidence word that it deserves, where nothing is measured: the
# factors of schemas/vocab/confidence.yml (epoch.ai/data/ai-models-documentation/estimation).
CONFIDENT, LIKELY = 3.0, 10.0
# The same as half-widths of a 90 % interval in dex (log10): for what sources state, and for what rests on an assumption
STATED_DEX, ASSUMED_DEX = round(math.log10(CONFIDENT), 2), round(math.log10(LIKELY), 2)
HAS_BASE = "needs the compute of the base model"
DECIMALS = 9  # of a logarithm that something is decided by

Masks = Mapping[str, pd.Series]
Numbers = TypeVar("Numbers", np.ndarray, np.float64, pd.Series, pd.DataFrame)


def make_result(
    value: pd.Series, half_width: pd.Series | float, reason: pd.Series, **parts: pd.Series | str | Masks
) -> pd.DataFrame:
    """value (FLOP), low and high (value ÷ and × 10^half_width, half_width in dex), the parts formula, assumptions and
    fields (names of the claimed fields that went in), reason. Null wherever reason is not empty. Masks by name give
    names."""
    made: dict[str, Any] = {"value": value, "low": value / 10**half_width, "high": value * 10**half_width}
    made |= {name: _join_words(part) if isinstance(part, Mapping) else part for name, part in parts.items()}
    return pd.DataFrame(made)[reason == ""].reindex(reason.index).assign(reason=reason)


def first_reason(reasons: Mapping[str, pd.Series | np.ndarray], index: pd.Index) -> pd.Series:
    """The first of the reasons whose mask is true, row by row; empty where none is."""
    code = np.select([np.asarray(mask, dtype=bool) for mask in reasons.values()], range(1, len(reasons) + 1))
    return pd.Series(np.array(["", *reasons], dtype=object)[code], index=index, dtype="str")


def _join_words(masks: Masks) -> pd.Series:
    """The names of the masks that are true, ;-joined in their order; empty where none is."""
    table = pd.DataFrame(masks)
    found, where = np.unique(table.to_numpy(dtype="bool"), axis=0, return_inverse=True)
    texts = [";".join(table.columns[row]) for row in found]
    return pd.Series(np.array(texts, dtype=object)[where.ravel()], index=table.index, dtype="str")


def join_texts(texts: pd.Series, keys: pd.Series, separator: str) -> pd.Series:
    """The texts of each key joined in their order, by key. Null keys and texts are left out."""
    stated = keys.notna() & texts.notna()
    joined: pd.Series = texts[stated].groupby(keys[stated].to_numpy(), sort=True).agg(separator.join)
    return joined.astype("str")


def has_word(texts: pd.Series, word: str) -> pd.Series:
    """Whether a ;-joined text has the word among its items. Each distinct text is examined once."""
    codes, distinct = texts.factorize()
    found = [word in text.split(";") for text in distinct]
    return pd.Series(np.array([*found, False])[codes], index=texts.index)  # -1 (no text) picks the last


def written(numbers: pd.Series) -> pd.Series:
    """Numbers as formulas print them, with four significant digits."""
    return numbers.map("{:.4g}".format).astype("str")


def rounded(numbers: pd.Series) -> pd.Series:
    """Numbers to four significant digits, so that the last bits, which differ between machines, do not show."""
    return pd.Series(significant(numbers.to_numpy(dtype="float64"), 4), index=numbers.index)


def log10(values: Numbers) -> Numbers:
    """The logarithm to DECIMALS, so that no figure hangs on the last bit; null for null."""
    return cast("Numbers", np.log10(values).round(DECIMALS))
