"""A calibration on a planted world: nobody judges himself, and what is uncertain gets the wider interval."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from estimation_rows import rows

from pipeline.impute.calibration.fit import fit, judge
from pipeline.impute.calibration.material import Material, describe, masked, prepare
from pipeline.impute.flop.rows import FIELD

N = 400
TEXTS = ("organization", "organization_category", "notability_criteria", "training_compute_confidence", "base_model")


def world(n: int = N) -> pd.DataFrame:
    """Language models of fifty organisations whose compute is 6 · N · D where tokens are stated, and within a factor of
    thirty of it where only an unlabelled dataset is; the last tenth has no value."""
    draw = np.random.default_rng(9)
    size, tokens, guessed = 10 ** draw.uniform(8, 11, n), 10 ** draw.uniform(10, 12.5, n), np.arange(n) % 2 == 0
    flop = 6 * size * tokens * 10 ** (draw.normal(0, 1, n) * np.where(guessed, 0.9, 0.05))
    cells = [
        {"model_id": f"m{place:03d}", "name": f"M{place}", "organization": f"O{place % 50}", "parameters": size[place]}
        | {"publication_date": f"{2016 + place % 8}-05-01", FIELD: flop[place] if place < 0.9 * n else np.nan}
        | ({"dataset_size": tokens[place], "epochs": 1.0} if guessed[place] else {"training_tokens": tokens[place]})
        | {"architecture": "Transformer", "tasks": "Language modeling/generation"}
        for place in range(n)
    ]
    made = rows(*cells).assign(is_notable=True, open_weights=pd.Series(None, index=range(n), dtype="boolean"))
    made = made.assign(batch_size=np.nan, at_most=np.nan, published_dex=0.3, noted_low=np.nan)
    return made.assign(**{name: made.get(name, pd.Series(None, index=made.index)).astype("str") for name in TEXTS})


@pytest.fixture(scope="module")
def material() -> Material:
    return prepared(world())


def prepared(made: pd.DataFrame) -> Material:
    edges = pd.DataFrame({"model_id": [], "base_id": []}, dtype="str")
    return prepare(made, edges, describe(made, edges))


def test_masked_models_rest_on_date_and_kind_learned_from_models_of_which_more_is_known_too() -> None:
    """Forty models of which nothing is known are a million times smaller than the others. Those whose size is hidden
    are not."""
    few = prepared(world(240))
    unknown = pd.Series(np.arange(len(few.rows)) < 40, few.rows.index)
    flop = few.rows[FIELD].mask(unknown, few.rows[FIELD] / 1e6)
    blind = masked(few)
    mixed = few._replace(
        rows=few.rows.mask(unknown, blind.rows).assign(**{FIELD: flop}),
        physical=few.physical[~few.physical["model_id"].isin(few.rows.loc[unknown, "model_id"])],
        about=few.about.assign(published=flop.to_numpy(), settled=flop.to_numpy()),
    )
    every = np.ones(len(flop), dtype=bool)
    found = judge(masked(mixed), fit(mixed, every), every)
    assert set(found["tier"]) == {4}
    assert (found["high"] - found["low"]).median() > 1
    off = np.log10(found["value"].to_numpy() / flop.to_numpy())
    assert abs(np.median(off[~unknown])) < 1
