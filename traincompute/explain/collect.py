"""Everything that the published DuckDB file holds about one model, as plain values that JSON can carry; no pandas.

lookup.py finds the model a person means; brief.py and full.py present the output of `collect` to people.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from typing import Any

import duckdb

from traincompute.base.errors import NotFoundError
from traincompute.query.columns import read_meanings
from traincompute.query.rows import Row, rows, rows_if_held

LOOKED_UP = {
    "base_model_id": "base_model",
    "training_run_id": "training_run",
}  # the id of the model that the claim names
# --field hours and --field compute are enough
SHORT_FORMS = ("training_compute_{}", "training_{}", "training_{}_flop", "is_{}")
STATUS_ORDER = ("selected", "conflicting", "superseded", "quarantined")
SOURCES = (
    "select source_id, publisher, title, snapshot, licence from sources where list_contains(?, source_id) order by"
    " source_id"
)
REMEDIES = "select claim_id, remedy from quarantine where list_contains(?, claim_id)"
REVISED_FIRST = ("training_compute_flop", "parameters", "training_tokens", "dataset_size", "finetune_compute_flop")


def collect(connection: duckdb.DuckDBPyConnection, model_id: str, *, whole: bool = True) -> Row:
    """Everything about a model: model_id, name, model (the row of models), aliases, fields, estimates, predicted,
    revisions, sources.

    Every field has value, unit, description, derived (how), formula (with the numbers filled in), selected (claim) and
    claims, the selected one first. Where not the `whole` is wanted, what brief.py has no room for is not asked for: the
    formulas of fields, the claims that estimates start from, what is predicted of a model that has a value."""
    [model] = rows(connection, "select * from models where model_id = ?", model_id)
    stated = rows(connection, "select * from claims where model_id = ?", model_id)
    estimates = rows(connection, "select * from estimates where model_id = ? order by estimate_id", model_id)
    inputs = _inputs(connection, stated, estimates if whole else [])
    formulas = _derivations(connection, model_id) if whole else {}
    claims = _with_remedies(connection, stated)
    has_value = model["training_compute_flop"] is not None
    claims.sort(key=lambda row: (STATUS_ORDER.index(row["status"]), row["source_id"], row["claim_id"]))
    return {
        "model_id": model_id,
        "name": model["name"],
        "model": model,
        "same_run": _same_run(connection, model),
        "aliases": sorted({row["record"] for row in claims} - {model["name"]}),
        "fields": _fields(connection, model, claims, estimates, formulas),
        "estimates": [{**row, "input_claims": inputs(row)} for row in estimates],
        "predicted": _predicted(connection, model_id) if whole or not has_value else None,
        "missing": [] if has_value else _missing(connection, model_id),
        "revisions": _revisions(connection, model_id),
        "sources": rows(connection, SOURCES, sorted({row["source_id"] for row in claims})),
    }


def _with_remedies(connection: duckdb.DuckDBPyConnection, claims: Sequence[Row]) -> list[Row]:
    """The claims, with what can be done about those that could not be read."""
    unread = [row["claim_id"] for row in claims if row["status"] == "quarantined"]
    found = rows(connection, REMEDIES, unread) if unread else []
    remedies = {row["claim_id"]: row["remedy"] for row in found}
    return [{**row, "remedy": remedies.get(row["claim_id"])} for row in claims]


def _inputs(
    connection: duckdb.DuckDBPyConnection, stated: Sequence[Row], estimates: Sequence[Row]
) -> Callable[[Row], list[Row]]:
    """Gives the claims among the inputs of an estimate, by their id; they may belong to another model."""
    known = {row["claim_id"]: row for row in stated}
    others = {key for row in estimates for key in row["inputs"] or []} - known.keys()
    if others:
        found = rows(connection, "select * from claims where list_contains(?, claim_id)", sorted(others))
        known |= {row["claim_id"]: row for row in found}
    return lambda row: [known[key] for key in sorted(set(row["inputs"] or [])) if key in known]


def _same_run(connection: duckdb.DuckDBPyConnection, model: Row) -> list[str]:
    """The other models of its training run, by date; none in a dataset made before runs were told apart."""
    query = "select model_id from models where training_run_id = ? order by publication_date nulls last, model_id"
    found = rows(connection, query, model["training_run_id"]) if "training_run_id" in model else []
    return [row["model_id"] for row in found if row["model_id"] != model["model_id"]]


def heading(known: Row) -> list[str]:
    """Name, organisation, date, country, notability; then id, other names and link; then how the model was found."""
    model = known["model"]
    length = {"year": 4, "month": 7}.get(model["publication_date_precision"], 10)
    date = str(model["publication_date"] or "")[:length]
    about = [*(model["organizations"] or []), date, *(model["countries"] or [])]
    flag = "notable" if model["is_notable"] else "not notable"
    second = [known["model_id"], *(f"also {alias}" for alias in known["aliases"]), model["reference_url"]]
    lines = [" · ".join(filter(None, [model["name"], *about, flag])), " · ".join(filter(None, second))]
    return lines + ([known["note"]] if known["note"] else [])


def _fields(
    connection: duckdb.DuckDBPyConnection,
    model: Row,
    claims: Sequence[Row],
    estimates: Sequence[Row],
    formulas: Mapping[str, str],
) -> list[Row]:
    """One entry per column with a value, then one per claimed field that is not in the row of models."""
    columns = read_meanings(connection, "models")
    by_field: dict[str, list[Row]] = {}
    for claim in claims:
        by_field.setdefault(claim["field"], []).append(claim)
    taken = {row["field"]: row["estimate_id"] for row in estimates if row["is_selected"]}
    filled = {name: field for name, field in claims_of(columns).items() if model[name] is not None}
    described = {column["name"]: column for column in columns}
    entries = [_entry(name, model[name], described[name], by_field.get(field, [])) for name, field in filled.items()]
    for entry in entries:
        entry["formula"] = formulas.get(entry["field"])
        # the estimate gives the method, the interval and so on together with the value
        about = "training_compute_flop" if entry["field"].startswith("training_compute_") else entry["field"]
        entry["estimate_id"] = None if entry["derived"] else taken.get(about)
    further = [name for name in sorted(by_field) if name not in filled.values()]
    return entries + [_entry(name, None, described.get(name, {}), by_field[name]) for name in further]


def claims_of(columns: Sequence[Row]) -> dict[str, str]:
    """For each column of models, the field whose claims it carries."""
    named: list[tuple[str, str | None]] = [(column["name"], column["claim"]) for column in columns]
    return {name: claim or LOOKED_UP.get(name, name) for name, claim in named}


def _entry(name: str, value: Any, column: Row, claims: Sequence[Row]) -> Row:
    """A field as it is explained; if models has no value for it, it takes that of the selected claim."""
    selected = next((claim for claim in claims if claim["status"] == "selected"), None)
    claimed = (selected["code"] if selected["value"] is None else selected["value"]) if selected else None
    return {
        "field": name,
        "in_models": value is not None,
        "value": claimed if value is None else value,
        "unit": column.get("unit") or next((claim["unit"] for claim in claims), None),
        "description": column.get("description") or None,
        "derived": column.get("derived"),
        "formula": None,
        "estimate_id": None,
        "selected": selected,
        "claims": list(claims),
    }


def _predicted(connection: duckdb.DuckDBPyConnection, model_id: str) -> Row | None:
    """The row of models_completed: quantiles, what they rest on and how often such hold; none in an older dataset."""
    query = "select * from models_completed where model_id = ?"
    found = rows_if_held(connection, "models_completed", query, model_id)
    return next(iter(found), None)


def _missing(connection: duckdb.DuckDBPyConnection, model_id: str) -> list[Row]:
    """The single facts that would narrow the interval of a model without a value, the most telling first; none in an
    older dataset."""
    query = (
        "select field, method, half_width_dex, then_dex from missing_facts where model_id = ? order by then_dex, field"
    )
    return rows_if_held(connection, "missing_facts", query, model_id)


def _revisions(connection: duckdb.DuckDBPyConnection, model_id: str) -> list[Row]:
    """What sources changed about the model, most important fields first; none if the dataset has no such table."""
    found = rows_if_held(connection, "revisions", "select * from revisions where model_id = ?", model_id)
    order = {name: place for place, name in enumerate(REVISED_FIRST)}
    found.sort(key=lambda row: (str(row["to_snapshot"]), str(row["revision_id"])), reverse=True)
    found.sort(key=lambda row: (order.get(row["field"], len(order)), -abs(log(row["ratio"] or 1)), row["kind"]))
    return found


def _derivations(connection: duckdb.DuckDBPyConnection, model_id: str) -> dict[str, str]:
    """The formulas of the model's derived numbers, with the numbers filled in; none if the dataset has no such view."""
    query = "select field, formula from derivations where model_id = ?"
    found = rows_if_held(connection, "derivations", query, model_id)
    return {row["field"]: row["formula"] for row in found}


