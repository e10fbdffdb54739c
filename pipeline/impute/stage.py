"""Stage 3: estimates for models that lack a published value, derived columns, and trends."""

from __future__ import annotations

from collections.abc import Callable

from pipeline.base.columnar import release_memory
from pipeline.impute.derive.columns import derive
from pipeline.impute.flop import cascade
from pipeline.impute.flop.calibrated import load_calibrated, load_calibration
from pipeline.impute.flop.published import published_bounds
from pipeline.impute.trends.prepare import prepare
from pipeline.impute.trends.table import trends
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables, conform

IMPUTED = ("models", "estimates", "calibration", "trends")  # what is complete only after the estimates


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
