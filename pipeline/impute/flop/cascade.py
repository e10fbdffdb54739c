"""The estimates of a build: every method on every model, and the one selected for models without a published value.

Only a physical method enters models.training_compute_flop; a method that abstains leaves a row that says why. Order:
base plus fine-tune, operation counting, hardware. Where they differ by more than a factor of 10, none is taken; a
figure in a note never is. Where there is no value, a bound may be known: it only enters models.training_compute_low or
_high. The statistical estimate is never taken: it is in estimates, and in the view models_completed."""

from typing import Any

import pandas as pd

from pipeline.frames import Tables, conform, is_in, significant
from pipeline.impute.digits import log10
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.intervals import with_quantiles
from pipeline.impute.flop.methods import (
    base_model,
    capability_index,
    forward_pass,
    hardware,
    note,
    operation_count,
    statistical,
)
from pipeline.impute.flop.result import abstain_with_base, join_texts
from pipeline.impute.flop.rows import FIELD, Declared, base_edges, estimation_rows, input_ids, untrained
from pipeline.schema import TableSchema
from traincompute.units.table import FLOP_PER_PFS_DAY

MOST_APART = base_model.MOST_APART
PUBLISHED, TAKEN = "a published value exists", "no published value"
BOUND = "a bound, no value: "
NOT_PHYSICAL = "no physical method: it stands in models_completed"
# A source does not vouch for a figure that it did not enter as its value: most such figures are inferred from benchmark
# scores, and many are values that it has withdrawn.
NOT_ENTERED = "left aside: its source did not enter it as the value"


def estimate(
    tables: Tables, table: TableSchema, declared: Declared, calibrated: Calibrated | None = None
) -> pd.DataFrame:
    """The estimates table: one row per model and method, from models, claims, model_hardware and hardware.

    Without `calibrated` there is no statistical estimate, and the intervals are those that each method assumes."""
    rows, claims = estimation_rows(tables, declared), tables["claims"]
    rows = rows[~is_in(rows["model_id"], untrained(claims))].reset_index(drop=True)
    edges = base_edges(claims, rows["model_id"])
    made = estimates_of(rows, edges, calibrated)
    made = made.assign(
        field=FIELD,
        unit="FLOP",
        estimate_id=made["model_id"] + ":" + FIELD + ":" + made["method"],
        inputs=_inputs(made, rows, edges, claims),
        disagreement_dex=log10(made["value"] / made["published"]),
    )
    return conform(made, table)


def estimates_of(rows: pd.DataFrame, edges: pd.DataFrame, calibrated: Calibrated | None) -> pd.DataFrame:
    """The results of all methods in one table, with calibrated intervals and quantiles if there are any."""
    results = all_methods(rows, edges, calibrated)
    made = pd.concat([result for result in results.values() if len(result)], ignore_index=True)
    return with_quantiles(made, calibrated.intervals) if calibrated else made


def all_methods(rows: pd.DataFrame, edges: pd.DataFrame, calibrated: Calibrated | None) -> dict[str, pd.DataFrame]:
    """The result of each method in the order of preference, with model_id, method, published, is_selected and
    reason."""
    by_token, by_example = operation_count.count_operations(rows), forward_pass.count_passes(rows)
    counted = by_token.where(by_token["value"].notna() | rows["forward_flop"].isna(), by_example)
    clocked = hardware.count_chip_hours(rows)
    made = {
        operation_count.METHOD: abstain_with_base(counted, rows),
        hardware.METHOD: abstain_with_base(clocked, rows),
        note.METHOD: note.read_note(rows),
    }
    first = judge(made, rows)
    known, unsure = _settled(first, rows)
    further = base_model.increments(rows, counted, clocked)
    made = {base_model.METHOD: base_model.estimate_with_base(rows, edges, known, further, unsure), **made}
    judged = _take_bounds(judge(made, rows), rows)
    if calibrated:
        regression = statistical.predict(rows, known_bases(judged, rows, edges), calibrated.coefficients)
        judged[statistical.METHOD] = _told(regression, statistical.METHOD, rows, NOT_PHYSICAL)
        index = capability_index.predict(rows, calibrated.capability_index)
        judged[capability_index.METHOD] = _told(index, capability_index.METHOD, rows.loc[index.index], NOT_PHYSICAL)
    return judged


def known_bases(judged: dict[str, pd.DataFrame], rows: pd.DataFrame, edges: pd.DataFrame) -> pd.Series:
    """The FLOP of each row's base models, published or selected; null if one of them is unknown."""
    known = _settled(judged, rows)[0].reindex(rows["model_id"])
    return base_model.base_compute(edges, known).set_axis(rows.index)


