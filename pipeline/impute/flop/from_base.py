"""A model whose base has no value but a distribution has that distribution, moved up by what further training takes: what
its date and size say would be of a whole training, of which its own is the last part."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.base.digits import log10
from pipeline.impute.flop.result import rounded
from traincompute.base.quantiles import QUANTILES

MIDDLE = 2  # the place of the median


def from_bases(made: pd.DataFrame, base: pd.Series, led: pd.Series, up: Mapping[str, float]) -> pd.DataFrame:
    """`made` (by model_id: tier, method, estimate_id, QUANTILES in FLOP) with the base's instead of a model's own, moved up,
    where `led` says so and `base` (base's model_id) has one. `up` has dex above the base's compute, in the order of QUANTILES.

    A base comes before what was made from it; models that are made from each other keep their own."""
    above, waiting = np.array(list(up.values())), led.index[led & base.isin(made.index)]
    while len(ready := waiting[~base[waiting].isin(waiting).to_numpy()]):
        bases = made.loc[base[ready]].set_axis(ready)
        made = pd.concat([made.drop(index=ready), bases.assign(**_moved(bases, above))])
        waiting = waiting.difference(ready)
    return made


def _moved(bases: pd.DataFrame, above: np.ndarray) -> dict[str, pd.Series]:
    """QUANTILES of the sum of two distributions in dex, whose distances from the median add up as independent ones do;
    none below the base's."""
    dex = log10(bases[QUANTILES].to_numpy())
    apart = np.hypot(dex - dex[:, [MIDDLE]], above - above[MIDDLE]) * np.sign(np.arange(len(above)) - MIDDLE)
    moved = np.maximum(dex[:, [MIDDLE]] + above[MIDDLE] + apart, dex[:, [0]])
    return {
        name: rounded(pd.Series(10**part, index=bases.index)) for name, part in zip(QUANTILES, moved.T, strict=True)
    }
