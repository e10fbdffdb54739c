"""A Stata file (version 118): names of at most 32 characters, the meaning of each column with its unit as its label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from traincompute.base.errors import InputError
from traincompute.export.content import Column, Content
from traincompute.query.frames import to_frame

LONGEST_NAME, LONGEST_LABEL = 32, 80
LARGEST_LONG = 2_147_483_620  # beyond it Stata has its missing values
LARGEST_WHOLE = 2**53  # the largest whole number up to which a double is exact
STRL_CELL, STRL_HEAD = 8, 20  # bytes of a long text's place in a row, and around the text
WORTH_IT = 60  # bytes of a row that must be saved: long texts take longer to write
RESERVED = frozenset(
    {
        "_all",
        "_b",
        "byte",
        "_coef",
        "_cons",
        "double",
        "float",
        "if",
        "in",
        "int",
        "long",
        "_n",
        "_N",
        "_pi",
        "_pred",
        "_rc",
        "_skip",
        "str",
        "strL",
        "using",
        "with",
    }
)


def write_dta(content: Content, path: Path) -> None:
    """Writes the rows; dates are days (%td), whole numbers long or double, truth 0 and 1. Raises InputError for an
    infinite number, and for a whole one that a double cannot hold."""
    frame = to_frame(content.flat)
    names = stata_names(list(frame.columns))
    labels = dict(zip(names, map(_label, frame.columns, names, content.columns), strict=True))
    values = pd.DataFrame({new: _values(frame[old]) for old, new in zip(frame.columns, names, strict=True)})
    dates: Any = {name: "td" for name in names if values[name].dtype.kind == "M"}
    day = datetime.fromisoformat(content.edition["date"] or content.edition["facts_until"])
    title = f"traincompute {content.edition['version']}, {content.name}. CC BY 4.0, see `cite`"
    values.to_stata(
        path,
        write_index=False,
        version=118,
        convert_dates=dates,
        convert_strl=[name for name in names if _is_smaller_long(values[name])],
        variable_labels=labels,
        data_label=title[:LONGEST_LABEL],
        time_stamp=day,
    )


def _is_smaller_long(column: pd.Series) -> bool:
    """Whether a text column is smaller as strL, which keeps each text once, than as wide as its longest text."""
    if column.dtype != "object":
        return False
    once = [len(text.encode()) for text in column.unique()]
    saved = max(once, default=0) - STRL_CELL - WORTH_IT
    return sum(once) + STRL_HEAD * len(once) < saved * len(column)


def stata_names(columns: Sequence[str]) -> list[str]:
    """Names that Stata allows, each once: letters, digits and underscores, no reserved word, at most 32 characters."""
    taken: list[str] = []
    for column in columns:
        name = re.sub(r"[^A-Za-z0-9_]", "_", column) or "_"
        if name[0].isdigit() or name in RESERVED or re.fullmatch(r"str\d+", name):
            name = f"_{name}"
        tried, number = name[:LONGEST_NAME], 1
        while tried in taken:
            number += 1
            tried = f"{name[: LONGEST_NAME - len(str(number)) - 1]}_{number}"
        taken.append(tried)
    return taken


def _label(old: str, new: str, column: Column) -> str:
    known = "" if old == new else f"{old[: LONGEST_LABEL // 2]}: "
    return known + column.label(LONGEST_LABEL - len(known))


def _values(column: pd.Series) -> pd.Series:
    """The column in a type that Stata has."""
    kind = column.dtype
    if pd.api.types.is_bool_dtype(kind):
        return column.astype("boolean").astype("Int8")
    if pd.api.types.is_integer_dtype(kind):
        return _whole(column)
    if pd.api.types.is_float_dtype(kind):
        if np.isinf(column).any():
            raise InputError(f"column {column.name} holds an infinite number, which Stata does not know")
        return column.astype("float64")
    if pd.api.types.is_datetime64_any_dtype(kind):
        days: pd.Series = column.dt.tz_localize(None).astype("datetime64[ns]")
        return days
    return pd.Series(
        ["" if missing else str(value) for value, missing in zip(column, column.isna(), strict=True)], dtype="object"
    )


def _whole(column: pd.Series) -> pd.Series:
    largest = max(abs(int(column.max())), abs(int(column.min()))) if column.notna().any() else 0
    if largest > LARGEST_WHOLE:
        raise InputError(f"column {column.name} holds {largest}, which Stata cannot hold exactly; cast it to double")
    return column.astype("Int32") if largest <= LARGEST_LONG else column.astype("float64")
