"""Why a computed cell differs: its cause is that of its inputs, or else a change in how it is computed."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd

from traincompute.base.sources import OWN
from traincompute.comparison.causes import CAUSES, CURATED, METHOD, SELECTION, UPSTREAM

FLOP = "training_compute_flop"
CELL = ["model_id", "column"]
LONGEST_CHAIN = 5  # of base models
IN_MODEL, IN_BASE = "computed from other cells of the model", "computed from its base model"
RANKS = {"frontier_rank": "is_notable"}  # of a model among others: column and who takes part
AMONG = "ranked among models that changed"
IN_ESTIMATE, ELSEWHERE = "estimated from other claims", "computed from other models, or in another way"


def dependencies(derived: Mapping[str, str]) -> dict[str, list[str]]:
    """{column: columns that its derivation names}; the columns that describe the training compute follow it too."""
    found = {}
    for column, text in derived.items():
        named = [name for name in derived if name != column and re.search(rf"\b{name}\b", text)]
        found[column] = named or ([FLOP] if column.startswith("training_compute_") and column != FLOP else [])
    return found


def by_estimates(
    changes: pd.DataFrame, claims: tuple[pd.DataFrame, pd.DataFrame], estimates: tuple[pd.DataFrame, pd.DataFrame]
) -> pd.DataFrame:
    """The changes with a cause for cells that hold an estimate: what happened to the claims that went into it.

    `claims` and `estimates` (the selected ones: model_id, field, inputs) each hold the old side and the new side."""
    untold = changes.loc[changes["cause"] == "", CELL]
    sides = [side.rename(columns={"field": "column"}).merge(untold, on=CELL) for side in estimates]
    told = pd.concat([_by_inputs(sides, claims), _with_known_inputs(sides)])
    return _put(changes, told.assign(detail=IN_ESTIMATE), CELL)


def _by_inputs(sides: list[pd.DataFrame], claims: tuple[pd.DataFrame, pd.DataFrame]) -> pd.DataFrame:
    """A cause for estimates with an input that only one side has: the source of that input."""
    used = pd.concat([side.explode("inputs") for side in sides])
    old, new = (used["inputs"].map(side.set_index("claim_id")["source_id"]) for side in claims)
    alone = old.notna() != new.notna()
    source = new.fillna(old)
    told = used.assign(cause=np.where(source == OWN, CURATED, UPSTREAM), source_id=source, detail=None)
    return _first(told[alone], CELL)


def _with_known_inputs(sides: list[pd.DataFrame]) -> pd.DataFrame:
    """A cause for estimates whose inputs are claims on both sides. None if an input is an estimate (a ":" in its
    name)."""
    ordered = [side.assign(inputs=side["inputs"].map(sorted).map(";".join).astype("str")) for side in sides]
    both = ordered[0].merge(ordered[1], on=CELL, suffixes=("_old", ""))
    both = both[~both["inputs"].str.contains(":")]
    cause = np.where(both["inputs_old"] == both["inputs"], METHOD, SELECTION)
    return both[CELL].assign(cause=cause, source_id=None, detail=None)


def follow(changes: pd.DataFrame, depends: Mapping[str, list[str]], bases: Mapping[str, str]) -> pd.DataFrame:
    """The changes with a cause for every cell: that of the columns it depends on, of its model, or of its base
    model."""
    free = [column for column, names in depends.items() if not names]
    about_flop = [column for column, names in depends.items() if names == [FLOP]]
    for columns in (free, about_flop):  # an estimate follows its model; what describes it follows the estimate
        changes = _follow_columns(changes, depends)
        changes = _follow_model(changes, columns)
    for _ in range(LONGEST_CHAIN):
        before, changes = changes, _follow_base(changes, bases)
        if changes["cause"].equals(before["cause"]):  # as it will next time
            break
    changes = _follow_others(changes, depends)
    untold = changes["cause"] == ""
    return changes.assign(cause=changes["cause"].mask(untold, METHOD), detail=changes["detail"].mask(untold, ELSEWHERE))


def _follow_columns(changes: pd.DataFrame, depends: Mapping[str, list[str]]) -> pd.DataFrame:
    pairs = pd.DataFrame([(c, d) for c, names in depends.items() for d in names], columns=["follower", "column"])
    near = changes[changes["cause"] != ""].merge(pairs, on="column")
    return _put(changes, _first(near.assign(column=near["follower"], detail=IN_MODEL), CELL), CELL)


def _follow_model(changes: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    told = _first(changes[changes["cause"] != ""], ["model_id"]).assign(detail=IN_MODEL)
    cells = changes.loc[changes["column"].isin(columns), CELL].merge(told, on="model_id")
    return _put(changes, cells, CELL)


def _follow_base(changes: pd.DataFrame, bases: Mapping[str, str]) -> pd.DataFrame:
    told = _first(changes[changes["cause"] != ""], ["model_id"]).rename(columns={"model_id": "base"})
    links = pd.DataFrame(list(bases.items()), columns=["model_id", "base"])
    return _put(changes, links.merge(told, on="base").assign(detail=IN_BASE), ["model_id"])


def _follow_others(changes: pd.DataFrame, depends: Mapping[str, list[str]]) -> pd.DataFrame:
    """A rank follows the models that came or went, or of which what is ranked by has changed."""
    for column, part in RANKS.items():
        by = changes["column"].isin([*depends.get(column, []), part]) | changes["column"].isna()
        told = _first(changes[by & (changes["cause"] != "")].assign(column=column, detail=AMONG), ["column"])
        changes = _put(changes, told, ["column"])
    return changes


def _first(told: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """The first of several causes for one key, in the order of CAUSES: key, cause, source_id, detail."""
    rank = told["cause"].map(pd.Series(range(len(CAUSES)), index=CAUSES))
    ordered = told.assign(rank=rank).sort_values("rank", kind="stable").drop_duplicates(key)
    return ordered[[*key, "cause", "source_id", "detail"]]


def _put(changes: pd.DataFrame, told: pd.DataFrame, key: list[str]) -> pd.DataFrame:
    """The changes, with those that have no cause filled in from `told`."""
    if told.empty:
        return changes
    names = ["cause", "source_id", "detail"]
    found = changes[key].merge(told.drop_duplicates(key), on=key, how="left").set_index(changes.index)
    fill = (changes["cause"] == "") & found["cause"].notna()
    return changes.assign(**{name: changes[name].mask(fill, found[name]) for name in names})
