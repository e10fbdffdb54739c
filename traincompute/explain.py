"""What a dataset holds about a model: as values for JSON, in the twelve lines of `explain`, and in tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from traincompute.base.errors import NotFoundError, did_you_mean
from traincompute.database import Row, duckdb, rows, rows_if_held
from traincompute.query.run import read_meanings
from traincompute.show.rows import human, interval

Line = tuple[str, str]  # label and text
FLOP = "training_compute_flop"
# columns with the id of the model that the claim names
LOOKED_UP = {"base_model_id": "base_model", "training_run_id": "training_run"}
REVISED_FIRST = (FLOP, "parameters", "training_tokens", "dataset_size", "finetune_compute_flop")
STATUS_ORDER = ("selected", "conflicting", "superseded", "quarantined")
OF_MODELS = "list_contains($1::varchar[], model_id)"
# a table or view, which an older dataset may lack, and its rows about the models $1
TABLES = {name: f"from {name} where {OF_MODELS}" for name in ("models", "models_completed", "derivations")} | {
    "claims": f"""
        select claims.*, remedy from claims left join (select claim_id, remedy from quarantine) using (claim_id)
        where {OF_MODELS} order by list_position({list(STATUS_ORDER)}, status), source_id, claim_id""",
    "estimates": f"from estimates where {OF_MODELS} order by estimate_id",
    "revisions": f"""
        from revisions where {OF_MODELS} order by list_position({list(REVISED_FIRST)}, field) nulls last,
        abs(ln(coalesce(nullif(ratio, 0), 1))) desc, kind, to_snapshot desc nulls last, field""",
    "missing_facts": f"""
        select model_id, field, method, half_width_dex, then_dex from missing_facts
        where {OF_MODELS} order by then_dex, field""",
}
INPUTS = "from claims where claim_id in (select unnest($1::varchar[]))"
OF_RUNS = f"""
select training_run_id, model_id from models
where training_run_id in (select training_run_id from models where {OF_MODELS})
order by publication_date nulls last, model_id"""
SOURCES = "select source_id, publisher, title, snapshot, licence from sources order by source_id"
WHO = {
    "reported": "the developers' own figure",
    "third_party": "estimate by a third party",
    "corrected": "our correction",
    "imputed": "our estimate",
}
IN_HEADING = ("model_id", "organization", FLOP, "is_notable", "publication_date_precision")
BOUNDS = {"low": "≥", "high": "≤"}
SEVERAL_TRUE = ("arithmetic", "architecture")  # notes may hold several that do not compete
UNREMARKABLE = ("value_changed", "filled", "blanked", "renamed")  # kinds of revisions that need no word
LONG_NAME = 30  # letters, so that there are at most twelve lines
NEEDED = {"hardware": "the kind of chip", "hardware_quantity": "the number of chips", "training_hours": "the hours"}


def collect_each(
    connection: duckdb.DuckDBPyConnection, model_ids: Sequence[str], is_brief: bool = False
) -> Iterator[Row]:
    """Of each of these models, in their order, model_id, name, model (the row of models), same_run, aliases, fields,
    estimates, predicted, missing (of a model without a value), revisions, sources. Every table is read once.

    Every field has value, unit, description, derived (how), formula (with the numbers filled in), selected (claim) and
    claims, the selected one first. With `is_brief`, what `brief_lines` does not use is left out."""
    ids, held = list(model_ids), dict[str, dict[Any, list[Row]]]()
    for name, query in TABLES.items():
        if len(ids) == 1:  # DuckDB then reads fewer rows of a view
            query = query.replace(OF_MODELS, "model_id = $1[1]")
        only_without_value = name == "missing_facts" or (is_brief and name == "models_completed")
        wanted = [key for key in ids if not only_without_value or held["models"][key][0][FLOP] is None]
        wanted = [] if is_brief and name in ("derivations", "revisions") else wanted
        held[name] = _grouped(rows_if_held(connection, name, query, wanted), "model_id") if wanted else {}
    of_estimates = {each for made in held["estimates"].values() for row in made for each in row["inputs"] or []}
    inputs = {} if is_brief else {row["claim_id"]: row for row in rows(connection, INPUTS, sorted(of_estimates))}
    runs = _grouped(rows(connection, OF_RUNS, ids), "training_run_id")
    columns, sources = read_meanings(connection, "models"), rows(connection, SOURCES)
    for key in ids:
        about = {name: groups.get(key, []) for name, groups in held.items()}
        [model], claims = about["models"], about["claims"]
        run, said = runs.get(model.get("training_run_id"), []), {row["source_id"] for row in claims}
        yield {
            "model_id": key,
            "name": model["name"],
            "model": model,
            "same_run": [row["model_id"] for row in run if row["model_id"] != key],
            "aliases": sorted({row["record"] for row in claims} - {model["name"]}),
            "fields": list(_fields(columns, about)),
            "estimates": [
                {**row, "input_claims": [inputs[id] for id in sorted(set(row["inputs"] or [])) if id in inputs]}
                for row in about["estimates"]
            ],
            "predicted": next(iter(about["models_completed"]), None),
            "missing": about["missing_facts"],
            "revisions": about["revisions"],
            "sources": [row for row in sources if row["source_id"] in said],
        }


def _grouped(found: Sequence[Row], key: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in found:
        groups.setdefault(row[key], []).append(row)
    return groups


def _fields(columns: Sequence[Row], about: Mapping[str, list[Row]]) -> Iterator[Row]:
    """One entry per column with a value, then one per claimed field that is not in the row of models."""
    [model], claimed = about["models"], _grouped(about["claims"], "field")
    formulas = {row["field"]: row["formula"] for row in about["derivations"]}
    taken = {row["field"]: row["estimate_id"] for row in about["estimates"] if row["is_selected"]}
    described = {column["name"]: column for column in columns}
    carried = {name: column["claim"] or LOOKED_UP.get(name, name) for name, column in described.items()}
    filled = {name: field for name, field in carried.items() if model[name] is not None}
    further = {name: name for name in sorted(claimed) if name not in filled.values()}
    for name, field in (filled | further).items():
        column, claims = described.get(name, {}), claimed.get(field, [])
        selected = next((claim for claim in claims if claim["status"] == "selected"), None)
        stated = selected or {"value": None, "code": None}
        # the estimate gives the method, the interval and so on together with the value
        of = FLOP if name.startswith("training_compute_") else name
        yield {
            "field": name,
            "in_models": name in filled,
            "value": model[name] if name in filled else stated["code"] if stated["value"] is None else stated["value"],
            "unit": column.get("unit") or next((claim["unit"] for claim in claims), None),
            "description": column.get("description") or None,
            "derived": column.get("derived"),
            "formula": formulas.get(name),
            "estimate_id": taken.get(of) if name in filled and not column.get("derived") else None,
            "selected": selected,
            "claims": claims,
        }


def one_field(known: Row, text: str) -> Row:
    """The entry of the column of that name, or of the one that carries its claims, with the estimates and revisions
    about it. Raises NotFoundError naming the nearest one."""
    wanted, columns = text.strip().lower().replace("-", "_"), list(known["model"])
    empty: Row = {**dict.fromkeys(known["fields"][0]), "field": wanted, "in_models": False, "claims": []}
    entries = {claim["field"]: entry for entry in reversed(known["fields"]) for claim in entry["claims"]}
    entries |= dict.fromkeys(columns, empty) | {entry["field"]: entry for entry in known["fields"]}
    entry: Row | None = entries.get(wanted)
    if not entry:
        raise NotFoundError(f"no field {text!r}{did_you_mean(wanted, columns)}")
    both = {entry["field"], *(claim["field"] for claim in entry["claims"])}
    about = {part: [row for row in known[part] if row["field"] in both] for part in ("estimates", "revisions")}
    return {part: known[part] for part in ("model_id", "name", "note")} | entry | about


def claimed(row: Row) -> str:
    """What a claim or an estimate says: its number with unit, its bound or range, or else its code or the text."""
    if row["value"] is not None:
        return human(row["value"], row["unit"])
    bounds = ", ".join(f"{sign} {human(row[end], row['unit'])}" for end, sign in BOUNDS.items() if row[end])
    return bounds or str(row.get("code") or row.get("value_text") or "").replace(";", ", ")


def place(claim: Row) -> str:
    """Source, first snapshot and column; of a curated fact the primary source, the place in it and how it was seen."""
    if not claim["reference"]:
        return ", ".join(filter(None, [f"{claim['source_id']} since {claim['since']}", claim["locator"]]))
    cited = claim["reference"].removeprefix("https://").removeprefix("www.")
    ours = f"{claim['publisher']} {claim['since']}, after " if claim["correction"] else ""
    return ours + ", ".join(filter(None, [cited, claim["locator"], claim["evidence"]]))


def why_not(claim: Row, winner: Row | None) -> str:
    """Why a claim was not chosen or was set aside, and what can be done; the winner by its place, not its id."""
    reason = "; ".join(filter(None, [claim["reason"], claim.get("remedy")]))
    if claim["status"] == "quarantined":
        reason = f"set aside: {reason}"
    if winner and reason.endswith(winner["claim_id"]):
        return reason.replace(winner["claim_id"], place(winner))
    seen = winner["evidence"] if winner and winner["source_id"] == claim["source_id"] else None
    return f"{reason} ({seen})" if seen and seen != claim["evidence"] else reason


def competing(fields: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Each field with a losing claim that has another value: conflicting ones first, at last what could not be read."""
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


