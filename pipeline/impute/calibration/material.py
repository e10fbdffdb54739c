"""What all calibrations on the same rows have in common: what is known of the models, and the physical estimates.

Withheld are the published value, bounds on it, figures in notes, cost, power, the frontier flag, and a utilisation with
which chips × hours × peak give back the published value. The published value of a base model may be used.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from pipeline.impute.flop import cascade, formulas
from pipeline.impute.flop.formulas import ALONE, FLOP_PER_PARAMETER_AND_TOKEN
from pipeline.impute.flop.methods import base_model, hardware, operation_count
from pipeline.impute.flop.methods.features import domain_groups, folds
from pipeline.impute.flop.rows import FIELD

PHYSICAL = [base_model.METHOD, operation_count.METHOD, hardware.METHOD]
PREDICTED = ["model_id", "method", "assumptions", "inputs_dex", "value", "taken"]
SIZE = ("parameters", "parameters_active")
MEASURED = [*SIZE, "training_tokens", "dataset_size", "epochs", "batch_size", "finetune_compute_flop",
            "hardware_quantity", "training_hours", "chip_hours", "forward_flop", "training_examples",
            "training_factor", "capability_index", *hardware.RATES.values()]  # fmt: skip
SAME = 0.05  # a published value this close to 6 · N · D or to a hardware product is not independent of it
CUSTOMARY_SHARES = (0.30, 0.35, 0.40, 0.50)  # of the peak rate, with which publishers usually multiply
GIVEN_BACK = 0.02  # … and this close with the utilisation given, the utilisation is computed from it
COPY = 0.5  # how much a copy counts (`with_copies`)
# How much models count for the intervals: those whose published value is itself such a product count 0.4 times, those
# that are not notable a quarter. With equal weights, intervals contain only 81 to 83 % of the independent values.
DEPENDENT, NOT_NOTABLE = 0.4, 0.25


class Material(NamedTuple):
    """The models with a published value: rows without what is computed from it, the FLOP of their base models, the
    results of the physical methods (`taken`: which one would be), the base's compute by model_id where that alone is
    known, and `about` (see `describe`) by model_id in the order of the rows."""

    rows: pd.DataFrame
    bases: pd.Series
    physical: pd.DataFrame
    alone: pd.Series
    about: pd.DataFrame


def prepare(rows: pd.DataFrame, edges: pd.DataFrame, about: pd.DataFrame) -> Material:
    """What all calibrations on these rows have in common."""
    rows = hide(rows)
    results = cascade.all_methods(rows, edges, None)
    bases = cascade.known_bases(results, rows, edges)
    judged = cascade.judge({method: results[method] for method in PHYSICAL}, rows.assign(**{FIELD: np.nan}))
    made = pd.concat([results[method].assign(taken=judged[method]["is_selected"]) for method in PHYSICAL])
    known = rows["model_id"].isin(about["model_id"]).to_numpy()
    made = made[made["model_id"].isin(about["model_id"])]
    alone = made[made["assumptions"] == ALONE].set_index("model_id")["low"]
    physical = made.loc[made["value"].notna(), PREDICTED]
    by_row = about.set_index("model_id").reindex(rows.loc[known, "model_id"])
    return Material(rows[known], bases[known], physical, alone, by_row)


def hide(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without what is computed from the published value, but with that value (others may be made from it)."""
    clocked = hardware.count_chip_hours(rows)["value"]
    given_back = (clocked / rows[FIELD] - 1).abs() < GIVEN_BACK
    return rows.assign(
        hardware_utilization=rows["hardware_utilization"].mask(given_back),
        **dict.fromkeys(("at_least", "at_most", "noted_low", "noted_high", "training_compute_stated"), np.nan),
    )


def masked(material: Material, kept: Sequence[str] = ()) -> Material:
    """The models as if nothing were known of them but date, kind and maker, and the numbers `kept`."""
    rows = material.rows.assign(**dict.fromkeys([name for name in MEASURED if name not in kept], np.nan))
    rows = rows.assign(dataset_unit=pd.Series(None, index=rows.index, dtype="str"))
    bases = material.bases * np.nan
    return material._replace(rows=rows, bases=bases, physical=material.physical[:0], alone=material.alone[:0])


def with_copies(material: Material) -> Material:
    """The models and, in the same order after them, their copies with a model_id of their own: of one nothing is known
    but date and kind, of the other its size, too. `about` has the `share` that each counts.

    The models that so little is known of are not like those that one learns from: among published values a size that is
    unknown goes with an old or a small model, today with a large one whose maker says nothing. With the copies the
    regression learns what date, kind and size alone say, and the intervals how little that is."""
    sized = material.rows["parameters"].notna().to_numpy()  # of the others both copies would be the same
    share = np.concatenate([np.ones(len(sized)), np.full(len(sized), COPY), np.where(sized, COPY, 0.0)])
    copies = material, masked(material), masked(material, SIZE)
    ids = [name + ending for ending in ("", " (masked)", " (sized)") for name in material.about.index]
    rows = pd.concat([copy.rows for copy in copies], ignore_index=True).assign(model_id=ids)
    bases = pd.concat([copy.bases for copy in copies], ignore_index=True)
    about = pd.concat([material.about] * len(copies)).set_axis(ids)
    counted = {"weight": about["weight"] * share, "published": about["published"].where(share > 0)}
    return material._replace(rows=rows, bases=bases, about=about.assign(share=share, **counted))


def describe(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.DataFrame:
    """What scores are grouped by, for the rows with a published value: that value, domain, confidence, year, notable,
    whole, independent, fold, and the weight for the intervals."""
    whole, notable = is_whole(rows, edges), rows["is_notable"].astype("bool")
    independent = is_independent(rows) & whole
    about = {
        "model_id": rows["model_id"],
        "published": rows[FIELD],
        "domain": domain_groups(rows),
        "confidence": rows["training_compute_confidence"],
        "year": rows["publication_date"].dt.year,
        "notable": notable,
        "whole": whole,
        "independent": independent,
        "fold": folds(rows),
        "weight": np.where(independent, 1, DEPENDENT) * np.where(notable, 1, NOT_NOTABLE),
    }
    return pd.DataFrame(about)[rows[FIELD].notna()]


def is_whole(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.Series:
    """False where the published value is less than those of the models that it was made from: it leaves them out, so it
    is not the total that we estimate (epoch.ai/data/ai-models-documentation/estimation: base models are included)."""
    published = rows.set_index("model_id")[FIELD]
    known = edges[edges["model_id"].isin(published.index)]
    bases = base_model.base_compute(known, published, partial=True).set_axis(rows.index)
    return ~(rows[FIELD] < bases * (1 - SAME))


def is_independent(rows: pd.DataFrame) -> pd.Series:
    """Whether the published value is neither 6 · N · D (once, or × epochs) nor a hardware product within 5 %."""
    clocked, counted = hardware.count_chip_hours(rows)["value"], operation_count.count_operations(rows)["value"]
    n = rows["parameters_active"].fillna(rows["parameters"])
    once = formulas.counted(FLOP_PER_PARAMETER_AND_TOKEN, n, rows["training_tokens"].fillna(rows["dataset_size"]))
    full = formulas.from_chips(hardware.chip_hours_of(rows), hardware.peak_rate(rows), 1)
    shares = [full * share for share in CUSTOMARY_SHARES]
    same = rows[FIELD].isna()
    for product in (clocked, counted, once, once * rows["epochs"], full * rows["hardware_utilization"], *shares):
        same = same | ((product / rows[FIELD] - 1).abs() < SAME)
    return ~same
