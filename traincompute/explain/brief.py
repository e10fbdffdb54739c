"""`traincompute explain` in at most twelve lines: the answer first, then what it rests on. `--full` (full.py) has the
rest."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from traincompute.explain.claims import claimed, place
from traincompute.explain.collect import heading
from traincompute.explain.full import FLOP, Line, expected
from traincompute.query.rows import Row
from traincompute.show.values import human, interval

WHO = {
    "reported": "the developers' own figure",
    "third_party": "estimate by a third party",
    "corrected": "our correction",
    "imputed": "our estimate",
}
UTILIZATION = "hardware_utilization"
MOST_NAMED, LONG_NAME = 2, 30  # so that there are at most twelve lines
HOW_LACKING = (
    ("hardware", "the kind of chip"),
    ("hardware_quantity", "the number of chips"),
    ("training_hours", "the hours"),
)


def lines(known: Row) -> list[Line]:
    """Label and text of each line below the heading; what nobody knows about compute, energy and cost is said."""
    fields = {entry["field"]: entry for entry in known["fields"]}
    told = [
        ("compute", _compute(known["model"], known)),
        ("source", _source(fields.get(FLOP, {}), known)),
        ("made from", _made_from(known["model"], known["same_run"])),
        ("also said", _others(fields.get(FLOP, {}))),
        ("parameters", _with_source(fields.get("parameters"), known["model"].get("parameters_active"))),
        ("tokens", _with_source(fields.get("training_tokens"))),
        ("hardware", _hardware(known["model"])),
        ("energy", _amount(known["model"], "training_energy_kwh", "kWh")),
        ("cost", _amount(known["model"], "training_cost_usd", "USD", " of 2023")),
    ]
    return [(label, "", text) for label, text in told if text]


def short_heading(known: Row) -> list[str]:
    """Name, a few organisations, date, a few countries; id, one short name and link; how the model was found."""
    model = dict(known["model"])
    for name in ("organizations", "countries"):
        listed = model[name] or []
        model[name] = listed[:MOST_NAMED] + [f"{len(listed) - MOST_NAMED} more"] * (len(listed) > MOST_NAMED)
    aliases = [alias for alias in known["aliases"][:1] if len(alias) < LONG_NAME]
    return heading(known | {"model": model, "aliases": aliases})


def _compute(model: Mapping[str, Any], known: Row) -> str:
    """The value with its 90 % interval and who says so; without a value, the interval, its median and upper limit."""
    value, low, high = (model[f"training_compute_{end}"] for end in ("flop", "low", "high"))
    if value is None:
        return f"unknown; {expected(known['predicted'])}" if known["predicted"] else "unknown"
    around = f" (90 %: {interval(low, high)})" if low and high else ""
    confidence = f", {model['training_compute_confidence']}" if model["training_compute_confidence"] else ""
    return f"{human(value, 'FLOP')}{around}, {WHO[model['training_compute_source']]}{confidence}"


def _source(entry: Row, known: Row) -> str:
    """The claim behind the value and how many publishers agree; the formula of an estimate; or what the interval of a
    model without a value rests on, and the fact that would narrow it most."""
    taken = next((row for row in known["estimates"] if row["field"] == FLOP and row["is_selected"]), None)
    if taken and taken["value"] is not None:
        assumed = f"; assumes {', '.join(taken['assumptions'])}" if taken["assumptions"] else ""
        return f"{taken['method'].replace('_', ' ')}: {taken['formula']}{assumed}"
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


def _others(entry: Row) -> str:
    """The values of other claims, each once, with the first that states it."""
    winner = claimed(entry["selected"]) if entry.get("selected") else ""
    others: dict[str, Row] = {}
    for claim in entry.get("claims", []):
        if claim["status"] in ("conflicting", "superseded") and claimed(claim) != winner:
            others.setdefault(claimed(claim), claim)
    return "; ".join(f"{text} ({claim['source_id']})" for text, claim in others.items())


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
    parts += [f"{human(model[UTILIZATION], '1')} of peak" if model[UTILIZATION] else ""]
    return ", ".join(filter(None, [*parts, model["numerical_format"]]))


def _amount(model: Mapping[str, Any], name: str, unit: str, of: str = "") -> str:
    """Energy or cost with interval and who says so, or what would be needed for an estimate."""
    value, low, high = model[name], model[f"{name}_low"], model[f"{name}_high"]
    if value is None:
        lacking = ", ".join(what for column, what in HOW_LACKING if not model[column])
        return f"unknown; an estimate needs {lacking}" if lacking else "unknown"
    around = f" (90 %: {human(low, unit)} – {human(high, unit)})" if low and high else ""
    who = model[name.removesuffix("_kwh").removesuffix("_usd") + "_source"]
    return f"{human(value, unit)}{around}{of}, {WHO.get(who, who)}"
