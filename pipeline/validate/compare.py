"""What changed too far since the last release: each stated cell against the same cell of the release.

A rule is a mask over the cells of one column. Where several hold for a cell the first one counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.config import Config
from pipeline.frames import Tables
from pipeline.names import clean_name, skeleton
from pipeline.released import INTERVAL, MODELS, Baseline
from pipeline.schema import LIST_SEPARATOR, TableSchema
from traincompute.show.values import exact

# of models compared besides numbers and dates
OF_MODELS = ["name", "organization", "domains", "base_model_id", "hardware", "is_notable"]
WHOLE, ANY = "*", "*"  # as id: the column; as column: the record
FACTOR, MOVED, DAYS = 3, 1.1, 90
WIDE = 100  # a column is compared by factors where its 99th percentile is this many times its 1st, else by its spread
SPREAD = 1 / 3  # of the distance from the 10th to the 90th percentile
WHOLE_COLUMN, CELLS = 0.2, 20
FEW, SHARE = 5, 0.02  # rows or values gone
UNITS = ("FLOP", "FLOP/s", "OP/s", "USD", "W")  # what is held where it appears high, beside parameters
FLOP = "training_compute_flop"
PARTS = {"finetune_compute_flop": FLOP, "parameters_active": "parameters"}  # column → the whole that it is a part of
NEEDED = (FLOP, "parameters", "publication_date")  # of a notable model
HELD = {
    "factor": "changed by more than a factor of 3",
    "spread": "moved by more than a third of the usual range of its column",
    "date": "moved by more than 90 days",
    "day_and_month": "day and month changed places",
    "organization": "another first organisation",
    "hardware": "other hardware",
    "flag": "no longer notable",
    "base": "another base model",
    "interval": "a new value beyond three times the published interval",
    "high": "a new value above 99 % of its column",
    "highest": "a new record above all values of its column",
    "column": "a fifth of the column moved by more than 10 %",
    "renamed": "a new record with the link or name of one that vanished or is no longer notable",
    "replaced": "vanished, and a new record has its link or name",
}
LISTED = {
    "high_record": "a new record above 99 % of its column",
    "appears": "a new value above 99 % of its column",
    "base_appears": "a base model where there was none",
    "country": "another country",
    "domain": "a domain that is gone",
    "name": "another name",
    "lost": "a value that is gone",
    "vanished": "a notable model that is gone",
    "same_link": "a new record with the link or name of another",
    "rows": "rows that are gone",
    "values": "values that are gone",
}
RULES = HELD | LISTED


class Finding(NamedTuple):
    """A cell that changed: table, key of the row ("*" for the whole column), column ("*" for the whole row), the rule,
    and the released and the new value as texts; `is_held` where the record is read as of the release."""

    table: str
    id: str
    column: str
    rule: str
    old: str = ""
    new: str = ""
    is_held: bool = False

    def __str__(self) -> str:
        change = f": {self.old or 'nothing'} → {self.new or 'nothing'}" if self.old or self.new else ""
        label = "held  " if self.is_held else "listed"
        return f"{label} {self.table} {self.id} {self.column}{change} ({RULES[self.rule]})"


def stated_cells(context: Config, tables: Mapping[str, pd.DataFrame]) -> Tables:
    """Of `models` (before anything is imputed) and of each table of records the cells that the gate compares, by key:
    numbers and dates without a formula ("as stated, else …" is none); of models also names, first organisation and
    country, domains, link, base model, hardware and the notable flag."""
    cells: Tables = {}
    for name in sorted({source.subject for source in context.sources.values()} & tables.keys()):
        frame, table = tables[name], context.schemas[name]
        measured = [c for c in table.columns if c.type in ("number", "integer", "date")]
        stated = {c.name for c in measured if not c.derived or c.derived.startswith("as stated")}
        cells[name] = frame[[c for c in table.names if c in stated or (name == MODELS and c in OF_MODELS)]]
        if name == MODELS:
            link = frame["arxiv_id"].fillna(frame["reference_url"])
            cells[name] = cells[name].assign(country=frame["countries"].str.replace(";.*", "", regex=True), link=link)
        cells[name] = cells[name].set_axis(pd.Index(frame[table.key], name="id"))
    return cells


def compare(schemas: Mapping[str, TableSchema], released: Baseline, stated: Tables) -> list[Finding]:
    """Everything that moved too far from the released to the stated cells (`stated_cells`)."""
    findings: list[Finding] = []
    for name in sorted(released.tables.keys() & stated.keys()):
        old, new = released.tables[name], stated[name]
        gone = old.index.difference(new.index)
        if len(gone) >= max(FEW, SHARE * len(old)):
            findings.append(Finding(name, WHOLE, ANY, "rows", str(len(old)), str(len(old) - len(gone))))
        if name == MODELS:
            findings += [Finding(name, key, ANY, "vanished") for key in gone[old.loc[gone, "is_notable"].eq(True)]]
        before, is_new = old.reindex(new.index), ~new.index.isin(old.index)
        was_notable = before["is_notable"].eq(True) if name == MODELS else False
        for column in old.columns.intersection(new.columns):
            cells = pd.DataFrame({"before": before[column], "after": new[column]})
            cells = cells.assign(is_new=is_new, was_notable=was_notable)
            differs = (cells["before"] != cells["after"]).fillna(True) & cells[["before", "after"]].notna().any(axis=1)
            if differs.any():
                findings += _column(schemas[name], str(column), cells[differs], old, released.intervals)
    if MODELS in stated:
        lost_flag = {finding.id for finding in findings if finding.rule == "flag"}
        findings += _same_link(released.tables[MODELS], stated[MODELS], lost_flag)
    return list(dict.fromkeys(findings))


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
        larger = cells[["before", "after"]].where(cells[["before", "after"]] > 0)
        ratio = larger.max(axis=1, skipna=False) / larger.min(axis=1, skipna=False)
        moved = int((ratio > MOVED).sum())
        if filled >= CELLS and moved > WHOLE_COLUMN * (filled - gone):
            yield Finding(table.name, WHOLE, column, "column", str(filled), f"{moved} moved")
            return
        is_watched = table.column(column).unit in UNITS or column.startswith("parameters")
        rules = _numbers(cells, ratio, released, whole.max() if is_watched else np.nan)
        if column == FLOP:  # what was published for the model must have been near
            low, high = (published[name].reindex(cells.index) for name in INTERVAL)
            beyond = (cells["after"] > FACTOR * high) | (cells["after"] < low / FACTOR)
            rules = {"interval": cells["before"].isna() & ~cells["is_new"] & beyond} | rules
    elif cells["after"].dtype.kind == "M":
        before, after = cells["before"].dt, cells["after"].dt
        exchanged = (before.year == after.year) & (before.month == after.day) & (before.day == after.month)
        rules = {"date": (cells["after"] - cells["before"]).dt.days.abs() > DAYS, "day_and_month": exchanged}
    else:
        rules = _texts(column, cells)
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


def _numbers(cells: pd.DataFrame, ratio: pd.Series, released: pd.Series, largest: float) -> dict[str, pd.Series]:
    """The rules of numbers. `ratio` says how many times the smaller of two positive ones the larger is; `largest` is
    the largest that a new record may have, null where it is only listed if a value appears high."""
    before, after = cells["before"], cells["after"]
    values = released[released > 0].astype("float64")
    low, p10, p90, high = values.quantile([0.01, 0.1, 0.9, 0.99]) if len(values) > 1 else [np.nan] * 4
    rules = {"factor": (ratio > FACTOR) | (before > 0) & (after <= 0) | (before <= 0) & (after > high)}
    if high < WIDE * low:
        rules["spread"] = ((after - before).abs() > SPREAD * (p90 - p10)) & (ratio > MOVED)
    rules["appears" if np.isnan(largest) else "high"] = before.isna() & ~cells["is_new"] & (after > high)
    return rules | {"highest": cells["is_new"] & (after > largest), "high_record": cells["is_new"] & (after > high)}


def _texts(column: str, cells: pd.DataFrame) -> dict[str, pd.Series]:
    """The rules of the texts and of the flag of models."""
    had, has, was_notable = cells["before"].notna(), cells["after"].notna(), cells["was_notable"]
    before, after = (cells[name].astype("str").fillna("").str.split(LIST_SEPARATOR) for name in ("before", "after"))
    rules = {
        "organization": {"organization": had & was_notable},
        "country": {"country": had & was_notable},
        "hardware": {"hardware": had & was_notable & (before.map(frozenset) != after.map(frozenset))},
        "domains": {"domain": had & was_notable & ~(before.map(frozenset) <= after.map(frozenset))},
        "base_model_id": {"base": had & has, "base_appears": ~had & ~cells["is_new"]},
        "is_notable": {"flag": was_notable},
        "name": {"name": had & has},
    }
    return rules.get(column, {})


def _same_link(old: pd.DataFrame, new: pd.DataFrame, lost_flag: set[str]) -> Iterator[Finding]:
    """New models with the link or the name of a released one. Where that vanished or is no longer notable the two are
    held together."""
    left = lost_flag | set(old.index.difference(new.index))
    fresh = new.loc[new.index.difference(old.index)]
    for column, key_of in (("link", str), ("name", skeleton)) if len(fresh) else ():
        owners = {name: [*same] for name, same in old.index.groupby(old[column].dropna().map(key_of)).items()}
        for key, value in fresh[column].dropna().items():
            same = owners.get(key_of(value), [])
            if replaced := left.intersection(same):
                yield Finding(MODELS, str(key), ANY, "renamed", "", value)
                yield from (Finding(MODELS, other, ANY, "replaced", value, "") for other in sorted(replaced))
            elif len(same) == 1:
                yield Finding(MODELS, str(key), ANY, "same_link", same[0], value)
