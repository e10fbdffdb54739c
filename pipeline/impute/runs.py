"""Which training run each model came out of, and what names tell of it: a run that appears under several names is one
run, and of one version of a line Haiku, mini, Flash are smaller than Opus, Pro, Max.

A name that differs from another by a month in brackets or by a way of use (Instant, Thinking, Codex, the Pro of a GPT)
is of the same model: what was pre-trained is the same."""

from __future__ import annotations

import numpy as np
import pandas as pd

ALMOST_ALL = 0.9  # share of a model's compute that its base took, from which on it is another name of the base's run
MONTH = r" \((?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]* \d{4}\)$"
MODES = r"[ -](?:instant|thinking|codex(?:[ -]max)?|deep think|preview)$"
PRO = r"^(gpt-\d(?:\.\d)?|o\d)[ -]pro$"  # of these the same model that thinks longer; of others a larger one
IN_BRACKETS = r"\s*\([^)]*\)"
# From small to large. A name without such a word stands beside `pro`: GPT-5 nano, mini, and GPT-5
LADDER = [{"nano", "micro", "tiny"}, {"mini", "lite", "small", "haiku"},
          {"flash", "fast", "air", "medium", "sonnet"}, {"pro", "plus"},
          {"opus", "max", "ultra", "large", "premier"}]  # fmt: skip
UNNAMED = 3
SIZE_WORDS = {word: rank for rank, words in enumerate(LADDER) for word in words}
OF_NAMES = ["model_id", "name", "organization", "publication_date", "base_model_id"]
DAYS = 400  # between models of a line


def training_run_id(models: pd.DataFrame) -> pd.Series:
    """The model_id of the first model of the run, from model_id, name, organization, publication_date, training_run_id,
    base_model_id, training_compute_flop and training_compute_low.

    A model is of the run that its training_run_id names already (a training_run claim), else of its base's run if the
    base took at least nine tenths of the compute (of a model without a value, of what is known as the least), or if no
    compute is known of either; without a base, of the run of the model of which it is another date or way of use
    (`heads`) unless its value says otherwise; else it is a run of its own."""
    ids = pd.Index(models["model_id"])
    own, base, head = (
        ids.get_indexer(some) for some in (models["training_run_id"], models["base_model_id"], heads(models[OF_NAMES]))
    )
    flop = models["training_compute_flop"].to_numpy()
    is_other_name = (head >= 0) & ~(flop[head] < ALMOST_ALL * flop)
    size = models["training_compute_flop"].fillna(models["training_compute_low"]).to_numpy()
    is_same = (base >= 0) & ((size[base] >= ALMOST_ALL * size) | (np.isnan(size[base]) & np.isnan(size)))
    run = np.select([own >= 0, is_same, is_other_name], [own, base, head], np.arange(len(ids)))
    for _ in range(len(ids).bit_length()):  # each time twice as far, through the longest chain that there could be
        run = run[run]
    found: pd.Series = models["model_id"].iloc[run].set_axis(models.index)
    return found


def heads(models: pd.DataFrame) -> pd.Series:
    """By the index of `models` (model_id, name, organization, publication_date, base_model_id) the model_id of the
    model of which this is another date or way of use: the one with the bare name, else the first; null for all others,
    for a name without a number (Claude Instant is no Claude), and for what has a base."""
    bare = bare_names(models["name"])
    order = models.assign(bare=bare, other=bare != models["name"].str.lower(), owner=owners(models["organization"]))
    order = order.sort_values(["other", "publication_date", "model_id"])
    head = order.groupby(["owner", "bare"])["model_id"].transform("first").reindex(models.index)
    is_other = (head != models["model_id"]) & models["base_model_id"].isna() & bare.str.contains(r"\d", regex=True)
    base_of_head = head.map(models.set_index("model_id")["base_model_id"])
    return head.where(is_other & (base_of_head != models["model_id"]))


def bare_names(names: pd.Series) -> pd.Series:
    """The names in small letters without a month and a way of use."""
    bare = names.str.replace(MONTH, "", regex=True).str.lower()
    return bare.str.replace(MODES, "", regex=True).str.replace(PRO, r"\1", regex=True)


def owners(organizations: pd.Series) -> pd.Series:
    """The first word of the organisation: Google of Google DeepMind; its labs name their models together."""
    return organizations.fillna("").str.split(" ").str[0].astype("str")


def smaller(models: pd.DataFrame) -> pd.DataFrame:
    """Pairs of `small` and `large` (model_id) that are of one version of a line, by their words for size, with `rank`,
    the lower the larger the small one is. Reads model_id, name, organization and publication_date."""
    plain = bare_names(models["name"].str.replace(IN_BRACKETS, "", regex=True)).str.replace(r"\.0\b", "", regex=True)
    words = plain.str.split(r"[\s_-]+", regex=True)
    ranks = [min((SIZE_WORDS[word] for word in each if word in SIZE_WORDS), default=UNNAMED) for each in words]
    line = [" ".join(word for word in each if word not in SIZE_WORDS) for each in words]
    about = models[["model_id", "publication_date"]].assign(
        rank=ranks, line=owners(models["organization"]) + " " + np.array(line)
    )
    about = about[[bool(part) for part in line]].dropna()
    pairs = about.merge(about, on="line", suffixes=("", "_large"))
    near = (pairs["publication_date"] - pairs["publication_date_large"]).abs().dt.days <= DAYS
    pairs = pairs[near & (pairs["rank"] < pairs["rank_large"])]
    found = pairs[["model_id", "model_id_large"]].set_axis(["small", "large"], axis=1)
    return found.assign(rank=len(LADDER) - pairs["rank"])


def first_of_run(run: np.ndarray, date: np.ndarray) -> np.ndarray:
    """Whether an entry is the earliest of its run; of one day, the first in the order given."""
    order = np.argsort(date, kind="stable")
    found = np.empty(len(run), dtype=bool)
    found[order] = ~pd.Series(run[order]).duplicated().to_numpy()
    return found
