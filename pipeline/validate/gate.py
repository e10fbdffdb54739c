"""The release gate, between normalize and validate: what moved too far since the last release is held.

The records behind such a change are read as of the release, with its corrections, and normalize runs again, so that all
that follows from them stays consistent. A line of data/raw/curated/waivers.csv accepts a change."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from pipeline.config import Config
from pipeline.curated import Waiver, load_curated
from pipeline.errors import DataError, Problem
from pipeline.frames import Tables
from pipeline.names import slug
from pipeline.normalize.facts import Held
from pipeline.released import MODELS, Baseline, read_baseline
from pipeline.validate.compare import HELD, RULES, WHOLE, Finding, compare, stated_cells

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
    more = [f"{len(listed) - len(shown)} more are listed by `traincompute curate status`"] if listed != shown else []
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
