"""The estimates of a build: every method on every model, and the one selected for models without a published value.

Only a physical method enters models.training_compute_flop: base plus fine-tune, else operation counting, else hardware,
and none where they differ by more than a factor of 10. Where there is no value, a bound may be known: it only enters
models.training_compute_low or _high. A method that abstains leaves a row that says why."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.config import Config
from pipeline.frames import Tables, conform, is_in
from pipeline.impute.intervals import Calibrated, with_quantiles
from pipeline.impute.methods import OF_ONE_RUN, PHYSICAL, base_model, capability_index, statistical
from pipeline.impute.results import FIELD, HAS_BASE, join_texts, log10, written
from pipeline.impute.rows import base_edges, estimation_rows, input_ids, untrained

Results = dict[str, pd.DataFrame]  # a result (see results.py) per row, by method
PUBLISHED, TAKEN = "a published value exists", "no published value"
NOTE, BOUND = "stated_in_note", "a bound, no value: "
APART = "differs: operation counting and hardware by more than a factor 10"
NOT_PHYSICAL = "not used in models (not a physical method); see models_completed"


def make_estimates(context: Config, tables: Tables, calibrated: Calibrated) -> pd.DataFrame:
    """The estimates table: one row per model and method, from models, claims, model_hardware and hardware."""
    rows, claims = estimation_rows(context, tables), tables["claims"]
    rows = rows[~is_in(rows["model_id"], untrained(claims))].reset_index(drop=True)
    edges = base_edges(claims, rows)
    made = estimates_of(rows, edges, calibrated)
    made = made.assign(
        field=FIELD,
        unit="FLOP",
        estimate_id=made["model_id"] + ":" + FIELD + ":" + made["method"],
        disagreement_dex=log10(made["value"] / made["published"]),
    )
    # Claim ids of the fields that went in and, for a base model, the claim or estimate that its compute comes from
    known = claims[((claims["field"] == FIELD) & (claims["status"] == "selected") & claims["value"].notna()).to_numpy()]
    published = known.set_index("model_id")["claim_id"]
    taken = made[made["is_selected"] | (made["value"].isna() & made["low"].notna())]
    taken = taken.sort_values("is_selected", ascending=False, kind="stable").drop_duplicates("model_id")
    behind = edges["base_id"].map(published).astype("str")
    behind = behind.fillna(edges["base_id"].map(taken.set_index("model_id")["estimate_id"]).astype("str")).dropna()
    of_bases = join_texts(";" + behind, edges["model_id"].reindex(behind.index), "")
    inputs, from_base = input_ids(made, claims), made["method"] == base_model.METHOD
    with_bases = inputs + made["model_id"].map(of_bases).astype("str").fillna("")
    return conform(made.assign(inputs=inputs.where(~from_base, with_bases)), context.schemas["estimates"])


def estimates_of(rows: pd.DataFrame, edges: pd.DataFrame, calibrated: Calibrated) -> pd.DataFrame:
    """The results of all methods in one table, with calibrated intervals and quantiles."""
    judged, bases = physical(rows, edges)
    regression = statistical.estimate(rows, bases, calibrated.coefficients)
    index = capability_index.estimate(rows, calibrated.capability_index)
    about = rows[["model_id", FIELD]]
    judged[statistical.METHOD] = _told(regression, statistical.METHOD, about, NOT_PHYSICAL)
    judged[capability_index.METHOD] = _told(index, capability_index.METHOD, about.loc[index.index], NOT_PHYSICAL)
    made = pd.concat([result for result in judged.values() if len(result)], ignore_index=True)
    return with_quantiles(made, calibrated.intervals)


def physical(rows: pd.DataFrame, edges: pd.DataFrame) -> tuple[Results, pd.Series]:
    """The result of each physical method and of NOTE, with model_id, method, published, is_selected and reason; and the
    FLOP of each row's base models, published or selected; null if one of them is unknown."""
    has_base, own, results = rows["base_model"].notna(), [], {}
    for method in OF_ONE_RUN:
        made = method.estimate(rows)
        own.append(made)  # as an estimate of the whole training: for a model with a base, it saw only the increment
        whole = made[~has_base].reindex(made.index)
        results[method.METHOD] = whole.assign(reason=made["reason"].mask(has_base, HAS_BASE))
    about = rows[["model_id", FIELD, "published_dex", "at_least", "at_most"]]
    known, unsure = _settled(judge(results, about), about)
    results[base_model.METHOD] = base_model.estimate(rows, edges, known, unsure, own)
    judged = judge(results, about)
    judged[NOTE] = _told(noted_bounds(rows), NOTE, about, "")
    judged = _with_bounds(judged, about)
    known = _settled(judged, about)[0].reindex(rows["model_id"])
    return judged, base_model.base_compute(edges, known).set_axis(rows.index)


