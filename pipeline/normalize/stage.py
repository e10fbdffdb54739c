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

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Config, locked_snapshots
from pipeline.curated import Decision, check_known, entry_problem
from pipeline.errors import DataError
from pipeline.frames import Tables, conform, empty_frame, is_in
from pipeline.names import slug
from pipeline.normalize import tables
from pipeline.normalize.columns import columns_frame, hex_digits, joined
from pipeline.normalize.correct import CELL, check_cells, correct
from pipeline.normalize.exclude import OF_CLAIMS, OF_FACTS, SET_ASIDE, Vintage, exclude, without_components
from pipeline.normalize.facts import NOTHING_HELD, Held, load_facts, vintage
from pipeline.normalize.identify import ABOUT_MODELS, make_aliases, names_used, resolve_models
from pipeline.normalize.parse import check_readable, parse_values, with_values
from pipeline.normalize.pivot import PIVOTED, make_model_hardware, make_models, make_organizations
from pipeline.normalize.publication_dates import FIELD, early_precision
from pipeline.normalize.reasons import HELD, STATES_NOTHING
from pipeline.normalize.revisions import last_changes, make_revisions, value_since
from pipeline.normalize.select import make_claims, select, without_lost_models
from pipeline.pull.ledger import load_witnesses

NONE: Mapping[str, str] = {}
Fixes = Sequence[Mapping[str, Any]]  # entries of corrections.yml
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
    """Every table that needs no estimates; `models` has no imputed values. See `normalized`. Raises DataError listing
    all faults."""
    steps = normalized(context, as_of, read, aside, held, fixes)
    return {name: frame for tables in steps for name, frame in tables.items()}


def normalized(
    context: Config,
    as_of: date | None,
    read: Read | None = None,
    aside: Mapping[str, str] = NONE,
    held: Held = NOTHING_HELD,
    fixes: Fixes | None = None,
) -> Iterator[Tables]:
    """The same tables, each as soon as it is made, so that one can be written while the next is being made.

    `read` is the ledger, for whoever makes several vintages of it. `aside` are claims that are set aside, by claim_id,
    each with the reason. `held` are records that are read as of an earlier day, by source_id and record: what they have
    had since does not count. `fixes` are the corrections, if not those of corrections.yml."""
    # identify and parse: every fact that a source ever stated
    schemas, fixes = context.schemas, context.corrections if fixes is None else fixes
    read = read or read_checked(context)  # who gives part of a ledger has checked the whole of it
    splits = {decision.alias for decision in _decisions(context) if decision.relation == "split"}
    days = {name: locked_snapshots(context.lock, name) for name in context.sources}
    yield {"revisions": make_revisions(read.ledger, read.readings, days, splits, schemas["revisions"], as_of)}

    # exclude: the facts of the vintage, with the reasons why some do not count
    facts, spans = read_vintage(context, read, as_of, held), read.ledger[SPAN]
    witnesses = load_witnesses(context.paths, context.sources.values())
    yield {
        "snapshots": tables.make_snapshots(spans, context.lock, witnesses, as_of, schemas["snapshots"]),
        "sources": tables.make_sources(
            facts[["source_id", "snapshot", "record"]], context.sources, days, schemas["sources"]
        ),
        "columns": columns_frame(schemas),
        "model_settings": tables.make_model_settings(context.vocabularies["model_settings"], schemas["model_settings"]),
    }
    names = names_used(spans, context.sources, as_of)

    # pivot what is about no models
    records = facts[facts["subject"] != "models"]
    records = pd.concat([records, _before_aside(read, records, aside)], ignore_index=True)
    del read, spans
    state = Vintage(context, as_of, fixes=fixes, aside=aside, held=held)
    records = exclude(records, [SET_ASIDE], state)
    facts = about_models(context, facts)  # the others need much memory
    beside = record_tables(context, records)
    yield beside
    records = records[records["reason_code"] != ""]

    # correct, exclude, select: the claims about models
    judged, lost = without_lost_models(_judged_claims(facts, state))
    del facts
    known = [dict(entry) for entry in fixes if entry["source"] in context.sources]
    quarantined = pd.concat([judged[judged["status"] == "quarantined"], lost])
    yield {
        "claims": conform(judged, schemas["claims"]),
        "corrections": tables.make_corrections(known, judged[SPAN[:3]], as_of, schemas["corrections"]),
        "quarantine": tables.make_quarantine(quarantined, records, schemas["quarantine"]),
    }

    # pivot the selected claims
    judged = judged[PIVOTED]
    wide = model_tables(context, judged, beside["hardware"])
    yield wide
    models = wide["models"][ABOUT_MODELS]
    yield {"aliases": make_aliases(names, models, _decisions(context), context.views, schemas["aliases"])}


