"""`traincompute explain` in words: at most twelve lines with the answer first, and all sections as text or Markdown.

Takes the output of collect.py; nothing here reads the dataset. Text fits the terminal (100 columns if piped)."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from traincompute.explain.collect import FLOP, STATUS_ORDER
from traincompute.query.rows import Row
from traincompute.show.table import Column, markdown_lines, one_line
from traincompute.show.values import human, interval

Line = tuple[str, str, str]  # label, value, who says so
Sections = Mapping[str, Sequence[Line]]  # by title
HEAD = (Column("field"), Column("value"), Column("who says so"))
WHO = {
    "reported": "the developers' own figure",
    "third_party": "estimate by a third party",
    "corrected": "our correction",
    "imputed": "our estimate",
}
IN_HEADING = ("model_id", "organization", FLOP, "is_notable", "publication_date_precision")
SEVERAL_TRUE = ("arithmetic", "architecture")  # notes may hold several that do not compete
UNREMARKABLE = ("value_changed", "filled", "blanked", "renamed")  # kinds of revisions that need no word
MOST_NAMED, LONG_NAME = 2, 30  # so that there are at most twelve lines
MOST_REVISIONS, MOST_COMPETING = 8, 10
NEEDED = {
    "hardware": "the kind of chip",
    "hardware_quantity": "the number of chips",
    "training_hours": "the hours",
}


def claimed(claim: Row) -> str:
    """What a claim says: its number with unit, its bound or range, or else its code or the text itself."""
    if claim["value"] is not None:
        return human(claim["value"], claim["unit"])
    return bounds(claim, claim["unit"]) or str(claim["code"] or claim["value_text"]).replace(";", ", ")


def bounds(row: Row, unit: str | None) -> str:
    """The ends of a claim or estimate that is not a single number: ≥ 1e+25 FLOP, ≤ 5e+25 FLOP."""
    ends = (("≥", row["low"]), ("≤", row["high"]))
    return ", ".join(f"{sign} {human(end, unit)}" for sign, end in ends if end)


def place(claim: Row) -> str:
    """Source, first snapshot and column; for a curated fact, the primary source, the place in it and how it was
    seen."""
    if claim["reference"]:
        cited = claim["reference"].removeprefix("https://").removeprefix("www.")
        ours = f"{claim['publisher']} {claim['since']}, after " if claim["correction"] else ""
        return ours + ", ".join(filter(None, [cited, claim["locator"], claim["evidence"]]))
    return ", ".join(filter(None, [f"{claim['source_id']} since {claim['since']}", claim["locator"]]))


def why_not(claim: Row, winner: Row | None) -> str:
    """Why a claim was not chosen or could not be read, with the place of the winning claim instead of its claim_id, and
    what can be done about it."""
    reason = "; ".join(filter(None, [claim["reason"], claim.get("remedy")]))
    if claim["status"] == "quarantined":
        reason = f"could not be read: {reason}"
    if winner and reason.endswith(winner["claim_id"]):
        return reason.replace(winner["claim_id"], place(winner))
    seen = winner["evidence"] if winner and winner["source_id"] == claim["source_id"] else None
    return reason + (f" ({seen})" if seen and seen != claim["evidence"] else "")


# --- at most twelve lines


def heading(known: Row, *, whole: bool = False) -> list[str]:
    """Name, a few organisations, date, a few countries, notability; id, one short name and link; how the model was
    found. All of them if `whole`."""
    model, most = known["model"], 99 if whole else MOST_NAMED
    length = {"year": 4, "month": 7}.get(model["publication_date_precision"], 10)

    def few(names: Sequence[str] | None) -> list[str]:
        return [*(names or [])[:most], *([f"{len(names) - most} more"] if names and len(names) > most else [])]

    first = [model["name"], *few(model["organizations"]), str(model["publication_date"] or "")[:length]]
    first += [*few(model["countries"]), "notable" if model["is_notable"] else "not notable"]
    aliases = known["aliases"] if whole else [alias for alias in known["aliases"][:1] if len(alias) < LONG_NAME]
    second = [known["model_id"], *(f"also {alias}" for alias in aliases), model["reference_url"]]
    lines = [" · ".join(filter(None, line)) for line in (first, second)]
    return [*lines, known["note"]] if known["note"] else lines


def brief_lines(known: Row) -> list[tuple[str, str]]:
    """Label and text of each line below the heading; what nobody knows about compute, energy and cost is said."""
    model, fields = known["model"], {entry["field"]: entry for entry in known["fields"]}
    others = [
        f"{claimed(claim)} ({claim['source_id']})"
        for _, claim in competing([fields[FLOP]] if FLOP in fields else [])
        if claim["status"] != "quarantined"
    ]
    told = [
        ("compute", _compute(model, known["predicted"])),
        ("source", _source(fields.get(FLOP, {}), known)),
        ("made from", _made_from(model, known["same_run"])),
        ("also said", "; ".join(others)),
        ("parameters", _with_source(fields.get("parameters"), model.get("parameters_active"))),
        ("tokens", _with_source(fields.get("training_tokens"))),
        ("hardware", _hardware(model)),
        ("energy", _amount(model, "training_energy_kwh", "kWh")),
        ("cost", _amount(model, "training_cost_usd", "USD", " of 2023")),
    ]
    return [(label, text) for label, text in told if text]


def _compute(model: Mapping[str, Any], predicted: Row | None) -> str:
    """The value with its 90 % interval and who says so; without a value, the interval, its median and the largest run
    that was feasible by its date."""
    value, low, high = (model[f"training_compute_{end}"] for end in ("flop", "low", "high"))
    if value is None and predicted:
        upper = f"; upper limit {human(predicted['most_flop'])}" if predicted.get("most_flop") else ""
        ends, median = interval(predicted["flop_05"], predicted["flop_95"]), human(predicted["flop_50"], "FLOP")
        return f"unknown; 90 %: {ends}, median {median}{upper}"
    if value is None:
        return "unknown"
    around = f" (90 %: {interval(low, high)})" if low and high else ""
    confidence = f", {model['training_compute_confidence']}" if model["training_compute_confidence"] else ""
    return f"{human(value, 'FLOP')}{around}, {WHO[model['training_compute_source']]}{confidence}"


def _source(entry: Row, known: Row) -> str:
    """The claim behind the value and how many publishers agree; the formula of an estimate; or what the interval of a
    model without a value rests on, and the fact that would narrow it most."""
    taken = next((row for row in known["estimates"] if row["field"] == FLOP and row["is_selected"]), None)
    if taken and taken["value"] is not None:
        return f"{taken['method'].replace('_', ' ')}: {taken['formula']}{_assumed(taken)}"
    if claim := entry.get("selected"):
        agree = claim["supporting_publishers"] or 1
        corrected = f"; {claim['note']}" if claim["correction"] else ""
        return place(claim) + (f"; {agree} publishers agree" if agree > 1 else "") + corrected
    if not (predicted := known["predicted"]):
        return ""
    rests = f"evidence level {predicted['tier']}, {predicted['method'].replace('_', ' ')}"
    for fact in known["missing"]:
        return f"{rests}; {fact['field']} would narrow it to ± a factor of {10 ** fact['then_dex']:.2g}"
    share, models = predicted["tier_coverage_90"], predicted["tier_models"]
    return f"{rests}; such intervals contain {share:.0%} of {models} published values"


def _assumed(estimate: Row) -> str:
    return f"; assumes {', '.join(estimate['assumptions'])}" if estimate["assumptions"] else ""


def _made_from(model: Mapping[str, Any], same_run: list[str]) -> str:
    """Base model with the further training, components, and other models of the same training run."""
    further, components = model.get("finetune_compute_flop"), model.get("components")
    more = f" and {len(same_run) - 3} more" if len(same_run) > 3 else ""
    parts = [
        f"base {model['base_model_id']}" if model["base_model_id"] else "",
        f"further training {human(further, 'FLOP')}" if further else "",
        f"components {', '.join(components)}" if components else "",
        f"same run as {', '.join(same_run[:3])}{more}" if same_run else "",
    ]
    return "; ".join(filter(None, parts))


def _with_source(entry: Row | None, active: float | None = None) -> str:
    """A value with who states it."""
    if not entry or entry["value"] is None:
        return ""
    used = f" ({human(active)} active)" if active else ""
    who = place(entry["selected"]) if entry["selected"] else "computed"
    return f"{human(entry['value'], entry['unit'])}{used}; {who}"


def _hardware(model: Mapping[str, Any]) -> str:
    """Chips, their number, the hours and the share of the peak that was used."""
    number = f"{human(model['hardware_quantity'])} × " if model["hardware_quantity"] else ""
    parts = [number + ", ".join(model["hardware"]) if model["hardware"] else ""]
    hours = {"chip-hour": model["chip_hours"], "hour": model["training_hours"]}
    parts += [human(value, unit) for unit, value in hours.items() if value][:1]
    used = model["hardware_utilization"]
    return ", ".join(filter(None, [*parts, used and f"{human(used, '1')} of peak", model["numerical_format"]]))


def _amount(model: Mapping[str, Any], name: str, unit: str, of: str = "") -> str:
    """Energy or cost with interval and who says so, or what would be needed for an estimate."""
    value, low, high = model[name], model[f"{name}_low"], model[f"{name}_high"]
    if value is None:
        lacking = ", ".join(what for column, what in NEEDED.items() if not model[column])
        return f"unknown; an estimate needs {lacking}" if lacking else "unknown"
    around = f" (90 %: {human(low, unit)} – {human(high, unit)})" if low and high else ""
    who = model[name.removesuffix("_kwh").removesuffix("_usd") + "_source"]
    return f"{human(value, unit)}{around}{of}, {WHO.get(who, who)}"


# --- everything


def sections(known: Row) -> Sections:
    """All sections of the model in the order shown, the twelve lines first; empty ones are left out."""
    items = known["model"]["dataset_unit"]
    lines: dict[str, list[Line]] = {"Values": [], "Derived": [], "Claimed, without a value in models": []}
    for entry in known["fields"]:
        stated = "Values" if entry["selected"] or entry["estimate_id"] else "Derived"
        title = stated if entry["in_models"] else "Claimed, without a value in models"
        if entry["field"] not in IN_HEADING and (entry["in_models"] or entry["selected"]):
            lines[title].append(_line(entry, items))
    also_said = [
        (entry["field"], claimed(claim), f"{place(claim)}: {why_not(claim, entry['selected'])}")
        for entry, claim in competing(known["fields"])
    ]
    made = {
        "In brief": [(label, "", text) for label, text in brief_lines(known)] + likely(known),
        **lines,
        "Also said": _capped(also_said, MOST_COMPETING),
        "Estimates": [line for row in known["estimates"] for line in _estimate(row)],
        "Revisions": revised(known["revisions"]),
        "Sources": [(s["source_id"], str(s["snapshot"] or ""), s["title"]) for s in known["sources"]],
    }
    return {title: found for title, found in made.items() if found}


def field_sections(known: Row, chosen: Row) -> Sections:
    """One field in full: its value, what the column means, every claim with its reason, estimates and revisions."""
    name, nothing = chosen["field"], "no value that could be read" if chosen["claims"] else "no source says anything"
    has_value, unit = chosen["in_models"] or chosen["selected"], f" [{chosen['unit']}]" if chosen["unit"] else ""
    own = [_line(chosen, known["model"]["dataset_unit"]) if has_value else (name, "", nothing)]
    if name == FLOP:
        brief = [(label, "", text) for label, text in brief_lines(known) if label in ("compute", "source")]
        own = [*brief, *likely(known)]
    made = {
        name: own + ([("meaning", "", chosen["description"] + unit)] if chosen["description"] else []),
        "Claims": [line for claim in chosen["claims"] for line in _claim(claim, chosen["selected"])],
        "Estimates": [line for row in chosen["estimates"] for line in _estimate(row)],
        "Revisions": revised(chosen["revisions"]),
    }
    return {title: found for title, found in made.items() if found}


def _line(entry: Row, items: str | None) -> Line:
    """A field, its value, and who says it and how many agree, the estimate it comes from, or the formula."""
    claim, derived, unit = entry["selected"], entry["derived"], entry["unit"]
    if entry["field"] == "dataset_size":
        unit = items
    value = human(entry["value"], unit) if entry["in_models"] else claimed(claim)
    if entry["field"] in SEVERAL_TRUE and claim:
        value = "; ".join(dict.fromkeys(claimed(c) for c in entry["claims"] if c["status"] != "quarantined"))
    agree = f"; {support} publishers agree" if (support := (claim or {}).get("supporting_publishers") or 1) > 1 else ""
    formula = f"derived: {derived}" + (f"; here {entry['formula']}" if entry["formula"] else "") if derived else ""
    who = "our estimate" if entry["estimate_id"] else place(claim) + agree if claim else ""
    return entry["field"], value, "; ".join(filter(None, [who, formula])) or "no claim of its own"


def likely(known: Row) -> list[Line]:
    """Of a model without a value, what its interval rests on, and the facts that would narrow it."""
    row = known["predicted"]
    if not row or row[FLOP] is not None:
        return []
    rests = [f"evidence level {row['tier']}", row["method"], *(row["assumptions"] or [])]
    rests += [f"of {row['tier_models']} published values such intervals contain {row['tier_coverage_90']:.0%}"]
    base = (row.get("estimate_id") or "").split(":")[0]
    rests += [f"after {base}"] if base not in ("", row["model_id"]) else []
    needed = "; ".join(
        f"{fact['field']}: ± a factor of {10 ** fact['then_dex']:.2g} ({fact['method']})" for fact in known["missing"]
    )
    return [("based on", "", "; ".join(rests)), *([("needed", "", needed)] if needed else [])]


def competing(fields: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Each field with a losing claim that has a different value: conflicting ones first, then those that could not be
    read."""
    found: list[tuple[Row, Row]] = []
    for entry in fields:
        seen = {claimed(entry["selected"])} if entry["selected"] else set()
        for claim in () if entry["field"] in SEVERAL_TRUE else entry["claims"]:
            text = claimed(claim)
            numeric = any(claim[part] is not None for part in ("value", "low", "high"))
            if text not in seen and (numeric or claim["status"] in ("conflicting", "quarantined")):
                found.append((entry, claim))
                seen.add(text)
    return sorted(found, key=lambda pair: STATUS_ORDER.index(pair[1]["status"]))