def heading(known: Row) -> list[str]:
    """Name, two organisations, date, two countries, notability; id, a short name and link; how the model was found."""
    model, alias = known["model"], next(iter(known["aliases"]), "")
    length = {"year": 4, "month": 7}.get(model["publication_date_precision"], 10)
    makers, homes = (
        [*names[:2], *([f"{len(names) - 2} more"] if names[2:] else [])]
        for names in (model["organizations"] or [], model["countries"] or [])
    )
    notable = "notable" if model["is_notable"] else "not notable"
    first = [model["name"], *makers, str(model["publication_date"] or "")[:length], *homes, notable]
    second = [known["model_id"], f"also {alias}" if 0 < len(alias) < LONG_NAME else "", model["reference_url"]]
    return [*(" · ".join(filter(None, line)) for line in (first, second)), *filter(None, [known["note"]])]


def brief_lines(known: Row) -> list[Line]:
    """The lines below the heading; what is unknown is said."""
    model, fields = known["model"], {entry["field"]: entry for entry in known["fields"]}
    others = [claim for _, claim in competing([fields[FLOP]] if FLOP in fields else [])]
    said = [f"{claimed(claim)} ({claim['source_id']})" for claim in others if claim["status"] != "quarantined"]
    told = {
        "compute": _compute(model, known["predicted"]),
        "source": _source(fields.get(FLOP, {}), known),
        **dict(likely(known)),
        "made from": _made_from(model, known["same_run"]),
        "also said": "; ".join(said),
        "parameters": _with_source(fields.get("parameters"), model.get("parameters_active")),
        "tokens": _with_source(fields.get("training_tokens")),
        "hardware": _hardware(model),
        "energy": _amount(model, "training_energy_kwh", "kWh"),
        "cost": _amount(model, "training_cost_usd", "USD", " of 2023"),
    }
    return [(label, text) for label, text in told.items() if text]


