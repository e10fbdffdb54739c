"""The explorer, the SQL page and the search: their data as scripts, since a page from disk may fetch nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from pipeline.paths import CHECKOUT
from pipeline.site.metadata import dataset_about
from pipeline.site.site import Site, script
from traincompute.database import SEALED, Row, rows

QUESTIONS = CHECKOUT / "docs" / "questions.md"
# what the first chart, the headline and the address need, in the order of the rows of every other file
CORE = """
select model_id, name, organizations, domains, publication_date, is_notable, open_weights,
    training_run_id, training_compute_flop, training_compute_low, training_compute_high, training_compute_source,
    flop_50, flop_05, flop_25, flop_75, flop_95
from models left join
    (from predictions anti join (from models where training_compute_flop is not null) using (model_id)) using (model_id)
order by publication_date nulls last, model_id"""
# an end of an interval, and what it is a multiple of
MULTIPLES = {
    **dict.fromkeys(["training_compute_low", "training_compute_high"], "training_compute_flop"),
    **dict.fromkeys(["flop_05", "flop_25", "flop_75", "flop_95"], "flop_50"),
}
MORE = """
select training_compute_method, training_compute_confidence, flop_convention, finetune_compute_flop, parameters,
    parameters_active, training_tokens, dataset_size, dataset_unit, epochs, batch_size, hardware, hardware_quantity,
    training_hours, chip_hours, hardware_utilization, numerical_format, training_power_w, training_energy_kwh,
    training_carbon_kg, training_cost_usd, training_cost_usd_low, training_cost_usd_high, training_cost_source,
    training_cost_cloud_usd, capability_index, base_model_id, accessibility, organization_category, tasks, license,
    countries, reference_url, arxiv_id, huggingface_id, era_compute, is_frontier_upstream
from models order by publication_date nulls last, model_id"""
TRENDS = """
select "group" as scope, n, growth_per_year, growth_low, growth_high, selection_warning from trends
where quantity = 'training_compute_flop' and "group" in ('all', 'notable') and since = date '2010-01-01'"""
EXPECTED = """
select threshold_flop as flop, scope, runs, expected_runs, low_90, high_90 from thresholds
where published_until = (select max(published_until) from thresholds)"""
# what the list of notable models said before each of its changes
CHANGES = """
select to_snapshot::varchar as day, model_id, field, kind, old_value from revisions
where source_id = 'epoch_notable' and (field = 'name' and kind in ('record_added', 'record_removed')
    or field = 'training_compute_flop' and kind in ('value_changed', 'filled', 'blanked'))
order by to_snapshot desc, model_id"""
DAYS = "select distinct snapshot::varchar from snapshots where source_id = 'epoch_notable' order by 1 desc"
NAMES = """
select name, model_id, concat_ws(', ', array_to_string(organizations[:2], ', '), year(publication_date)) as about,
    (select list(distinct alias order by alias) from aliases a
     where a.model_id = m.model_id and kind not in ('name', 'id', 'distinct') and key <> name_key(m.name)) as others,
    array_to_string(organizations, ' ') as makers
from models m order by is_notable desc, training_compute_flop desc nulls last, model_id"""
OTHERS = """
select 'organization' as kind, organization as id, organization as name, aliases as others,
    concat_ws(', ', country, models || ' models') as about from organizations
