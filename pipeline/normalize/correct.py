"""Applies the declared fixes to upstream values (corrections.yml). An entry names a cell and the value that it had: an
entry whose cell never had that value is an error, and one whose cell has changed since keeps its effect until somebody
ends it; `build` and `status` list it. Values are compared, not spellings. What the source printed stays as it is; the
value that a fix gives is a claim of this project beside it. Both name the entry in their `correction` column."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Source
from pipeline.curated import BOUNDS, entry_problem
from pipeline.errors import DataError, Problem
from pipeline.frames import is_in
from pipeline.normalize.columns import hex_digits, text_hash
from pipeline.normalize.facts import IDENTITY, Vintage
from pipeline.normalize.parse import with_values, without_last_digits
from pipeline.normalize.text import DateError, parse_date
from pipeline.paths import Paths
from traincompute.citation import OWN
from traincompute.units import UnitError, parse_quantity

SIGNS = {"lower_bound": "at least", "upper_bound": "at most"}
CELL = ["source_id", "record", "field"]
STATED = ["locator", "value_text", "value", "low", "high", "unit", "code"]  # what a fact says, and where
VERDICT = ["reason_code", "reason", "correction"]
CLOSE = 1e-9  # the share by which two spellings of one number may differ
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
Entry = Mapping[Any, Any]  # of corrections.yml
Row = dict[Any, Any]  # a fact, with its label in the frame
Cells = Mapping[tuple[str, str, str], list[Row]]  # by source, record and field


def correct(claims: pd.DataFrame, vintage: Vintage) -> pd.DataFrame:
    """The claims with the entries of corrections.yml applied; a vintage knows only the entries made by its date. Those
    about a record that is held must hold on the day as of which it is read.

    drop: the claim gets a reason and is not selected. set: it does, too, and beside it stands a claim of ours, of its
    rank, with the new value and the reference of the entry. lower_bound, upper_bound: that claim has the value as a
    bound. acknowledge: no change. Where the cell has another value since, the entry does the same with that. Raises
    DataError for a new value that cannot be read."""
    entered = [entry for entry in vintage.fixes if not vintage.as_of or entry["entered"] <= vintage.as_of]
    cells = _cells(claims, entered, [*STATED, "reference", "publisher", "since", "reason_code"])
    snapshots = claims.drop_duplicates("source_id").set_index("source_id")["snapshot"].dt.date.to_dict()
    problems: list[Problem] = []
    verdicts: dict[Any, list[str]] = {}
    own: list[Row] = []
    for entry in entered:
        day = vintage.held.get((entry["source"], entry["record"]), snapshots.get(entry["source"]))
        if day is None or not in_span(entry, day) or entry["action"] == "acknowledge":
            continue
        code = "corrected" if entry["action"] == "drop" else "replaced"
        for row in _rows_of(entry, cells):
            verdicts[row["label"]] = [code, f"corrected ({entry['id']}): {entry['reason']}", str(entry["id"])]
            try:
                own += [_own_claim(entry, row)] if code == "replaced" else []
            except (UnitError, DateError) as error:
                reason = f'new_value "{entry["new_value"]}": {error.reason}'
                problems.append(entry_problem(vintage.context.paths, entry, reason, error.remedy))
    DataError.raise_any(dict.fromkeys(problems))
    verdict = pd.DataFrame(list(verdicts.values()), index=list(verdicts), columns=VERDICT, dtype="str")
    claims.loc[verdict.index, VERDICT] = verdict  # all at once: each write copies whole columns
    return with_own(claims, own, vintage.context.sources) if own else claims


def _rows_of(entry: Entry, cells: Cells) -> list[Row]:
    """The claims that an entry corrects: those with its value, or else what the cell has had since."""
    there = [row for row in _there(entry, cells) if row["reason_code"] != "held"]
    match = [row for row in there if same(entry["value_text"], row)]
    return match or [row for row in there if len(there) == 1 or row["since"].date() > entry["since"]]


def _own_claim(entry: Entry, row: Row) -> Row:
    """What differs in the claim of ours that stands in the place of a row: the entry's value as a bound, or its new
    value. Raises UnitError or DateError if that cannot be read."""
    claim = {
        "label": row["label"],
        "since": pd.Timestamp(entry["entered"]),
        "note": f"in the place of {row['value_text']} by {row['publisher']}: {entry['reason']}",
        "correction": str(entry["id"]),
        **dict.fromkeys(("value", "low", "high"), float("nan")),
        "code": "",
    }
    if entry["action"] in BOUNDS:
        text = str(entry["value_text"])
        bound = {BOUNDS[entry["action"]]: parse_quantity(text, row["unit"]).value, "reference": row["reference"]}
        return claim | bound | {"value_text": f"{SIGNS[entry['action']]} {text}"}
    new = str(entry["new_value"])
    claim |= {"value_text": new, "reference": entry["reference"]}
    if row["field"].endswith("_date"):  # not by its code: the cell may say by now what cannot be read
        day = parse_date(new)
        return claim | {"code": day.date.isoformat(), "note": day.precision}
    return claim | ({"value": parse_quantity(new, row["unit"]).value} if row["unit"] else {"code": new})


def with_own(claims: pd.DataFrame, instead: list[Row], sources: Mapping[str, Source]) -> pd.DataFrame:
    """The claims and those of ours that stand in the place of others, each once, in the order of claim_id: `instead`
    has what differs, and the `label` of the other."""
    new = pd.DataFrame(instead)
    publisher = sources[OWN].publisher
    own = claims.loc[new.pop("label")].reset_index(drop=True)
    own = own.assign(**dict.fromkeys(("reason_code", "reason", "correction", "evidence"), ""))
    own = own.assign(**new, source_id=OWN, publisher=publisher, voice=publisher)
    own["claim_id"] = hex_digits(text_hash(own, IDENTITY), own.index)  # but the hash decides ties, as it did
    own = own.sort_values(["rank", "changed", "place"], ascending=[True, False, True], kind="stable")
    own = own.drop_duplicates("claim_id", ignore_index=True)  # two files of a publisher, of which we say the same
    own, order = own.astype(claims.dtypes), np.argsort(np.append(claims["claim_id"], own["claim_id"]), kind="stable")
    pairs = zip(claims.items(), own.items(), strict=True)  # column by column, which needs less memory
    both = {name: pd.concat([old, ours], ignore_index=True).take(order) for (name, old), (_, ours) in pairs}
    return pd.DataFrame(both).reset_index(drop=True)


def same(text: object, fact: Mapping[Any, Any]) -> bool:
    """Whether a text says what a fact (STATED) says: the same number in the fact's unit, the same day, or the same
    text."""
    plain, printed = (" ".join(unicodedata.normalize("NFC", str(one)).split()) for one in (text, fact["value_text"]))
    if plain == printed:
        return True
    try:
        if DAY.fullmatch(fact["code"] or ""):
            return bool(parse_date(plain).date.isoformat() == fact["code"])
        numbers = [fact[name] for name in ("value", "low", "high")]
        if all(map(pd.isna, numbers)):
            return False
        read = parse_quantity(without_last_digits(plain, fact["unit"]), fact["unit"])[:3]
        return bool(np.isclose(np.array(read, dtype="float64"), numbers, rtol=CLOSE, atol=0, equal_nan=True).all())
    except (UnitError, DateError):
        return False


def waived(facts: pd.DataFrame, entries: Iterable[Entry]) -> np.ndarray:
    """Whether an entry acknowledges the value of each parsed fact."""
    acknowledged = [entry for entry in entries if entry["action"] == "acknowledge"]
    cells = _cells(facts, acknowledged, STATED)
    pairs = [(entry["value_text"], row) for entry in acknowledged for row in _there(entry, cells)]
    return np.asarray(facts.index.isin([row["label"] for text, row in pairs if same(text, row)]))


def check_cells(paths: Paths, entries: Iterable[Entry], ledger: pd.DataFrame, values: pd.DataFrame) -> None:
    """Raises DataError for each entry whose cell had another value in all snapshots for which it holds. `ledger` has
    the facts of all snapshots, `values` what their texts say."""
    kept = set(ledger["source_id"].unique())
    entries = [entry for entry in entries if entry["source"] in kept]
    records = ledger[is_in(ledger["record"], {entry["record"] for entry in entries})]
    cells = _cells(with_values(records, values), entries, [*STATED, "since", "until", "file", "line"])
    problems = []
    for entry in entries:
        there = _there(entry, cells)
        if not any(same(entry["value_text"], row) and _overlaps(entry, row) for row in there):
            now = ", ".join(f"{row['value_text']} ({row['file']}:{row['line']})" for row in there)
            everywhere = cells.get((entry["source"], entry["record"], entry["field"]), [])
            noted = [row["locator"] for row in everywhere if row["locator"] and same(entry["value_text"], row)]
            note = f'; if you mean what was read from a note, add `locator: "{noted[0]}"`' if noted else ""
            remedy = f"copy the value, the record and the day (`since`) from the facts of {entry['source']}{note}"
            reason = f"the cell never had this value: it has {now or 'none'}"
            problems.append(entry_problem(paths, entry, reason, remedy))
    DataError.raise_any(problems)


def _overlaps(entry: Entry, fact: Row) -> bool:
    """Whether an entry holds for one of the days on which a fact stood."""
    until, ends = fact["until"], entry.get("until")
    return bool((pd.isna(until) or entry["since"] < until.date()) and (ends is None or fact["since"].date() < ends))


def lapsed(entries: pd.DataFrame, claims: pd.DataFrame) -> list[Row]:
    """The entries of the table `corrections` that nobody has ended although their cell has another value now
    (`now`)."""
    open_entries = entries.loc[entries["until"].isna(), ["correction_id", *CELL, "value_text", "locator"]]
    open_entries = open_entries.assign(locator=open_entries["locator"].astype("str").fillna(""))
    listed = [{**row, "source": row["source_id"]} for row in open_entries.to_dict("records")]
    texts = claims[["locator", "unit", "code"]].astype("str").fillna("")
    cells = _cells(claims.assign(**texts), listed, STATED)
    return [
        entry | {"now": ", ".join(row["value_text"] for row in _there(entry, cells)) or "nothing"}
        for entry in listed
        if not any(same(entry["value_text"], row) for row in _there(entry, cells))
    ]


def _cells(facts: pd.DataFrame, entries: Iterable[Entry], columns: list[str]) -> Cells:
    """These columns of the facts in the cells of the entries; a `locator` is the note from which a source's fact was
    read."""
    keys = {f"{entry['record']}\n{entry['field']}" for entry in entries}
    named = facts.loc[is_in(facts["record"], {key.split("\n")[0] for key in keys})]
    rows = named.loc[is_in(named["record"] + "\n" + named["field"], keys), [*CELL, *columns]]
    rows = rows.assign(locator=rows["locator"].mask(rows["source_id"] == OWN, ""), label=rows.index)
    cells: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for row in rows.to_dict("records"):
        cells[row["source_id"], row["record"], row["field"]].append(row)
    return cells


def _there(entry: Entry, cells: Cells) -> list[Row]:
    """The facts of an entry's cell: from the column itself, or from the note that the entry names."""
    cell = cells.get((entry["source"], entry["record"], entry["field"]), [])
    return [row for row in cell if row["source_id"] == OWN or row["locator"] == entry.get("locator", "")]


def in_span(entry: Entry, snapshot: date) -> bool:
    """Whether an entry holds for a snapshot."""
    until = entry.get("until")
    return bool(entry["since"] <= snapshot) and (until is None or snapshot < until)
