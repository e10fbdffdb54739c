"""The build, from committed facts to published tables: normalize → validate → impute → validate → publish.

Offline and deterministic: the same facts give the same bytes. Every stage takes and gives DataFrames; only `publish`
writes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from pipeline import (
    bounds,
    claims,
    corrections,
    facts,
    holds,
    identity,
    models,
    normalize,
    revisions,
    selection,
    tables,
    validate,
)
from pipeline.calibration_files import is_stale
from pipeline.columnar import is_in, mapped, release_memory, spare_memory
from pipeline.derive.columns import derive
from pipeline.derive.constants import Constants, load_constants
from pipeline.derive.scaling import with_equivalents
from pipeline.errors import DataError, Problem
from pipeline.estimate import cascade
from pipeline.estimate.calibrated import load_calibrated, load_calibration
from pipeline.estimate.published import published_bounds
from pipeline.fingerprint import inputs_digest
from pipeline.paths import Paths
from pipeline.publish import publication, publish
from pipeline.schema import TableSchema, conform, load_schemas
from pipeline.sources import Source, load_lock, load_sources, locked_snapshots
from pipeline.trends.prepare import prepare
from pipeline.trends.table import trends
from pipeline.views import View, load_views
from pipeline.vocab import Vocabulary, load_vocabularies

if TYPE_CHECKING:
    import pandas as pd

SCHEMA_VERSION = "0.1.0"
STALE = "the calibration was made from other facts or methods; run `traincompute calibrate --write`"
IMPUTED = ("models", "estimates", "calibration", "trends")  # what is complete only after the estimates
Tables = dict[str, "pd.DataFrame"]


@dataclass(frozen=True)
class Context:
    """Everything that is read from the checkout before the facts."""

    paths: Paths
    sources: Mapping[str, Source]
    lock: Mapping[str, Any]
    schemas: Mapping[str, TableSchema]
    vocabularies: Mapping[str, Vocabulary]
    fields: Mapping[str, normalize.Field]
    selection: selection.Selection
    views: Sequence[View]
    constants: Constants


def load_context(paths: Paths) -> Context:
    """Sources, lock, schemas and vocabularies of a checkout. Raises DataError where one of them is not well-formed."""
    sources, schemas, vocabularies = load_sources(paths), load_schemas(paths), load_vocabularies(paths)
    subjects = sorted({source.subject for source in sources.values()})
    fields = normalize.field_registry(schemas, vocabularies, subjects)
    order, views = selection.load_selection(paths, sources.values()), load_views(paths)
    return Context(paths, sources, load_lock(paths), schemas, vocabularies, fields, order, views, load_constants(paths))


def build(paths: Paths, as_of: date | None = None) -> Tables:
    """Builds and publishes the dataset as it stood on `as_of` (None = newest). Raises DataError with all faults."""
    spare_memory()
    digest = inputs_digest(paths, as_of)
    context = load_context(paths)
    with publication(context.schemas, context.views, paths.processed) as out:
        made = normalize_tables(context, as_of, out.add)
        check_tables(context, {name: frame for name, frame in made.items() if name not in IMPUTED})
        made = impute_tables(context, made, out.add)
        check_tables(context, {name: made[name] for name in IMPUTED})
        check_links(context, made)
        out.finish(about(context, made, as_of), digest)
    return made


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
    ledger, readings = normalize.read_texts(ledger, context.fields, context.vocabularies, context.sources)
    snapshots = {name: locked_snapshots(context.lock, name) for name in context.sources}
    changes = revisions.make_revisions(
        ledger, readings, snapshots, decisions(context), as_of, context.schemas["revisions"]
    )
    present = normalize.with_readings(facts.vintage(ledger, context.sources, context.lock, as_of), readings)
    normalize.check_readable(present, context.sources)
    sources = tables.make_sources(present, context.sources, snapshots, context.schemas["sources"])
    if not as_of:
        fixes = corrections.load_corrections(context.paths)
        present = holds.hold(present, ledger, readings, context.lock, fixes)
    return {"revisions": changes, "sources": sources}, bounds.quarantine_bounds(present)


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


def decisions(context: Context) -> list[identity.Decision]:
    """The lines of identities.csv."""
    return identity.load_decisions(context.paths.identities, context.paths.short(context.paths.identities))


def impute_tables(context: Context, made: Tables, done: Callable[[Tables], None] = lambda _: None) -> Tables:
    """The tables with estimates, calibration and trends, and models with the selected estimates put in. These four are
    handed to `done` as soon as they are in their final state."""
    wide, claimed, mentions, chips = (made[name] for name in ("models", "claims", "model_hardware", "hardware"))
    table, calibrated = context.schemas["estimates"], load_calibrated(context.paths)
    estimates = cascade.estimate(wide, claimed, mentions, chips, table, calibrated, bands(context))
    release_memory()
    measured = conform(load_calibration(context.paths), context.schemas["calibration"])
    imputed = published_bounds(cascade.impute(wide, estimates), bands(context))
    filled = {**made, "estimates": estimates, "calibration": measured, "models": imputed}
    filled = derive(filled, context.schemas, context.constants)
    done({name: filled[name] for name in IMPUTED if name in filled})
    prepared = prepare(filled, context.constants["eras"])
    grown = {"trends": trends(context.paths, prepared, context.schemas["trends"])}
    done(grown)
    return filled | grown


def bands(context: Context) -> dict[str, float]:
    """The factor either way that each confidence word of a published value means."""
    return {word: about["factor"] for word, about in context.vocabularies["confidence"].codes.items()}


def check_tables(context: Context, made: Tables) -> None:
    """Raises DataError with every cell that breaks a rule of its schema."""
    problems = [
        p
        for name, frame in made.items()
        for p in validate.check_table(frame, context.schemas[name], context.vocabularies)
    ]
    if problems:
        raise DataError(problems)


def check_links(context: Context, made: Tables) -> None:
    """Raises DataError where a table points at a row of another that does not exist."""
    if problems := validate.check_references(made, context.schemas):
        raise DataError(problems)


def publish_tables(context: Context, made: Tables, as_of: date | None) -> None:
    """Writes all tables and the manifest below data/processed/."""
    publish(made, context.schemas, context.views, about(context, made, as_of), context.paths.processed)


def about(context: Context, made: Tables, as_of: date | None) -> dict[str, Any]:
    """The head of the manifest: versions, vintage, snapshots in use, digest of the lock. Nothing of machine or clock."""
    from traincompute import __version__

    lock = context.paths.lock.read_bytes() if context.paths.lock.exists() else b""
    used = made["sources"].set_index("source_id")["snapshot"].dropna().dt.strftime("%Y-%m-%d")
    return {
        "name": "traincompute",
        "version": __version__,
        "schema_version": SCHEMA_VERSION,
        "as_of": as_of.isoformat() if as_of else None,
        "snapshots": used.to_dict(),
        "lock_sha256": hashlib.sha256(lock).hexdigest(),
    }


def summarize(context: Context, made: Tables) -> list[str]:
    """What a build did, in a few lines for people."""
    wide, estimates = made["models"], made["estimates"]
    counts = wide["training_compute_source"].value_counts().sort_index()
    taken = estimates[estimates["is_selected"] & (estimates["field"] == "training_compute_flop")]
    bounds_alone = int(taken["value"].isna().sum())
    methods = taken.loc[taken["value"].notna(), "method"].value_counts().sort_index()
    mentions = made["model_hardware"]
    unusual: list[Problem] = validate.warnings_of(wide, context.schemas["models"])
    return [
        f"models        {len(wide)}, of which {int(wide['is_notable'].sum())} notable",
        f"training FLOP {int(wide['training_compute_flop'].notna().sum())}: "
        + ", ".join(f"{n} {name}" for name, n in counts.items()),
        "imputed       "
        + (", ".join(f"{n} by {name}" for name, n in methods.items()) or "none")
        + f"; {bounds_alone} more have a bound; {int(estimates['value'].isna().sum())} times a method abstained",
        f"claims        {len(made['claims'])}, of which {len(made['quarantine'])} quarantined",
        f"hardware      {int(mentions['hardware_id'].notna().sum())} of {len(mentions)} mentions resolved",
        *(f"warning: {problem}" for problem in unusual[:10]),
        *(["warning: " + STALE] if is_stale(context.paths) else []),
    ]


def records(context: Context, typed: pd.DataFrame, name: str) -> pd.DataFrame:
    """A table whose rows are the records of its sources, such as hardware."""
    priority = {source.id: source.priority for source in context.sources.values()}
    ranked = typed.assign(priority=mapped(typed["source_id"], priority, "int64"))
    return tables.make_records(ranked, context.schemas[name], context.vocabularies)
