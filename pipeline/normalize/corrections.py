"""Declared fixes to upstream values (data/raw/curated/corrections.yml), each with a guard: a fix whose old value was not
there when it was entered stops the build, and one whose value upstream has changed since changes nothing any more; `status`
lists it. What the source printed stays as it is; the value that a fix gives is a claim of this project beside it. Both name
the entry in their `correction` column."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

import pandas as pd

from pipeline.base.columnar import hex_digits, is_in, text_hash
from pipeline.base.dates import DateError, parse_date
from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.base.yamlfile import load_yaml
from pipeline.normalize.facts import IDENTITY
from pipeline.registry.provenance import ADDRESS, is_reference
from pipeline.registry.reasons import CORRECTED, REPLACED
from pipeline.registry.sources import Source
from traincompute.base.sources import OWN
from traincompute.units.grammar import parse_quantity
from traincompute.units.table import UnitError

BOUNDS = {"lower_bound": "low", "upper_bound": "high"}  # action → the end of the range that the value becomes
SIGNS = {"lower_bound": "at least", "upper_bound": "at most"}
ACTIONS = ("drop", "set", *BOUNDS, "acknowledge")
UPSTREAM = ("not reported", "reported", "mended")
NEEDED = (
    *("id", "source", "record", "field", "value_text", "since", "entered"),
    *("action", "reason", "upstream"),
)
KEYS = {*NEEDED, "locator", "until", "new_value", "reference", "rule"}
SHAPE = ([{"since?": date, "entered?": date, "until?": (date, None), ...: (object, None)}], None)
NEEDED_TO_SET = ("new_value", "reference")
CELL = ["source_id", "record", "field"]
READ = ["locator", "value_text", "unit", "file", "line", "value", "low", "high", "code", "reference", "publisher"]
DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
JUDGED = ["reason_code", "reason", "correction"]


def load_corrections(paths: Paths) -> list[dict[str, Any]]:
    """The entries of corrections.yml with their keys checked, each with its `line`."""
    file = paths.curated / "corrections.yml"
    entries: list[dict[str, Any]] = load_yaml(file, paths.short(file), SHAPE) or []
    lines = _lines(file.read_text(encoding="utf-8")) if entries else []
    if len(lines) == len(entries):
        entries = [{**entry, "line": line} for entry, line in zip(entries, lines, strict=True)]
    problems = [_problem(paths, entry, reason) for entry in entries for reason in _faults(entry)]
    if problems:
        raise DataError(problems)
    return entries


def _lines(text: str) -> list[int]:
    """The line on which each entry of a plain YAML list starts."""
    return [number for number, line in enumerate(text.splitlines(), start=1) if line.startswith("- ")]


def apply(
    paths: Paths,
    corrections: Iterable[Mapping[str, Any]],
    claims: pd.DataFrame,
    as_of: date | None,
    sources: Mapping[str, Source],
) -> pd.DataFrame:
    """The claims with the entries applied; a vintage knows only the entries made by its date.

    drop: the claim gets a reason and is not selected. set: it does, too, and beside it stands a claim of ours, of its rank,
    with the new value and the reference of the entry. lower_bound, upper_bound: that claim has its value as a bound.
    acknowledge: no change. An entry made before the snapshot, which has another value, changes nothing: upstream has changed
    it since. Raises DataError if a guard fails."""
    known = [entry for entry in corrections if not as_of or entry["entered"] <= as_of]
    plain = _about(claims, known)
    rows = plain.assign(place=plain.index).to_dict("records")
    cells: dict[tuple[str, str, str], list[dict[Any, Any]]] = {}
    for row in rows:
        cells.setdefault((row["source_id"], row["record"], row["field"]), []).append(row)
    snapshots = claims.drop_duplicates("source_id").set_index("source_id")["snapshot"].dt.date
    problems: list[Problem] = []
    made: list[dict[Any, Any]] = []
    for entry in known:
        if entry["source"] in snapshots and _in_span(entry, snapshots[entry["source"]]):
            cell = cells.get((entry["source"], entry["record"], entry["field"]), [])
            problems += _correct(paths, entry, cell, snapshots[entry["source"]], made)
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
    own = own.sort_values(["rank", "snapshot"], ascending=[True, False], kind="stable")
    own = own.drop_duplicates("claim_id", ignore_index=True)  # two files of a publisher, of which we say the same
    return own.astype(claims.dtypes)


def _about(claims: pd.DataFrame, entries: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """The claims about the records and fields of the entries, with the columns that are looked at; a `locator` is the note from
    which a source's claim was read."""
    named = is_in(claims["record"], [entry["record"] for entry in entries])
    plain = claims.loc[named, [*CELL, *READ, *JUDGED]]
    plain.loc[plain["source_id"] == OWN, "locator"] = ""
    cells = plain["record"] + "\n" + plain["field"]
    return plain[is_in(cells, [f"{entry['record']}\n{entry['field']}" for entry in entries])]