def _claim(claim: Row, winner: Row | None) -> list[Line]:
    read = f" ({'' if claim['correction'] else 'read as '}{claim['note']})" if claim["note"] else ""
    printed = f'printed "{claim["value_text"]}"{read} about "{claim["record"]}"; {why_not(claim, winner)}'
    return [(claim["status"], claimed(claim), place(claim)), ("", "", printed)]


def _estimate(row: Row) -> list[Line]:
    """The formula with its numbers, the interval, what was assumed and what was read; or what the method lacks."""
    label = row["method"] if row["field"] == FLOP else f"{row['field']} {row['method']}"
    if row["value"] is None:
        bound = bounds(row, row["unit"])
        return [(label, bound or "abstains", f"{row['formula']}; {row['reason']}" if bound else row["reason"])]
    around = f" (90 %: {interval(row['low'], row['high'])})" if row["low"] and row["high"] else ""
    used = [f"{c['field']} {claimed(c)} ({c['reference'] or c['source_id']})" for c in row["input_claims"]]
    used += sorted(set(row["inputs"] or []) - {claim["claim_id"] for claim in row["input_claims"]})
    lines = [
        (label, human(row["value"], row["unit"]) + around, f"= {row['formula']}"),
        ("", "taken" if row["is_selected"] else "not taken", row["reason"] + _assumed(row)),
        ("", "inputs", "; ".join(used)),
    ]
    return [line for line in lines if line[2]]