def _compute(model: Mapping[str, Any], predicted: Row | None) -> str:
    value, low, high = (model[f"training_compute_{end}"] for end in ("flop", "low", "high"))
    if value is not None:
        around = f" (90 %: {interval(low, high)})" if low and high else ""
        confidence = f", {model['training_compute_confidence']}" if model["training_compute_confidence"] else ""
        return f"{human(value, 'FLOP')}{around}, {WHO[model['training_compute_source']]}{confidence}"
    if not predicted:
        return "unknown"
    upper = f"; upper limit {human(predicted['most_flop'])}" if predicted.get("most_flop") else ""
    ends, median = interval(predicted["flop_05"], predicted["flop_95"]), human(predicted["flop_50"], "FLOP")
    return f"unknown; 90 %: {ends}, median {median}{upper}"


def _source(entry: Row, known: Row) -> str:
    """The claim or formula behind the value."""
    taken = next((row for row in known["estimates"] if row["field"] == FLOP and row["is_selected"]), None)
    if taken and taken["value"] is not None:
        return f"{taken['method'].replace('_', ' ')}: {_formula(taken)}"
    claim = entry.get("selected")
    return _stated(claim) + (f"; {claim['note']}" if claim["correction"] else "") if claim else ""


def _stated(claim: Row) -> str:
    agree = claim["supporting_publishers"] or 1
    return place(claim) + (f"; {agree} publishers agree" if agree > 1 else "")