def judge(made: dict[str, pd.DataFrame], rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Each method's result with is_selected and why: the first that applies is taken unless something speaks
    against."""
    values = pd.DataFrame({method: result["value"] for method, result in made.items()})
    values[note.METHOD] = float("nan")  # never taken
    ratio = values.max(axis=1) / values.min(axis=1)
    first = values.notna().cumsum(axis=1).eq(1) & values.notna()
    preferred = first.idxmax(axis=1).astype("str")
    judged = {}
    for method, result in made.items():
        outside = (values[method] < rows["at_least"]) | (values[method] > rows["at_most"])
        verdict = (preferred + " is preferred").where(~first[method], TAKEN)
        verdict = verdict.mask(ratio > MOST_APART, "differs: operation counting and hardware by more than a factor 10")
        verdict = verdict.mask(outside, "differs: outside the bound that a source states")
        judged[method] = _told(result, method, rows, NOT_ENTERED if method == note.METHOD else verdict)
    return judged


def _told(made: pd.DataFrame, method: str, rows: pd.DataFrame, verdict: pd.Series | str) -> pd.DataFrame:
    """The result of a method with the verdict on its values as their reason."""
    verdict = pd.Series(verdict, index=rows.index).mask(rows[FIELD].notna(), PUBLISHED).astype("str")
    reason = made["reason"].where(made["value"].isna(), verdict)
    about: dict[str, Any] = {"model_id": rows["model_id"], "method": method, "published": rows[FIELD]}
    return made.assign(**about, reason=reason, is_selected=reason == TAKEN)


def _take_bounds(judged: dict[str, pd.DataFrame], rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The same, with a bound taken for models that have no value from any method or source: the base model's unless a
    note gives a higher one, and none that contradicts what a source states."""
    based, noted = judged[base_model.METHOD], judged[note.METHOD]
    open_ = rows[FIELD].isna()
    for method in judged.keys() - {note.METHOD}:
        open_ &= judged[method]["value"].isna()
    low = based["low"].where(~(based["low"] > rows["at_most"]))
    limits = noted[["low", "high"]].where(noted["value"].isna())  # for a figure, they are its interval
    of_note = open_ & limits.notna().any(axis=1) & ~(low >= limits["low"].fillna(0))
    taken = {base_model.METHOD: open_ & low.notna() & ~of_note, note.METHOD: of_note}
    for method, mask in taken.items():
        reason = judged[method]["reason"].mask(mask, BOUND + judged[method]["reason"])
        judged[method] = judged[method].assign(is_selected=judged[method]["is_selected"] | mask, reason=reason)
    return judged


def _settled(judged: dict[str, pd.DataFrame], rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """By model_id the FLOP that are published, or selected without a base model, and the half-width in dex of the
    interval of each."""
    published = rows.loc[rows[FIELD].notna()].set_index("model_id")
    taken = [made[made["is_selected"]].set_index("model_id") for made in judged.values()]
    values: pd.Series = pd.concat([published[FIELD], *(made["value"] for made in taken)])
    unsure = [published["published_dex"], *((made["high"] / made["value"]).transform(log10) for made in taken)]
    return values, pd.concat(unsure)


def _inputs(made: pd.DataFrame, rows: pd.DataFrame, edges: pd.DataFrame, claims: pd.DataFrame) -> pd.Series:
    """Claim ids of the fields that went in and, for a base model, the claim or estimate that its compute comes from."""
    own = input_ids(made, claims)
    from_base = made["method"] == base_model.METHOD
    behind = made["model_id"].map(_base_inputs(made, edges, claims)).astype("str").fillna("")
    return own.where(~from_base, own + behind)


def _base_inputs(made: pd.DataFrame, edges: pd.DataFrame, claims: pd.DataFrame) -> pd.Series:
    """model_id → the claim or estimate behind the compute of each of its bases, each after a semicolon."""
    published = claims[claims["field"] == FIELD]
    published = published[(published["status"] == "selected") & published["value"].notna()]
    taken = made[made["is_selected"] | (made["value"].isna() & made["low"].notna())]
    taken = taken.sort_values("is_selected", ascending=False, kind="stable").drop_duplicates("model_id")
    estimates = pd.Series((taken["model_id"] + ":" + FIELD + ":" + taken["method"]).array, index=taken["model_id"])
    source = edges["base_id"].map(published.set_index("model_id")["claim_id"]).astype("str")
    source = source.fillna(edges["base_id"].map(estimates).astype("str")).dropna()
    return join_texts(";" + source, edges["model_id"].reindex(source.index), "")


def impute(models: pd.DataFrame, estimates: pd.DataFrame) -> pd.DataFrame:
    """The models with the selected estimates filled in where no source has a value, marked as imputed, with their
    intervals. A bound that a source states stays; without a value the higher of the two lower bounds is kept, unless a
    source states an upper one."""
    taken = estimates[estimates["is_selected"]].set_index("model_id")
    ids = models["model_id"]
    missing = models[FIELD].isna() & ids.map(taken["value"]).notna()
    flop = models[FIELD].where(~missing, ids.map(taken["value"]))
    low, high = (models[f"training_compute_{side}"] for side in ("low", "high"))
    least, most = ids.map(taken["low"]), ids.map(taken["high"])
    higher = low.mask(least.gt(low) | low.isna(), least).mask(high.notna(), low)
    return models.assign(
        training_compute_flop=flop,
        training_compute_low=low.mask(missing, low.fillna(least)).mask(flop.isna(), higher),
        training_compute_high=high.mask(missing | (flop.isna() & low.isna()), high.fillna(most)),
        training_compute_pfs_days=significant((flop / FLOP_PER_PFS_DAY).to_numpy()),
        training_compute_source=models["training_compute_source"].mask(missing, "imputed"),
        training_compute_method=models["training_compute_method"].where(~missing, ids.map(taken["method"])),
        training_compute_confidence=models["training_compute_confidence"].mask(missing),
    )
