"""Operation counting where weights are used more than once, as in convolutions: forward operations per example.

C = k · F · n in FLOP: F is what one forward pass over one example takes (2 FLOP per multiply-add), n the number of
examples seen. k is 3, since the backward pass takes twice the forward one, unless another `training_factor` is stated:
1 without a backward pass. Connections are not parameters there, so 6 · N · D does not apply
(epoch.ai/blog/estimating-training-compute).
"""

import pandas as pd

from pipeline.impute.flop import formulas
from pipeline.impute.flop.formulas import PASSES, STATED_DEX
from pipeline.impute.flop.result import first_reason, has_word, join_words, make_result, written

# Errors differ from those of 6 · N · D, and where something is recalled from those of what was read: the intervals
# treat them separately
READ, RECALLED = ASSUMED = ("counted from a forward pass", "counted from a forward pass, partly recalled")
# F is per example: a dataset in tokens counts something smaller, and one without a unit may count pixels or labels
TOKENS = ("token", "word")


def count_passes(rows: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) of each row; of a model with a base model, that of the further training."""
    forward, stated = rows["forward_flop"], rows["training_examples"].notna()
    in_examples = rows["dataset_unit"].notna() & ~rows["dataset_unit"].isin(TOKENS)
    dataset = rows["dataset_size"].where(in_examples) * rows["epochs"]
    examples = rows["training_examples"].where(stated, dataset)
    reasons = {
        "needs operations per example": forward.isna(),
        "needs examples seen, or the dataset with its unit and epochs": examples.isna(),
    }
    reason = first_reason(reasons, rows.index)
    passes = rows["training_factor"].fillna(PASSES)
    used = {
        "forward_flop": forward.notna(),
        "training_examples": stated,
        "dataset_size": ~stated,
        "dataset_unit": ~stated,
        "epochs": ~stated,
        "training_factor": rows["training_factor"].notna(),
    }
    recalled = pd.concat([has_word(rows["recalled"], name) & used[name] for name in used], axis=1).any(axis=1)
    each = " × " + written(forward) + " FLOP per example forward × "
    return make_result(
        formulas.from_passes(forward, examples, passes),
        STATED_DEX,
        reason,
        formula=written(passes) + each + written(examples) + " examples",
        assumptions=recalled.map({True: RECALLED, False: READ}).astype("str"),
        fields=join_words(used, rows.index),
    )
