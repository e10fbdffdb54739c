"""Operation counting: a transformer does 6 operations per parameter and token in training.

C = 6 · N · D in FLOP: a forward pass takes 2 FLOP per parameter and token (one multiply-add), the backward pass twice
that. N is the number of parameters used per token, D the number of tokens seen (Kaplan et al. 2020, arXiv:2001.08361,
§2.1; Brown et al. 2020, arXiv:2005.14165, table D.1; Hoffmann et al. 2022, arXiv:2203.15556, appendix F). Half of the
parameters of an encoder-decoder see a token: 3 · N · D (the T5 row in table D.1). With activation recomputation in the
backward pass, developers count 8 · N · D (Narayanan et al. 2021, arXiv:2104.04473, §5.1). With a stated
`training_factor` k it is 2 · k · N · D: k = 2 where frozen weights need no gradient of their own (Hu et al. 2021,
arXiv:2106.09685), 3 + N′ ÷ N where a teacher of N′ parameters reads every token, too (Hinton et al. 2015,
arXiv:1503.02531). A recurrent language model also passes every token through every weight once: D is examples × tokens
per sequence (epoch.ai/blog/estimating-training-compute)."""

import pandas as pd

from pipeline.impute.flop import formulas
from pipeline.impute.flop.formulas import ASSUMED_DEX, FORWARD, OPERATION_COUNTING, PASSES, STATED_DEX
from pipeline.impute.flop.result import first_reason, has_word, join_words, make_result, written

METHOD = OPERATION_COUNTING
FLOP_RECOMPUTED = 8
SEEN_BY_A_TOKEN = 0.5  # of the parameters of an encoder-decoder
# Without a stated number of epochs, one pass is assumed only where that is customary: language models since GPT-3
# (arXiv:2005.14165) on datasets of at least this many tokens.
ONE_EPOCH_TOKENS = 1e11
ONE_EPOCH_SINCE = "2020-05-28"
# No trained language model has been reported with fewer tokens than a fifth of its parameters; the lowest ratio in
# GPT-3's table D.1 (arXiv:2005.14165) is 1.7. Upstream has 3e8 tokens for Gopher 7.1B where the paper has 3e11.
LEAST_TOKENS_PER_PARAMETER = 0.2
TRANSFORMER_SINCE = "2017-06-12"  # arXiv:1706.03762
LANGUAGE_MODELING = ("Language modeling/generation", "Language modeling")
LOOKUP = "lookup"  # an example reads a few of the parameters (Mikolov et al. 2013, arXiv:1301.3781, §2 and 3)
RESIDUES = ("amino_acid", "nucleotide")  # the vocabulary of a protein or genome model has one word for each
HALVED = "half of the parameters see a token"
GUESSED_UNIT = "the dataset is counted in tokens"
ASSUMED = ["one epoch", "4/3 tokens per word", GUESSED_UNIT]
# Every model of this size since 2025 whose architecture is known, and that was not made from an older dense one, is a
# mixture of experts (53 in the tables): a token does not use all of its parameters.
SPARSE_PARAMETERS = 1.5e11
SPARSE_SINCE = "2025-01-01"


def count_operations(rows: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) of each row; of a model with a base model, that of the further training."""
    experts = _experts(rows)
    active = rows["parameters_active"].notna()
    n = rows["parameters_active"].where(active, rows["parameters"].mask(experts))
    recurrent = has_word(rows["architecture"], "RNN")
    seen = _tokens(rows, recurrent)
    kinds, factor = _kinds(rows), flop_per_token(rows)
    used = {
        "parameters_active": active,
        "parameters": ~active,
        "training_tokens": seen["stated"],
        "dataset_size": ~seen["stated"],
        "dataset_unit": ~seen["stated"] & rows["dataset_unit"].notna(),
        "epochs": ~seen["stated"] & ~seen["one epoch"],
        "flop_convention": factor == FLOP_RECOMPUTED,
        "training_factor": rows["training_factor"].notna(),
    }
    unsure = seen[ASSUMED].any(axis=1) | kinds[HALVED]
    return make_result(
        formulas.counted(factor, n, seen["tokens"]),
        unsure.map({True: ASSUMED_DEX, False: STATED_DEX}),
        _abstain(rows, experts, recurrent, n, seen),
        formula=written(factor) + " × " + written(n) + " parameters × " + written(seen["tokens"]) + " tokens",
        assumptions=join_words(kinds | {name: seen[name] for name in ASSUMED}, rows.index),
        fields=join_words(used, rows.index),
    )


def flop_per_token(rows: pd.DataFrame) -> pd.Series:
    """FLOP per parameter and token: twice the training factor, which is 3 if none is stated, or half of that for an
    encoder-decoder; or 8 with activation recomputation."""
    halved, again = _kinds(rows).values()
    factor = FORWARD * rows["training_factor"].fillna(PASSES)
    return factor.mask(halved, factor * SEEN_BY_A_TOKEN).mask(again, FLOP_RECOMPUTED)


def _kinds(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """The reasons for a factor other than 6, and which models each applies to."""
    halved = has_word(rows["architecture"], "encoder-decoder") & ~has_word(rows["architecture"], "whole-text")
    again = rows["flop_convention"].eq("8ND") & ~halved & rows["training_factor"].isna()
    return {HALVED: halved, "recomputed activations counted": again}


def _tokens(rows: pd.DataFrame, recurrent: pd.Series) -> pd.DataFrame:
    """Tokens seen: as stated, else dataset × epochs, else the dataset once where one pass is customary; whether they
    are stated, whether the dataset's size is known in tokens, and what is assumed otherwise."""
    stated = rows["training_tokens"].notna()
    size, guessed, words = _dataset(rows, recurrent)
    # … but not for fine-tunes: where there is a base model, a dataset of that size is most likely the base's own
    recent = (rows["publication_date"] >= ONE_EPOCH_SINCE) & rows["base_model"].isna()
    once = rows["epochs"].isna() & (size >= ONE_EPOCH_TOKENS) & recent
    epochs = rows["epochs"].mask(once, 1)
    made = {"tokens": rows["training_tokens"].where(stated, size * epochs), "stated": stated, "sized": size.notna()}
    return pd.DataFrame(
        made | {name: mask & ~stated for name, mask in zip(ASSUMED, (once, words, guessed), strict=True)}
    )


