"""What the regression looks at: one row per model, numbers as log10, words as 0 or 1; and which models are judged
together.

Nothing that a source computes from the FLOP goes in: not the cost, not the frontier flag, not notability based on cost,
not what a note states. A missing number is 0 with an indicator next to it, so that no row is left out.
"""

import numpy as np
import pandas as pd

from pipeline.frames import items_of
from pipeline.impute.digits import log10
from pipeline.impute.flop import formulas
from pipeline.impute.flop.formulas import FLOP_PER_PARAMETER_AND_TOKEN
from pipeline.impute.flop.methods.hardware import chip_hours_of, peak_rate
from pipeline.impute.flop.methods.operation_count import LOOKUP
from pipeline.impute.flop.result import has_word

Columns = dict[str, np.ndarray]  # one array per feature, as long as the rows

TYPICAL_UTILIZATION = 0.35  # between the two usual shares; the regression corrects it
TYPICAL_DEX = 21.0
FOLDS = 5
ROUNDS = 13  # of a robust fit
FOLD_BITS = 24  # of the hash that do not count: with the others the folds are about equally large
# name → (centre in dex, description). Centres are round numbers near the medians: they only keep coefficients small.
NUMBERS = {
    "parameters": 8.5,
    "dataset": 9.0,
    "epochs": 1.0,
    "count": 20.0,  # 6 · N · dataset · epochs
    "product": 20.5,  # chips · hours · peak · 0.35
    "rate": 16.0,  # chips · peak
    "chips": 1.5,
    "hours": 2.0,
    "peak": 14.0,
    "batch": 4.5,
    "base": 22.5,  # FLOP of the base models
    "further": 20.0,  # FLOP of the fine-tune as stated
}
EXTENTS = ("byte", "gigabyte", "hour", "hour_of_audio", "hour_of_video")  # datasets that are measured, not counted
# Tasks, countries and organisations were tried too: out of fold, they change no share by more than 0.01.
WORDS = ["domains", "dataset_unit", "organization_category", "notability_criteria"]
COSTLY = "notability_criteria:training_cost"  # a cost is computed from the FLOP
# What the estimate starts from: the first of these that is known. The words appear in `assumptions`. The first NEAR of
# them are close to the compute on their own; the others are informative only together with everything else.
STARTS = [
    "from the base model's compute",
    "from chips and hours",
    "from parameters, tokens and epochs",
    "from parameters and tokens",
    "from parameters, dataset and epochs",
    "from parameters and dataset",
    "from parameters",
    "from date and kind",
]
NEAR = 4
BY_START = ["", "year", "parameters", "dataset", "epochs", "count", "product", "rate", "base"]
FREE_NUMBERS = ["parameters", "dataset", "epochs", "count", "rate", "chips", "hours", "peak", "batch", "further"]
BY_DOMAIN = ["dataset", "count", "epochs", "parameters"]
DOMAINS = ["Vision", "Language", "Games", "Biology", "Image generation"]
# What is made for one of these is no general language model, though it may know language
SPECIAL = ["Biology", "Games", "Medicine", "Robotics"]
# … nor is one whose tasks are none of these (embeddings, translation, reading pages)
GENERAL = [
    "Agentic tasks",
    "Agentic workflows",
    "Chat",
    "Code generation",
    "Coding",
    "Japanese language modeling",
    "Language generation",
    "Language modeling",
    "Language modeling/generation",
    "Mathematical reasoning",
    "Quantitative reasoning",
    "Question answering",
    "Reasoning",
    "Text autocompletion",
]


