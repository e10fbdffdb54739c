"""`traincompute explain` in full: sections of label, value and who says so, as text or Markdown.

Takes the output of collect.py; nothing here reads the dataset. Text fits the terminal (80 columns if piped).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import NamedTuple

from traincompute.explain.claims import bounds, claimed, place, why_lost
from traincompute.explain.collect import STATUS_ORDER
from traincompute.query.rows import Row
from traincompute.show.table import Column, clip, markdown_lines, one_line
from traincompute.show.values import human, interval

Line = tuple[str, str, str]  # label, value, who says so
HEAD = (Column("field"), Column("value"), Column("who says so"))

FLOP = "training_compute_flop"
COMPUTE = "training_compute_"
COMPUTE_BEGINS = (
    COMPUTE,
    "flop_convention",
    "finetune_compute",
    "post_training_compute",
    "base_model",
    "components",
    "arithmetic",
)
DATA = ("parameters", "parameters_active", "architecture", "training_tokens", "dataset_size", "dataset_unit")
ORDER = {name: place for place, name in enumerate((*DATA, "epochs", "batch_size"))}
TRAINING = tuple(f"training_{what}" for what in ("hours", "power", "energy", "carbon", "cost"))
HARDWARE_BEGINS = ("hardware", "chip_hours", "numerical_format", *TRAINING)
IN_HEADING = ("model_id", "organization", FLOP, "is_notable", "publication_date_precision")
SEVERAL_TRUE = ("arithmetic", "architecture")  # notes may hold several that do not compete
MOST_REVISIONS, MOST_NOTES, MOST_COMPETING = 8, 3, 10


class Section(NamedTuple):
    """A title and its lines: each on rows of its own, each on one row with the value left out if too long (`short`), or
    all in one paragraph (`run`)."""

    title: str
    lines: Sequence[Line]
    form: str = ""


def sections(known: Row) -> list[Section]:
    """All sections of the model in the order shown; empty ones are left out."""
    items = known["model"]["dataset_unit"]
    groups: dict[str, list[Line]] = {}
    for entry in sorted(known["fields"], key=lambda entry: ORDER.get(entry["field"], 0)):
        groups.setdefault(_group(entry), []).extend(_lines(entry, items))
    title, about_compute = compute(known)
    sources = [(row["source_id"], str(row["snapshot"] or ""), row["title"]) for row in known["sources"]]
    made = [
        Section(title, [*about_compute, *groups.get("compute", [])]),
        Section("Parameters and data", groups.get("data", [])),
        Section("Hardware and time", groups.get("hardware", [])),
        Section("Other fields, with the first snapshot that has them", groups.get("other", []), "short"),
        Section("Derived", groups.get("derived", []), "run"),
        Section("Claimed, without a value in models", groups.get("beside", []), "run"),
        Section("Also said", _also_said(known["fields"])),
        Section("Estimates", [line for row in known["estimates"] for line in _estimate(row)]),
        Section("Revisions", revised(known["revisions"])),
        Section("Sources (×2: two publishers say so, numbers within 5 %)", sources),
    ]
    return [section for section in made if section.lines]


def _group(entry: Row) -> str:
    """The section of a field: one that fits nowhere else on the screen is derived, only claimed, or other."""
    name = entry["field"]
    if name in IN_HEADING:
        return "heading"
    if name.startswith(COMPUTE_BEGINS) and name != "training_compute_source":  # which is in the section's title
        return "compute"
    if name in ORDER:
        return "data"
    if entry["in_models"] and name.startswith(HARDWARE_BEGINS):
        return "hardware"
    if not entry["in_models"]:
        return "beside"
    return "derived" if entry["derived"] else "other"


def _lines(entry: Row, items: str | None) -> list[Line]:
    """The line of a field, plus one for each further text if notes hold several."""
    name, claim = entry["field"].removeprefix(COMPUTE if _group(entry) == "compute" else ""), entry["selected"]
    if entry["field"] in SEVERAL_TRUE and claim:
        texts: dict[str, Row] = {}
        for other in entry["claims"]:
            if other["status"] != "quarantined":
                texts.setdefault(claimed(other), other)
        made = [("", text, place(other)) for text, other in texts.items()]
        return _capped([(name, *made[0][1:]), *made[1:]], MOST_NOTES)
    if not claim and not entry["in_models"]:
        return []
    size = entry["field"] == "dataset_size"
    value = human(entry["value"], items if size else entry["unit"]) if entry["in_models"] else claimed(claim)
    untold = "unit not stated; " if size and not items else ""
    beside = "; not in models" if not entry["in_models"] and _group(entry) != "beside" else ""
    return [(name, value, untold + _says(entry) + beside)]


def _says(entry: Row) -> str:
    """Who says it and how many agree, the estimate it comes from, or the formula of a derived column."""
    claim, derived = entry["selected"], entry["derived"]
    if derived and entry["formula"]:
        derived += f"; here {entry['formula']}"
    if entry["estimate_id"]:
        return "by our estimate"
    if not claim:
        return f"derived: {derived}" if derived else "no claim of its own"
    agree = f" ×{claim['supporting_publishers']}" if (claim["supporting_publishers"] or 1) > 1 else ""
    return place(claim) + agree + (f"; derived: {derived}" if derived else "")


def compute(known: Row) -> tuple[str, list[Line]]:
    """The training compute, who states it (in full) and who agrees; if there is no value, why not."""
    model: Row = known["model"]
    entry: Row = next((entry for entry in known["fields"] if entry["field"] == FLOP), {})
    claim, low, high = entry.get("selected"), model.get(f"{COMPUTE}low"), model.get(f"{COMPUTE}high")
    ends = [f" ({sign} {human(end, 'FLOP')})" for sign, end in (("at least", low), ("at most", high)) if end]
    around = f" ({interval(low, high)})" if low and high else "".join(ends)
    source = f", {model['training_compute_source']}" if model[FLOP] else ""
    title = f"Training compute: {human(model[FLOP] or 'no value', 'FLOP')}{around}{source}"
    if taken := [row for row in known["estimates"] if row["estimate_id"] == entry.get("estimate_id")]:
        return title, [("computed", "", f"{taken[0]['method']}: {taken[0]['formula']}")]
    if not claim:
        return title, [("said by", "", "no source; what an estimate lacks is listed below"), *likely(known)]
    bound, support = "" if model[FLOP] else f"{claimed(claim)}: ", claim["supporting_publishers"] or 1
    agree = f" ({support} publisher{'s agree' if support > 1 else ''})"
    lines = [("said by", "", bound + place(claim, full=True) + agree), *likely(known)]
    same = [
        place(c) for c in entry["claims"] if c is not claim and claimed(c) == claimed(claim) and not c["correction"]
    ]
    return title, [*lines, ("also by", "", "; ".join(same))] if same else lines


def likely(known: Row) -> list[Line]:
    """Of a model without a value, the interval and what it rests on, and the facts that would narrow it."""
    row = known.get("predicted")
    if not row or row["training_compute_flop"] is not None:
        return []
    rests = [f"evidence level {row['tier']}", row["method"], *(row["assumptions"] or [])]
    rests += [f"of {row['tier_models']} published values such intervals contain {row['tier_coverage_90']:.0%}"]
    base = (row.get("estimate_id") or "").split(":")[0]
    rests += [f"after {base}"] if base not in ("", row.get("model_id")) else []
    told = [
        f"{fact['field']}: ± a factor of {10 ** fact['then_dex']:.2g} ({fact['method']})"
        for fact in known.get("missing", [])
    ]
    narrowing: list[Line] = [("needed", "", "; ".join(told))] if told else []
    return [("expected", "", expected(row)), ("based on", "", "; ".join(rests)), *narrowing]


def expected(row: Row) -> str:
    """The 90 % interval of a model without a value, its median, and the largest run that was feasible by its date."""
    limit = row.get("most_flop")
    upper = f"; upper limit {human(limit)}" if limit else ""
    return f"90 %: {interval(row['flop_05'], row['flop_95'])}, median {human(row['flop_50'], 'FLOP')}{upper}"


def competing(fields: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Each field with a losing claim that has a different value: conflicting ones first, then those that could not be
    read."""
    found: list[tuple[Row, Row]] = []
    for entry in fields:
        winner = entry["selected"]
        seen = {claimed(winner)} if winner else set()
        for claim in () if entry["field"] in SEVERAL_TRUE else entry["claims"]:
            text = claimed(claim)
            numeric = any(claim[part] is not None for part in ("value", "low", "high"))
            if text not in seen and (numeric or claim["status"] in ("conflicting", "quarantined")):
                found.append((entry, claim))
                seen.add(text)
    return sorted(found, key=lambda pair: STATUS_ORDER.index(pair[1]["status"]))


