"""Stage 1, facts → claims → models. What goes in: the committed facts, and the day of the vintage. The steps, in order:

    identify   which model each record is about                      identify.py
    parse      text → value, each distinct text once                 parse.py
    exclude    what does not count, by rules for facts               exclude.py
    correct    the entries of corrections.yml                        correct.py
    exclude    what does not count, by rules for claims              exclude.py
    select     one claim per model and field                         select.py
    pivot      selected claims → models; records → other tables      pivot.py, tables.py

What comes out: every table that needs no estimates. Code that needs only part of this, such as the calibration, calls
the same steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np
import pandas as pd

from pipeline.config import Config, locked_snapshots
from pipeline.curated import check_known, entry_problem
from pipeline.errors import DataError
from pipeline.frames import Tables, conform, empty_frame, is_in
from pipeline.names import slug
from pipeline.normalize import tables
from pipeline.normalize.columns import hex_digits, joined
from pipeline.normalize.correct import CELL, check_cells, correct
from pipeline.normalize.exclude import OF_CLAIMS, OF_FACTS, SET_ASIDE, exclude
from pipeline.normalize.facts import NOTHING_HELD, Fixes, Held, Vintage, load_facts, vintage
from pipeline.normalize.identify import ABOUT_MODELS, make_aliases, names_used, resolve_models
from pipeline.normalize.parse import check_readable, parse_values, with_values
from pipeline.normalize.pivot import PIVOTED, make_model_hardware, make_models, make_organizations
from pipeline.normalize.revisions import make_revisions, with_history
from pipeline.normalize.select import make_claims, select, without_lost_models
from pipeline.pull.ledger import load_witnesses

NONE: Mapping[str, str] = {}
SPAN = ["source_id", "record", "model_id", "since", "until"]


@dataclass(frozen=True)
class Read:
    """The ledger once read, for whoever makes several vintages of it: every fact with its model and the number of its
    parsed value (`text`), and the parsed values."""

    ledger: pd.DataFrame
    readings: pd.DataFrame


def normalize_tables(
    context: Config,
    as_of: date | None,
    read: Read | None = None,
    aside: Mapping[str, str] = NONE,
    held: Held = NOTHING_HELD,
    fixes: Fixes | None = None,
) -> Tables:
    """Every table that needs no estimates; `models` has no imputed values. Raises DataError listing all faults.

    `read` is the ledger, if several vintages are built from it. `aside` are claims that are set aside, by claim_id,
    each with the reason. `held` are records that are read as of an earlier day, by source_id and record: what they have
    had since does not count. `fixes` are the corrections, if not those of corrections.yml."""
    read = read or read_checked(context)  # who gives part of a ledger has checked the whole of it
    state = Vintage(context, as_of, read.ledger, context.corrections if fixes is None else fixes, aside, held)
    splits = {decision.alias for decision in context.identities if decision.relation == "split"}
    made = {"revisions": make_revisions(read.ledger, read.readings, _snapshot_days(context), splits, as_of)}
    facts = read_vintage(context, read, as_of, held)  # identified, parsed, and excluded by the rules for facts
    made |= _about_sources(state, facts[["source_id", "snapshot", "record"]])
    records = records_of(read, facts[facts["subject"] != "models"], state)
    made |= record_tables(context, records)
    claims = make_claims(about_models(context, facts), context.sources, context.selection)
    del facts  # each of these frames needs much memory
    claims = correct(claims, state)
    claims = exclude(claims, OF_CLAIMS, state)
    made["claims"], lost = without_lost_models(select(claims))
    del claims
    quarantined = pd.concat([made["claims"].query("status == 'quarantined'"), lost])
    made["quarantine"] = tables.make_quarantine(quarantined, records[records["reason_code"] != ""])
    made["corrections"] = tables.make_corrections(state, made["claims"][SPAN[:3]])
    made |= model_tables(context, made["claims"][PIVOTED], made["hardware"])  # pivoted
    names = names_used(read.ledger[SPAN], context.sources, as_of)
    made["aliases"] = make_aliases(names, made["models"][ABOUT_MODELS], context.identities, context.views)
    for name in made:  # each table gets the columns, types and order of its schema
        made[name] = conform(made[name], context.schemas[name])
    return made


# --- identify and parse


def read_ledger(context: Config) -> Read:
    """Every fact that a source ever stated, with the history of its cell and a model_id if it is about a model, and
    each distinct text read once. Ids come from the whole ledger, so that a model has the same id in every vintage."""
    ledger = load_facts(context.paths, context.sources, context.lock)
    about = is_in(ledger["source_id"], [name for name, source in context.sources.items() if source.subject == "models"])
    where = context.paths.short(context.paths.identities)
    records = ledger.loc[about, ["source_id", "record", "since"]]
    speaking = [name for name, source in context.sources.items() if not source.makes_models]
    ids = resolve_models(records, context.identities, where, speaking)
    check_known(context.paths, context.components, set(ids))
    ledger = ledger.assign(model_id=ids)
    facts, values = parse_values(ledger, context.fields, context.vocabularies, context.sources)
    return Read(with_history(facts, values, _snapshot_days(context)), values)


def read_checked(context: Config) -> Read:
    """The whole ledger, read. Raises DataError for facts and for corrections that are malformed or about no cell."""
    remedy = f"one of {', '.join(sorted(context.sources))}"
    DataError.raise_any(
        entry_problem(context.paths, entry, f'no source "{entry["source"]}"', remedy)
        for entry in context.corrections
        if entry["source"] not in context.sources
    )
    read = read_ledger(context)
    check_cells(context.paths, context.corrections, read.ledger, read.readings)
    return read


def read_vintage(context: Config, read: Read, as_of: date | None, held: Held = NOTHING_HELD) -> pd.DataFrame:
    """The facts that stood on that day, parsed, with the reasons why some do not count. Raises DataError if a text
    entered by hand cannot be read."""
    facts = with_values(vintage(read.ledger, context.sources, context.lock, as_of, held), read.readings)
    facts = exclude(facts, OF_FACTS, Vintage(context, as_of, read.ledger, held=held))
    check_readable(facts[facts["reason_code"] != ""], context.sources)
    return facts


def _snapshot_days(context: Config) -> dict[str, list[date]]:
    return {name: locked_snapshots(context.lock, name) for name in context.sources}


# --- correct, exclude, select


def about_models(context: Config, facts: pd.DataFrame) -> pd.DataFrame:
    """The parsed facts about models that a source makes, in the order of claim_id."""
    about = (facts["subject"] == "models") & (facts["model_id"] != "")
    spoken = ~is_in(facts["source_id"], [name for name, source in context.sources.items() if source.makes_models])
    about &= ~spoken | is_in(facts["model_id"], facts.loc[about & ~spoken, "model_id"].unique())
    places = np.flatnonzero(about)
    order = places[np.argsort(facts["hash"].to_numpy()[places])]  # that of claim_id
    kept = facts.drop(columns=["subject", "since", "until", "text", "file", "line"]).rename(columns={"begun": "since"})
    return kept.take(order).reset_index(drop=True)


# --- pivot


def chosen_tables(context: Config, facts: pd.DataFrame, fixes: Fixes) -> Tables:
    """The claims about models from the parsed facts of a vintage, corrected and judged, the selected ones as `models`
    and the tables that go with it, and the chips."""
    state, made = Vintage(context, fixes=fixes), record_tables(context, facts[facts["subject"] == "hardware"])
    claims = make_claims(about_models(context, facts), context.sources, context.selection)
    claims = select(exclude(correct(claims, state), OF_CLAIMS, state))
    made |= model_tables(context, claims, made["hardware"])
    return {name: conform(frame, context.schemas[name]) for name, frame in made.items()} | {"claims": claims}


def model_tables(context: Config, judged: pd.DataFrame, hardware: pd.DataFrame) -> Tables:
    """The selected claims as `models` and the tables that go with it."""
    models = make_models(judged, context.schemas["models"], context.vocabularies, context.components)
    chips = judged.loc[(judged["status"] == "selected") & (judged["field"] == "hardware"), ["model_id", "value_text"]]
    makers = models[["organizations", "organization_category", "countries"]]
    return {
        "models": models,
        "model_hardware": make_model_hardware(chips, hardware, context.vocabularies),
        "organizations": make_organizations(makers, context.vocabularies["organizations"]),
    }


def record_tables(context: Config, records: pd.DataFrame) -> Tables:
    """The records of all subjects but models. A table of chips is always there, empty where no source has any."""
    schemas, vocabularies, sources = context.schemas, context.vocabularies, context.sources
    made = {"hardware": empty_frame(schemas["hardware"])}
    for name, rows in records.groupby("subject"):
        made[str(name)] = tables.make_records(rows, schemas[str(name)], vocabularies, sources)
    made["hardware"] = tables.with_equivalents(made["hardware"], context.constants["equivalents"])
    return made


def records_of(read: Read, records: pd.DataFrame, state: Vintage) -> pd.DataFrame:
    """The facts about anything but models, judged. In the place of those that are set aside or cannot be read stand the
    ones that they came in the place of, until somebody looks."""
    ledger, cell = read.ledger[read.ledger["subject"] != "models"], [*CELL, "since"]
    unread = ~records["reason_code"].isin(["", "states_nothing", "held"])
    bad = ledger.loc[is_in(hex_digits(ledger["hash"].to_numpy(), ledger.index), state.aside), cell]
    new = pd.concat([bad, records.loc[unread, cell]]).rename(columns={"since": "until"})
    ended = ledger[ledger["until"].notna()].reset_index(names="at")
    old = with_values(ledger.loc[joined(ended, new, [*CELL, "until"])["at"]], read.readings)
    old = old[old["reason_code"] == ""].assign(snapshot=old["until"])
    return exclude(pd.concat([records, old], ignore_index=True), [SET_ASIDE], state)


def record_facts(
    context: Config, read: Read, as_of: date | None, aside: Mapping[str, str], held: Held = NOTHING_HELD
) -> pd.DataFrame:
    """The facts behind the tables of records: table, key of the row, field, since when the cell has its value, and
    claim_id."""
    state, parts = Vintage(context, as_of, aside=aside, held=held), []
    records = read_vintage(context, read, as_of, held)
    records = records_of(read, records[records["subject"] != "models"], state)
    for name, facts in records.groupby("subject"):
        rows = tables.of_records(facts, str(name), context.vocabularies, context.sources)
        parts.append(rows.assign(table=name, key=[slug(record) for record in rows["record"]], since=rows["begun"]))
    made = pd.concat(parts)
    return made.assign(claim_id=hex_digits(made["hash"].to_numpy(), made.index))


# --- what is about sources and their history


def _about_sources(state: Vintage, facts: pd.DataFrame) -> Tables:
    """The tables about sources and about the dataset itself."""
    context = state.context
    witnesses = load_witnesses(context.paths, context.sources.values())
    return {
        "snapshots": tables.make_snapshots(
            state.ledger[SPAN], context.lock, witnesses, state.as_of, context.schemas["snapshots"]
        ),
        "sources": tables.make_sources(facts, context.sources, _snapshot_days(context)),
        "columns": tables.make_columns(context.schemas, context.sources),
        "model_settings": tables.make_model_settings(context.vocabularies["model_settings"]),
    }
