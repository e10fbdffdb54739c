"""Each model a second time, as if nothing were known of it but its date, kind and maker.

The models that so little is known of are not like those that one learns from: among published values a size that is
unknown goes with an old or a small model, today with a large one whose maker says nothing. With the copies the regression
learns what date and kind alone say, and the intervals how little that is.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.calibration.material import Material
from pipeline.impute.flop.methods.hardware import RATES
from pipeline.impute.flop.methods.second_opinion import own_columns

WEIGHT = 0.5  # of a copy
ENDING = " (masked)"
MEASURED = ["parameters", "parameters_active", "training_tokens", "dataset_size", "epochs", "batch_size",
            "finetune_compute_flop", "hardware_quantity", "training_hours", "chip_hours", "forward_flop",
            "training_examples", "training_factor", "capability_index", *RATES.values()]  # fmt: skip


def with_copies(material: Material) -> Material:
    """The models and, in the same order after them, their copies with a model_id of their own. `about` has the `share`
    that each counts."""
    copy = masked(material)
    ids = material.about.index + ENDING
    half = material.about.assign(share=WEIGHT, weight=material.about["weight"] * WEIGHT)
    rows = pd.concat([material.rows, copy.rows.assign(model_id=material.rows["model_id"] + ENDING)], ignore_index=True)
    return material._replace(
        rows=rows,
        bases=pd.concat([material.bases, copy.bases], ignore_index=True),
        own={name: np.concatenate([own, copy.own[name]]) for name, own in material.own.items()},
        about=pd.concat([material.about.assign(share=1.0), half.set_axis(ids)]),
    )


def masked(material: Material) -> Material:
    """The models as if nothing but date, kind and maker were known of them."""
    rows = material.rows.assign(**dict.fromkeys(MEASURED, np.nan))
    rows = rows.assign(dataset_unit=pd.Series(None, index=rows.index, dtype="str"))
    bases = material.bases * np.nan
    own = own_columns(rows, bases)
    return material._replace(rows=rows, bases=bases, own=own, physical=material.physical[:0], alone=material.alone[:0])