def _correct(
    paths: Paths, entry: Mapping[str, Any], cell: list[dict[Any, Any]], snapshot: date, made: list[dict[Any, Any]]
) -> list[Problem]:
    """Judges the matching claims of the cell in place and adds to `made` what stands in their place, as the entry says.
    Returns a problem if there were none when it was entered or if a new value cannot be read."""
    match = [row for row in _there(entry, cell) if row["value_text"] == str(entry["value_text"])]
    if not match:
        changed_since = snapshot > entry["entered"]
        return [] if changed_since else [_stale(paths, entry, cell, snapshot)]
    if entry["action"] == "acknowledge":
        return []
    code = CORRECTED if entry["action"] == "drop" else REPLACED
    try:
        made += [_common(entry, row) | _own(entry, row) for row in match if code == REPLACED]
    except (UnitError, DateError) as error:
        return [_problem(paths, entry, f'new_value "{entry["new_value"]}": {error.reason}', error.remedy)]
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
    }


def _own(entry: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Text, value, bounds, code and reference of our claim, and the precision of a date: the row's value as a bound, or the
    entry's new value. Raises UnitError or DateError if that cannot be read."""
    nothing = dict.fromkeys(("value", "low", "high"), float("nan")) | {"code": "", "reference": row["reference"]}
    if entry["action"] in BOUNDS:
        text = f"{SIGNS[entry['action']]} {row['value_text']}"
        return nothing | {"value_text": text, BOUNDS[entry["action"]]: row["value"]}
    new = str(entry["new_value"])
    stated = nothing | {"value_text": new, "reference": entry["reference"]}
    if DAY.fullmatch(row["code"]):
        found = parse_date(new)
        return stated | {"code": found.date.isoformat(), "note": found.precision}
    if all(math.isnan(row[name]) for name in ("value", "low", "high")):
        return stated | {"code": new}
    return stated | {"value": parse_quantity(new, row["unit"]).value}


def _in_span(entry: Mapping[str, Any], snapshot: date) -> bool:
    until = entry.get("until")
    return bool(entry["since"] <= snapshot) and (until is None or snapshot < until)


def _stale(paths: Paths, entry: Mapping[str, Any], cell: list[dict[Any, Any]], snapshot: date) -> Problem:
    now = [f"it is now {row['value_text']} ({row['file']}:{row['line']})" for row in _there(entry, cell)]
    found = now[0] if now else "it is gone"
    noted = [row["locator"] for row in cell if row["locator"] and row["value_text"] == str(entry["value_text"])]
    note = f'; if you mean what was read from a note, add `locator: "{noted[0]}"`' if noted else ""
    return _problem(
        paths,
        entry,
        f"the value that it corrects has changed: {found}",
        f"check the new value; if upstream has fixed it, give this entry `until: {snapshot}` and `upstream: mended`{note}",
    )


def _there(entry: Mapping[str, Any], cell: list[dict[Any, Any]]) -> list[dict[Any, Any]]:
    """The claims from the column itself, or from the note that the entry names."""
    return [row for row in cell if row["locator"] == entry.get("locator", "")]


def _faults(entry: Mapping[str, Any]) -> list[str]:
    faults = [f"unknown key {key}" for key in sorted(set(entry) - KEYS - {"line"})]
    needed = (*NEEDED, *NEEDED_TO_SET) if entry.get("action") == "set" else NEEDED
    faults += [f"{key} is missing" for key in needed if entry.get(key) is None]
    if entry.get("action") not in ACTIONS:
        faults.append(f"action {entry.get('action')} is none of {', '.join(ACTIONS)}")
    elif entry["action"] != "set" and "new_value" in entry:
        faults.append(f"new_value has no meaning beside the action {entry['action']}")
    if entry.get("reference") and not is_reference(str(entry["reference"])):
        faults.append(f'"{entry["reference"]}" is not a reference; {ADDRESS}')
    if entry.get("upstream") not in (None, *UPSTREAM):
        faults.append(f"upstream {entry['upstream']} is none of {', '.join(UPSTREAM)}")
    return faults


def _problem(paths: Paths, entry: Mapping[str, Any], reason: str, remedy: str = "see CONTRIBUTING.md") -> Problem:
    where = paths.short(paths.curated / "corrections.yml")
    return Problem(
        f"{where}:{entry['line']} ({entry.get('id')})" if "line" in entry else f"{where} ({entry.get('id')})",
        str(entry.get("record", "")),
        str(entry.get("field", "")),
        str(entry.get("value_text", "")),
        reason,
        remedy,
    )
