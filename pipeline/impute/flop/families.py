"""What names tell of the training: which are other names of one model, and which is the smaller of a line.

A name that differs from another by a month in brackets or by a way of use (Instant, Thinking, Codex, the Pro of a GPT)
is of the same model: what was pre-trained is the same. Of one version of a line Haiku, mini, Flash are smaller than
Opus, Pro, Max."""

import numpy as np
import pandas as pd

from pipeline.impute.digits import log10
from pipeline.impute.flop.result import rounded
from traincompute.base.quantiles import QUANTILES

MONTH = r" \((?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]* \d{4}\)$"
MODES = r"[ -](?:instant|thinking|codex(?:[ -]max)?|deep think|preview)$"
PRO = r"^(gpt-\d(?:\.\d)?|o\d)[ -]pro$"  # of these the same model that thinks longer; of others a larger one
IN_BRACKETS = r"\s*\([^)]*\)"
# From small to large. A name without such a word stands beside `pro`: GPT-5 nano, mini, and GPT-5
LADDER = [
    {"nano", "micro", "tiny"},
    {"mini", "lite", "small", "haiku"},
    {"flash", "fast", "air", "medium", "sonnet"},
    {"pro", "plus"},
    {"opus", "max", "ultra", "large", "premier"},
]
UNNAMED = 3
SIZE_WORDS = {word: rank for rank, words in enumerate(LADDER) for word in words}
STEP_DEX = 0.6  # between two sizes of a line: the median of 18 pairs of which both have a value (half: 0.43 to 0.76)
MEDIAN = QUANTILES[2]
DAYS = 400  # between models of a line


def heads(models: pd.DataFrame) -> pd.Series:
    """By the index of `models` (model_id, name, organization, publication_date, base_model_id) the model_id of the
    model of which this is another date or way of use: the one with the bare name, else the first; null for all others,
    for a name without a number (Claude Instant is no Claude), and for what has a base."""
    bare = bare_names(models["name"])
    order = models.assign(bare=bare, other=bare != models["name"].str.lower(), owner=_owners(models))
    order = order.sort_values(["other", "publication_date", "model_id"])
    head = order.groupby(["owner", "bare"])["model_id"].transform("first").reindex(models.index)
    is_other = (head != models["model_id"]) & models["base_model_id"].isna() & bare.str.contains(r"\d", regex=True)
    base_of_head = head.map(models.set_index("model_id")["base_model_id"])
    return head.where(is_other & (base_of_head != models["model_id"]))


def bare_names(names: pd.Series) -> pd.Series:
    """The names in small letters without a month and a way of use."""
    bare = names.str.replace(MONTH, "", regex=True).str.lower()
    return bare.str.replace(MODES, "", regex=True).str.replace(PRO, r"\1", regex=True)


def _owners(models: pd.DataFrame) -> pd.Series:
    """The first word of the organisation: labs of Google, Meta and Microsoft carry the owner's name."""
    return models["organization"].fillna("").str.split(" ").str[0].astype("str")


def ordered(made: pd.DataFrame, models: pd.DataFrame, moved: pd.Series) -> pd.DataFrame:
    """`made` (by model_id, QUANTILES in FLOP) with the models that `moved` says, from the largest of a line on, moved
    down until their medians lie STEP_DEX below those of the larger ones of their version, and up to those of smaller
    ones that stay where they are."""
    pairs = smaller(models[models["model_id"].isin(made.index)])
    down, up = pairs["small"].isin(made.index[moved]), pairs["large"].isin(made.index[moved])
    median = pd.Series(log10(made[MEDIAN].to_numpy()), made.index)
    start = median.copy()
    for _, step in pairs[down].groupby("rank", sort=True):
        most = (median[step["large"]] - STEP_DEX).groupby(step["small"].to_numpy()).min()
        median[most.index] = np.minimum(median[most.index], most)
    kept = pairs[up & ~down]
    least = median[kept["small"]].groupby(kept["large"].to_numpy()).max()
    median[least.index] = np.maximum(median[least.index], least)
    factor = 10 ** (median - start)
    flop = {name: made[name].mask(median != start, rounded(made[name] * factor)) for name in QUANTILES}
    return made.assign(**flop)


def smaller(models: pd.DataFrame) -> pd.DataFrame:
    """Pairs of `small` and `large` (model_id) that are of one version of a line, by their words for size, with `rank`,
    the lower the larger the small one is."""
    plain = bare_names(models["name"].str.replace(IN_BRACKETS, "", regex=True)).str.replace(r"\.0\b", "", regex=True)
    words = plain.str.split(r"[\s_-]+", regex=True)
    ranks = [min((SIZE_WORDS[word] for word in each if word in SIZE_WORDS), default=UNNAMED) for each in words]
    line = [" ".join(word for word in each if word not in SIZE_WORDS) for each in words]
    about = models[["model_id", "publication_date"]].assign(rank=ranks, line=_owners(models) + " " + np.array(line))
    about = about[[bool(part) for part in line]].dropna()
    pairs = about.merge(about, on="line", suffixes=("", "_large"))
    near = (pairs["publication_date"] - pairs["publication_date_large"]).abs().dt.days <= DAYS
    pairs = pairs[near & (pairs["rank"] < pairs["rank_large"])]
    found = pairs[["model_id", "model_id_large"]].set_axis(["small", "large"], axis=1)
    return found.assign(rank=len(LADDER) - pairs["rank"])