def _formula(estimate: Row) -> str:
    assumed = f"; assumes {', '.join(estimate['assumptions'])}" if estimate["assumptions"] else ""
    return f"{estimate['formula']}{assumed}"


def _made_from(model: Mapping[str, Any], same_run: list[str]) -> str:
    further = model.get("finetune_compute_flop")
    told = {
        "base": model["base_model_id"],
        "further training": further and human(further, "FLOP"),
        "components": ", ".join(model.get("components") or []),
        "same run as": ", ".join(same_run[:3]) + (f" and {len(same_run) - 3} more" if len(same_run) > 3 else ""),
    }
    return "; ".join(f"{what} {text}" for what, text in told.items() if text)


def _with_source(entry: Row | None, active: float | None = None) -> str:
    if not entry or entry["value"] is None:
        return ""
    used = f" ({human(active)} active)" if active else ""
    who = place(entry["selected"]) if entry["selected"] else "computed"
    return f"{human(entry['value'], entry['unit'])}{used}; {who}"


def _hardware(model: Mapping[str, Any]) -> str:
    number = f"{human(model['hardware_quantity'])} × " if model["hardware_quantity"] else ""
    parts = [number + ", ".join(model["hardware"]) if model["hardware"] else ""]
    hours = {"chip-hour": model["chip_hours"], "hour": model["training_hours"]}
    parts += [human(value, unit) for unit, value in hours.items() if value][:1]
    used = model["hardware_utilization"]
    return ", ".join(filter(None, [*parts, used and f"{human(used, '1')} of peak", model["numerical_format"]]))


def _amount(model: Mapping[str, Any], name: str, unit: str, of: str = "") -> str:
    value, low, high = model[name], model[f"{name}_low"], model[f"{name}_high"]
    if value is None:
        lacking = ", ".join(what for column, what in NEEDED.items() if not model[column])
        return f"unknown; an estimate needs {lacking}" if lacking else "unknown"
    who = model[name.removesuffix("_kwh").removesuffix("_usd") + "_source"]
    around = f" (90 %: {interval(low, high, unit)})" if low and high else ""
    return f"{human(value, unit)}{around}{of}, {WHO[who]}"


