"""Everything that a dataset holds about a model, as plain values that JSON can carry; no pandas.

lookup.py finds the model a person means; brief.py and full.py present the output of `collect` to people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Any

from traincompute.base.engine import duckdb
from traincompute.base.errors import NotFoundError
from traincompute.query.catalogue import read_meanings
from traincompute.query.rows import Row, rows, rows_if_held

# columns with the id of the model that the claim names
LOOKED_UP = {"base_model_id": "base_model", "training_run_id": "training_run"}
# --field hours and --field compute are enough
SHORT_FORMS = ("training_compute_{}", "training_{}", "training_{}_flop", "is_{}")
STATUS_ORDER = ("selected", "conflicting", "superseded", "quarantined")
SOURCES = "select source_id, publisher, title, snapshot, licence from sources order by source_id"
REMEDIES = "select claim_id, remedy from quarantine where claim_id in (select unnest(?::varchar[]))"
INPUTS = "select * from claims where claim_id in (select unnest(?::varchar[]))"
OF_RUNS = """
select training_run_id, model_id from models where training_run_id in (select unnest(?::varchar[]))
order by publication_date nulls last, model_id"""
MISSING = "select model_id, field, method, half_width_dex, then_dex from missing_facts"
REVISED_FIRST = ("training_compute_flop", "parameters", "training_tokens", "dataset_size", "finetune_compute_flop")


def collect(connection: duckdb.DuckDBPyConnection, model_id: str, *, whole: bool = True) -> Row:
    """Everything about a model: model_id, name, model (the row of models), aliases, fields, estimates, predicted,
    missing, revisions, sources.

    Every field has value, unit, description, derived (how), formula (with the numbers filled in), selected (claim) and
    claims, the selected one first. Where not the `whole` is wanted, what brief.py has no room for is not asked for: the
    formulas of fields, the claims that estimates start from, revisions, what is predicted of a model that has a
    value."""
    [known] = collect_each(connection, [model_id], whole=whole)
    return known


def collect_each(
    connection: duckdb.DuckDBPyConnection, model_ids: Sequence[str], *, whole: bool = True
) -> Iterator[Row]:
    """What `collect` gives of each of these models, in their order; every table is read once."""
    of_one = len(model_ids) == 1  # DuckDB then reads fewer rows of a view
    condition = "model_id = ?" if of_one else "model_id in (select unnest(?::varchar[]))"
    wanted = model_ids[0] if of_one else list(model_ids)

    def by_model(table: str, query: str = "", order: str = "model_id") -> dict[str, list[Row]]:
        """Rows of a table or view, which an older dataset may lack, by their model."""
        select = f"{query or f'select * from {table}'} where {condition} order by {order}"
        return _grouped(rows_if_held(connection, table, select, wanted), "model_id")

    models = {key: model for key, [model] in by_model("models").items()}
    valueless = [key for key, model in models.items() if model["training_compute_flop"] is None]
    claims, estimates = by_model("claims"), by_model("estimates", order="estimate_id")
    formulas = by_model("derivations", "select model_id, field, formula from derivations") if whole else {}
    predicted = by_model("models_completed") if whole or valueless else {}
    missing = by_model("missing_facts", MISSING, "then_dex, field") if valueless else {}
    revisions = by_model("revisions") if whole else {}
    stated = {row["claim_id"]: row for own in claims.values() for row in own}
    inputs = {key: dict(row) for key, row in stated.items()} if whole else {}
    used = {key for computed in estimates.values() for row in computed for key in row["inputs"] or []}
    if further := sorted(used - inputs.keys()) if whole else []:  # claims about other models
        inputs |= {row["claim_id"]: row for row in rows(connection, INPUTS, further)}
    unread = [key for key, row in stated.items() if row["status"] == "quarantined"]
    remedies = {row["claim_id"]: row["remedy"] for row in rows(connection, REMEDIES, unread)} if unread else {}
    for key, row in stated.items():
        row["remedy"] = remedies.get(key)
    runs = sorted({model["training_run_id"] for model in models.values() if model.get("training_run_id")})
    same_run = _grouped(rows(connection, OF_RUNS, runs) if runs else [], "training_run_id")
    columns, sources = read_meanings(connection, "models"), rows(connection, SOURCES)
    for key in model_ids:
        model, computed = models[key], estimates.get(key, [])
        own = sorted(
            claims.get(key, []),
            key=lambda row: (STATUS_ORDER.index(row["status"]), row["source_id"], row["claim_id"]),
        )
        said, run = {row["source_id"] for row in own}, same_run.get(model.get("training_run_id") or "", [])
        derived = {row["field"]: row["formula"] for row in formulas.get(key, [])}
        yield {
            "model_id": key,
            "name": model["name"],
            "model": model,
            "same_run": [row["model_id"] for row in run if row["model_id"] != key],
            "aliases": sorted({row["record"] for row in own} - {model["name"]}),
            "fields": _fields(columns, model, own, computed, derived),
            "estimates": [
                {**row, "input_claims": [inputs[id] for id in sorted(set(row["inputs"] or [])) if id in inputs]}
                for row in computed
            ],
            "predicted": next(iter(predicted.get(key, [])), None) if whole or key in valueless else None,
            "missing": [{name: row[name] for name in row if name != "model_id"} for row in missing.get(key, [])],
            "revisions": sorted(revisions.get(key, []), key=_by_importance),
            "sources": [row for row in sources if row["source_id"] in said],
        }


def _grouped(found: Sequence[Row], key: str) -> dict[str, list[Row]]:
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(row[key], []).append(row)
    return groups


def _by_importance(revision: Row) -> tuple[int, float, str, int, str]:
    """The sort key of what sources changed: the most important fields first, then the largest and newest changes."""
    place = REVISED_FIRST.index(revision["field"]) if revision["field"] in REVISED_FIRST else len(REVISED_FIRST)
    day = revision["to_snapshot"]
    return place, -abs(log(revision["ratio"] or 1)), revision["kind"], -day.toordinal() if day else 0, revision["field"]


def _fields(
    columns: Sequence[Row],
    model: Row,
    claims: Sequence[Row],
    estimates: Sequence[Row],
    formulas: Mapping[str, str],
) -> list[Row]:
    """One entry per column with a value, then one per claimed field that is not in the row of models."""
    by_field = _grouped(claims, "field")
    taken = {row["field"]: row["estimate_id"] for row in estimates if row["is_selected"]}
    filled = {name: field for name, field in claims_of(columns).items() if model[name] is not None}
    described = {column["name"]: column for column in columns}
    entries = [_entry(name, model[name], described[name], by_field.get(field, [])) for name, field in filled.items()]
    for entry in entries:
        # the estimate gives the method, the interval and so on together with the value
        about = "training_compute_flop" if entry["field"].startswith("training_compute_") else entry["field"]
        entry["formula"] = formulas.get(entry["field"])
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


def heading(known: Row) -> list[str]:
    """Name, organisation, date, country, notability; then id, other names and link; then how the model was found."""
    model = known["model"]
    length = {"year": 4, "month": 7}.get(model["publication_date_precision"], 10)
    about = [*(model["organizations"] or []), str(model["publication_date"] or "")[:length]]
    about += [*(model["countries"] or []), "notable" if model["is_notable"] else "not notable"]
    second = [known["model_id"], *(f"also {alias}" for alias in known["aliases"]), model["reference_url"]]
    lines = [" · ".join(filter(None, [model["name"], *about])), " · ".join(filter(None, second))]
    return lines + ([known["note"]] if known["note"] else [])


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
