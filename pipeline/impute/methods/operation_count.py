"""Operation counting: a transformer does 6 operations per parameter and token in training.

C = 6 · N · D in FLOP: a forward pass takes 2 FLOP per parameter and token (one multiply-add), the backward pass twice
that. N is parameters used per token, D tokens seen (Kaplan et al. 2020, arXiv:2001.08361, §2.1; Brown et al. 2020,
arXiv:2005.14165, table D.1; Hoffmann et al. 2022, arXiv:2203.15556, appendix F). Half of the parameters of an
encoder-decoder see a token: 3 · N · D. With activation recomputation, developers count 8 · N · D (Narayanan et al.
2021, arXiv:2104.04473, §5.1). With a stated `training_factor` k it is 2 · k · N · D: k = 2 where frozen weights need no
gradient of their own (Hu et al. 2021, arXiv:2106.09685), 3 + N′ ÷ N where a teacher of N′ parameters reads every token,
too (Hinton et al. 2015, arXiv:1503.02531). A recurrent language model also passes every token through every weight
once.

Where weights are used more than once, as in convolutions, connections are not parameters. There C = k · F · n: F is
what one forward pass over one example takes (2 FLOP per multiply-add), n the number of examples seen, k = 3 unless
another `training_factor` is stated: 1 without a backward pass."""

from __future__ import annotations

import pandas as pd

from pipeline.impute.results import ASSUMED_DEX, STATED_DEX, first_reason, has_word, make_result, written

METHOD = "operation_counting"
FORWARD = 2  # FLOP per parameter and token of a forward pass: one multiply-add
PASSES = 3  # forward, and backward at twice that
FLOP_RECOMPUTED = 8
SEEN_BY_A_TOKEN = 0.5  # of the parameters of an encoder-decoder
# One pass is assumed where that is customary: since GPT-3 (arXiv:2005.14165), on datasets of at least this many tokens
ONE_EPOCH_TOKENS = 1e11
ONE_EPOCH_SINCE = "2020-05-28"
# No language model has been reported with fewer; the lowest ratio in GPT-3's table D.1 (arXiv:2005.14165) is 1.7.
LEAST_TOKENS_PER_PARAMETER = 0.2
TRANSFORMER_SINCE = "2017-06-12"  # arXiv:1706.03762
LANGUAGE_MODELING = ("Language modeling/generation", "Language modeling")
LOOKUP = "lookup"  # an example reads a few of the parameters (Mikolov et al. 2013, arXiv:1301.3781, §2 and 3)
RESIDUES = ("amino_acid", "nucleotide")  # the vocabulary of a protein or genome model has one word for each
HALVED, AGAIN = "half of the parameters see a token", "recomputed activations counted"
ONCE, WORDS, GUESSED_UNIT = "one epoch", "4/3 tokens per word", "the dataset is counted in tokens"
# Each of 53 models of this size since 2025, not made from an older dense one, is a mixture of experts
SPARSE_PARAMETERS = 1.5e11
SPARSE_SINCE = "2025-01-01"
# The intervals treat these separately
PASSED, RECALLED = "counted from a forward pass", "counted from a forward pass, partly recalled"
# F is per example: a dataset in tokens counts something smaller, and one without a unit may count pixels or labels
TOKENS = ("token", "word")


