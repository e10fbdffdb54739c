"""From a listing to a validated file of hub_models: read, estimate, write to a new file, check, put it in place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.hub.assertions import check
from pipeline.hub.engine import Engine, replace, write_listing
from pipeline.hub.estimates import hub_models
from pipeline.registry.schema import load_schema


def run(engine: Engine, paths: Paths, source: Path, models: Path, target: Path) -> dict[str, Any]:
    """Returns the number of rows and of estimates. Raises DataError for a listing that cannot be read or that breaks a
    rule of schemas/products/hub_models.yml; whatever was at `target` is then left as it was."""
    schema = load_schema(paths.schemas / "products" / "hub_models.yml", paths)
    fresh = target.with_name(target.name + ".new")
    known = engine.parquet(models)
    largest = known.group_by("huggingface_id").agg(training_compute_flop=known.training_compute_flop.max())
    write_listing(engine, source, lambda records: hub_models(records, largest), fresh)
    written = engine.parquet(fresh)
    if problems := check(engine, written, schema):
        raise DataError(problems)
    counts = engine.first(written.aggregate(rows=written.count(), estimated=written.training_compute_flop.count()))
    replace(fresh, target)
    return counts