def log_numbers(rows: pd.DataFrame, base_flop: pd.Series) -> pd.DataFrame:
    """log10 of each of NUMBERS by the index of `rows`, null where unknown, and parameters where they are entries of a
    table of which an example reads a few. `base_flop` is aligned with `rows`."""
    n = rows["parameters_active"].fillna(rows["parameters"]).mask(has_word(rows["architecture"], LOOKUP))
    size = rows["dataset_size"].mask(rows["dataset_unit"].isin(EXTENTS))
    dataset = rows["training_tokens"].fillna(size)
    seen = rows["training_tokens"].fillna(size * rows["epochs"].fillna(1))
    peak, chips, hours = peak_rate(rows), rows["hardware_quantity"], rows["training_hours"]
    values = {
        "parameters": n,
        "dataset": dataset,
        "epochs": rows["epochs"],
        "count": formulas.counted(FLOP_PER_PARAMETER_AND_TOKEN, n, seen),
        "product": formulas.from_chips(chip_hours_of(rows), peak, TYPICAL_UTILIZATION),
        "rate": chips * peak,
        "chips": chips,
        "hours": hours,
        "peak": peak,
        "batch": rows["batch_size"],
        "base": base_flop,
        "further": rows["finetune_compute_flop"],
    }
    return pd.DataFrame(values).transform(log10)


def starts(rows: pd.DataFrame, logs: pd.DataFrame) -> np.ndarray:
    """The index in STARTS of what each row starts from."""
    language = has_word(rows["domains"], "Language")
    counted = logs["count"].notna()
    repeats = rows["epochs"].notna() | rows["training_tokens"].notna()
    masks = [
        logs["base"].notna(),
        logs["product"].notna(),
        counted & language & repeats,
        counted & language,
        counted & repeats,
        counted,
        logs["parameters"].notna(),
    ]
    return np.asarray(np.select([np.asarray(mask, dtype=bool) for mask in masks], range(len(masks)), len(masks)))


def anchors(logs: pd.DataFrame, start: np.ndarray) -> np.ndarray:
    """log10 of the FLOP that a row starts from: its base, product or count; the same constant for all others."""
    known = [start == 0, start == 1, start < NEAR]
    return np.asarray(np.select(known, [logs["base"], logs["product"], logs["count"]], TYPICAL_DEX))


def years(rows: pd.DataFrame) -> np.ndarray:
    """Years since the start of 2018; an unknown date counts as the start of 2020."""
    days = (rows["publication_date"] - pd.Timestamp("2018-01-01")).dt.days
    return np.asarray((days / 365.25).fillna(2.0).to_numpy())


def designs(rows: pd.DataFrame, logs: pd.DataFrame, start: np.ndarray, words: list[str]) -> dict[str, Columns]:
    """The columns of both regressions by name: `near` for the rows that start near the compute, `free` for all;
    `words` are the `column:word` pairs that get a column."""
    year = years(rows)
    known = {name: logs[name].notna().to_numpy(dtype="float64") for name in NUMBERS}
    number = {name: ((logs[name] - centre) / 2).fillna(0).to_numpy() for name, centre in NUMBERS.items()}
    common: Columns = {"": np.ones(len(rows)), "year": year / 3}
    common |= {"year after 2018": np.maximum(year, 0) / 3, "year before 2012": np.minimum(year + 6, 0) / 3}
    common["experts"] = (rows["parameters_active"] < rows["parameters"]).to_numpy(dtype="float64")
    common["open weights"] = rows["open_weights"].fillna(False).to_numpy(dtype="float64")
    for column, _, word in (name.partition(":") for name in words):
        common[f"{column}:{word}"] = has_word(rows[column], word).to_numpy(dtype="float64")
    near = common | number | {f"{name} known": known[name] for name in NUMBERS}
    for place, text in enumerate(STARTS[:NEAR]):
        inside = (start == place).astype("float64")
        near |= {f"{text}: {name}": inside * near[name] for name in BY_START}
    free = common | {name: number[name] for name in FREE_NUMBERS}
    free |= {f"{name} known": known[name] for name in FREE_NUMBERS}
    free |= {"year after 2022": np.maximum(year - 4, 0) / 3, "parameters²": number["parameters"] ** 2}
    free |= {f"{name} × year": number[name] * year / 3 for name in ("parameters", "rate")}
    free |= _closed(rows, free)
    for domain in DOMAINS:
        inside = has_word(rows["domains"], domain).to_numpy(dtype="float64")
        free |= {f"{domain} × {name}": inside * number[name] for name in BY_DOMAIN}
    return {"near": near, "free": free}


