"""Base plus fine-tune: the compute of a model made from others is theirs plus that of its own further training.

C = Σ C(base) + C(increment) in FLOP: total compute includes base models, a fine-tune's own compute is a separate field
(epoch.ai/data/ai-models-documentation/estimation). A training run that several bases share counts once. The increment
is the published one, else that of operation counting or hardware on the model's own tokens or hours, or none where the
weights are the base's own. Without it, the compute of the base models is only a lower bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pipeline.frames import is_in
from pipeline.impute.results import HAS_BASE, first_reason, has_word, join_texts, make_result, written

METHOD = "base_plus_finetune"
ALONE = "the base model's compute alone"  # and so from it up
SAME = 0.01  # a fine-tune so close to its base has the base's figure in the wrong column (Unicorn and T5-11B)
UNCHANGED = "base-weights"  # declared of a model that is its base, sampled or asked in another way: nothing was trained
MOST_APART = 10.0  # two estimates of the increment that are further apart than this do not measure the same training


def estimate(
    rows: pd.DataFrame, edges: pd.DataFrame, known: pd.Series, unsure: pd.Series, own: Sequence[pd.DataFrame]
) -> pd.DataFrame:
    """The result (see make_result) of each row, with inputs_dex; only low where only the bases are known.

    `edges` as `counted_once` gives them, `known` the FLOP by model_id that are published or estimated without a base,
    `unsure` the half-widths of their intervals in dex, and `own` the results of the methods for the further training,
    the preferred one first. Where the bases are known and the increment is not, the assumption is ALONE. inputs_dex is
    the mean half-width of the bases, weighted by share of the total: a sum is no surer than that."""
    ids, index, further = rows["model_id"], rows.index, increments(rows, own)
    increment = further["value"].set_axis(ids)
    spread = resolve(edges, known * unsure, increment * 0)
    known = resolve(edges, known, increment)
    floors = known.combine(rows.set_index("model_id")["at_least"], np.fmax)
    bound = resolve(edges, floors, increment.fillna(0) * 0, partial=True)
    bases, least, spread = (
        base_compute(edges, flop, partial=flop is bound).set_axis(index) for flop in (known, bound, spread)
    )
    reasons: dict[str, pd.Series | np.ndarray] = {
        "needs a base model": ~is_in(ids, edges["model_id"]),
        "differs: operation counting and hardware of the further training": further["apart"],
        HAS_BASE: bases.isna(),
        "needs the fine-tune's own compute": further["value"].isna(),
        "needs the fine-tune's own compute: the one given is the base's": (further["value"] / bases - 1).abs() < SAME,
    }
    reason, whole = first_reason(reasons, index), bases + further["value"]
    sums = (edges, known), (_disjoint(edges, bound), bound)
    sum_text, bound_text = (ids.map(_base_texts(*some)).astype("str") for some in sums)
    made = make_result(
        whole,
        0.0,
        reason,
        formula=sum_text + " + " + further["formula"],
        assumptions=further["assumptions"],
        fields="base_model;" + further["fields"],
    )
    only = (reason != "") & least.notna()
    told = {"low": least, "formula": "at least " + bound_text, "fields": "base_model"}
    made = made.assign(**{name: made[name].mask(only, text) for name, text in told.items()})
    alone = made["assumptions"].mask(only & bases.notna(), ALONE)
    return made.assign(inputs_dex=(spread / whole).where(made["value"].notna()), assumptions=alone)


def increments(rows: pd.DataFrame, own: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """value, formula, assumptions, fields of the further training: none where the weights are declared to be the
    base's, else published, else as the first of the results `own` that has one. `apart`: they differ."""
    published = rows["finetune_compute_flop"].mask(has_word(rows["architecture"], UNCHANGED), 0)
    values = pd.concat([result["value"] for result in own], axis=1)
    apart = published.isna() & (values.max(axis=1) / values.min(axis=1) > MOST_APART)
    made = own[0]
    for result in own[1:]:
        made = made.where(made["value"].notna(), result)
    made = made[["value", "formula", "assumptions", "fields"]].mask(apart)
    text = published.dropna().map("{:.4g} for the further training".format).reindex(rows.index).astype("str")
    stated = {"value": published, "formula": text, "assumptions": "", "fields": "finetune_compute_flop"}
    return made.mask(published.notna(), pd.DataFrame(stated)).assign(apart=apart)


