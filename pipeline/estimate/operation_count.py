"""Operation counting: a dense transformer does 6 operations per parameter and token in training.

C = 6 · N · D: a forward pass takes 2 FLOP per parameter and token (one multiply-add), the backward pass twice that.
N is the number of parameters used per token, D the number of tokens seen (Kaplan et al. 2020, arXiv:2001.08361, §2.1;
Brown et al. 2020, arXiv:2005.14165, table D.1; Hoffmann et al. 2022, arXiv:2203.15556, appendix F).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

METHOD = "operation_counting"
FLOP_PER_PARAMETER_AND_TOKEN = 6
# Without a stated number of epochs one pass is assumed only where it is the custom: language models since GPT-3
# (arXiv:2005.14165) on datasets of at least this many tokens.
ONE_EPOCH_TOKENS = 1e11
ONE_EPOCH_SINCE = "2020-05-28"
# Fewer tokens than a fifth of the parameters has not been reported for a trained language model; the lowest of
# GPT-3's table D.1 (arXiv:2005.14165) is 1.7. Upstream has 3e8 tokens for Gopher 7.1B where the paper has 3e11.
LEAST_TOKENS_PER_PARAMETER = 0.2
ENCODER_DECODER_NAMES = r"T5|UL2|\bBART|NLLB"  # arXiv:1910.10683, 2205.05131, 1910.13461, 2207.04672
EXPERT_NAMES = r"(?i)\bA\d+(?:\.\d+)?B\b|\bMoE\b|mixture of experts|\b\d+x\d+(?:\.\d+)?B\b"


def estimate_operations(rows: pd.DataFrame) -> pd.DataFrame:
    """value (FLOP), formula, assumptions, reason per row; value is null and reason says why where it does not apply.

    `rows` has name, domains, base_model, parameters, parameters_active, training_tokens, dataset_size, dataset_unit,
    epochs, architecture (;-joined), publication_date."""
    import pandas as pd

    experts = _words(rows["architecture"], "MoE") | rows["name"].str.contains(EXPERT_NAMES, regex=True)
    n = rows["parameters_active"].where(rows["parameters_active"].notna(), rows["parameters"].mask(experts))
    d, assumption = _tokens(rows)
    reason = _abstain(rows, experts, n, d)
    value = (FLOP_PER_PARAMETER_AND_TOKEN * n * d).where(reason == "")
    formula = "6 × " + n.map("{:.4g}".format) + " parameters × " + d.map("{:.4g}".format) + " tokens"
    return pd.DataFrame(
        {
            "value": value,
            "formula": formula.where(reason == ""),
            "assumptions": assumption.where(reason == ""),
            "reason": reason,
        }
    )


def _tokens(rows: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Tokens seen: as stated, else dataset × epochs, else the dataset once where one pass is the custom."""
    dataset = rows["dataset_size"].where(rows["dataset_unit"] == "token")
    recent = rows["publication_date"] >= ONE_EPOCH_SINCE
    once = rows["epochs"].isna() & (dataset >= ONE_EPOCH_TOKENS) & recent
    # part of an epoch says that the tokens seen are another count than the dataset (GPT-3: 238e9 × 0.6, seen 300e9)
    epochs = rows["epochs"].where(rows["epochs"] >= 1).mask(once, 1)
    stated = rows["training_tokens"].notna()
    tokens = rows["training_tokens"].where(stated, dataset * epochs)
    return tokens, (once & ~stated).map({True: "one epoch", False: ""})


def _abstain(rows: pd.DataFrame, experts: pd.Series, n: pd.Series, d: pd.Series) -> pd.Series:
    """Why the method does not apply, row by row; empty where it does. The first reason counts."""
    import numpy as np
    import pandas as pd

    untold = rows["training_tokens"].isna()
    encoder_decoder = rows["name"].str.contains(ENCODER_DECODER_NAMES, regex=True)
    known = {
        "needs a language model: tokens are what the formula counts": ~_words(rows["domains"], "Language"),
        "needs the compute of the base model": rows["base_model"].notna(),
        "needs a dense transformer: a note says CNN": _words(rows["architecture"], "CNN"),
        "needs a dense transformer: a note says RNN": _words(rows["architecture"], "RNN"),
        "needs 3·N·D: an encoder-decoder": _words(rows["architecture"], "encoder-decoder") | encoder_decoder,
        "needs a transformer: published before June 2017 (arXiv:1706.03762)": ~(
            rows["publication_date"] >= "2017-06-12"
        ),
        "needs active parameters: a mixture of experts": experts & rows["parameters_active"].isna(),
        "needs parameters": n.isna(),
        "needs tokens seen or the dataset's size": untold & rows["dataset_size"].isna(),
        "needs the dataset in tokens": untold & (rows["dataset_unit"] != "token"),
        "needs tokens seen: part of an epoch": untold & (rows["epochs"] < 1),
        "needs epochs": d.isna(),
        "needs a second look: fewer than 0.2 tokens per parameter": d < LEAST_TOKENS_PER_PARAMETER * n,
    }
    chosen = np.select([mask.fillna(False).astype(bool) for mask in known.values()], list(known), default="")
    return pd.Series(chosen, index=rows.index, dtype="str")


def _words(texts: pd.Series, word: str) -> pd.Series:
    return (";" + texts.fillna("") + ";").str.contains(f";{word};", regex=False)
