"""Stage 1: the facts of a vintage → typed claims, one selected per cell → the tables that need no estimates."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pandas as pd

from pipeline.base.columnar import is_in, mapped, release_memory
from pipeline.normalize import claims, corrections, facts, identity, models, revisions, tables
from pipeline.normalize.quarantine import hold, quarantine_bounds
from pipeline.normalize.readings import check_readable, read_texts, with_readings
from pipeline.normalize.tables import with_equivalents
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables, conform
from pipeline.registry.identities import Decision, load_decisions
from pipeline.registry.sources import locked_snapshots


def normalize_tables(context: Context, as_of: date | None, done: Callable[[Tables], None] = lambda _: None) -> Tables:
    """Facts of the vintage → claims → the tables that need nothing but claims. All but `models` are in their final
    state, and are handed to `done` as soon as they are, so that they can be written while others are made."""
    made, typed = _before_selection(context, as_of)
    done(made)
    about_models = typed["subject"] == "models"
    others = typed[~about_models]
    known = typed[about_models & (typed["model_id"] != "")].sort_values("hash")  # the order of claim_id
    del typed  # the largest frame: what follows needs only its parts
    release_memory()
    judged = claims.select(corrected(context, known, as_of))
    del known
    release_memory()
    published = {"claims": conform(judged, context.schemas["claims"])}
    done(published)
    further = {name: records(context, rows, name) for name, rows in others.groupby("subject")}
    further["hardware"] = with_equivalents(further["hardware"], context.constants["equivalents"])
    wide = models.make_models(judged, context.schemas["models"], context.vocabularies)
    release_memory()
    further |= {
        "quarantine": tables.make_quarantine(judged, others, context.schemas["quarantine"]),
        "model_hardware": tables.make_model_hardware(
            claims.selected(judged), further["hardware"], context.vocabularies, context.schemas["model_hardware"]
        ),
        "organizations": tables.make_organizations(wide, context.vocabularies, context.schemas["organizations"]),
    }
    done(further)
    return {**made, **published, **further, "models": wide}


def _before_selection(context: Context, as_of: date | None) -> tuple[Tables, pd.DataFrame]:
    """The tables about the ledger itself (revisions, sources), and the typed facts of the vintage."""
    ledger = identify(context, facts.load_facts(context.paths, context.sources, context.lock))
    ledger, readings = read_texts(ledger, context.fields, context.vocabularies, context.sources)
    snapshots = {name: locked_snapshots(context.lock, name) for name in context.sources}
    changes = revisions.make_revisions(
        ledger, readings, snapshots, decisions(context), as_of, context.schemas["revisions"]
    )
    present = with_readings(facts.vintage(ledger, context.sources, context.lock, as_of), readings)
    check_readable(present, context.sources)
    sources = tables.make_sources(present, context.sources, snapshots, context.schemas["sources"])
    if not as_of:
        fixes = corrections.load_corrections(context.paths)
        present = hold(present, ledger, readings, context.lock, fixes)
    return {"revisions": changes, "sources": sources}, quarantine_bounds(present)


def corrected(context: Context, known: pd.DataFrame, as_of: date | None) -> pd.DataFrame:
    """Claims of typed facts with the declared corrections applied."""
    fixes = corrections.load_corrections(context.paths)
    return corrections.apply(context.paths, fixes, claims.make_claims(known, context.sources, context.selection), as_of)


def identify(context: Context, ledger: pd.DataFrame) -> pd.DataFrame:
    """The ledger with a model_id in the rows about models. Ids come from the whole ledger: every vintage has the same."""
    about = is_in(ledger["source_id"], [name for name, source in context.sources.items() if source.subject == "models"])
    where = context.paths.short(context.paths.identities)
    resolved = identity.resolve_models(ledger[about], decisions(context), where)
    return ledger.assign(model_id=resolved["model_id"])


def decisions(context: Context) -> list[Decision]:
    """The lines of identities.csv."""
    return load_decisions(context.paths.identities, context.paths.short(context.paths.identities))


def records(context: Context, typed: pd.DataFrame, name: str) -> pd.DataFrame:
    """A table whose rows are the records of its sources, such as hardware."""
    priority = {source.id: source.priority for source in context.sources.values()}
    ranked = typed.assign(priority=mapped(typed["source_id"], priority, "int64"))
    return tables.make_records(ranked, context.schemas[name], context.vocabularies)
