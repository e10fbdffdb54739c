"""`traincompute explain` on one screen: the compute first, key fields in rows, the rest by source, revisions last.

Takes the output of collect.py, as does full.py, whose sections show everything (`--full`).
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from traincompute.explain import full as text
from traincompute.explain.claims import bounds, claimed, place, why_lost
from traincompute.explain.full import COMPUTE, FLOP, Line, Section
from traincompute.query.rows import Row
from traincompute.show.table import clip
from traincompute.show.values import human, interval

BESIDE = ("dataset_unit",)  # shown with dataset_size
KEY = (
    *(name for name in text.ORDER if name not in BESIDE),
    *("hardware", "hardware_quantity", "training_hours", "chip_hours", "hardware_utilization", "numerical_format"),
    *("training_power_w", "training_energy_kwh", "training_carbon_kg", "training_cost_usd"),
)
# already in the heading or the section on compute
ELSEWHERE = (
    *("name", "organizations", "countries", "publication_date", "reference_url", "arxiv_id"),
    "training_compute_source",
)
# the derived columns that are informative on their own; --full has all of them with their formulas
DERIVED = ("days_on_top500_first", "h100_hours", "tokens_per_parameter", "frontier_rank", "era_compute", "era_economic")
PRODUCT = {"hardware_quantity", "training_hours"}  # chip_hours adds little to them
MOST_LOSERS, MOST_REVISIONS = 3, 3
LONGEST_VALUE, ROW = 34, 68  # characters: a value, and what follows a label on a row of 80
HAS_BASE = "needs the compute of the base model"
SILENT = ("needs a base model", "needs a figure in a note")  # does not say what could be entered


def sections(known: Row) -> list[Section]:
    """The sections that make up the screen; empty ones are left out."""
    fields = {entry["field"]: entry for entry in known["fields"] if entry["selected"] or entry["value"] is not None}
    key = [name for name in KEY if name in fields and not (name == "chip_hours" and fields.keys() >= PRODUCT)]
    unread = [c for entry in known["fields"] for c in entry["claims"] if c["status"] == "quarantined"]
    made = [
        _compute(known, fields),
        Section("Model, data and hardware", [_key_row(fields[name], known["model"], fields) for name in key], "cut"),
        Section("Other fields, by the source that has the last word", _by_source(known, key)),
        Section("Set aside", [(c["field"], _cut(c["value_text"]), why_lost(c, None)) for c in unread]),
        _revised(known["revisions"]),
    ]
    return [section for section in made if section.lines]


def short_heading(lines: Sequence[str]) -> list[str]:
    """The heading, with the line on how the model was found cut to one row."""
    return [*lines[:2], *(clip(line, ROW + 8) for line in lines[2:])]


def _compute(known: Row, fields: Mapping[str, Row]) -> Section:
    """The value with its interval, who states it and how, which values lost and why, and what the methods give or
    lack."""
    title, _ = text.compute(known)
    lines = _said_by(fields.get(FLOP, {})) + text.likely(known)
    how = _how(known["model"])
    losers = _losers(fields.get(FLOP, {}))
    lines += [("how", "", how)] if how else []
    made_from = (("base", "base_model_id"), ("components", "components"), ("fine-tune", "finetune_compute_flop"))
    lines += [(label, "", clip(_said(fields[name]), ROW)) for label, name in made_from if name in fields]
    lines += [("run", "", clip("the same as " + ", ".join(known["same_run"]), ROW))] if known["same_run"] else []
    lines += [("not", "", line) for line in losers[:MOST_LOSERS]]
    more = len(losers) - MOST_LOSERS
    lines += [("", "", f"… and {more} more value{'s' if more > 1 else ''}")] if more > 0 else []
    estimates = [row for row in known["estimates"] if row["field"] == FLOP]
    lines += [_estimated(row) for row in estimates if not _lacks(row)]
    return Section(title, lines + _missing(estimates))


def _said_by(entry: Row) -> list[Line]:
    """Who states the selected value and who agrees; nothing if it is an estimate or there is none."""
    claim = entry.get("selected")
    if not claim or entry["estimate_id"]:
        return []
    support, seen = claim["supporting_publishers"] or 1, ", seen" if claim["evidence"] == "seen" else ""
    agree = f"; {support} publishers agree" if support > 1 else ""
    publisher = "" if claim["reference"] else f" ({claim['publisher']})"
    same = [_who(c) for c in entry["claims"] if c is not claim and claimed(c) == claimed(claim) and not c["correction"]]
    lines = [("said by", "", clip(_who(claim) + seen + publisher + agree, ROW))]
    lines += [("corrected", "", claim["note"])] if claim["correction"] else []
    return lines + ([("also by", "", clip("; ".join(same), ROW))] if same else [])


def _missing(estimates: Sequence[Row]) -> list[Line]:
    """What the methods that give nothing lack, by reason; for a model with a base model, what that one lacks."""
    based = any(row["method"] == "base_plus_finetune" and not _lacks(row) for row in estimates)
    silent = (*SILENT, HAS_BASE) if based else SILENT
    reasons: dict[str, list[str]] = {}
    for row in estimates:
        if _lacks(row) and row["reason"] not in silent:
            reasons.setdefault(row["reason"], []).append(row["method"])
    return [("missing", "", f"{', '.join(methods)}: {reason}") for reason, methods in reasons.items()]


def _said(entry: Row) -> str:
    """A field's value and who says it, in one line."""
    claim = entry["selected"]
    return human(entry["value"], entry["unit"]) + (f", {_who(claim)}" if claim else "")