def _closed(rows: pd.DataFrame, free: Columns) -> Columns:
    """Columns for general language models without open weights, whose largest makers disclose least, for those that are
    made for one task, and for their growth."""
    language = has_word(rows["domains"], "Language")
    special, general = (
        np.any([has_word(rows[column], name) for name in names], axis=0)
        for column, names in (("domains", SPECIAL), ("tasks", GENERAL))
    )
    narrow = language & rows["tasks"].fillna("").ne("") & ~general
    closed = language & ~special & ~narrow & ~rows["open_weights"].fillna(True).astype("bool")
    narrow, closed = (of_kind.to_numpy(dtype="float64") for of_kind in (narrow, closed))
    industry = has_word(rows["organization_category"], "industry").to_numpy(dtype="float64")
    secret = closed * industry * (1 - free["parameters known"])
    grown = free["year after 2018"]
    return {
        "narrow language": narrow,
        "narrow language × year": narrow * grown,
        "closed language": closed,
        "closed language × year": closed * grown,
        "secret size": secret,
        "secret size × year": secret * grown,
        "industry × year": industry * free["year"],
        "unknown parameters × year": (1 - free["parameters known"]) * grown,
    }


def common_words(rows: pd.DataFrame, least: int) -> list[str]:
    """The `column:word` pairs that at least `least` rows have, in the order of WORDS, then alphabetically."""
    found = []
    for column in WORDS:
        counts = items_of(rows[column])[0].value_counts()
        found += sorted(f"{column}:{word}" for word in counts.index[counts >= least])
    return [word for word in found if word != COSTLY]


def fit_robust(
    matrix: np.ndarray, target: np.ndarray, own: np.ndarray, ridge: np.ndarray, scale: float = 1.0
) -> np.ndarray:
    """The coefficients that minimise Σ own · s² · log(1 + r² / s²) + b · ridge · b, starting from least squares, by
    iteratively reweighted least squares."""
    weights = own
    for _ in range(ROUNDS):
        weighted = matrix.T * weights
        found = np.linalg.solve(weighted @ matrix + ridge, weighted @ target)
        weights = own / (1 + ((target - matrix @ found) / scale) ** 2)
    return found


def owners(rows: pd.DataFrame) -> pd.Series:
    """Whose models are judged together, by the index of `rows`: those of one owner, whose labs share code, data and
    habits, and so those of a family, of a paper and of a time, and with them what others made in the same training run.
    A model without an organisation stands alone."""
    return rows["owner"].fillna("?" + rows["name"]).astype("str")


def folds(rows: pd.DataFrame) -> np.ndarray:
    """A number below FOLDS per row, which depends only on its owner (`owners`)."""
    codes, names = owners(rows).factorize()
    hashes = pd.util.hash_array(np.asarray(names, dtype=object), categorize=False) >> np.uint64(FOLD_BITS)
    return np.asarray((hashes[codes] % np.uint64(FOLDS)).astype("int64"))


def domain_groups(rows: pd.DataFrame) -> pd.Series:
    """language (nothing else), multimodal (language and more), vision, image generation, games, biology, speech,
    other."""
    domains = rows["domains"].fillna("")
    names = ["Language", "Vision", "Image generation", "Games", "Biology", "Speech"]
    has = {name: domains.str.contains(name, regex=False).to_numpy(dtype=bool) for name in names}
    masks = [(domains == "Language").to_numpy(dtype=bool), *has.values()]
    labels = ["language", "multimodal", *(name.lower() for name in names[1:])]
    return pd.Series(np.select(masks, labels, "other"), index=rows.index, dtype="str")
