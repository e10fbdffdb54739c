"""Everything that a dataset holds about a model, as plain values that JSON can carry; words.py tells it to people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from traincompute.base.engine import duckdb
from traincompute.base.errors import NotFoundError
from traincompute.query.catalogue import read_meanings
from traincompute.query.errors import did_you_mean
from traincompute.query.rows import Row, rows, rows_if_held

FLOP = "training_compute_flop"
# columns with the id of the model that the claim names
LOOKED_UP = {"base_model_id": "base_model", "training_run_id": "training_run"}
REVISED_FIRST = (FLOP, "parameters", "training_tokens", "dataset_size", "finetune_compute_flop")
STATUS_ORDER = ("selected", "conflicting", "superseded", "quarantined")
# a table or view, which an older dataset may lack, and the rows of the models $1
TABLES = {
    "models": "from models where {of_models}",
    "claims": f"""
        select claims.*, remedy from claims left join (select claim_id, remedy from quarantine) using (claim_id)
        where {{of_models}} order by list_position({list(STATUS_ORDER)}, status), source_id, claim_id""",
    "estimates": "from estimates where {of_models} order by estimate_id",
    "derivations": "select model_id, field, formula from derivations where {of_models}",
    "models_completed": "from models_completed where {of_models}",
    "missing_facts": """
        select model_id, field, method, half_width_dex, then_dex from missing_facts
        where {of_models} order by then_dex, field""",
    "revisions": f"""
        from revisions where {{of_models}} order by list_position({list(REVISED_FIRST)}, field) nulls last,
        abs(ln(coalesce(nullif(ratio, 0), 1))) desc, kind, to_snapshot desc nulls last, field""",
}
INPUTS = "from claims where claim_id in (select unnest(inputs) from estimates where {of_models})"
OF_RUNS = """
select training_run_id, model_id from models
where training_run_id in (select training_run_id from models where {of_models})
order by publication_date nulls last, model_id"""
SOURCES = "select source_id, publisher, title, snapshot, licence from sources order by source_id"


def collect(connection: duckdb.DuckDBPyConnection, model_id: str) -> Row:
    """Everything about a model: model_id, name, model (the row of models), same_run, aliases, fields, estimates,
    predicted, missing (of a model without a value), revisions, sources.

    Every field has value, unit, description, derived (how), formula (with the numbers filled in), selected (claim) and
    claims, the selected one first."""
    [known] = collect_each(connection, [model_id])
    return known


def collect_each(connection: duckdb.DuckDBPyConnection, model_ids: Sequence[str]) -> Iterator[Row]:
    """What `collect` gives of each of these models, in their order; every table is read once."""
    ids, held = list(model_ids), dict[str, dict[Any, list[Row]]]()
    # DuckDB then reads fewer rows of a view
    of_models = "model_id = $1[1]" if len(ids) == 1 else "model_id in (select unnest($1::varchar[]))"
    for name, query in TABLES.items():
        if name != "missing_facts" or any(row[FLOP] is None for [row] in held["models"].values()):
            found = rows_if_held(connection, name, query.format(of_models=of_models), ids)
            held[name] = _grouped(found, "model_id")
    inputs = {row["claim_id"]: row for row in rows(connection, INPUTS.format(of_models=of_models), ids)}
    runs = _grouped(rows(connection, OF_RUNS.format(of_models=of_models), ids), "training_run_id")
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
            "fields": _fields(columns, about),
            "estimates": [
                {**row, "input_claims": [inputs[id] for id in sorted(set(row["inputs"] or [])) if id in inputs]}
                for row in about["estimates"]
            ],
            "predicted": next(iter(about["models_completed"]), None),
            "missing": about.get("missing_facts", []),
            "revisions": about["revisions"],
            "sources": [row for row in sources if row["source_id"] in said],
        }


def _grouped(found: Sequence[Row], key: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = {}
    for row in found:
        groups.setdefault(row[key], []).append(row)
    return groups


def _fields(columns: Sequence[Row], about: Mapping[str, list[Row]]) -> list[Row]:
    """One entry per column with a value, then one per claimed field that is not in the row of models."""
    [model], by_field = about["models"], _grouped(about["claims"], "field")
    formulas = {row["field"]: row["formula"] for row in about["derivations"]}
    taken = {row["field"]: row["estimate_id"] for row in about["estimates"] if row["is_selected"]}
    described = {column["name"]: column for column in columns}
    filled = {name: field for name, field in _claims_of(columns).items() if model[name] is not None}
    further = {name: name for name in sorted(by_field) if name not in filled.values()}
    entries = []
    for name, field in (filled | further).items():
        entry = _entry(name, model[name] if name in filled else None, described.get(name, {}), by_field.get(field, []))
        # the estimate gives the method, the interval and so on together with the value
        of = FLOP if name.startswith("training_compute_") else name
        entry["formula"] = formulas.get(name)
        entry["estimate_id"] = taken.get(of) if entry["in_models"] and not entry["derived"] else None
        entries.append(entry)
    return entries


def _claims_of(columns: Sequence[Row]) -> dict[str, str]:
    return {str(name := column["name"]): str(column["claim"] or LOOKED_UP.get(name, name)) for column in columns}


def _entry(name: str, value: Any, column: Row, claims: Sequence[Row]) -> Row:
    selected = next((claim for claim in claims if claim["status"] == "selected"), None)
    in_models, stated = value is not None, selected or {"value": None, "code": None}
    return {
        "field": name,
        "in_models": in_models,
        "value": value if in_models else stated["code"] if stated["value"] is None else stated["value"],
        "unit": column.get("unit") or next((claim["unit"] for claim in claims), None),
        "description": column.get("description") or None,
        "derived": column.get("derived"),
        "formula": None,
        "estimate_id": None,
        "selected": selected,
        "claims": list(claims),
    }


def one_field(connection: duckdb.DuckDBPyConnection, known: Row, text: str) -> Row:
    """The entry of the column of that name, or of the one that carries its claims, with the estimates and revisions
    about it. Raises NotFoundError naming the nearest one."""
    columns, wanted = _claims_of(read_meanings(connection, "models")), text.strip().lower().replace("-", "_")
    carrier = next((column for column, claim in columns.items() if claim == wanted), wanted)
    name = wanted if wanted in columns else carrier
    own = next((entry for entry in known["fields"] if entry["field"] == name), None)
    if not own and name not in columns:
        raise NotFoundError(f"no field {text!r}{did_you_mean(wanted, list(columns))}")
    both = (name, columns.get(name, name))
    return {
        **{part: known[part] for part in ("model_id", "name", "note")},
        **(own or _entry(name, None, {}, [])),
        **{part: [row for row in known[part] if row["field"] in both] for part in ("estimates", "revisions")},
    }