def load_ledger(context: Config) -> pd.DataFrame:
    """Every fact that a source ever stated, with a model_id if it is about a model. Ids come from the whole ledger, so
    that a model has the same id in every vintage."""
    ledger = load_facts(context.paths, context.sources, context.lock)
    about = is_in(ledger["source_id"], [name for name, source in context.sources.items() if source.subject == "models"])
    where = context.paths.short(context.paths.identities)
    records = ledger.loc[about, ["source_id", "record", "since"]]
    ids = resolve_models(records, _decisions(context), where, _speaking(context))
    check_known(context.components, set(ids))
    return ledger.assign(model_id=ids)


def read_checked(context: Config) -> Read:
    """The whole ledger, read. Raises DataError for facts and for corrections that are malformed or about no cell."""
    remedy = f"one of {', '.join(sorted(context.sources))}"
    DataError.raise_any(
        entry_problem(context.paths, entry, f'no source "{entry["source"]}"', remedy)
        for entry in context.corrections
        if entry["source"] not in context.sources
    )
    read = read_ledger(context, load_ledger(context))
    check_cells(context.paths, context.corrections, read.ledger, read.readings)
    return read


def read_ledger(context: Config, ledger: pd.DataFrame) -> Read:
    """The ledger, with each distinct text read once, and with the day since which the cell has had its value (`begun`)
    and when it last changed (`changed`, see last_changes)."""
    facts, values = parse_values(ledger, context.fields, context.vocabularies, context.sources)
    begun = value_since(facts, values)
    days = {name: locked_snapshots(context.lock, name) for name in context.sources}
    return Read(facts.assign(begun=begun, changed=last_changes(facts, begun, days)), values)


def read_vintage(context: Config, read: Read, as_of: date | None, held: Held = NOTHING_HELD) -> pd.DataFrame:
    """The facts that stood on that day, parsed, with the reasons why some do not count. Raises DataError if a text
    entered by hand cannot be read."""
    facts = with_values(vintage(read.ledger, context.sources, context.lock, as_of, held), read.readings)
    facts = exclude(facts, OF_FACTS, Vintage(context, as_of, ledger=read.ledger, held=held))
    check_readable(facts[facts["reason_code"] != ""], context.sources)
    return facts


def select_claims(context: Config, facts: pd.DataFrame, fixes: Fixes, as_of: date | None) -> pd.DataFrame:
    """The claims about models from the parsed facts of a vintage, corrected and judged: which one is selected for each
    model and field, and why."""
    return _judged_claims(about_models(context, facts), Vintage(context, as_of, fixes=fixes))


def _judged_claims(facts: pd.DataFrame, state: Vintage) -> pd.DataFrame:
    """The same from `about_models`."""
    context, as_of = state.context, state.as_of
    claims = make_claims(facts, context.sources, context.selection)
    claims = correct(context.paths, state.fixes, claims, as_of, context.sources, state.held)
    claims = exclude(claims, OF_CLAIMS, state)
    early = early_precision(claims.loc[claims["field"] == FIELD, ["source_id", "code", "note"]], as_of, context.sources)
    claims.loc[early.index, "note"] = early
    return select(without_components(claims, context.components))


def about_models(context: Config, facts: pd.DataFrame) -> pd.DataFrame:
    """The parsed facts about models that a source makes, in the order of claim_id."""
    about = (facts["subject"] == "models") & (facts["model_id"] != "")
    spoken = is_in(facts["source_id"], _speaking(context))
    about &= ~spoken | is_in(facts["model_id"], facts.loc[about & ~spoken, "model_id"].unique())
    places = np.flatnonzero(about)
    order = places[np.argsort(facts["hash"].to_numpy()[places])]  # that of claim_id
    return facts.drop(columns=["subject", "until", "text"]).take(order).reset_index(drop=True)


