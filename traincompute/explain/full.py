"""`traincompute explain` in full: sections of label, value and who says so, as text or Markdown.

Takes the output of collect.py; nothing here reads the dataset. Text fits the terminal (100 columns if piped).
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import NamedTuple

from traincompute.explain.claims import bounds, claimed, place, why_lost
from traincompute.explain.collect import STATUS_ORDER
from traincompute.query.rows import Row
from traincompute.show.table import Column, markdown_lines, one_line
from traincompute.show.values import human, interval

Line = tuple[str, str, str]  # label, value, who says so
HEAD = (Column("field"), Column("value"), Column("who says so"))

FLOP = "training_compute_flop"
IN_HEADING = ("model_id", "organization", FLOP, "is_notable", "publication_date_precision")
SEVERAL_TRUE = ("arithmetic", "architecture")  # notes may hold several that do not compete
MOST_REVISIONS, MOST_COMPETING = 8, 10


class Section(NamedTuple):
    """A title and its lines."""

    title: str
    lines: Sequence[Line]


def sections(known: Row) -> list[Section]:
    """All sections of the model in the order shown; empty ones are left out."""
    entries = [entry for entry in known["fields"] if entry["field"] not in IN_HEADING]
    items = known["model"]["dataset_unit"]
    stated = [entry for entry in entries if entry["in_models"] and (entry["selected"] or entry["estimate_id"])]
    derived = [entry for entry in entries if entry["in_models"] and entry not in stated]
    beside = [entry for entry in entries if not entry["in_models"]]
    title, about_compute = compute(known)
    lines = [
        (entry["field"], claimed(claim), f"{place(claim)}: {why_not(claim, entry['selected'])}")
        for entry, claim in competing(known["fields"])
    ]
    made = [
        Section(title, about_compute),
        Section("Values (×2: two publishers say so, numbers within 5 %)", [_line(entry, items) for entry in stated]),
        Section("Derived", [_line(entry, items) for entry in derived]),
        Section("Claimed, without a value in models", [_line(e, items) for e in beside if e["selected"]]),
        Section("Also said", _capped(lines, MOST_COMPETING)),
        Section("Estimates", [line for row in known["estimates"] for line in _estimate(row)]),
        Section("Revisions", revised(known["revisions"])),
        Section("Sources", [(s["source_id"], str(s["snapshot"] or ""), s["title"]) for s in known["sources"]]),
    ]
    return [section for section in made if section.lines]


def field_sections(known: Row, chosen: Row) -> list[Section]:
    """One field in full: its value, what the column means, every claim with its reason, estimates and revisions."""
    name, nothing = chosen["field"], "no value that could be read" if chosen["claims"] else "no source says anything"
    has_value = chosen["in_models"] or chosen["selected"]
    own = [_line(chosen, known["model"]["dataset_unit"])] if has_value else [(name, "", nothing)]
    title, lines = compute(known) if name == FLOP else (name, own)
    unit = f" [{chosen['unit']}]" if chosen["unit"] else ""
    meaning = [("meaning", "", chosen["description"] + unit)] if chosen["description"] else []
    made = [
        Section(title, [*lines, *meaning]),
        Section("Claims", [line for claim in chosen["claims"] for line in _claim(claim, chosen["selected"])]),
        Section("Estimates", [line for row in chosen["estimates"] for line in _estimate(row)]),
        Section("Revisions", revised(chosen["revisions"])),
    ]
    return [section for section in made if section.lines]


def _line(entry: Row, items: str | None) -> Line:
    """A field, its value, and who says it and how many agree, the estimate it comes from, or the formula."""
    claim, derived, unit = entry["selected"], entry["derived"], entry["unit"]
    if entry["field"] == "dataset_size":
        unit = items
    value = human(entry["value"], unit) if entry["in_models"] else claimed(claim)
    if entry["field"] in SEVERAL_TRUE and claim:
        value = "; ".join(dict.fromkeys(claimed(c) for c in entry["claims"] if c["status"] != "quarantined"))
    agree = f" ×{claim['supporting_publishers']}" if claim and (claim["supporting_publishers"] or 1) > 1 else ""
    formula = f"derived: {derived}" + (f"; here {entry['formula']}" if entry["formula"] else "") if derived else ""
    who = "our estimate" if entry["estimate_id"] else place(claim) + agree if claim else ""
    return entry["field"], value, "; ".join(filter(None, [who, formula])) or "no claim of its own"


def compute(known: Row) -> tuple[str, list[Line]]:
    """The training compute, who states it (in full) and who agrees; if there is no value, why not."""
    model: Row = known["model"]
    entry: Row = next((entry for entry in known["fields"] if entry["field"] == FLOP), {})
    claim, low, high = entry.get("selected"), model["training_compute_low"], model["training_compute_high"]
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
    same = [c for c in entry["claims"] if c is not claim and claimed(c) == claimed(claim) and not c["correction"]]
    return title, [*lines, ("also by", "", "; ".join(map(place, same)))] if same else lines


def likely(known: Row) -> list[Line]:
    """Of a model without a value, the interval and what it rests on, and the facts that would narrow it."""
    row = known.get("predicted")
    if not row or row["training_compute_flop"] is not None:
        return []
    rests = [f"evidence level {row['tier']}", row["method"], *(row["assumptions"] or [])]
    rests += [f"of {row['tier_models']} published values such intervals contain {row['tier_coverage_90']:.0%}"]
    base = (row.get("estimate_id") or "").split(":")[0]
    rests += [f"after {base}"] if base not in ("", row.get("model_id")) else []
    needed = "; ".join(
        f"{fact['field']}: ± a factor of {10 ** fact['then_dex']:.2g} ({fact['method']})"
        for fact in known.get("missing", [])
    )
    lines = [("expected", "", expected(row)), ("based on", "", "; ".join(rests)), ("needed", "", needed)]
    return [line for line in lines if line[2]]


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


def _claim(claim: Row, winner: Row | None) -> list[Line]:
    read = f" ({'' if claim['correction'] else 'read as '}{claim['note']})" if claim["note"] else ""
    printed = f'printed "{claim["value_text"]}"{read} about "{claim["record"]}"; {why_lost(claim, winner)}'
    return [(claim["status"], claimed(claim), place(claim, full=True)), ("", "", printed)]


def _estimate(row: Row) -> list[Line]:
    """The formula with its numbers, the interval, what was assumed and what was read; or what the method lacks."""
    label = row["method"] if row["field"] == FLOP else f"{row['field']} {row['method']}"
    if row["value"] is None:
        bound = bounds(row, row["unit"])
        return [(label, bound or "abstains", f"{row['formula']}; {row['reason']}" if bound else row["reason"])]
    around = f" (90 %: {interval(row['low'], row['high'])})" if row["low"] and row["high"] else ""
    assumed = f"; assumes {', '.join(row['assumptions'])}" if row["assumptions"] else ""
    used = [f"{c['field']} {claimed(c)} ({c['reference'] or c['source_id']})" for c in row["input_claims"]]
    used += sorted(set(row["inputs"] or []) - {claim["claim_id"] for claim in row["input_claims"]})
    lines = [
        (label, human(row["value"], row["unit"]) + around, f"= {row['formula']}"),
        ("", "taken" if row["is_selected"] else "not taken", row["reason"] + assumed),
        ("", "inputs", "; ".join(used)),
    ]
    return [line for line in lines if line[2]]


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


def _capped(lines: list[Line], most: int) -> list[Line]:
    return lines[:most] + [("", "", f"… and {len(lines) - most} more (--json shows all)")][: max(0, len(lines) - most)]


def render_markdown(head: Sequence[str], parts: Sequence[Section]) -> str:
    """Heading and sections as Markdown, a table for each section."""
    lines = [f"# {one_line(head[0])}", *(line for text in head[1:] for line in ("", one_line(text)))]
    for part in parts:
        lines += ["", f"## {part.title}", "", *markdown_lines(HEAD, part.lines)]
    return "\n".join(lines)


def render_text(head: Sequence[str], parts: Sequence[Section], width: int, bold: Callable[[str], str]) -> str:
    """Heading and sections as lines of at most `width` columns; `bold` marks titles."""

    def wrapped(text: str, hang: str) -> list[str]:
        return textwrap.wrap(text, width, subsequent_indent=hang, break_on_hyphens=False)

    lines = [bold(line) for line in wrapped(one_line(head[0]), "")]
    lines += [line for text in head[1:] for line in wrapped(one_line(text), "  ")]
    for part in parts:
        lines += ["", *(bold(line) for line in wrapped(part.title, ""))]
        labels = max(len(one_line(line[0])) for line in part.lines)
        for line in part.lines:
            label, value, says = map(one_line, line)
            text = f"  {label:<{labels}}  " + "  ".join(filter(None, [value, says]))
            lines += wrapped(text, " " * (labels + 4))
    return "\n".join(lines)