def read_fields(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Every field one can ask for, with the field of its claims: the columns of models, then fields that are only
    claimed."""
    columns = claims_of(read_meanings(connection, "models"))
    claimed = [row["field"] for row in rows(connection, "select distinct field from claims order by field")]
    return {name: name for name in claimed if name not in columns.values()} | columns


def resolve_field(text: str, fields: Mapping[str, str]) -> str:
    """The field of that name, or the column that carries claims of that name; `training_compute_` may be left out.

    Raises NotFoundError naming the nearest ones."""
    columns = {claim: column for column, claim in fields.items()}
    wanted = text.strip().lower().replace("-", "_")
    for name in (wanted, columns.get(wanted, wanted), *(form.format(wanted) for form in SHORT_FORMS)):
        if name in fields:
            return name
    from difflib import get_close_matches  # nothing but an error needs it

    near = get_close_matches(wanted, list(fields), n=3, cutoff=0.5)
    raise NotFoundError(f"no field {text!r}" + (f"; did you mean: {', '.join(near)}?" if near else ""))


def one_field(known: Row, name: str, claim: str) -> Row:
    """The entry of one field and the claims it carries, with the estimates and revisions about it; without claims if
    nobody states any."""
    own = sorted((e for e in known["fields"] if e["field"] in (name, claim)), key=lambda e: e["field"] != name)
    return {
        "model_id": known["model_id"],
        "name": known["name"],
        "note": known["note"],
        **(own[0] if own else _entry(name, None, {}, [])),
        **{part: [row for row in known[part] if row["field"] in (name, claim)] for part in ("estimates", "revisions")},
    }