def _who(claim: Row) -> str:
    """The source and first snapshot, or the primary source, place and evidence unless it was seen there."""
    return place(claim).replace(" since ", " ").removesuffix(", seen")


def _how(model: Row) -> str:
    """Method, confidence word, convention and petaflop/s-days, as far as known."""
    words = [", ".join(model[f"{COMPUTE}method"] or []), model[f"{COMPUTE}confidence"], model["flop_convention"]]
    days = model[f"{COMPUTE}pfs_days"]
    return "; ".join(filter(None, [*words, human(days, "petaflop/s-day") if days else None]))


def _losers(entry: Row) -> list[str]:
    """Every other value that a source states, with its place and why it was not chosen."""
    winner = entry.get("selected")
    seen = {claimed(winner)} if winner else set()
    made = []
    for claim in entry.get("claims", []):
        if claimed(claim) not in seen and claim["status"] != "quarantined":
            made.append(clip(f"{claimed(claim)} ({why_lost(claim, winner)}): {_who(claim)}", ROW))
            seen.add(claimed(claim))
    return made


def _estimated(row: Row) -> Line:
    """An estimate's value, formula and interval, or the bound it gives."""
    if row["value"] is None:
        return "estimate", "", f"{row['method']} {bounds(row, None)}: {row['formula']}; {row['reason']}"
    around = f" ({interval(row['low'], row['high'])})" if row["low"] and row["high"] else ""
    assumed = f"; assumes {', '.join(row['assumptions'])}" if row["assumptions"] else ""
    taken = "" if row["is_selected"] else f"; not taken: {row['reason']}"
    return "estimate", "", f"{row['method']} {human(row['value'])}{around} = {row['formula']}{taken}{assumed}"


def _lacks(row: Row) -> bool:
    return row["value"] is None and not row["low"] and not row["high"]


def _key_row(entry: Row, model: Row, fields: Mapping[str, Row]) -> Line:
    """A key field with its interval, who states it and how many agree, and the values that lost."""
    name, claim = entry["field"], entry["selected"]
    unit = model["dataset_unit"] if name == "dataset_size" else entry["unit"]
    value = _cut(claimed(claim) if claim and not entry["in_models"] else human(entry["value"], unit))
    ends = [fields[f"{name}_{end}"]["value"] for end in ("low", "high") if f"{name}_{end}" in fields]
    around = f"{human(ends[0], unit)} – {human(ends[1], unit)}; " if len(ends) == 2 else ""
    agree = f" ×{claim['supporting_publishers']}" if claim and (claim["supporting_publishers"] or 1) > 1 else ""
    who = _who(claim) + agree if claim else "derived" if entry["derived"] else "estimate"
    others = dict.fromkeys(claimed(c) for c in entry["claims"] if c["status"] in ("conflicting", "superseded"))
    lost = [other for other in others if not claim or other != claimed(claim)]
    return name, value, around + who + (f"; not {', '.join(lost)}" if lost else "")


def _by_source(known: Row, key: Sequence[str]) -> list[Line]:
    """A wrapped line per source and snapshot with the fields it has the last word on, and one for the derived
    fields."""
    groups: dict[str, list[str]] = {}
    for entry in known["fields"]:
        name, claim = entry["field"], entry["selected"]
        shown = name in (*key, *BESIDE, *ELSEWHERE, *text.IN_HEADING) or name.startswith(text.COMPUTE_BEGINS)
        if shown or name.endswith(("_low", "_high")) or not (claim or entry["in_models"]):
            continue
        if entry["derived"] and not claim and name not in DERIVED:
            continue
        value = human(entry["value"], entry["unit"]) if entry["in_models"] else claimed(claim)
        groups.setdefault(claim["source_id"] if claim else "derived", []).append(f"{name} {_cut(value)}")
    days = {row["source_id"]: f" {row['snapshot']}" for row in known["sources"] if row["snapshot"]}
    return [("", "", f"{source}{days.get(source, '')}: {'; '.join(items)}") for source, items in sorted(groups.items())]


def _revised(revisions: Sequence[Row]) -> Section:
    lines = [line for line in text.revised(revisions) if line[0]]
    more = f", {MOST_REVISIONS} of {len(revisions)} (--full has more)" if len(revisions) > MOST_REVISIONS else ""
    return Section(f"Revisions{more}", lines[:MOST_REVISIONS], "cut")


def _cut(value: Any, longest: int = LONGEST_VALUE) -> str:
    return textwrap.shorten(str(value), longest, placeholder="…") if " " in str(value) else clip(str(value), longest)