def why_not(claim: Row, winner: Row | None) -> str:
    """Why a claim was not chosen, or that it could not be read."""
    return ("could not be read: " if claim["status"] == "quarantined" else "") + why_lost(claim, winner)


def _also_said(fields: Sequence[Row]) -> list[Line]:
    """The lines of the competing claims, as many as there is room for."""
    lines = [
        (entry["field"], claimed(claim), f"{place(claim)}: {why_not(claim, entry['selected'])}")
        for entry, claim in competing(fields)
    ]
    return _capped(lines, MOST_COMPETING)


def _capped(lines: list[Line], most: int) -> list[Line]:
    return lines[:most] + [("", "", f"… and {len(lines) - most} more (--json shows all)")][: max(0, len(lines) - most)]


def _estimate(row: Row) -> list[Line]:
    """The formula with its numbers, the interval, what was assumed and what was read; or what the method lacks."""
    label = row["method"] if row["field"] == FLOP else f"{row['field']} {row['method']}"
    if row["value"] is None:
        bound = bounds(row, row["unit"])
        return [(label, bound, f"{row['formula']}; {row['reason']}") if bound else (label, "abstains", row["reason"])]
    lines = [(label, human(row["value"], row["unit"]), f"= {row['formula']}")]
    if row["low"] is not None and row["high"] is not None:
        lines.append(("", interval(row["low"], row["high"]), "90 % interval"))
    assumed = f"; assumes {', '.join(row['assumptions'])}" if row["assumptions"] else ""
    lines.append(("", "taken" if row["is_selected"] else "not taken", row["reason"] + assumed))
    used = [f"{c['field']} {claimed(c)} ({c['reference'] or c['source_id']})" for c in row["input_claims"]]
    others = sorted(set(row["inputs"] or []) - {claim["claim_id"] for claim in row["input_claims"]})
    return lines + ([("", "inputs", "; ".join([*used, *others]))] if used or others else [])


