"""Stage 3: estimates for models that lack a published value, derived columns, and trends."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.config import Config
from pipeline.frames import Tables, conform, is_in
from pipeline.impute import bounds, runs
from pipeline.impute.choose import make_estimates
from pipeline.impute.derive import derive, derive_measured
from pipeline.impute.intervals import load_calibrated, load_measured
from pipeline.impute.predictions import predict_all
from pipeline.impute.results import FIELD, rounded
from pipeline.impute.rows import attribute, untrained
from pipeline.impute.trends import make_thresholds, make_trends, prepare

UNFINISHED = frozenset({"models", "measured_runs"})  # the normalized tables that this stage completes


def imputed(context: Config, made: Tables) -> Iterator[Tables]:
    """What is added to the normalized tables or replaces one of them, each as soon as it is made. Raises DataError
    where what was measured is not as it was written."""
    schemas = context.schemas
    measured = {name: conform(load_measured(context.paths, name), schemas[name]) for name in ("calibration", "scores")}
    if "measured_runs" in made:  # which a small checkout lacks
        measured["measured_runs"] = derive_measured(context, made["measured_runs"], made["hardware"])
    yield measured
    filled = with_estimates(context, made)
    yield {"models": filled["models"], "estimates": filled["estimates"], "predictions": filled["predictions"]}
    yield {"trends": make_trends(prepare(filled), schemas["trends"])}
    yield {"thresholds": make_thresholds(filled["models"], filled["predictions"], schemas["thresholds"])}


def with_estimates(context: Config, made: Tables) -> Tables:
    """The normalized tables with estimates and predictions; `models` with intervals and derived columns."""
    calibrated = load_calibrated(context.paths)
    stated, clusters = made["models"], made.get("clusters")
    most = rounded(bounds.most_flop(stated["publication_date"], clusters))
    estimates = make_estimates(context, made, calibrated)
    models = bounds.fill(stated, estimates, attribute(context.vocabularies["confidence"], "factor"))
    trains = ~is_in(models["model_id"], untrained(made["claims"]))
    models = models.assign(training_run_id=runs.training_run_id(models).where(trains))
    models, estimates = bounds.not_below_base(models, estimates, stated[bounds.LOW])
    # unless a source states it, no upper end lies above what could be had on the day, nor below the value
    within = models[bounds.HIGH].clip(upper=most.clip(lower=models[FIELD]))
    models = models.assign(**{bounds.HIGH: within.where(stated[bounds.HIGH].isna(), models[bounds.HIGH])})
    filled = derive({**made, "estimates": estimates, "models": models}, context.schemas, context.constants)
    limits = {"most_flop": most, "most_by_size": bounds.most_by_size(stated)}
    said = predict_all(filled["models"].assign(**limits), filled["estimates"], calibrated.intervals)
    return {**filled, "predictions": conform(said, context.schemas["predictions"])}