def likely(known: Row) -> list[Line]:
    """Of a model without a value, what its interval rests on, and the facts that would narrow it."""
    row = known["predicted"]
    if not row or row[FLOP] is not None:
        return []
    rests = [f"evidence level {row['tier']}", row["method"].replace("_", " "), *(row["assumptions"] or [])]
    rests += [f"such intervals contain {row['tier_coverage_90']:.0%} of {row['tier_models']} published values"]
    base = (row.get("estimate_id") or "").split(":")[0]
    rests += [f"after {base}"] if base not in ("", row["model_id"]) else []
    needed = "; ".join(
        f"{fact['field']}: ± a factor of {10 ** fact['then_dex']:.2g} ({fact['method']})" for fact in known["missing"]
    )
    return [("based on", "; ".join(rests)), *([("needed", needed)] if needed else [])]


def sections(known: Row, chosen: Row | None = None) -> dict[str, list[tuple[Row, str]]]:
    """The tables by title, maybe empty, those of one field where it is chosen: rows, each with a text below it."""
    entries = [chosen] if chosen else [entry for entry in known["fields"] if entry["field"] not in IN_HEADING]
    claims = [(chosen, claim) for claim in chosen["claims"]] if chosen else competing(known["fields"])
    told, sources = (chosen, []) if chosen else (known, known["sources"])
    return {
        "Values": [(_value(entry, known["model"]), (chosen and entry["description"]) or "") for entry in entries],
        "Claims" if chosen else "Also said": [_claim(entry, claim) for entry, claim in claims],
        "Estimates": [_estimate(row) for row in told["estimates"]],
        "Revisions": [({"since": since, "change": change}, "") for since, change in revised(told["revisions"])],
        "Sources": [({name: row[name] for name in ("source_id", "snapshot", "title")}, "") for row in sources],
    }


def _value(entry: Row, model: Row) -> Row:
    claim, unit = entry["selected"], model["dataset_unit"] if entry["field"] == "dataset_size" else entry["unit"]
    nothing = "no value that could be read" if entry["claims"] else "no source says anything"
    value = human(entry["value"], unit) if entry["in_models"] else claimed(claim) if claim else nothing
    if entry["field"] in SEVERAL_TRUE and claim:
        value = "; ".join(dict.fromkeys(claimed(each) for each in entry["claims"] if each["status"] != "quarantined"))
    derived = f"derived: {entry['formula'] or entry['derived']}" if entry["derived"] else ""
    source = "our estimate" if entry["estimate_id"] else _stated(claim) if claim else derived
    return {"field": entry["field"], "value": value, "source": source}


def _claim(entry: Row, claim: Row) -> tuple[Row, str]:
    read = f" ({'' if claim['correction'] else 'read as '}{claim['note']})" if claim["note"] else ""
    row = {"field": claim["field"], "status": claim["status"], "value": claimed(claim), "source": place(claim)}
    return row, f'printed "{claim["value_text"]}"{read} about "{claim["record"]}"; {why_not(claim, entry["selected"])}'


def _estimate(row: Row) -> tuple[Row, str]:
    """The value with its interval; below it the formula with its numbers and assumptions, or what is lacking."""
    ends = row["low"], row["high"], row["unit"]
    around = f" (90 %: {interval(*ends)})" if row["value"] and all(ends) else ""
    told = {"field": row["field"], "method": row["method"], "value": (claimed(row) or "abstains") + around}
    below = f"{'taken' if row['is_selected'] else 'not taken'}: {row['reason']}"
    return told, f"{_formula(row)}; {below}" if row["formula"] else row["reason"]


def revised(found: Sequence[Row]) -> list[Line]:
    """The first snapshot with a new value, and the change, which two files of a publisher may have made."""
    lines: dict[str, Line] = {}
    for row in found:
        old, new = (human(row[f"{age}_value"] or row[f"{age}_text"] or "nothing") for age in ("old", "new"))
        change = f"{row['field']} {old} → {new}" + (f" ×{row['ratio']:.3g}" if row["ratio"] else "")
        kind = "" if row["kind"] in UNREMARKABLE else f", {row['kind']}"
        lines.setdefault(change, (str(row["to_snapshot"]), f"{change}{kind}, {row['source_id']}"))
    return list(lines.values())
