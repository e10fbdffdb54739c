"""Base plus fine-tune: the compute of a model made from others is theirs plus that of its own further training.

C = Σ C(base) + C(increment) in FLOP: total compute includes base models, a fine-tune's own compute is a separate field
(epoch.ai/data/ai-models-documentation/estimation). The increment is the published one, else that of operation counting
or hardware on the model's own tokens or hours, or none where the weights are the base's own. Without it, the compute of
the base models is only a lower bound.
"""

import numpy as np
import pandas as pd

from pipeline.frames import is_in
from pipeline.impute.flop import formulas
from pipeline.impute.flop.formulas import ALONE, BASE_PLUS_FINETUNE, HAS_BASE
from pipeline.impute.flop.result import first_reason, has_word, join_texts, make_result, written

METHOD = BASE_PLUS_FINETUNE
# Half-width of the 90 % interval in dex, provisional until calibrated: between the bands of the words "confident"
# (0.48) and "likely" (1), since two estimates add up (epoch.ai/data/ai-models-documentation/estimation). Of 147
# published values, 84 % are within it; some of the others leave out the base model (YaRN, PeptideBERT).
BAND_DEX = 0.6
# A fine-tune whose compute is within 1 % of its base's is the base's figure in the wrong column (Unicorn and T5-11B).
SAME = 0.01
UNCHANGED = "base-weights"  # declared of a model that is its base, sampled or asked in another way: nothing was trained
MOST_APART = 10.0  # two estimates of the increment that are further apart than this do not measure the same training


def estimate_with_base(
    rows: pd.DataFrame, edges: pd.DataFrame, known: pd.Series, further: pd.DataFrame, unsure: pd.Series
) -> pd.DataFrame:
    """value, low, high (FLOP), formula, assumptions, fields, reason, inputs_dex per row; only low where only the bases,
    or lower bounds of them, are known.

    `edges` has model_id and base_id (null where the base has no row), `known` the FLOP by model_id that are published
    or estimated without a base, `unsure` the half-widths of their intervals in dex, and `further` the increments.
    Where the bases are known and the increment is not, the assumption is ALONE.
    inputs_dex is the mean half-width of the bases, weighted by share of the total: a sum is no surer than that."""
    own = further["value"].set_axis(rows["model_id"])
    spread = resolve(edges, known * unsure, own * 0)
    known = resolve(edges, known, own)
    floors = known.combine(rows.set_index("model_id")["at_least"], np.fmax)
    bound = resolve(edges, floors, pd.Series(0.0, own.index), partial=True)
    bases = base_compute(edges, known).set_axis(rows.index)
    least = base_compute(edges, bound, partial=True).set_axis(rows.index)
    reason = _abstain(rows, edges, bases, further)
    whole = formulas.with_base(bases, further["value"])
    inputs = base_compute(edges, spread).set_axis(rows.index) / whole
    made = make_result(
        whole,
        inputs.clip(lower=BAND_DEX),
        reason,
        formula=_base_texts(edges, known, rows) + " + " + further["formula"],
        assumptions=further["assumptions"],
        fields="base_model;" + further["fields"],
    )
    only = (reason != "") & least.notna()
    return made.assign(
        inputs_dex=inputs.where(made["value"].notna()),
        low=made["low"].mask(only, least),
        formula=made["formula"].mask(only, "at least " + _base_texts(edges, bound, rows)),
        assumptions=made["assumptions"].mask(only & bases.notna(), ALONE),
        fields=made["fields"].mask(only, "base_model"),
    )


def _abstain(rows: pd.DataFrame, edges: pd.DataFrame, bases: pd.Series, further: pd.DataFrame) -> pd.Series:
    own, named = further["value"], is_in(rows["model_id"], edges["model_id"])
    reasons = {
        "needs a base model": ~named,
        "needs a base model that is not made from itself": named & is_in(rows["model_id"], circular(edges)),
        "differs: operation counting and hardware of the further training": further["apart"],
        HAS_BASE: bases.isna(),
        "needs the fine-tune's own compute": own.isna(),
        "needs the fine-tune's own compute: the one given is the base's": _is_of_base(own.to_numpy(), bases.to_numpy()),
    }
    return first_reason(reasons, rows.index)


