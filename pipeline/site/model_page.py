"""The page of one model: what `traincompute explain` knows of it, in its words, with links to where each number is
stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

from markupsafe import Markup, escape

from pipeline.site.picture import interval_picture
from pipeline.site.site import Site, open_site
from pipeline.site.words import FLAGS, day, flop, number, outside, stated_by, titled
from traincompute import explain
from traincompute.database import Row, rows, rows_if_held
from traincompute.explain import FLOP, IN_HEADING, REVISED_FIRST, brief_lines, claimed, competing, likely, revised
from traincompute.show.rows import human, interval, short_power

Cell = Markup | str
Table = tuple[str, Sequence[str], Sequence[Sequence[Cell]]]  # title, headings, rows

ENDS = ("_low", "_high", "_source")
TEXTS = ("hardware", "numerical_format", "architecture", "arithmetic")  # what a computation of the compute uses
LIKELY = {"based on": "Based on", "needed": "Facts that would narrow it"}  # as explain calls it
LISTED = {"record_added": "added to {}", "record_removed": "removed from {}"}
LINES = """
select model_id, name, organization, organizations, countries, publication_date, publication_date_precision, is_notable,
    training_compute_flop, training_compute_low, training_compute_high, training_compute_source,
    flop_05, flop_50, flop_95
from models left join predictions using (model_id) order by flop_50 desc nulls last, model_id"""
# notable models of other developers and of the same field, published within half a year: those nearest in compute
COMPARABLE = """
with sized as (
    select model_id, organization, training_run_id as run,
        if(list_contains(domains, 'Language'), 'Language', domains[1]) as field, publication_date as day, is_notable,
        ln(flop_50) as size
    from models join predictions using (model_id) where publication_date is not null and flop_50 is not null
)
select m.model_id, o.model_id as other from sized m join sized o on o.field = m.field and o.is_notable
    and o.run <> m.run and o.organization is distinct from m.organization and o.day between m.day - 183 and m.day + 183
