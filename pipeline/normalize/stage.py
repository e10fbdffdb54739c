"""Stage 1: the facts of a vintage are read (text → typed value), selected (one claim per model and field) and pivoted
into tables. Code that needs only part of this, such as the calibration, calls the same steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Config, locked_snapshots
from pipeline.curated import Decision, check_known
from pipeline.frames import Tables, conform, empty_frame, is_in, mapped
from pipeline.names import slug
from pipeline.normalize import (
    aliases,
    claims,
    corrections,
    facts,
    first_shown,
    identity,
    models,
    revisions,
    round_dates,
    tables,
)
from pipeline.normalize.changes import last_changes, value_since
from pipeline.normalize.columns import columns_frame, hex_digits, joined
from pipeline.normalize.components import without_components
from pipeline.normalize.exchanged import hold_exchanged
from pipeline.normalize.newcomers import hold_newcomers
from pipeline.normalize.quarantine import drop_utilizations, hold, quarantine_bounds, quarantine_dates, set_aside
from pipeline.normalize.readings import check_readable, read_texts, with_readings
from pipeline.normalize.reasons import STATES_NOTHING
from pipeline.normalize.withdrawn import mark_withdrawn
from pipeline.pull.witnesses import load_witnesses

NONE: Mapping[str, str] = {}
Records = dict[str, tuple[pd.DataFrame, pd.DataFrame]]  # tables of records, each with the facts it was made of


@dataclass
class Read:
    """The ledger once read: every fact with its model and the number of its reading, and the readings. Whoever makes
    several vintages of it finds here what was made for one and serves the next."""

    ledger: pd.DataFrame
    readings: pd.DataFrame
    revisions: pd.DataFrame | None = field(default=None, init=False)
    records: Records = field(default_factory=dict, init=False)


def normalize_tables(context: Config, as_of: date | None, read: Read | None = None) -> Tables:
    """Every table that needs no estimates; `models` has no imputed values. `read` is the ledger, for whoever makes
    several vintages of it. Raises DataError listing all faults."""
    return {name: frame for made in normalized(context, as_of, read) for name, frame in made.items()}


def normalized(
    context: Config, as_of: date | None, read: Read | None = None, aside: Mapping[str, str] = NONE
) -> Iterator[Tables]:
    """The same tables, each as soon as it is made, so that one can be written while the next is being made. `aside` are
    the claims that are set aside, by claim_id, each with the reason."""
    fixes = context.corrections
    records = read.records if read else None
    if read is None:  # who gives part of a ledger has checked the whole of it
        read = read_ledger(context, load_ledger(context))
        corrections.check_cells(context.paths, fixes, read.ledger, read.readings)
    yield {"revisions": revisions.known_on(_revisions_once(context, read), as_of)}
    typed = read_vintage(context, read, as_of)
    yield about_sources(context, read.ledger, typed, as_of)
    yield {"columns": columns_frame(context.schemas)}
    settings = context.vocabularies["model_settings"], context.schemas["model_settings"]
    yield {"model_settings": aliases.make_model_settings(*settings)}
    named = aliases.names_used(read.ledger, context.sources, as_of)
    if not as_of:
        typed = hold(typed, read.ledger, read.readings, context.lock, fixes)
        typed = hold_newcomers(typed, read.ledger, read.readings, context.lock, fixes)
        typed = hold_exchanged(typed, read.ledger, read.readings, context.lock, fixes)
    before = _before(read, typed, aside)
    del read
    typed = quarantine_bounds(typed)
    known, others = about_models(context, typed), typed[typed["subject"] != "models"]
    del typed  # the largest frame: what follows needs only parts of it
    others = set_aside(pd.concat([others, before], ignore_index=True) if len(before) else others, aside)
    beside = record_tables(context, others, records)
    yield beside
    others = others[others["reason_code"] != ""]
    judged, gone = models.with_names(claims.select(stated_claims(context, known, fixes, as_of, aside)))
    del known
    about = [entry for entry in fixes if entry["source"] in context.sources]
    yield {
        "claims": conform(judged, context.schemas["claims"]),
        "corrections": tables.make_corrections(about, judged, as_of, context.schemas["corrections"]),
        "quarantine": tables.make_quarantine(pd.concat([judged, gone]), others, context.schemas["quarantine"]),
    }
    judged = judged[claims.PIVOTED]
    wide = model_tables(context, judged, beside["hardware"])
    yield wide
    called = aliases.make_aliases(named, wide["models"], _decisions(context), context.views, context.schemas["aliases"])
    yield {"aliases": called}


def load_ledger(context: Config) -> pd.DataFrame:
    """Every fact that a source ever stated, with a model_id if it is about a model. Ids come from the whole ledger, so
    that a model has the same id in every vintage."""
    ledger = facts.load_facts(context.paths, context.sources, context.lock)
    about = is_in(ledger["source_id"], [name for name, source in context.sources.items() if source.subject == "models"])
    where = context.paths.short(context.paths.identities)
    records = ledger.loc[about, ["source_id", "record", "since"]]
    resolved = identity.resolve_models(records, _decisions(context), where, _speaking(context))
    check_known(context.components, set(resolved["model_id"]))
    return ledger.assign(model_id=resolved["model_id"])


def read_ledger(context: Config, ledger: pd.DataFrame) -> Read:
    """The ledger, with each distinct text read once, and with `begun` and `changed` (changes.py)."""
    facts, readings = read_texts(ledger, context.fields, context.vocabularies, context.sources)
    begun = value_since(facts, readings)
    return Read(facts.assign(begun=begun, changed=last_changes(facts, begun, _days(context))), readings)


def read_vintage(context: Config, read: Read, as_of: date | None, columns: pd.DataFrame | None = None) -> pd.DataFrame:
    """The facts that stood on that day, typed. `columns` are those that `mark_withdrawn` takes for the vintage's.
    Raises DataError if a text entered by hand cannot be read."""
    return mark_withdrawn(_typed(context, read, as_of), read.ledger, context.sources, columns)


def _typed(context: Config, read: Read, as_of: date | None) -> pd.DataFrame:
    typed = with_readings(facts.vintage(read.ledger, context.sources, context.lock, as_of), read.readings)
    typed = quarantine_dates(typed)
    check_readable(typed, context.sources)
    return typed


def select_claims(
    context: Config, typed: pd.DataFrame, fixes: Sequence[Mapping[str, Any]], as_of: date | None
) -> pd.DataFrame:
    """The claims about models, corrected and judged: which one is selected for each model and field, and why."""
    return claims.select(stated_claims(context, about_models(context, typed), fixes, as_of))


def winning_claims(
    context: Config, typed: pd.DataFrame, fixes: Sequence[Mapping[str, Any]], as_of: date | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """All claims about models, corrected, and those that are selected, for whoever does not ask why."""
    stated = stated_claims(context, about_models(context, typed), fixes, as_of)
    return stated, claims.winners(stated)


def about_models(context: Config, typed: pd.DataFrame) -> pd.DataFrame:
    """The typed facts about models that a source makes, in the order of claim_id."""
    about = (typed["subject"] == "models") & (typed["model_id"] != "")
    spoken = is_in(typed["source_id"], _speaking(context))
    about &= ~spoken | is_in(typed["model_id"], typed.loc[about & ~spoken, "model_id"].unique())
    places = np.flatnonzero(about)
    order = places[np.argsort(typed["hash"].to_numpy()[places])]  # that of claim_id
    return typed.drop(columns=["subject", "until", "text"]).take(order).reset_index(drop=True)


def stated_claims(
    context: Config,
    known: pd.DataFrame,
    fixes: Sequence[Mapping[str, Any]],
    as_of: date | None,
    aside: Mapping[str, str] = NONE,
) -> pd.DataFrame:
    """What `about_models` gives as claims, corrected, without components among the base models, with dates no later
    than those of their papers, and not yet judged: whoever is short of memory lets go of all other facts first."""
    made = claims.make_claims(known, context.sources, context.selection)
    corrected = corrections.apply(context.paths, fixes, made, as_of, context.sources)
    corrected = drop_utilizations(corrected, fixes)
    bounded = first_shown.bound_by_paper(set_aside(corrected, aside), as_of, context.sources, fixes)
    dated = round_dates.told_as_far_as_known(bounded, as_of, context.sources)
    return without_components(dated, context.components)


def pivot_tables(context: Config, judged: pd.DataFrame, others: pd.DataFrame) -> Tables:
    """The selected claims as `models` and the tables that go with it, and the records of all other subjects."""
    made = record_tables(context, others)
    return made | model_tables(context, judged, made["hardware"])


def record_tables(context: Config, others: pd.DataFrame, known: Records | None = None) -> Tables:
    """The records of all subjects but models; for whoever makes several vintages, those that are `known` of the same
    facts are not made again. A table of chips is always there, empty where no source has any."""
    stated = {str(name): _records_once(context, rows, str(name), known) for name, rows in others.groupby("subject")}
    made = {"hardware": empty_frame(context.schemas["hardware"])} | stated
    return made | {"hardware": tables.with_equivalents(made["hardware"], context.constants["equivalents"])}


def model_tables(context: Config, judged: pd.DataFrame, hardware: pd.DataFrame) -> Tables:
    """The selected claims as `models` and the tables that go with it."""
    wide = models.make_models(judged, context.schemas["models"], context.vocabularies, context.components)
    chosen, mentions = claims.selected(judged), context.schemas["model_hardware"]
    return {
        "models": wide,
        "model_hardware": tables.make_model_hardware(chosen, hardware, context.vocabularies, mentions),
        "organizations": tables.make_organizations(wide, context.vocabularies, context.schemas["organizations"]),
    }


def read_records(context: Config, name: str) -> pd.DataFrame:
    """The newest state of a table whose rows are the records of its sources, such as hardware, read alone."""
    sources = {source_id: source for source_id, source in context.sources.items() if source.subject == name}
    read = read_ledger(context, facts.load_facts(context.paths, sources, context.lock))
    newest = read.ledger[read.ledger["until"].isna()]
    return _records(context, with_readings(newest, read.readings), name)


def _before(read: Read, typed: pd.DataFrame, aside: Mapping[str, str]) -> pd.DataFrame:
    """The facts of records in whose place those came that are set aside or cannot be read: they stand until somebody
    looks."""
    ledger, cell = read.ledger[read.ledger["subject"] != "models"], [*corrections.CELL, "since"]
    unread = (typed["subject"] != "models") & ~typed["reason_code"].isin(["", STATES_NOTHING])
    bad = ledger.loc[is_in(hex_digits(ledger["hash"].to_numpy(), ledger.index), aside), cell]
    new = pd.concat([bad, typed.loc[unread, cell]]).rename(columns={"since": "until"})
    ended = ledger[ledger["until"].notna()].reset_index(names="at")
    old = with_readings(ledger.loc[joined(ended, new, [*corrections.CELL, "until"])["at"]], read.readings)
    return old[old["reason_code"] == ""].assign(snapshot=old["until"])


def record_facts(context: Config, as_of: date | None, aside: Mapping[str, str]) -> pd.DataFrame:
    """The facts behind the tables of records: table, key of the row, field, since when the cell has its value, and
    claim_id."""
    context = context.of_sources([name for name, source in context.sources.items() if source.subject != "models"])
    read = read_ledger(context, facts.load_facts(context.paths, context.sources, context.lock))
    typed = set_aside(_typed(context, read, as_of), aside)
    parts = []
    for name, some in _ranked(context, typed).groupby("subject"):
        lookup = context.vocabularies[str(name)].lookup if name in context.vocabularies else {}
        rows = tables.of_records(some, lookup)
        parts.append(rows.assign(table=name, key=[slug(record) for record in rows["record"]], since=rows["begun"]))
    made = pd.concat(parts)
    return made.assign(claim_id=hex_digits(made["hash"].to_numpy(), made.index))


def reference_tables(context: Config) -> Tables:
    """The newest state of the tables that are about no models: the records of their sources, what is in quarantine of
    them, and what is known of these sources."""
    context = context.of_sources([name for name, source in context.sources.items() if source.subject != "models"])
    read = read_ledger(context, facts.load_facts(context.paths, context.sources, context.lock))
    typed = _typed(context, read, None)
    no_claims = pd.DataFrame({"status": []})
    return {
        **record_tables(context, typed),
        **about_sources(context, read.ledger, typed, None),
        "columns": columns_frame(context.schemas),
        "quarantine": tables.make_quarantine(no_claims, typed, context.schemas["quarantine"]),
    }


def about_sources(context: Config, ledger: pd.DataFrame, typed: pd.DataFrame, as_of: date | None) -> Tables:
    """The snapshots of the sources, of which `ledger` has all spans, and what is in use from each, of which `typed` has
    the facts of the vintage."""
    witnesses = load_witnesses(context.paths, context.sources.values())
    return {
        "snapshots": tables.make_snapshots(ledger, context.lock, witnesses, as_of, context.schemas["snapshots"]),
        "sources": tables.make_sources(typed, context.sources, _days(context), context.schemas["sources"]),
    }


def _revisions_once(context: Config, read: Read) -> pd.DataFrame:
    """What the sources changed over time, made once of a ledger."""
    if read.revisions is None:
        known = read.ledger, read.readings, _days(context), _decisions(context), context.schemas["revisions"]
        read.revisions = revisions.make_revisions(*known)
    return read.revisions


def _days(context: Config) -> dict[str, list[date]]:
    return {name: locked_snapshots(context.lock, name) for name in context.sources}


def _speaking(context: Config) -> list[str]:
    """The sources that only speak of models that others make."""
    return [name for name, source in context.sources.items() if not source.makes_models]


def _decisions(context: Config) -> list[Decision]:
    """The lines of identities.csv."""
    return context.identities


def _records_once(context: Config, typed: pd.DataFrame, name: str, known: Records | None) -> pd.DataFrame:
    """The same table, but the one that is known if it was made of equal facts."""
    if known is None:
        return _records(context, typed, name)
    facts = typed.reset_index(drop=True)
    if name not in known or not facts.equals(known[name][0]):
        known[name] = facts, _records(context, facts, name)
    return known[name][1]


def _records(context: Config, typed: pd.DataFrame, name: str) -> pd.DataFrame:
    """A table whose rows are the records of its sources, such as hardware."""
    return tables.make_records(_ranked(context, typed), context.schemas[name], context.vocabularies)


def _ranked(context: Config, typed: pd.DataFrame) -> pd.DataFrame:
    priority = {source.id: source.priority for source in context.sources.values()}
    return typed.assign(priority=mapped(typed["source_id"], priority, "int64"))