def _is_of_base(own: np.ndarray, bases: np.ndarray) -> np.ndarray:
    """Whether the compute given for the further training is that of the base model."""
    with np.errstate(divide="ignore", invalid="ignore"):
        same: np.ndarray = np.abs(own / bases - 1) < SAME
    return same


def increments(rows: pd.DataFrame, counted: pd.DataFrame, clocked: pd.DataFrame) -> pd.DataFrame:
    """value, formula, assumptions, fields of the further training: none where the weights are declared to be the
    base's, else published, else counted, else from hardware. `apart`: the last two contradict each other."""
    published = rows["finetune_compute_flop"].mask(has_word(rows["architecture"], UNCHANGED), 0)
    ratio = counted["value"] / clocked["value"]
    apart = published.isna() & ((ratio > MOST_APART) | (ratio < 1 / MOST_APART))
    made = counted.where(counted["value"].notna(), clocked)[["value", "formula", "assumptions", "fields"]].mask(apart)
    text = published.dropna().map("{:.4g} for the further training".format).reindex(rows.index).astype("str")
    stated = {"value": published, "formula": text, "assumptions": "", "fields": "finetune_compute_flop"}
    return made.mask(published.notna(), pd.DataFrame(stated)).assign(apart=apart)


def resolve(edges: pd.DataFrame, known: pd.Series, increment: pd.Series, *, partial: bool = False) -> pd.Series:
    """FLOP by model_id: those in `known`, and those of every model whose bases are known, directly or in turn: a fixed
    point. An increment that is the base's own figure is not known.

    A model on a cycle never gets a value. `partial`: the known bases suffice, as for a lower bound."""
    own, places = increment.to_numpy(), _edge_places(edges, increment.index)
    found = known.reindex(increment.index).to_numpy()
    while True:
        bases = _summed(places, found, partial=partial)
        total = formulas.with_base(bases, np.where(_is_of_base(own, bases), np.nan, own))
        new = np.isnan(found) & ~np.isnan(total)
        if not new.any():
            return pd.Series(found, index=increment.index)
        found = np.where(new, total, found)


def base_compute(edges: pd.DataFrame, known: pd.Series, *, partial: bool = False) -> pd.Series:
    """The total FLOP of each model's bases by model_id; null if one of them is unknown, unless `partial`."""
    total = _summed(_edge_places(edges, known.index), known.to_numpy(), partial=partial)
    return pd.Series(total, index=known.index)


def _edge_places(edges: pd.DataFrame, ids: pd.Index) -> tuple[np.ndarray, np.ndarray]:
    """The places of the model and of the base of each edge among the ids; -1 for a base that has none."""
    return ids.get_indexer(pd.Index(edges["model_id"])), ids.get_indexer(pd.Index(edges["base_id"]))


def _summed(places: tuple[np.ndarray, np.ndarray], known: np.ndarray, *, partial: bool) -> np.ndarray:
    model, base = places
    flop = np.append(known, np.nan)[base]  # -1 picks the last
    unknown, size = np.isnan(flop), len(known)
    total = np.bincount(model, weights=np.where(unknown, 0, flop), minlength=size)
    gaps, bases = np.bincount(model, weights=unknown, minlength=size), np.bincount(model, minlength=size)
    return np.where((gaps == bases) if partial else ((gaps > 0) | (bases == 0)), np.nan, total)


def circular(edges: pd.DataFrame) -> pd.Series:
    """The models that are made, through others, from themselves, or from such a model."""
    left = edges
    while True:
        kept = left[is_in(left["base_id"], left["model_id"])]
        if len(kept) == len(left):
            return left["model_id"]
        left = kept


def _base_texts(edges: pd.DataFrame, known: pd.Series, rows: pd.DataFrame) -> pd.Series:
    """The part of each row's formula that is about its bases, such as 4e+22 (llama-7b)."""
    flop = edges["base_id"].map(known).dropna()
    texts = written(flop) + " (" + edges["base_id"].reindex(flop.index) + ")"
    joined = join_texts(texts, edges["model_id"].reindex(flop.index), " + ")
    return joined.reindex(rows["model_id"]).set_axis(rows.index)