def _dataset(rows: pd.DataFrame, recurrent: pd.Series) -> tuple[pd.Series, pd.Series, pd.Series]:
    """The dataset's size in tokens where it can be converted; whether its unit is guessed, and whether it is in words.

    The unit is guessed only for pure language models whose epochs are stated: of 104 such models with a published
    value, 90 % are within a factor of 3 of it."""
    unit = rows["dataset_unit"]
    modeling = has_word(rows["tasks"], LANGUAGE_MODELING[0]) | has_word(rows["tasks"], LANGUAGE_MODELING[1])
    guessed = unit.isna() & rows["domains"].eq("Language") & modeling & rows["epochs"].notna()
    words = unit.eq("word")
    known = rows["tokens_per_unit"].notna() | unit.isin(RESIDUES) | guessed
    subwords = words & ~recurrent
    per_unit = rows["tokens_per_unit"].mask(words & recurrent).fillna(1)
    return rows["dataset_size"].where(known) * per_unit, guessed, subwords


def _experts(rows: pd.DataFrame) -> pd.Series:
    """Mixtures of experts: according to a source, or by size and age."""
    large = (rows["parameters"] >= SPARSE_PARAMETERS) & (rows["publication_date"] >= SPARSE_SINCE)
    return has_word(rows["architecture"], "MoE") | (
        large & rows["base_model"].isna() & ~has_word(rows["architecture"], "dense")
    )


def _counts_tokens(rows: pd.DataFrame) -> pd.Series:
    """Language models; models of proteins and genomes whose data are counted in tokens or residues; and any others
    whose tokens seen are stated: all 8 of these with a published value are within a factor of 2 of it."""
    sequences = has_word(rows["domains"], "Biology") & rows["dataset_unit"].isin(["token", *RESIDUES])
    counted = sequences | rows["training_tokens"].notna()
    return has_word(rows["domains"], "Language") | (counted & ~has_word(rows["architecture"], "residue-pairs"))


def _abstain(
    rows: pd.DataFrame, experts: pd.Series, recurrent: pd.Series, n: pd.Series, seen: pd.DataFrame
) -> pd.Series:
    """Why the method does not apply, row by row; empty where it does. The first reason counts."""
    untold, d = ~seen["stated"], seen["tokens"]
    reasons = {
        "needs a language model, or tokens seen: they are what the formula counts": ~_counts_tokens(rows),
        "needs a dense transformer: a note says CNN": has_word(rows["architecture"], "CNN"),
        "needs dense layers: a recurrent mixture of experts": recurrent & experts,
        "needs a transformer or recurrent model: published before June 2017 (arXiv:1706.03762)": ~recurrent
        & ~(rows["publication_date"] >= TRANSFORMER_SINCE),
        "needs parameters that are used once per token": has_word(rows["architecture"], "shared-layers"),
        "needs parameters that a token passes through: they are entries of a table": has_word(
            rows["architecture"], LOOKUP
        ),
        "needs active parameters: a mixture of experts": experts & rows["parameters_active"].isna(),
        "needs parameters": n.isna(),
        "needs tokens seen or the dataset's size": untold & rows["dataset_size"].isna(),
        # the tokens seen then count something else than the dataset (GPT-3: 238e9 × 0.6, seen 300e9)
        "needs tokens seen: part of an epoch": untold & (rows["epochs"] < 1),
        "needs the dataset in tokens": untold & ~seen["sized"],
        "needs epochs": d.isna(),
        "needs a second look: fewer than 0.2 tokens per parameter": rows["base_model"].isna()
        & (d < LEAST_TOKENS_PER_PARAMETER * n),
    }
    return first_reason(reasons, rows.index)