def revised(found: Sequence[Row], most: int = MOST_REVISIONS) -> list[Line]:
    """One line per change, even if two files of a publisher made it; the snapshot is the first with the new value."""
    lines: dict[tuple[str, str], Line] = {}
    for row in found:
        old, new = (human(row[f"{age}_value"] or row[f"{age}_text"] or "nothing") for age in ("old", "new"))
        change = f"{old} → {new}" + (f" ×{row['ratio']:.3g}" if row["ratio"] else "")
        kind = "" if row["kind"] in ("value_changed", "filled", "blanked", "renamed") else f", {row['kind']}"
        line = (str(row["to_snapshot"]), "", f"{row['field']} {change}{kind}, {row['source_id']}")
        lines.setdefault((row["field"], change), line)
    return _capped(list(lines.values()), most)


def field_sections(known: Row, chosen: Row) -> list[Section]:
    """One field in full: its value, what the column means, every claim with its reason, estimates and revisions."""
    name, nothing = chosen["field"], "no value that could be read" if chosen["claims"] else "no source says anything"
    title, lines = compute(known) if name == FLOP else (name, _lines(chosen, known["model"]["dataset_unit"]))
    unit = f" [{chosen['unit']}]" if chosen["unit"] else ""
    meaning = [("meaning", "", chosen["description"] + unit)] if chosen["description"] else []
    made = [
        Section(title, [*(lines or [(name, "", nothing)]), *meaning]),
        Section("Claims", [line for claim in chosen["claims"] for line in _claim(claim, chosen["selected"])]),
        Section("Estimates", [line for row in chosen["estimates"] for line in _estimate(row)]),
        Section("Revisions", revised(chosen["revisions"])),
    ]
    return [section for section in made if section.lines]


def _claim(claim: Row, winner: Row | None) -> list[Line]:
    read = f" ({'' if claim['correction'] else 'read as '}{claim['note']})" if claim["note"] else ""
    printed = f'printed "{claim["value_text"]}"{read} about "{claim["record"]}"; {why_lost(claim, winner)}'
    return [(claim["status"], claimed(claim), place(claim, full=True)), ("", "", printed)]


def render_markdown(head: Sequence[str], parts: Sequence[Section]) -> str:
    """Heading and sections as Markdown, a table for each section."""
    lines = [f"# {one_line(head[0])}", *(line for text in head[1:] for line in ("", one_line(text)))]
    for part in parts:
        lines += ["", f"## {part.title}", "", *markdown_lines(HEAD, part.lines)]
    return "\n".join(lines)


def render_text(head: Sequence[str], parts: Sequence[Section], width: int, bold: Callable[[str], str]) -> str:
    """Heading and sections as lines of at most `width` columns; `bold` marks titles."""
    lines = [bold(line) for line in _wrapped(one_line(head[0]), width, "")]
    lines += [line for text in head[1:] for line in _wrapped(one_line(text), width, "  ")]
    for part in parts:
        lines += ["", *(bold(line) for line in _wrapped(part.title, width, "")), *_body(part, width)]
    return "\n".join(lines)


def _body(part: Section, width: int) -> list[str]:
    cells = [(one_line(label), one_line(value), one_line(says)) for label, value, says in part.lines]
    if part.form == "run":
        said = "; ".join(f"{name} {value} ({says.removeprefix('derived: ')})" for name, value, says in cells)
        return _wrapped(f"  {said}", width, "  ")
    labels, narrow = max(len(cell[0]) for cell in cells), width // 4 + 2
    values = max((len(cell[1]) for cell in cells if len(cell[1]) <= narrow), default=0)
    return [row for cell in cells for row in _rows(cell, labels, values, width, part.form == "short")]


def _rows(line: Line, labels: int, values: int, width: int, short: bool) -> list[str]:
    """A line in three columns; a longer value takes up the space of the third, which then follows it."""
    label, value, says = line
    lead = f"  {label:<{labels}}  "
    if short:
        says = says.replace(" since ", " ")
        room = max(values, width - len(lead) - len(says) - 2)
        value = clip(value, room)
    hang = " " * (len(lead) + (values + 2 if value and len(value) <= values else 0))
    return _wrapped(lead + (f"{value:<{values}}  {says}" if says and value else value or says), width, hang)


def _wrapped(text: str, width: int, hang: str) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent=hang, break_on_hyphens=False)
