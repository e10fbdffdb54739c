"""Declared fixes to upstream values (data/raw/curated/corrections.yml). An entry names a cell and the value that it
had: an entry whose cell never had that value is an error, and one whose cell has changed since keeps its effect until
somebody ends it; `build` and `status` list it. Values are compared, not spellings. What the source printed stays as it
is; the value that a fix gives is a claim of this project beside it. Both name the entry in their `correction`
column."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Source
from pipeline.curated import BOUNDS, entry_problem
from pipeline.errors import DataError, Problem
from pipeline.frames import is_in
from pipeline.normalize.columns import hex_digits, text_hash
from pipeline.normalize.facts import IDENTITY
from pipeline.normalize.order_digits import without_last_digits
from pipeline.normalize.readings import with_readings
from pipeline.normalize.reasons import CORRECTED, REPLACED
from pipeline.normalize.text import DateError, parse_date
from pipeline.paths import Paths
from traincompute.base.sources import OWN
from traincompute.units.grammar import parse_quantity
from traincompute.units.table import UnitError

SIGNS = {"lower_bound": "at least", "upper_bound": "at most"}
CELL = ["source_id", "record", "field"]
SAID = ["locator", "value_text", "value", "low", "high", "unit", "code"]  # what a fact says, and where
READ = [*SAID, "reference", "publisher", "since"]
CLOSE = 1e-9  # the share by which two spellings of one number may differ
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
JUDGED = ["reason_code", "reason", "correction"]


def same(text: object, fact: Mapping[Any, Any]) -> bool:
    """Whether a text says what a fact (SAID) says: the same number in the fact's unit, the same day, or the same
    text."""
    plain = _tidy(str(text))
    if plain == _tidy(fact["value_text"]):
        return True
    try:
        if DAY.fullmatch(fact["code"] or ""):
            return bool(parse_date(plain).date.isoformat() == fact["code"])
        numbers = [fact[name] for name in ("value", "low", "high")]
        if all(map(pd.isna, numbers)):
            return False
        return all(map(_close, parse_quantity(without_last_digits(plain, fact["unit"]), fact["unit"])[:3], numbers))
    except (UnitError, DateError):
        return False


def _tidy(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())


def _close(one: float | None, other: float) -> bool:
    return bool(pd.isna(other)) if one is None else math.isclose(one, other, rel_tol=CLOSE)


def matches(facts: pd.DataFrame, entries: Iterable[Mapping[str, Any]]) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """The label of each typed fact that says what an entry says of its cell, with the entry."""
    cells: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for entry in entries:
        cells.setdefault(cell_of(entry), []).append(entry)
    for label, row in _about(facts, [key[1:] for key in cells], [*CELL, *SAID]).to_dict("index").items():
        for entry in cells.get(tuple(row[name] for name in CELL), []):
            if _there(entry, [row]) and same(entry["value_text"], row):
                yield label, entry


def cell_of(entry: Mapping[str, Any]) -> tuple[str, str, str]:
    """Source, record and field of an entry."""
    return entry["source"], entry["record"], entry["field"]


def acknowledged(facts: pd.DataFrame, entries: Iterable[Mapping[str, Any]]) -> np.ndarray:
    """Whether somebody looked at the value of each typed fact."""
    looked_at = [entry for entry in entries if entry["action"] == "acknowledge"]
    found: np.ndarray = facts.index.isin([label for label, _ in matches(facts, looked_at)])
    return found


def check_cells(
    paths: Paths, entries: Iterable[Mapping[str, Any]], ledger: pd.DataFrame, readings: pd.DataFrame
) -> None:
    """Raises DataError for each entry whose cell had another value in all snapshots for which it holds. `ledger` has
    the facts of all snapshots, `readings` what their texts say."""
    kept = set(ledger["source_id"].unique())
    entries = [entry for entry in entries if entry["source"] in kept]
    facts = with_readings(
        _about(ledger, [(e["record"], e["field"]) for e in entries], ledger.columns.to_list()), readings
    )
    found = {entry["id"] for label, entry in matches(facts, entries) if _overlaps(entry, facts, label)}
    DataError.raise_any(_never_there(paths, entry, facts) for entry in entries if entry["id"] not in found)


def _overlaps(entry: Mapping[str, Any], facts: pd.DataFrame, label: Any) -> bool:
    since: Any = facts.at[label, "since"]
    until: Any = facts.at[label, "until"]
    ends = entry.get("until")
    return bool((pd.isna(until) or entry["since"] < until.date()) and (ends is None or since.date() < ends))


def lapsed(entries: pd.DataFrame, claims: pd.DataFrame) -> list[dict[Any, Any]]:
    """The entries of the table `corrections` that nobody has ended although their cell has another value now
    (`now`)."""
    held = entries[entries["until"].isna()]
    texts = {name: claims[name].astype("str").fillna("") for name in ("locator", "unit", "code", "correction")}
    columns = [*CELL, *SAID, "correction"]
    rows = _about(claims.assign(**texts), list(zip(held["record"], held["field"], strict=True)), columns)
    cells: dict[tuple[str, ...], list[dict[Any, Any]]] = {}
    for row in rows.to_dict("records"):
        cells.setdefault(tuple(row[name] for name in CELL), []).append(row)
    found = []
    held = held.assign(locator=held["locator"].astype("str").fillna(""))
    for entry in held[["correction_id", *CELL, "value_text", "locator"]].to_dict("records"):
        cell = [row for row in cells.get(tuple(entry[name] for name in CELL), []) if _there(entry, [row])]
        if not any(same(entry["value_text"], row) for row in cell):
            found.append(entry | {"now": ", ".join(row["value_text"] for row in cell) or "nothing"})
    return found


def apply(
    paths: Paths,
    corrections: Iterable[Mapping[str, Any]],
    claims: pd.DataFrame,
    as_of: date | None,
    sources: Mapping[str, Source],
) -> pd.DataFrame:
    """The claims with the entries applied; a vintage knows only the entries made by its date.

    drop: the claim gets a reason and is not selected. set: it does, too, and beside it stands a claim of ours, of its
    rank, with the new value and the reference of the entry. lower_bound, upper_bound: that claim has the value as a
    bound. acknowledge: no change. Where the cell has another value since, the entry does the same with that. Raises
    DataError for a new value that cannot be read."""
    known = [entry for entry in corrections if not as_of or entry["entered"] <= as_of]
    plain = _about(claims, [(entry["record"], entry["field"]) for entry in known], [*CELL, *READ, *JUDGED])
    rows = plain.assign(place=plain.index).to_dict("records")
    cells: dict[tuple[str, str, str], list[dict[Any, Any]]] = {}
    for row in rows:
        cells.setdefault((row["source_id"], row["record"], row["field"]), []).append(row)
    snapshots = claims.drop_duplicates("source_id").set_index("source_id")["snapshot"].dt.date
    problems: list[Problem] = []
    made: list[dict[Any, Any]] = []
    for entry in known:
        is_in_use = entry["source"] in snapshots and in_span(entry, snapshots[entry["source"]])
        if is_in_use and entry["action"] != "acknowledge":
            problems += _correct(paths, entry, cells.get(cell_of(entry), []), made)
    if problems:
        raise DataError(problems)
    judged = pd.DataFrame(rows, index=plain.index, columns=JUDGED).astype(claims.dtypes[JUDGED])
    own = of_our_own(claims, made, sources) if made else None
    claims.loc[plain.index, JUDGED] = judged  # all at once: each write copies whole columns
    return claims if own is None else pd.concat([claims, own]).sort_values("claim_id", ignore_index=True)


def of_our_own(claims: pd.DataFrame, made: list[dict[Any, Any]], sources: Mapping[str, Source]) -> pd.DataFrame:
    """The claims that stand in the place of others, each once: `made` has what differs, and the label of the other as
    `place`."""
    new = pd.DataFrame(made)
    publisher = sources[OWN].publisher
    own = claims.loc[new.pop("place")].reset_index(drop=True)
    own = own.assign(**new, source_id=OWN, publisher=publisher, voice=publisher, evidence="")
    own["claim_id"] = hex_digits(text_hash(own, IDENTITY), own.index)  # but the hash decides ties, as it did
    own = own.sort_values(["rank", "changed", "place"], ascending=[True, False, True], kind="stable")
    own = own.drop_duplicates("claim_id", ignore_index=True)  # two files of a publisher, of which we say the same
    return own.astype(claims.dtypes)


def _about(facts: pd.DataFrame, cells: Iterable[tuple[str, ...]], columns: list[str]) -> pd.DataFrame:
    """These columns of the facts of some records and fields; a `locator` is the note from which a source's fact was
    read."""
    keys = [f"{record}\n{field}" for record, field in cells]
    named = facts.loc[is_in(facts["record"], [key.split("\n")[0] for key in keys])]
    plain = named.loc[is_in(named["record"] + "\n" + named["field"], keys), columns]
    return plain.assign(locator=plain["locator"].mask(plain["source_id"] == OWN, ""))


def _correct(
    paths: Paths, entry: Mapping[str, Any], cell: list[dict[Any, Any]], made: list[dict[Any, Any]]
) -> list[Problem]:
    """Judges the claims of the cell in place and adds to `made` what stands in their place, as the entry says: those
    with its value, or else what has come since. Returns a problem if a new value cannot be read."""
    there = _there(entry, cell)
    match = [row for row in there if same(entry["value_text"], row)]
    match = match or [row for row in there if len(there) == 1 or row["since"].date() > entry["since"]]
    code = CORRECTED if entry["action"] == "drop" else REPLACED
    try:
        made += [_common(entry, row) | _own(entry, row) for row in match if code == REPLACED]
    except (UnitError, DateError) as error:
        return [entry_problem(paths, entry, f'new_value "{entry["new_value"]}": {error.reason}', error.remedy)]
    for row in match:
        row |= {"reason_code": code, "reason": _why(entry), "correction": str(entry["id"])}
    return []


def _why(entry: Mapping[str, Any]) -> str:
    return f"corrected ({entry['id']}): {entry['reason']}"


def _common(entry: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """What every claim of ours has that stands in the place of a row."""
    return {
        "place": row["place"],
        "since": pd.Timestamp(entry["entered"]),
        "note": f"in the place of {row['value_text']} by {row['publisher']}: {entry['reason']}",
        "correction": str(entry["id"]),
        **dict.fromkeys(("reason_code", "reason"), ""),
    }


def _own(entry: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Text, value, bounds, code and reference of our claim, and the precision of a date: the entry's value as a bound,
    or its new value. Raises UnitError or DateError if that cannot be read."""
    nothing = dict.fromkeys(("value", "low", "high"), float("nan")) | {"code": "", "reference": row["reference"]}
    if entry["action"] in BOUNDS:
        text, bound = str(entry["value_text"]), parse_quantity(str(entry["value_text"]), row["unit"]).value
        return nothing | {"value_text": f"{SIGNS[entry['action']]} {text}", BOUNDS[entry["action"]]: bound}
    new = str(entry["new_value"])
    stated = nothing | {"value_text": new, "reference": entry["reference"]}
    if row["field"].endswith("_date"):  # not by its code: the cell may say by now what cannot be read
        found = parse_date(new)
        return stated | {"code": found.date.isoformat(), "note": found.precision}
    return stated | ({"value": parse_quantity(new, row["unit"]).value} if row["unit"] else {"code": new})


def in_span(entry: Mapping[str, Any], snapshot: date) -> bool:
    """Whether an entry holds for a snapshot."""
    until = entry.get("until")
    return bool(entry["since"] <= snapshot) and (until is None or snapshot < until)


def _never_there(paths: Paths, entry: Mapping[str, Any], facts: pd.DataFrame) -> Problem:
    rows = facts[(facts[CELL] == list(cell_of(entry))).all(axis=1)].to_dict("records")
    cell = [f"{row['value_text']} ({row['file']}:{row['line']})" for row in _there(entry, rows)]
    noted = [row["locator"] for row in rows if row["locator"] and same(entry["value_text"], row)]
    note = f'; if you mean what was read from a note, add `locator: "{noted[0]}"`' if noted else ""
    return entry_problem(
        paths,
        entry,
        f"the cell never had this value: it has {', '.join(cell) or 'none'}",
        f"copy the value, the record and the day (`since`) from the facts of {entry['source']}{note}",
    )


def _there(entry: Mapping[Any, Any], cell: list[dict[Any, Any]]) -> list[dict[Any, Any]]:
    """The facts from the column itself, or from the note that the entry names."""
    return [row for row in cell if row["source_id"] == OWN or row["locator"] == entry.get("locator", "")]