def revised(found: Sequence[Row], most: int = MOST_REVISIONS) -> list[Line]:
    """One line per change, even if two files of a publisher made it; the snapshot is the first with the new value."""
    lines: dict[tuple[str, str], Line] = {}
    for row in found:
        old, new = (human(row[f"{age}_value"] or row[f"{age}_text"] or "nothing") for age in ("old", "new"))
        change = f"{old} → {new}" + (f" ×{row['ratio']:.3g}" if row["ratio"] else "")
        kind = "" if row["kind"] in UNREMARKABLE else f", {row['kind']}"
        line = (str(row["to_snapshot"]), "", f"{row['field']} {change}{kind}, {row['source_id']}")
        lines.setdefault((row["field"], change), line)
    return _capped(list(lines.values()), most)


def _capped(lines: list[Line], most: int) -> list[Line]:
    return lines[:most] + [("", "", f"… and {len(lines) - most} more (--json shows all)")][: max(0, len(lines) - most)]


def render_markdown(head: Sequence[str], parts: Sections) -> str:
    """Heading and sections as Markdown, a table for each section."""
    lines = [f"# {one_line(head[0])}", *(line for text in head[1:] for line in ("", one_line(text)))]
    for title, told in parts.items():
        lines += ["", f"## {title}", "", *markdown_lines(HEAD, told)]
    return "\n".join(lines)


def render_text(head: Sequence[str], parts: Sections, width: int, bold: Callable[[str], str]) -> str:
    """Heading and sections as lines of at most `width` columns; `bold` marks titles."""

    def wrapped(text: str, hang: str) -> list[str]:
        return textwrap.wrap(text, width, subsequent_indent=hang, break_on_hyphens=False)

    lines = [bold(line) for line in wrapped(one_line(head[0]), "")]
    lines += [line for text in head[1:] for line in wrapped(one_line(text), "  ")]
    for title, told in parts.items():
        lines += ["", *(bold(line) for line in wrapped(title, ""))]
        labels = max(len(one_line(line[0])) for line in told)
        for line in told:
            label, value, says = map(one_line, line)
            text = f"  {label:<{labels}}  " + "  ".join(filter(None, [value, says]))
            lines += wrapped(text, " " * (labels + 4))
    return "\n".join(lines)
