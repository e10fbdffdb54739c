"""What changed too far since the last release: each stated cell against the same cell of the release.

A rule is a mask over the cells of one column. Where several hold for a cell the first one counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import Tables
from pipeline.names import clean_name, skeleton
from pipeline.schema import TableSchema
from pipeline.validate.findings import ANY, WHOLE, Finding
from pipeline.validate.released import INTERVAL, MODELS, Baseline
from traincompute.show.values import exact

FACTOR, MOVED, DAYS = 3, 1.1, 90
WIDE = 100  # a column is compared by factors where its 99th percentile is this many times its 1st, else by its spread
SPREAD = 1 / 3  # of the distance from the 10th to the 90th percentile
WHOLE_COLUMN, CELLS = 0.2, 20
FEW, SHARE = 5, 0.02  # rows or values gone
UNITS = ("FLOP", "FLOP/s", "OP/s", "USD", "W")  # what is held where it appears high, beside parameters
FLOP = "training_compute_flop"
PARTS = {"finetune_compute_flop": FLOP, "parameters_active": "parameters"}  # column → the whole that it is a part of
NEEDED = (FLOP, "parameters", "publication_date")  # of a notable model


def compare(schemas: Mapping[str, TableSchema], released: Baseline, stated: Tables) -> list[Finding]:
    """Everything that moved too far from the released to the stated cells (`baseline.stated_cells`)."""
    findings: list[Finding] = []
    for name in sorted(released.tables.keys() & stated.keys()):
        old, new = released.tables[name], stated[name]
        findings += _rows(name, old, new)
        before = old.reindex(new.index)
        rows = pd.DataFrame({"is_new": old.index.get_indexer(new.index) < 0}, index=new.index)
        rows["was_notable"] = before["is_notable"].fillna(False).astype(bool) if name == MODELS else False
        for column in old.columns.intersection(new.columns):
            if (differs := _differs(before[column], new[column])).any():
                cells = rows[differs].assign(before=before[column][differs], after=new[column][differs])
                findings += _column(schemas[name], str(column), cells, old, released.intervals)
    if MODELS in stated:
        lost_flag = {finding.id for finding in findings if finding.rule == "flag"}
        findings += _same_link(released.tables[MODELS], stated[MODELS], lost_flag)
    return list(dict.fromkeys(findings))


def _rows(table: str, old: pd.DataFrame, new: pd.DataFrame) -> Iterator[Finding]:
    """The findings of rows that are gone."""
    gone = old.index.difference(new.index)
    if len(gone) >= max(FEW, SHARE * len(old)):
        yield Finding(table, WHOLE, ANY, "rows", str(len(old)), str(len(old) - len(gone)))
    if table == MODELS:
        yield from (Finding(table, key, ANY, "vanished") for key in gone[old.loc[gone, "is_notable"].eq(True)])


def _differs(before: pd.Series, after: pd.Series) -> np.ndarray:
    """Whether each cell is not as it was."""
    differs: np.ndarray = ((before != after).fillna(True) & ~(before.isna() & after.isna())).to_numpy(dtype=bool)
    return differs


def _column(
    table: TableSchema, column: str, cells: pd.DataFrame, old: pd.DataFrame, published: pd.DataFrame
) -> Iterator[Finding]:
    """The findings of a column with these changed cells (before, after, is_new, was_notable); one alone where it moved
    as a whole."""
    released, whole = old[column], old[PARTS.get(column, column)]
    filled, gone = released.notna().sum(), (cells["before"].notna() & cells["after"].isna()).sum()
    if gone >= max(FEW, SHARE * filled):
        yield Finding(table.name, WHOLE, column, "values", str(filled), str(filled - gone))
    if cells["after"].dtype.kind == "f":
        moved = int((_ratio(cells) > MOVED).sum())
        if filled >= CELLS and moved > WHOLE_COLUMN * (filled - gone):
            yield Finding(table.name, WHOLE, column, "column", str(filled), f"{moved} moved")
            return
        rules = _out_of_interval(cells, published) if column == FLOP else {}
        is_watched = table.column(column).unit in UNITS or column.startswith("parameters")
        rules |= _numbers(cells, released, whole.max() if is_watched else np.nan)
    else:
        rules = _dates(cells) if cells["after"].dtype.kind == "M" else _texts(column, cells)
    if column in NEEDED:
        rules["lost"] = cells["was_notable"] & cells["before"].notna() & cells["after"].isna()
    first = pd.Series("", cells.index)
    for rule, holds in reversed(rules.items()):
        first = first.mask(holds.fillna(False).astype(bool), rule)
    for key, rule in first[first != ""].items():
        shown = _shown(cells.at[key, "before"]), _shown(cells.at[key, "after"])
        yield Finding(table.name, str(key), column, rule, *shown)


def _shown(value: Any) -> str:
    """A value as text: numbers in full, days in ISO form, texts without control characters."""
    if pd.isna(value):
        return ""
    if isinstance(value, pd.Timestamp):
        return f"{value:%Y-%m-%d}"
    return clean_name(value) if isinstance(value, str) else exact(getattr(value, "item", lambda: value)())


def _ratio(cells: pd.DataFrame) -> pd.Series:
    """How many times the smaller of two positive numbers the larger one is."""
    both = cells[(cells["before"] > 0) & (cells["after"] > 0)]
    ratio: pd.Series = (both["after"] / both["before"]).reindex(cells.index)
    return ratio.where(ratio > 1, 1 / ratio)


def _numbers(cells: pd.DataFrame, released: pd.Series, largest: float) -> dict[str, pd.Series]:
    """The rules of numbers. `largest` is the largest that a new record may have; null where it is only listed if a
    value appears high."""
    before, after, ratio = cells["before"], cells["after"], _ratio(cells)
    values = released[released > 0].astype("float64")
    low, p10, p90, high = values.quantile([0.01, 0.1, 0.9, 0.99]) if len(values) > 1 else [np.nan] * 4
    rules = {"factor": (ratio > FACTOR) | (before > 0) & (after <= 0) | (before <= 0) & (after > high)}
    if high < WIDE * low:
        rules["spread"] = ((after - before).abs() > SPREAD * (p90 - p10)) & (ratio > MOVED)
    rules["appears" if np.isnan(largest) else "high"] = before.isna() & ~cells["is_new"] & (after > high)
    return rules | {"highest": cells["is_new"] & (after > largest), "high_record": cells["is_new"] & (after > high)}


def _out_of_interval(cells: pd.DataFrame, published: pd.DataFrame) -> dict[str, pd.Series]:
    """The rule of a training compute that appears: what was published for the model must have been near."""
    low, high = (published[name].reindex(cells.index) for name in INTERVAL)
    beyond = (cells["after"] > FACTOR * high) | (cells["after"] < low / FACTOR)
    return {"interval": cells["before"].isna() & ~cells["is_new"] & beyond}


def _dates(cells: pd.DataFrame) -> dict[str, pd.Series]:
    before, after = cells["before"].dt, cells["after"].dt
    exchanged = (before.year == after.year) & (before.month == after.day) & (before.day == after.month)
    return {"date": (cells["after"] - cells["before"]).dt.days.abs() > DAYS, "day_and_month": exchanged}


def _texts(column: str, cells: pd.DataFrame) -> dict[str, pd.Series]:
    """The rules of the texts and of the flag of models."""
    had, has = cells["before"].notna(), cells["after"].notna()
    match column:
        case "organization" | "country":
            return {column: had & cells["was_notable"]}
        case "hardware":
            chips = cells[["before", "after"]].apply(lambda texts: texts.fillna("").str.split(";").map(frozenset))
            return {column: had & cells["was_notable"] & (chips["before"] != chips["after"])}
        case "base_model_id":
            return {"base": had & has, "base_appears": ~had & ~cells["is_new"]}
        case "is_notable":
            return {"flag": cells["was_notable"]}
    return {}


def _same_link(old: pd.DataFrame, new: pd.DataFrame, lost_flag: set[str]) -> Iterator[Finding]:
    """New models with the link or the name of a released one. Where that vanished or is no longer notable the two are
    held together."""
    left = lost_flag | set(old.index.difference(new.index))
    fresh = new.loc[new.index.difference(old.index)]
    for column, key_of in (("link", str), ("name", skeleton)) if len(fresh) else ():
        owners: dict[str, list[str]] = {}
        for key, value in old[column].dropna().items():
            owners.setdefault(key_of(value), []).append(str(key))
        for key, value in fresh[column].dropna().items():
            same = owners.get(key_of(value), [])
            if replaced := left.intersection(same):
                yield Finding(MODELS, str(key), ANY, "renamed", "", value)
                yield from (Finding(MODELS, other, ANY, "replaced", value, "") for other in sorted(replaced))
            elif len(same) == 1:
                yield Finding(MODELS, str(key), ANY, "same_link", same[0], value)
