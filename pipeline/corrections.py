"""Declared fixes of upstream values (data/raw/curated/corrections.yml), each with a guard: a fix whose old value is no
longer there stops the build, so that nothing is corrected twice."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from pipeline.errors import DataError, Problem
from pipeline.paths import Paths
from pipeline.yamlfile import load_yaml

if TYPE_CHECKING:
    import pandas as pd

ACTIONS = ("drop", "acknowledge")
KEYS = {
    "id",
    "source",
    "record",
    "field",
    "value_text",
    "since",
    "until",
    "entered",
    "action",
    "reason",
    "reference",
    "upstream",
}
NEEDED = ("id", "source", "record", "field", "value_text", "since", "entered", "action", "reason")


def load_corrections(paths: Paths) -> list[dict[str, Any]]:
    """The entries of corrections.yml, checked for their keys; an absent file means none."""
    file = paths.curated / "corrections.yml"
    entries: list[dict[str, Any]] = (load_yaml(file, paths.short(file)) or []) if file.exists() else []
    problems = [_problem(paths, entry, reason) for entry in entries for reason in _faults(entry)]
    if problems:
        raise DataError(problems)
    return entries


def apply(
    paths: Paths, corrections: Iterable[Mapping[str, Any]], claims: pd.DataFrame, as_of: date | None
) -> pd.DataFrame:
    """The claims with the dropped ones given the reason of their correction; a vintage knows only what was entered by
    then. Raises DataError where a guard fails."""
    known = [entry for entry in corrections if not as_of or entry["entered"] <= as_of]
    named = claims[claims["record"].isin([entry["record"] for entry in known])]
    problems, reasons = [], {}
    for entry in known:
        here = named[(named["source_id"] == entry["source"]) & (named["record"] == entry["record"])]
        if here.empty or not _in_span(entry, here["snapshot"].max().date()):
            continue
        match = here.index[
            (here["field"] == entry["field"])
            & (here["value_text"] == str(entry["value_text"]))
            & (here["locator"] == "")
        ]
        if match.empty:
            problems.append(_stale(paths, entry, here))
        elif entry["action"] == "drop":
            reasons.update(dict.fromkeys(match, f"corrected ({entry['id']}): {entry['reason']}"))
    if problems:
        raise DataError(problems)
    claims.loc[list(reasons), "reason"] = list(reasons.values())
    return claims


def _in_span(entry: Mapping[str, Any], snapshot: date) -> bool:
    until = entry.get("until")
    return bool(entry["since"] <= snapshot) and (until is None or snapshot < until)


def _stale(paths: Paths, entry: Mapping[str, Any], here: pd.DataFrame) -> Problem:
    now = here.loc[(here["field"] == entry["field"]) & (here["locator"] == ""), ["value_text", "file", "line"]]
    found = (
        f"it is now {now.iloc[0]['value_text']} ({now.iloc[0]['file']}:{now.iloc[0]['line']})"
        if len(now)
        else "it is gone"
    )
    day = here["snapshot"].max().date()
    return _problem(
        paths,
        entry,
        f"the value that it corrects has changed: {found}",
        f"check the new value; if upstream has mended it, give this entry `until: {day}`",
    )


def _faults(entry: Mapping[str, Any]) -> list[str]:
    faults = [f"unknown key {key}" for key in sorted(set(entry) - KEYS)]
    faults += [f"{key} is missing" for key in NEEDED if entry.get(key) is None]
    if entry.get("action") not in ACTIONS:
        faults.append(f"action {entry.get('action')} is none of {', '.join(ACTIONS)}")
    return faults


def _problem(paths: Paths, entry: Mapping[str, Any], reason: str, remedy: str = "see CONTRIBUTING.md") -> Problem:
    where = paths.short(paths.curated / "corrections.yml")
    return Problem(
        f"{where} ({entry.get('id')})",
        str(entry.get("record", "")),
        str(entry.get("field", "")),
        str(entry.get("value_text", "")),
        reason,
        remedy,
    )