def noted_bounds(rows: pd.DataFrame) -> pd.DataFrame:
    """The result (see results.py) of each row for which a note or a correction gives a bound ("> 1e25 FLOP"), which
    limits the value from one side: low or high, and no value. A figure in a note is a claim, no estimate."""
    low, high = rows["noted_low"], rows["noted_high"]
    bounded = low.notna() | high.notna()
    texts = ("at least " + written(low)).where(low.notna(), "at most " + written(high)) + " FLOP, says a source"
    made = {"value": np.nan, "low": low, "high": high, "formula": texts.where(bounded), "assumptions": None}
    made |= {"fields": pd.Series("training_compute_bound;training_compute_flop", rows.index).where(bounded)}
    reason = bounded.map({True: "needs a value: a source gives a bound", False: "needs a bound in a note"})
    return pd.DataFrame(made, rows.index).assign(reason=reason.astype("str"))


def judge(results: Mapping[str, pd.DataFrame], about: pd.DataFrame) -> Results:
    """Each physical method's result with is_selected and why: the first that applies is taken unless something speaks
    against it. `about` has model_id, FIELD, at_least and at_most of each row."""
    values = pd.DataFrame({method: results[method]["value"] for method in PHYSICAL if method in results})
    ratio = values.max(axis=1) / values.min(axis=1)
    first = values.notna().cumsum(axis=1).eq(1) & values.notna()
    preferred = first.idxmax(axis=1).astype("str")
    judged = {}
    for method in map(str, values):
        outside = (values[method] < about["at_least"]) | (values[method] > about["at_most"])
        verdict = (preferred + " is preferred").where(~first[method], TAKEN)
        verdict = verdict.mask(ratio > base_model.MOST_APART, APART)
        verdict = verdict.mask(outside, "differs: outside the bound that a source states")
        judged[method] = _told(results[method], method, about, verdict)
    return judged


def _told(made: pd.DataFrame, method: str, about: pd.DataFrame, verdict: pd.Series | str) -> pd.DataFrame:
    """The result of a method with the verdict on its values as their reason."""
    verdict = pd.Series(verdict, index=about.index).mask(about[FIELD].notna(), PUBLISHED).astype("str")
    reason = made["reason"].where(made["value"].isna(), verdict)
    made = made.assign(model_id=about["model_id"], method=method, published=about[FIELD])
    return made.assign(reason=reason, is_selected=reason == TAKEN)


def _with_bounds(judged: Results, about: pd.DataFrame) -> Results:
    """The same, with a bound taken for models that have no value from any method or source: the base model's unless a
    note gives a higher one, and none that contradicts what a source states."""
    based, noted = judged[base_model.METHOD], judged[NOTE]
    open_ = about[FIELD].isna()
    for method in judged.keys() - {NOTE}:
        open_ &= judged[method]["value"].isna()
    low = based["low"].where(~(based["low"] > about["at_most"]))
    of_note = open_ & noted[["low", "high"]].notna().any(axis=1) & ~(low >= noted["low"].fillna(0))
    taken = {base_model.METHOD: open_ & low.notna() & ~of_note, NOTE: of_note}
    for method, mask in taken.items():
        reason = judged[method]["reason"].mask(mask, BOUND + judged[method]["reason"])
        judged[method] = judged[method].assign(is_selected=judged[method]["is_selected"] | mask, reason=reason)
    return judged


def _settled(judged: Results, about: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """By model_id the FLOP that are published, or selected without a base, and the half-widths in dex."""
    published = about[about[FIELD].notna()].set_index("model_id")
    taken = [made[made["is_selected"]].set_index("model_id") for made in judged.values()]
    values: pd.Series = pd.concat([published[FIELD], *(made["value"] for made in taken)])
    unsure = [published["published_dex"], *((made["high"] / made["value"]).transform(log10) for made in taken)]
    return values, pd.concat(unsure)
