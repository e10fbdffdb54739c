"""The tables that are about no models: made once, by the functions of the build, for all chunks of a ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pandas as pd

from pipeline.base.columnar import mapped
from pipeline.impute.calibration.storage import check_whole
from pipeline.impute.derive.measured import derive_measured
from pipeline.impute.flop.calibration_tables import load_measured
from pipeline.normalize import facts, tables
from pipeline.normalize.stage import read_records
from pipeline.pull.witnesses import load_witnesses
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables, columns_frame, conform
from pipeline.registry.sources import locked_snapshots


def reference_tables(context: Context) -> Tables:
    """The records of all sources that are about no models, what is known of these sources, and the tables that are read
    rather than made."""
    sources = {name: source for name, source in context.sources.items() if source.subject != "models"}
    lock = {name: context.lock[name] for name in sources if name in context.lock}
    about = replace(context, sources=sources, lock=lock)
    made = {name: read_records(about, name) for name in {source.subject for source in sources.values()}}
    made["hardware"] = tables.with_equivalents(made["hardware"], context.constants["equivalents"])
    if "measured_runs" in made:  # a small checkout lacks it
        made["measured_runs"] = _measured(about, made)
    check_whole(context.paths, ("calibration", "scores"))
    made |= {
        name: conform(load_measured(context.paths, name), context.schemas[name]) for name in ("calibration", "scores")
    }
    return made | {"columns": columns_frame(context.schemas)} | _about_sources(about)


def _about_sources(context: Context) -> Tables:
    spans = facts.load_facts(context.paths, context.sources, context.lock)
    snapshots = {name: facts.snapshot_of(s, context.lock, spans, date.max) for name, s in context.sources.items()}
    used = spans[spans["until"].isna()].assign(
        snapshot=lambda rows: mapped(rows["source_id"], snapshots, "datetime64[s]")
    )
    witnesses = load_witnesses(context.paths, context.sources.values())
    days = {name: locked_snapshots(context.lock, name) for name in context.sources}
    return {
        "sources": tables.make_sources(
            used[used["snapshot"].notna()], context.sources, days, context.schemas["sources"]
        ),
        "snapshots": tables.make_snapshots(spans, context.lock, witnesses, None, context.schemas["snapshots"]),
    }


def _measured(context: Context, made: Tables) -> pd.DataFrame:
    runs, chips, table = made["measured_runs"], made["hardware"], context.schemas["measured_runs"]
    return derive_measured(runs, chips, table, context.vocabularies["numerical_formats"], context.constants)