qualify row_number() over (partition by m.model_id order by abs(o.size - m.size), o.model_id) <= 3
order by m.model_id, abs(o.size - m.size), o.model_id"""
CHANCES = """
select model_id, threshold_flop, probability from threshold_probabilities
where threshold_flop >= 1e25 and probability between 0.005 and 0.995 order by all"""
CHIPS = "select distinct mention, hardware_id from model_hardware where hardware_id is not null"


def write_models(folder: Path, out: Path, address: str) -> None:
    """model/ID.html of every model of the tables in `folder`: half of the site, which a process of its own writes."""
    with open_site(folder, out, address) as site:
        lines = read_lines(site)
        chips = dict(site.connection.execute(CHIPS).fetchall())
        comparable: dict[str, list[Row]] = {}
        for row in rows(site.connection, COMPARABLE):
            comparable.setdefault(row["model_id"], []).append(lines[row["other"]])
        chances: dict[str, list[tuple[str, str]]] = {}
        for row in rows_if_held(site.connection, "threshold_probabilities", CHANCES):
            title = short_power(f"At least {row['threshold_flop']:.0e} FLOP")
            chances.setdefault(row["model_id"], []).append((title, f"{100 * row['probability']:.0f} % probability"))
        for known in explain.collect_each(site.connection, list(site.paths["model"])):
            key, model = known["model_id"], known["model"]
            said = {label: short_power(text) for label, text in brief_lines(known)}
            evidence = [*_evidence(site, known, said, lines), *chances.get(key, [])]
            tables = [("Evidence", (), evidence), *_tables(site, known, chips, comparable.get(key, []))]
            site.render(
                "model.html",
                site.paths["model"][key],
                name=known["name"],
                model_id=key,
                about=_about(site, model),
                details=[key, *(f"also {alias}" for alias in known["aliases"]), *_details(model)],
                compute=said["compute"],
                picture=interval_picture(model, known["predicted"], site.thresholds),
                tables=[table for table in tables if table[2]],
            )


def read_lines(site: Site) -> dict[str, Row]:
    """model_id → what a table of models says of it, the largest first (by value or by our estimate)."""
    return {row["model_id"]: row for row in rows(site.connection, LINES)}


def sizes(line: Row) -> tuple[float | None, float | None, float | None]:
    """The training compute of a line and the ends of its 90 % interval: published, or else estimated."""
    value, low, high = (line[f"training_compute_{end}"] for end in ("flop", "low", "high"))
    return value or line["flop_50"], low or line["flop_05"], high or line["flop_95"]


def sized(line: Row) -> str:
    """A training compute with its 90 % interval in words: 2.41e25 (2.93e24 – 1.98e26), our estimate."""
    point, low, high = sizes(line)
    if not point:
        return "unknown"
    ends = f" ({interval(low, high)})" if low and high else ""
    return short_power(f"{point:.3g}{ends}") + ("" if line[FLOP] else ", our estimate")


def _about(site: Site, model: Row) -> list[Cell]:
    """Developers, date, countries, fields, and the flags, which may be unknown."""
    makers = Markup(", ").join(site.link("organization", name) for name in model["organizations"] or [])
    homes = Markup(", ").join(site.link("country", name) for name in model["countries"] or [])
    flags = [f"notable: {FLAGS[model['is_notable']]}", f"open weights: {FLAGS[model['open_weights']]}"]
    return [part for part in (makers, day(model), homes, ", ".join(model["domains"] or []), *flags) if part]


def _details(model: Row) -> Iterator[Cell]:
    for word, name in {"access": "accessibility", "licence": "license"}.items():
        if model[name]:
            yield f"{word}: {human(model[name])}".replace("_", " ")
    if model["reference_url"]:
        yield outside(model["reference_url"])


def _evidence(site: Site, known: Row, said: Mapping[str, str], lines: Mapping[str, Row]) -> Iterator[tuple[str, Cell]]:
    """What the value or the interval rests on, and the models that it is made from or shares a training run with."""
    model = known["model"]
    entry: Row = next((entry for entry in known["fields"] if entry["field"] == FLOP), {})
    taken = next((row for row in known["estimates"] if row["field"] == FLOP and row["is_selected"]), None)
    if taken and taken["value"]:
        yield "Computation", f"{taken['method'].replace('_', ' ')}: {short_power(taken['formula'])}"
        if taken["assumptions"]:
            yield "Assumptions", ", ".join(taken["assumptions"])
        inputs = [
            Markup("{} {} ({})").format(titled(claim["field"]), short_power(claimed(claim)), stated_by(site, claim))
            for claim in taken["input_claims"]
        ]
        yield "Inputs", Markup("; ").join(inputs)
    elif claim := entry.get("selected"):
        yield "Source of the figure", _who(site, entry, [])
        if claim["note"]:
            yield "Correction" if claim["correction"] else "Note", claim["note"]
        if methods := model["training_compute_method"]:
            yield "Method", ", ".join(methods).replace("_", " ")
    for label, text in likely(known):
        yield LIKELY[label], short_power(text)
    if "also said" in said:
        yield "Other values", said["also said"]
    further = f"; further training {human(model['finetune_compute_flop'], 'FLOP')}"
    family = {
        "Base model": [model["base_model_id"]] if model["base_model_id"] else [],
        "Components": model["components"],
        "Same training run": known["same_run"],
    }
    for title, ids in family.items():
        if ids:
            linked = Markup(", ").join(_model(lines[key]) if key in lines else escape(key) for key in ids)
            yield title, linked + (further if title == "Base model" and model["finetune_compute_flop"] else "")


def _model(line: Row) -> Markup:
    """A link to the page of another model, in the same folder."""
    return Markup(f"<a href={line['model_id']}.html>{escape(line['name'])}</a>")


def _tables(site: Site, known: Row, chips: Mapping[str, str], comparable: Sequence[Row]) -> Iterator[Table]:
    """The tables of the page; a row without values is left out of the first two."""
    stated: list[Sequence[Cell]] = []
    derived: list[Sequence[Cell]] = []
    for entry in known["fields"]:
        name, value = entry["field"], entry["value"]
        is_number = isinstance(value, int | float | date) and not isinstance(value, bool)
        is_elsewhere = name.endswith(ENDS) or (name in IN_HEADING and name != FLOP)
        if (is_number or (value and name in TEXTS)) and not is_elsewhere:
            fact = titled(name), _value(site, entry, known["model"], chips), _who(site, entry, known["estimates"])
            (stated if entry["selected"] or entry["estimate_id"] else derived).append(fact)
    yield "Numbers", ["Quantity", "Value (90 % interval)", "Source"], stated
    yield "Computed from these numbers", ["Quantity", "Value", "Formula"], derived
    claims = [
        (titled(entry["field"]), short_power(claimed(claim)) or claim["value_text"], stated_by(site, claim),
         explain.why_not(claim, entry["selected"]))
        for entry, claim in competing(known["fields"])
    ]  # fmt: skip
    yield "Other claims", ["Quantity", "Value", "Source", "Why it is not used"], claims
    estimates = [_estimate(row) for row in known["estimates"] if _is_shown(row, known["model"][FLOP])]
    yield "Other estimates", ["Method", "Estimate (90 % interval)", "Formula", "Why it is not used"], estimates
    yield "History", ["Date", "Change"], _history(known["revisions"])
    near = [(_model(line), line["organization"] or "", day(line), sized(line)) for line in comparable]
    yield "Released around the same time", ["Model", "Developer", "Published", "FLOP (90 % interval)"], near


def _value(site: Site, entry: Row, model: Row, chips: Mapping[str, str]) -> Cell:
    """The value of a field with its 90 % interval; chips with links."""
    name, value, unit = entry["field"], entry["value"], entry["unit"]
    if name == "hardware" and entry["in_models"]:
        return Markup(", ").join(site.link("chip", chips.get(chip, ""), chip) for chip in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return human(value) if entry["in_models"] else claimed(entry["selected"])
    unit = model["dataset_unit"] if name == "dataset_size" else unit
    low, high = (model.get(f"{name.removesuffix('_flop')}_{end}") for end in ("low", "high"))
    if not (low and high):
        return number(value, unit)
    low, high = (flop(end) if unit == "FLOP" else number(end, unit) for end in (low, high))
    return number(value, unit) + " (" + low + " – " + high + ")"


def _who(site: Site, entry: Row, estimates: Sequence[Row]) -> Cell:
    """Who states a value and how many agree, the formula of our estimate, or how it is derived."""
    if claim := entry["selected"]:
        agree = claim["supporting_publishers"] or 1
        return stated_by(site, claim) + (f"; {agree} publishers agree" if agree > 1 else "")
    if entry["estimate_id"]:
        [taken] = [row for row in estimates if row["estimate_id"] == entry["estimate_id"]]
        return f"our estimate: {short_power(taken['formula'])}"
    return short_power(entry["formula"] or entry["derived"] or "")


def _is_shown(estimate: Row, published: float | None) -> bool:
    """Whether an estimate has a result that is not shown above; what statistics say of other models alone is left to
    `explain --full`, and of a model with a value what its capability says."""
    has_result = any(estimate[part] is not None for part in ("value", "low", "high"))
    is_told = estimate["method"] == "statistical" or (published and estimate["method"] == "capability_index")
    return has_result and not estimate["is_selected"] and not is_told


def _estimate(row: Row) -> Sequence[Cell]:
    """An estimate that was not taken: by which method, its value with its interval, its formula, why it was not
    taken."""
    method = row["method"].replace("_", " ")
    what = method if row["field"] == FLOP else f"{titled(row['field'])}: {method}"
    how = row["formula"] + (f"; assumes {', '.join(row['assumptions'])}" if row["assumptions"] else "")
    ends = f" ({interval(row['low'], row['high'], row['unit'])})" if row["value"] and row["low"] and row["high"] else ""
    value = short_power(claimed(row)) if row["value"] is None else number(row["value"], row["unit"])
    return what, value + short_power(ends), short_power(how), row["reason"]


def _history(revisions: Sequence[Row]) -> list[tuple[str, str]]:
    """What sources changed about the model's place in their lists and its main numbers, the newest first."""
    listed = [
        (str(row["to_snapshot"]), LISTED[row["kind"]].format(row["source_id"]))
        for row in revisions
        if row["kind"] in LISTED
    ]
    told = [row for row in revisions if row["field"] in REVISED_FIRST]
    changes = [(when, short_power(text)) for when, text in revised(told)]
    return sorted([*listed, *changes], reverse=True)