def resolve(edges: pd.DataFrame, known: pd.Series, increment: pd.Series, *, partial: bool = False) -> pd.Series:
    """FLOP by model_id: those in `known`, and those of every model whose bases are known, directly or in turn (never on
    a cycle), but for an increment that is the base's own figure. `partial`: known bases suffice."""
    found = known.reindex(increment.index)
    while True:
        bases = base_compute(edges, found, partial=partial)
        new = found.isna() & (total := bases + increment.mask((increment / bases - 1).abs() < SAME)).notna()
        if not new.any():
            return found
        found = found.mask(new, total)


def counted_once(edges: pd.DataFrame, runs: Mapping[Any, str]) -> pd.DataFrame:
    """The edges (model_id, and base_id, null where the base has no row) with `sign`, 1, and a line with −1 for what two
    bases of a model are both built on: C(a) + C(b) − C(shared). A base that another one is built on has no line. `runs`
    is the training run of each model, by the model_id of its first model."""
    parents = edges.dropna().groupby("model_id")["base_id"].agg(list).to_dict()

    def inside(model: str) -> set[str]:
        """The model, and all that it is built on."""
        found, waiting = set[str](), [model]
        while waiting:
            if (one := waiting.pop()) not in found:
                found.add(one)
                waiting += [*parents.get(one, []), runs.get(one, one)]
        return found

    twice = []
    for model, bases in parents.items():
        before = set[str]()
        for own in map(inside, bases if len(bases) > 1 else []):
            deeper = set[str]().union(*(inside(one) - {one} for one in own & before))
            twice += [(model, one, -1) for one in (own & before) - deeper]
            before |= own
    lines = pd.concat([edges.assign(sign=1), pd.DataFrame(twice, columns=["model_id", "base_id", "sign"])])
    signs = lines.groupby(["model_id", "base_id"], dropna=False, sort=False)["sign"].sum().astype("int64")
    return signs[signs != 0].reset_index()


def base_compute(edges: pd.DataFrame, known: pd.Series, *, partial: bool = False) -> pd.Series:
    """The total FLOP of each model's bases by model_id; null if one of them is unknown, unless `partial`."""
    edges = _disjoint(edges, known) if partial else edges
    bases = (edges["base_id"].map(known).astype("float64") * edges["sign"]).groupby(edges["model_id"])
    total = bases.sum(min_count=1)
    return total.where(partial | (bases.count() == bases.size())).reindex(known.index)


def _disjoint(edges: pd.DataFrame, known: pd.Series) -> pd.DataFrame:
    """The edges; of a model whose bases share a run that of the largest base alone."""
    shares = edges["model_id"].isin(edges.loc[edges["sign"] < 0, "model_id"])
    order = edges["base_id"].map(known).astype("float64").sort_values(na_position="first").index
    return edges[~shares | ~edges.loc[order].duplicated("model_id", keep="last").reindex(edges.index)]


def _base_texts(edges: pd.DataFrame, known: pd.Series) -> pd.Series:
    """By model_id the part of the formula that is about its bases, such as 4e+22 (llama-7b)."""
    flop = edges["base_id"].map(known).dropna()
    some = edges.loc[flop.index]
    texts = some["sign"].map({1: " + ", -1: " − "}) + written(flop) + " (" + some["base_id"] + ")"
    return join_texts(texts, some["model_id"], "").str.removeprefix(" + ")