def pivot_tables(context: Config, judged: pd.DataFrame, records: pd.DataFrame) -> Tables:
    """The selected claims as `models` and the tables that go with it, and the records of all other subjects."""
    beside = record_tables(context, records)
    return beside | model_tables(context, judged, beside["hardware"])


def record_tables(context: Config, records: pd.DataFrame) -> Tables:
    """The records of all subjects but models. A table of chips is always there, empty where no source has any."""
    stated = {str(name): _record_table(context, rows, str(name)) for name, rows in records.groupby("subject")}
    hardware = stated.get("hardware", empty_frame(context.schemas["hardware"]))
    return {**stated, "hardware": tables.with_equivalents(hardware, context.constants["equivalents"])}


def model_tables(context: Config, judged: pd.DataFrame, hardware: pd.DataFrame) -> Tables:
    """The selected claims as `models` and the tables that go with it."""
    schemas, vocabularies = context.schemas, context.vocabularies
    models = make_models(judged, schemas["models"], vocabularies, context.components)
    chips = judged.loc[(judged["status"] == "selected") & (judged["field"] == "hardware"), ["model_id", "value_text"]]
    makers = models[["organizations", "organization_category", "countries"]]
    return {
        "models": models,
        "model_hardware": make_model_hardware(chips, hardware, vocabularies, schemas["model_hardware"]),
        "organizations": make_organizations(makers, vocabularies["organizations"], schemas["organizations"]),
    }


def read_records(context: Config, name: str) -> pd.DataFrame:
    """The newest state of a table whose rows are the records of its sources, such as hardware, read alone."""
    sources = {source_id: source for source_id, source in context.sources.items() if source.subject == name}
    read = read_ledger(context, load_facts(context.paths, sources, context.lock))
    newest = read.ledger[read.ledger["until"].isna()]
    return _record_table(context, with_values(newest, read.readings), name)


def record_facts(
    context: Config, as_of: date | None, aside: Mapping[str, str], held: Held = NOTHING_HELD
) -> pd.DataFrame:
    """The facts behind the tables of records: table, key of the row, field, since when the cell has its value, and
    claim_id."""
    context = context.of_sources([name for name, source in context.sources.items() if source.subject != "models"])
    ledger = load_facts(context.paths, context.sources, context.lock)
    read = read_ledger(context, ledger.assign(model_id=pd.Series(None, index=ledger.index, dtype="str")))
    facts = exclude(read_vintage(context, read, as_of, held), [SET_ASIDE], Vintage(context, as_of, aside=aside))
    parts = []
    for name, some in facts.groupby("subject"):
        lookup = context.vocabularies[str(name)].lookup if name in context.vocabularies else {}
        rows = tables.of_records(some, lookup, context.sources)
        parts.append(rows.assign(table=name, key=[slug(record) for record in rows["record"]], since=rows["begun"]))
    made = pd.concat(parts)
    return made.assign(claim_id=hex_digits(made["hash"].to_numpy(), made.index))


def _before_aside(read: Read, records: pd.DataFrame, aside: Mapping[str, str]) -> pd.DataFrame:
    """The facts of records in whose place those came that are set aside or cannot be read: they stand until somebody
    looks."""
    ledger, cell = read.ledger[read.ledger["subject"] != "models"], [*CELL, "since"]
    unread = ~records["reason_code"].isin(["", STATES_NOTHING, HELD])
    bad = ledger.loc[is_in(hex_digits(ledger["hash"].to_numpy(), ledger.index), aside), cell]
    new = pd.concat([bad, records.loc[unread, cell]]).rename(columns={"since": "until"})
    ended = ledger[ledger["until"].notna()].reset_index(names="at")
    old = with_values(ledger.loc[joined(ended, new, [*CELL, "until"])["at"]], read.readings)
    return old[old["reason_code"] == ""].assign(snapshot=old["until"])


def _record_table(context: Config, facts: pd.DataFrame, name: str) -> pd.DataFrame:
    """A table whose rows are the records of its sources, such as hardware."""
    return tables.make_records(facts, context.schemas[name], context.vocabularies, context.sources)


def _decisions(context: Config) -> list[Decision]:
    """The lines of identities.csv."""
    return context.identities


def _speaking(context: Config) -> list[str]:
    """The sources that only speak of models that others make."""
    return [name for name, source in context.sources.items() if not source.makes_models]
