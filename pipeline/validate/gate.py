"""The release gate, between normalize and validate: what moved too far since the last release is held.

Each stated cell is compared with the same cell of the release. The records behind a change that is held are read as of
the release, with its corrections, and normalize runs again, so that all that follows from them stays consistent. A line
of data/raw/curated/waivers.csv accepts a change."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.config import Config
from pipeline.curated import Waiver, load_curated
from pipeline.errors import DataError, Problem
from pipeline.frames import Tables
from pipeline.names import clean_name, skeleton, slug
from pipeline.normalize.facts import Held
from pipeline.released import INTERVAL, MODELS, Baseline, read_baseline
from pipeline.schema import LIST_SEPARATOR, TableSchema
from traincompute.show.rows import exact

PASSES = 3  # times that normalize runs again
FIELDS = {"base_model_id": "base_model"}  # column → field of its claim
CLOSE = 1e-9  # the share by which two spellings of one number may differ
AS_OF = "no gate       a vintage says what was said on its day"
NO_GATE = "no gate       data/raw/released.parquet is missing: nothing is compared with the last release"
ACCEPT = "accept a change by a line in data/raw/curated/waivers.csv, or correct it"
FILE = ".findings.json"
SHOWN = 10  # listed lines that a build prints

Record = tuple[str, str]  # source_id and record
Normalize = Callable[[Held, Sequence[Mapping[str, Any]]], Tables]

# --- What moved too far: a rule is a mask over the cells of one column, and the first that holds for a cell counts

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
        keys = old[column].map(key_of, na_action="ignore")
        owners: Mapping[Any, list[str]] = old.index.to_series().groupby(keys).agg(list).to_dict()
        for key, value in fresh[column].dropna().items():
            same = owners.get(key_of(value), [])
            if replaced := left.intersection(same):
                yield Finding(MODELS, str(key), ANY, "renamed", "", value)
                yield from (Finding(MODELS, other, ANY, "replaced", value, "") for other in sorted(replaced))
            elif len(same) == 1:
                yield Finding(MODELS, str(key), ANY, "same_link", same[0], value)


# --- What is held


class Verdict(NamedTuple):
    """What the gate let through: the normalized tables, the records that were held and the days that they are read as
    of, the findings (the held ones first), and the waivers that applied to nothing."""

    tables: Tables
    held: Held
    findings: list[Finding]
    idle: list[str]
    note: str = ""


def through_gate(
    context: Config, as_of: date | None, tables: Tables, ledger: pd.DataFrame, normalize: Normalize
) -> Verdict:
    """The normalized tables, with what moved too far since the release read as of the release. `normalize` makes them
    again with the records to hold and the corrections; `ledger` has every fact with its subject and model_id. A
    vintage, or a checkout without a baseline, has no gate."""
    released = None if as_of else read_baseline(context.paths)
    if released is None:
        return Verdict(tables, {}, [], [], AS_OF if as_of else NO_GATE)
    waivers = load_curated(context.paths, Waiver)
    days = ledger["source_id"].map({name: pd.Timestamp(day) for name, (day, _) in released.snapshots.items()})
    changed = ledger[(ledger["since"] > days) | (ledger["until"] > days)]
    held: dict[Record, date] = {}
    holding: list[Finding] = []
    used: set[Waiver] = set()
    for passes_left in reversed(range(PASSES + 1)):
        found = compare(context.schemas, released, stated_cells(context, tables))
        accepted = {finding: _accepted(finding, waivers, released.day) for finding in found}
        used = used.union(*accepted.values())
        listed = [finding for finding in found if not accepted[finding] and finding not in holding]
        more = _to_hold(context, tables["claims"], ledger, listed, changed)
        as_released = {record: released.snapshots[record[0]][0] for records in more.values() for record in records}
        if not passes_left or as_released.keys() <= held.keys():
            break
        holding += more
        held |= as_released
        tables = normalize(held, _corrections_with(released, held, context.corrections))
    findings = [*(finding._replace(is_held=True) for finding in holding), *listed]
    idle = [",".join(map(str, waiver[:-1])) for waiver in waivers if waiver not in used]  # but for the line's number
    return Verdict(tables, held, findings, idle)


def _ids(context: Config, facts: pd.DataFrame) -> list[str]:
    """The key of the row that each fact is about: the model_id, or else the slug of the record's name."""
    known: Mapping[str, Any] = {name: vocabulary.lookup for name, vocabulary in context.vocabularies.items()}
    names = zip(facts["subject"], facts["record"], facts["model_id"], strict=True)
    return [model if table == MODELS else slug(known.get(table, {}).get(name) or name) for table, name, model in names]