def estimate(rows: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) of each row, by token, else by forward pass; with a base model, of further
    training."""
    architecture, active = rows["architecture"], rows["parameters_active"].notna()
    large = (rows["parameters"] >= SPARSE_PARAMETERS) & (rows["publication_date"] >= SPARSE_SINCE)
    supposed = large & rows["base_model"].isna() & ~has_word(architecture, "dense")
    experts, recurrent = has_word(architecture, "MoE") | supposed, has_word(architecture, "RNN")
    n = rows["parameters_active"].where(active, rows["parameters"].mask(experts))
    seen = _tokens(rows, recurrent)
    halved = has_word(architecture, "encoder-decoder") & ~has_word(architecture, "whole-text")
    again = rows["flop_convention"].eq("8ND") & ~halved & rows["training_factor"].isna()
    factor = FORWARD * rows["training_factor"].fillna(PASSES)
    factor = factor.mask(halved, factor * SEEN_BY_A_TOKEN).mask(again, FLOP_RECOMPUTED)
    used = {
        "parameters_active": active,
        "parameters": ~active,
        "training_tokens": seen["stated"],
        "dataset_size": ~seen["stated"],
        "dataset_unit": ~seen["stated"] & rows["dataset_unit"].notna(),
        "epochs": ~seen["stated"] & ~seen[ONCE],
        "flop_convention": factor == FLOP_RECOMPUTED,
        "training_factor": rows["training_factor"].notna(),
    }
    assumed = {HALVED: halved, AGAIN: again} | {name: seen[name] for name in (ONCE, WORDS, GUESSED_UNIT)}
    unsure = seen[[ONCE, WORDS, GUESSED_UNIT]].any(axis=1) | halved
    by_token = make_result(
        factor * n * seen["tokens"],
        unsure.map({True: ASSUMED_DEX, False: STATED_DEX}),
        _abstain(rows, experts, recurrent, n, seen),
        formula=written(factor) + " × " + written(n) + " parameters × " + written(seen["tokens"]) + " tokens",
        assumptions=assumed,
        fields=used,
    )
    return by_token.where(by_token["value"].notna() | rows["forward_flop"].isna(), _by_example(rows))


def _tokens(rows: pd.DataFrame, recurrent: pd.Series) -> pd.DataFrame:
    """Tokens seen: as stated, else dataset × epochs, else the dataset once where one pass is customary; whether they
    are stated, whether the dataset's size is known in tokens, and what is assumed otherwise.

    The unit is guessed only for pure language models with stated epochs: 90 % of 104 such values are within a factor of
    3."""
    unit, stated = rows["dataset_unit"], rows["training_tokens"].notna()
    modeling = has_word(rows["tasks"], LANGUAGE_MODELING[0]) | has_word(rows["tasks"], LANGUAGE_MODELING[1])
    guessed = unit.isna() & rows["domains"].eq("Language") & modeling & rows["epochs"].notna()
    words = unit.eq("word")
    known = rows["tokens_per_unit"].notna() | unit.isin(RESIDUES) | guessed
    size = rows["dataset_size"].where(known) * rows["tokens_per_unit"].mask(words & recurrent).fillna(1)
    # … but not for fine-tunes: where there is a base model, a dataset of that size is most likely the base's own
    recent = (rows["publication_date"] >= ONE_EPOCH_SINCE) & rows["base_model"].isna()
    once = rows["epochs"].isna() & (size >= ONE_EPOCH_TOKENS) & recent
    made = {
        "tokens": rows["training_tokens"].where(stated, size * rows["epochs"].mask(once, 1)),
        "stated": stated,
        "sized": size.notna(),
    }
    assumed = {ONCE: once, WORDS: words & ~recurrent, GUESSED_UNIT: guessed}
    return pd.DataFrame(made | {name: mask & ~stated for name, mask in assumed.items()})


def _abstain(
    rows: pd.DataFrame, experts: pd.Series, recurrent: pd.Series, n: pd.Series, seen: pd.DataFrame
) -> pd.Series:
    """Why the method does not apply, row by row; empty where it does. The first reason counts.

    It applies to language models; to models of proteins and genomes whose data are counted in tokens or residues; and
    to any others whose tokens seen are stated: all 8 of these with a published value are within a factor of 2 of it."""
    untold, d, architecture = ~seen["stated"], seen["tokens"], rows["architecture"]
    sequences = has_word(rows["domains"], "Biology") & rows["dataset_unit"].isin(["token", *RESIDUES])
    counts = (sequences | seen["stated"]) & ~has_word(architecture, "residue-pairs")
    old = ~(rows["publication_date"] >= TRANSFORMER_SINCE)
    few = rows["base_model"].isna() & (d < LEAST_TOKENS_PER_PARAMETER * n)
    reasons = {
        "needs a language model, or tokens seen: they are what the formula counts": ~(
            has_word(rows["domains"], "Language") | counts
        ),
        "needs a dense transformer: a note says CNN": has_word(architecture, "CNN"),
        "needs dense layers: a recurrent mixture of experts": recurrent & experts,
        "needs a transformer or recurrent model: published before June 2017 (arXiv:1706.03762)": ~recurrent & old,
        "needs parameters that are used once per token": has_word(architecture, "shared-layers"),
        "needs parameters that a token passes through: they are entries of a table": has_word(architecture, LOOKUP),
        "needs active parameters: a mixture of experts": experts & rows["parameters_active"].isna(),
        "needs parameters": n.isna(),
        "needs tokens seen or the dataset's size": untold & rows["dataset_size"].isna(),
        # the tokens seen then count something else than the dataset (GPT-3: 238e9 × 0.6, seen 300e9)
        "needs tokens seen: part of an epoch": untold & (rows["epochs"] < 1),
        "needs the dataset in tokens": untold & ~seen["sized"],
        "needs epochs": d.isna(),
        "needs a second look: fewer than 0.2 tokens per parameter": few,
    }
    return first_reason(reasons, rows.index)


def _by_example(rows: pd.DataFrame) -> pd.DataFrame:
    forward, stated = rows["forward_flop"], rows["training_examples"].notna()
    in_examples = rows["dataset_unit"].notna() & ~rows["dataset_unit"].isin(TOKENS)
    dataset = rows["dataset_size"].where(in_examples) * rows["epochs"]
    examples, passes = rows["training_examples"].where(stated, dataset), rows["training_factor"].fillna(PASSES)
    reasons = {
        "needs operations per example": forward.isna(),
        "needs examples seen, or the dataset with its unit and epochs": examples.isna(),
    }
    used = {
        "forward_flop": forward.notna(),
        "training_examples": stated,
        "dataset_size": ~stated,
        "dataset_unit": ~stated,
        "epochs": ~stated,
        "training_factor": rows["training_factor"].notna(),
    }
    recalled = pd.Series(False, rows.index)
    for name, mask in used.items():
        recalled |= has_word(rows["recalled"], name) & mask
    each = " × " + written(forward) + " FLOP per example forward × "
    return make_result(
        passes * forward * examples,
        STATED_DEX,
        first_reason(reasons, rows.index),
        formula=written(passes) + each + written(examples) + " examples",
        assumptions=recalled.map({True: RECALLED, False: PASSED}).astype("str"),
        fields=used,
    )