union all select 'chip', hardware_id, name, [], concat_ws(', ', manufacturer, year(release_date)) from hardware
union all select distinct 'country', country, country, [], null from (select unnest(countries) as country from models)
order by all"""
SCHEMA = """
select c.table_name as "table", c.column_name as "column", unit, coalesce(description, c.comment, '') as about
from duckdb_columns() c left join columns using (table_name, column_name) where not c.internal
order by c.table_name, c.column_index"""
TABLES = """
select table_name as name, comment as about, estimated_size as rows from duckdb_tables() where not internal
union all select view_name, comment, null from duckdb_views() where not internal order by name"""
TOP = """
select name, model_id, organization, publication_date, training_compute_flop from models
where is_notable and training_compute_flop is not null order by training_compute_flop desc, model_id limit 50"""
NOT_IN_A_BROWSER = ("python_enable_replacements", "temp_directory", "threads", "memory_limit")
QUESTION = re.compile(r"^### (?P<title>.+)|^```sql\n(?P<query>[^`]*)```", re.MULTILINE)
EPOCH = date(1970, 1, 1)
LESS_THAN_A_DIGIT = 4.9e-5  # relative, so that the product rounds to the cell


def write_explorer(site: Site) -> None:
    """index.html, data/core.js (the first view), data/more.js (other columns), data/vintages.js (older snapshots)."""
    models = rows(site.connection, CORE)
    core = {
        "about": {"version": site.version, "asOf": site.as_of, "citation": site.citation},
        "rows": len(models),
        "columns": _columns(models),
        "thresholds": [[float(rule["flop"]), rule["label"]] for rule in site.thresholds],
        "trends": {row.pop("scope"): row for row in rows(site.connection, TRENDS)},
        "expected": rows(site.connection, EXPECTED),
        "days": [day for (day,) in site.connection.execute(DAYS).fetchall()],
    }
    site.write("data/core.js", script("core", core))
    site.write("data/more.js", script("more", _columns(rows(site.connection, MORE))))
    place = {row["model_id"]: number for number, row in enumerate(models)}
    changes = [
        [row["day"], place.get(row["model_id"], -1), row["field"][0], row["old_value"] or row["kind"]]
        for row in rows(site.connection, CHANGES)
    ]
    site.write("data/vintages.js", script("vintages", changes))
    top = rows(site.connection, TOP)
    site.render("index.html", "index.html", about=dataset_about(site), top=top, models=len(models))


def write_search(site: Site) -> None:
    """data/search.js: [name, kind, path, about, other names, makers] of models, organisations, chips, countries, and of
    the headings of the docs."""
    models = [
        [row["name"], "model", site.paths["model"][row["model_id"]], row["about"], row["others"] or [], row["makers"]]
        for row in rows(site.connection, NAMES)
    ]
    others = [
        [row["name"], row["kind"], site.paths[row["kind"]][row["id"]], row["about"], row["others"] or []]
        for row in rows(site.connection, OTHERS)
        if row["id"] in site.paths[row["kind"]]
    ]
    site.write("data/search.js", script("index", [*models, *others, *site.headings]))


def write_sql(site: Site) -> None:
    """sql.html and data/schema.js: tables with their columns, questions, and the settings that seal the engine off."""
    columns: dict[str, list[list[str]]] = {}
    for row in rows(site.connection, SCHEMA):
        columns.setdefault(row["table"], []).append([row["column"], row["unit"] or "", row["about"]])
    schema = {
        "tables": [
            {**row, "columns": columns[row["name"]]} for row in rows(site.connection, TABLES) if row["name"] in columns
        ],
        "macros": site.connection.execute(
            "select distinct function_name from duckdb_functions() where not internal order by 1"
        ).fetchall(),
        "questions": list(_questions(QUESTIONS)),
        "seal": {
            "enable_external_access": "false",
            **{name: value for name, value in SEALED.items() if name not in NOT_IN_A_BROWSER},
            "lock_configuration": "true",
        },
    }
    site.write("data/schema.js", script("schema", schema))
    site.render("sql.html", "sql.html", tables=schema["tables"], questions=schema["questions"])


def _columns(models: Sequence[Row]) -> dict[str, Any]:
    """The cells column by column, as short as can be; `addColumns` of data.js reads them.

    Numbers and dates (days since 1970) are one text with a comma between, others a list; ends of intervals are
    multiples of their middle; 0 stands for an id that follows from the name, or a run of the model's own."""
    cells = {name: [row[name] for row in models] for name in models[0]}
    columns: dict[str, Any] = {name: _packed(values) for name, values in cells.items()}
    for name, middle in MULTIPLES.items():
        if name in cells:
            pairs = zip(cells[name], cells[middle], strict=True)
            columns[name] = {"of": middle, "multiples": ",".join(_multiple(cell, of) for cell, of in pairs)}
    if "model_id" in cells:
        simple = [re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-") for name in cells["name"]]  # as in data.js
        for name, others in {"model_id": simple, "training_run_id": cells["model_id"]}.items():
            pairs = zip(cells[name], others, strict=True)
            columns[name] = [0 if cell == other else cell for cell, other in pairs]
    return columns


def _packed(cells: Sequence[Any]) -> str | Sequence[Any]:
    kinds = {type(cell) for cell in cells if cell is not None}
    return ",".join(map(_number, cells)) if kinds <= {int, float, date} else cells


def _number(cell: float | date | None) -> str:
    """The shortest text that reads as the number."""
    if isinstance(cell, date):
        cell = (cell - EPOCH).days
    return "" if cell is None else repr(float(cell)).removesuffix(".0").replace("e+", "e")


def _multiple(cell: float | None, middle: float | None) -> str:
    """The shortest factor that makes the one of the other, rounded to four digits; else "=" and the cell itself."""
    if cell is None:
        return ""
    if middle is None or float(f"{cell:.4g}") != cell:
        return f"={_number(cell)}"
    factors = (f"{cell / middle:.{digits}g}" for digits in range(1, 7))
    return next(factor for factor in factors if abs(middle * float(factor) / cell - 1) < LESS_THAN_A_DIGIT)


def _questions(page: Path) -> Iterable[list[str]]:
    """Title and query of each question of a page of the docs."""
    title = ""
    for part in QUESTION.finditer(page.read_text(encoding="utf-8")):
        title = part["title"] or title
        if part["query"]:
            yield [title, part["query"].strip()]
