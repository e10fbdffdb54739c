"""Stage 3: estimates for models that lack a published value, derived columns, and trends."""

from collections.abc import Iterator

from pipeline.config import Config
from pipeline.frames import Tables, conform
from pipeline.impute.derive.columns import derive
from pipeline.impute.derive.measured import derive_measured
from pipeline.impute.derive.run_ids import training_run_id
from pipeline.impute.flop import cascade
from pipeline.impute.flop.calibration_tables import Calibrated, load_calibrated, load_measured
from pipeline.impute.flop.distributions import not_below_base
from pipeline.impute.flop.predictions import predict_all
from pipeline.impute.flop.published_intervals import published_bounds, within_supply
from pipeline.impute.flop.rows import load_declared
from pipeline.impute.trends.prepare import prepare
from pipeline.impute.trends.table import make_trends
from pipeline.impute.trends.thresholds import make_thresholds

UNFINISHED = frozenset({"models", "measured_runs"})  # the normalized tables that this stage completes


def imputed(context: Config, made: Tables) -> Iterator[Tables]:
    """What is added to the normalized tables or replaces one of them, each as soon as it is made. Raises DataError
    where what was measured is not as it was written."""
    yield measured_tables(context, made)
    calibrated = load_calibrated(context.paths)
    estimated = _estimated(context, made, calibrated)
    filled = _derived(context, estimated, calibrated)
    yield {name: filled[name] for name in ("models", "estimates", "predictions")}
    prepared = prepare(filled, context.constants["eras"])
    yield {"trends": make_trends(prepared, context.schemas["trends"])}
    yield {"thresholds": make_thresholds(filled["models"], filled["predictions"], context.schemas["thresholds"])}


def measured_tables(context: Config, made: Tables) -> Tables:
    """What was measured: the calibration and its scores, and the measured runs with derived columns if `made` has them
    (a small checkout lacks them) and the hardware."""
    schemas = context.schemas
    tables = {name: conform(load_measured(context.paths, name), schemas[name]) for name in ("calibration", "scores")}
    if "measured_runs" in made:
        formats, runs = context.vocabularies["numerical_formats"], made["measured_runs"]
        tables["measured_runs"] = derive_measured(
            runs, made["hardware"], schemas["measured_runs"], formats, context.constants
        )
    return tables


def with_estimates(context: Config, made: Tables, calibrated: Calibrated | None = None) -> Tables:
    """The normalized tables with estimates and predictions, and `models` with the selected ones and derived columns.
    `calibrated` is what `load_calibrated` gives, for whoever makes several."""
    calibrated = calibrated or load_calibrated(context.paths)
    return _derived(context, _estimated(context, made, calibrated), calibrated)


def _estimated(context: Config, made: Tables, calibrated: Calibrated) -> Tables:
    """The tables with estimates, and `models` with the selected ones."""
    declared = load_declared(context)
    estimates = cascade.estimate(made, context.schemas["estimates"], declared, calibrated)
    models = published_bounds(cascade.impute(made["models"], estimates), declared.bands)
    models = models.assign(training_run_id=training_run_id(models))  # which the bounds that follow do not change
    models, estimates = not_below_base(models, estimates, made["models"]["training_compute_low"])
    models = within_supply(models, made["models"], made.get("clusters"))
    return {**made, "estimates": estimates, "models": models}


def _derived(context: Config, estimated: Tables, calibrated: Calibrated) -> Tables:
    """The tables with derived columns and predictions."""
    filled = derive(estimated, context.schemas, context.constants)
    said = predict_all(filled["models"], filled["estimates"], calibrated.intervals, filled.get("clusters"))
    return {**filled, "predictions": conform(said, context.schemas["predictions"])}