def _to_hold(
    context: Config, claims: pd.DataFrame, ledger: pd.DataFrame, findings: Iterable[Finding], changed: pd.DataFrame
) -> dict[Finding, set[Record]]:
    """The records to hold for each finding, by the facts that changed in snapshots since the release: none where a
    person entered or corrected the cell, or where no source has changed, so that the code or an identity did it."""
    curated = [name for name, source in context.sources.items() if source.adapter == "curated"]
    is_ours = claims["source_id"].isin(curated) & claims["evidence"].notna() | claims["correction"].notna()
    selected = claims[is_ours & claims["status"].eq("selected")]
    facts = ledger[ledger["source_id"].isin(curated) & ledger["until"].isna() & ledger["subject"].ne(MODELS)]
    ours = {(MODELS, *cell) for cell in zip(selected["model_id"], selected["field"], strict=True)}
    ours |= set(zip(facts["subject"], _ids(context, facts), facts["field"], strict=True))
    records, changed = dict[Finding, set[Record]](), changed.assign(id=_ids(context, changed))
    for finding in findings:
        if finding.rule not in HELD or (*finding[:2], FIELDS.get(finding.column, finding.column)) in ours:
            continue
        rows = changed[changed["subject"] == finding.table]
        if finding.id == WHOLE:  # all records of the sources that moved the column
            moved = rows[rows["field"] == finding.column]["source_id"].value_counts()
            rows = rows[rows["source_id"].isin(moved.index[moved > moved.sum() / 10])]
        else:
            rows = rows[rows["id"] == finding.id]
        if len(rows):
            records[finding] = set(zip(rows["source_id"], rows["record"], strict=True))
    return records


def _corrections_with(released: Baseline, held: Held, entries: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The corrections, those of held records as they were at the release."""
    before = {key: entry for key, entry in released.corrections.items() if (entry["source"], entry["record"]) in held}
    now = [entry for entry in entries if (entry["source"], entry["record"]) not in held and entry["id"] not in before]
    return [*now, *before.values()]


def _accepted(finding: Finding, waivers: Iterable[Waiver], released: date) -> set[Waiver]:
    """The waivers that accept a finding. One of a whole column ends with the next release."""
    return {
        waiver
        for waiver in waivers
        if (waiver.table, waiver.column) == (finding.table, finding.column)
        and (waiver.day > released if waiver.id == WHOLE else waiver.id == finding.id)
        and (waiver.id == WHOLE or _is_same(waiver.new_value, finding.new))
    }


def _is_same(one: str, other: str) -> bool:
    """Whether two texts are the same, as numbers if they are any."""
    try:
        return math.isclose(float(one), float(other), rel_tol=CLOSE)
    except ValueError:
        return one.strip() == other.strip()


# --- What was found, for people, and for `curate status` in a file beside the build


def findings_lines(findings: Sequence[Finding], most: int | None = SHOWN) -> list[str]:
    """What the gate held, then what it lists, a line each; of what is listed only the first ones."""
    held, listed = ([str(finding) for finding in findings if finding.is_held is held] for held in (True, False))
    shown = listed[:most]
    rest = f"{len(listed) - len(shown)} more are listed by `traincompute curate status --limit {len(listed)}`"
    more = [rest] if listed != shown else []
    return [*held, *shown, *more, *([f"to release    {ACCEPT}"] if findings else [])]


def check_listed(findings: Iterable[Finding]) -> None:
    """Raises DataError for changes that are not held and that no waiver accepts."""
    DataError.raise_any(
        Problem(f.table, f.id, f.column, f.new, RULES[f.rule], ACCEPT) for f in findings if not f.is_held
    )


def write_findings(findings: Sequence[Finding], idle: Sequence[str], folder: Path) -> None:
    """Notes beside a build what was found, and the waivers that applied to nothing."""
    (folder / FILE).write_text(json.dumps({"findings": findings, "idle": idle}), encoding="utf-8")


def read_findings(folder: Path) -> tuple[list[Finding], list[str]]:
    """What was found for the build in a folder, and the waivers that applied to nothing."""
    file = folder / FILE
    noted = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {"findings": [], "idle": []}
    return [Finding(*finding) for finding in noted["findings"]], noted["idle"]
