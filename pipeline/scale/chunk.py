"""The facts of some models → their tables, by the functions that build a whole dataset in memory.

A chunk is a pure function, whichever engine runs it: it has all facts of its models, and those of the models that they are
made from, directly or in turn. These are its guests, whose rows are another chunk's.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from pipeline.base.columnar import is_in
from pipeline.base.paths import Paths
from pipeline.impute.flop.calibration_tables import Calibrated, load_calibrated
from pipeline.impute.stage import with_estimates
from pipeline.normalize import revisions
from pipeline.normalize.acknowledged import without_rules
from pipeline.normalize.facts import COLUMNS, typed_spans
from pipeline.normalize.quarantine import hold, quarantine_bounds
from pipeline.normalize.stage import about_sources, model_tables, read_ledger, read_vintage, select_claims
from pipeline.normalize.tables import make_quarantine
from pipeline.registry.context import Context, load_context
from pipeline.registry.frames import Tables, conform, from_arrow, to_arrow
from pipeline.registry.sources import locked_snapshots
from pipeline.validate.stage import check_links, check_tables

COUNTED = ["model_id", "source_id", "snapshot", "record"]  # what `sources` counts, and `snapshots`:
SPANS = ["model_id", "source_id", "record", "since", "until"]
NO_OTHERS = pd.DataFrame({"subject": [], "reason_code": [], "hash": np.zeros(0, "uint64")})


class Place(NamedTuple):
    """Where a build reads and keeps what lies between its steps: the checkout with the declarations, the sources of the
    ledger, and a folder that every process sees."""

    paths: Paths
    sources: tuple[str, ...]
    scratch: Path

    @property
    def made(self) -> Path:
        """The folder with the tables of all chunks."""
        return self.scratch / "made"


class Shared(NamedTuple):
    """What all chunks share: the declarations, the tables that are about no models, when each column of the ledger had
    cells (`revisions.columns_of`), and the calibration."""

    context: Context
    reference: Tables
    columns: pd.DataFrame
    calibrated: Calibrated


def ledger_context(place: Place) -> Context:
    """What the checkout declares, with the sources of the ledger alone."""
    return load_context(place.paths).of_sources(place.sources)


@cache
def load_shared(place: Place) -> Shared:
    """What the first step of a build (`build.share`) left in the scratch folder, read once by each process."""
    context = ledger_context(place)
    files = sorted((place.scratch / "reference").iterdir())
    reference = {file.stem: from_arrow(parquet.read_table(file), context.schemas[file.stem]) for file in files}
    return Shared(context, reference, load_columns(place), load_calibrated(place.paths))


def load_columns(place: Place) -> pd.DataFrame:
    """When each column of the whole ledger had cells, as `revisions.columns_of` tells it."""
    columns = pd.read_parquet(place.scratch / "columns.parquet")
    days = {name: pd.to_datetime(columns[name], errors="coerce").astype("datetime64[s]") for name in ("first", "last")}
    return columns.assign(**days).set_index(["source_id", "field"])


def make_tables(shared: Shared, lines: pa.Table) -> dict[str, pa.Table]:
    """The checked tables of a chunk's own models, and what these count in `sources` and `snapshots`. `lines` are those of
    a ledger as `load_file` gives them, with model_id and is_guest. Raises DataError as the build in memory does."""
    frame = lines.to_pandas()
    guests = frame.loc[frame["is_guest"], "model_id"].unique()
    ledger = typed_spans(frame[[*COLUMNS, "line"]]).assign(model_id=frame["model_id"])
    made = _normalized(shared, ledger, guests)
    filled = with_estimates(shared.context, {**shared.reference, **made}, shared.calibrated)
    made |= {name: filled[name] for name in ("models", "estimates", "predictions")}
    check_tables(without_rules(shared.context), made)
    sources = pd.concat([made["sources"], shared.reference["sources"]])
    check_links(shared.context, made | {"sources": sources, "hardware": shared.reference["hardware"]})
    return {name: _own_rows(to_arrow(made[name], shared.context.schemas[name]), guests) for name in made}


def _normalized(shared: Shared, ledger: pd.DataFrame, guests: np.ndarray) -> Tables:
    context, columns, schemas = shared.context, shared.columns, shared.context.schemas
    read = read_ledger(context, ledger)
    standing = columns.index[columns["ended"] < columns["spans"]].to_frame(index=False)
    typed = read_vintage(context, read, None, standing)
    days = {name: locked_snapshots(context.lock, name) for name in context.sources}
    changed = revisions.make_revisions(read.ledger, read.readings, days, [], schemas["revisions"], columns)
    about = about_sources(context, _of_own(read.ledger[SPANS], guests), _of_own(typed[COUNTED], guests), None)
    bounded = quarantine_bounds(hold(typed, read.ledger, read.readings, context.lock, []))
    judged = select_claims(context, bounded, [], None)
    wide = model_tables(context, judged, shared.reference["hardware"])
    return about | {
        "revisions": changed,
        "claims": conform(judged, schemas["claims"]),
        "quarantine": make_quarantine(judged, NO_OTHERS, schemas["quarantine"]),
        "models": wide["models"],
        "model_hardware": wide["model_hardware"],
    }


def _of_own(facts: pd.DataFrame, guests: np.ndarray) -> pd.DataFrame:
    return facts[~is_in(facts["model_id"], guests)]


def _own_rows(table: pa.Table, guests: np.ndarray) -> pa.Table:
    if "model_id" not in table.column_names or not len(guests):
        return table
    return table.filter(pc.invert(pc.is_in(table["model_id"], pa.array(guests, pa.string()))))
