"""Statistical: one regression on what is known about a model, for models whose compute no physical method gives.

log10 C = 21 + x · b, where x has date, numbers as log10 and words as 0 or 1. b is fitted by iteratively reweighted
least squares with weights 1 / (1 + r²), r in dex (the likelihood of Student's t with one degree of freedom; Huber &
Ronchetti 2009, Robust Statistics, §7.8) and a ridge penalty, so that a few published values that are far off do not
move it. Where the base model's compute, chips × hours × peak × 0.35 or, for a language model, 6 · N · D is known, the
first of these is the estimate, times the median factor by which published values differ from it. Each model is
predicted with coefficients fitted without its owner.

Nothing that a source computes from the FLOP goes in: not the cost, the frontier flag, notability based on cost, or what
a note states. A missing number is 0 with an indicator next to it, so that no row is left out."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.frames import items_of
from pipeline.impute.methods.hardware import peak_flop, peak_rate
from pipeline.impute.methods.operation_count import LOOKUP
from pipeline.impute.results import DECIMALS, FIELD, OPERATIONS, has_word, log10, make_result, rounded, written

METHOD = "statistical"
TYPICAL_DEX = 21.0
PENALTY, INTERCEPT_PENALTY = 2.0, 0.01
ROUNDS = 13  # of a robust fit
LEAST_ROWS = 15  # a word that fewer rows have gets no coefficient, and a start that fewer have no factor
DIGITS = 4  # decimals of a coefficient
INPUTS = ["publication_date", "parameters", "parameters_active", "training_tokens", "dataset_size", "epochs",
          "hardware_quantity", "training_hours", "chip_hours", "batch_size", "finetune_compute_flop",
          "base_model"]  # fmt: skip
TYPICAL_UTILIZATION = 0.35  # between the two usual shares; the regression corrects it
FOLDS = 5
FOLD_BITS = 24  # of the hash that do not count: with the others the folds are about equally large
# name → centre in dex, a round number near the median
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
WORDS = ["domains", "dataset_unit", "organization_category", "notability_criteria"]
COSTLY = "training_cost"  # a criterion of note that is computed from the FLOP
# What is known: the first of these. The words appear in `assumptions`. The first NEAR of them are close to the compute
# on their own.
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
BY_DOMAIN = ["dataset", "count", "epochs", "parameters"]
DOMAINS = ["Vision", "Language", "Games", "Biology", "Image generation"]
GROWING = [*DOMAINS, "Multimodal", "Speech", "Robotics"]  # domains with a slope in time of their own
# What is made for one of these is no general language model, though it may know language
SPECIAL = ["Biology", "Games", "Medicine", "Robotics"]
# … nor is one whose tasks are none of these (embeddings, translation, reading pages)
GENERAL = ["Agentic tasks", "Agentic workflows", "Chat", "Code generation", "Coding", "Japanese language modeling",
           "Language generation", "Language modeling", "Language modeling/generation", "Mathematical reasoning",
           "Quantitative reasoning", "Question answering", "Reasoning", "Text autocompletion"]  # fmt: skip
# What notable models have a term of their own for
OF_NOTE = ["", "year after 2018", "parameters", "closed language", "secret size", "closed language × year",
           "secret size × year", "unknown parameters × year", "industry × year"]  # fmt: skip


def estimate(rows: pd.DataFrame, base_flop: pd.Series, coefficients: pd.DataFrame) -> pd.DataFrame:
    """The result (see make_result) of each row. `base_flop`: of the base models by the index of `rows`."""
    logs, fold = log_numbers(rows, base_flop), folds(rows["owner"])
    start, anchor = starts(rows, logs)
    names = coefficients.loc["regression"].index
    columns = design(rows, logs, [name for name in names if name.partition(":")[0] in WORDS])
    table = coefficients.loc["regression"].reindex(list(columns)).fillna(0).to_numpy()
    change = (np.array(list(columns.values())).T @ table)[np.arange(len(rows)), fold]
    factors = coefficients.loc["factor"].to_numpy()[np.minimum(start, NEAR - 1), fold]
    anchor, change = np.where(start < NEAR, anchor, TYPICAL_DEX), np.where(start < NEAR, factors, change)
    dex = pd.DataFrame({"flop": anchor + change, "anchor": anchor, "factor": change}, rows.index)
    flop = (10 ** dex.round(DECIMALS).clip(-30, 30)).apply(rounded)
    return make_result(
        flop["flop"],
        0.0,
        pd.Series("", index=rows.index, dtype="str"),
        formula=written(flop["anchor"]) + " FLOP × " + written(flop["factor"]),
        assumptions=pd.Series(np.array(STARTS, dtype=object)[start], index=rows.index, dtype="str"),
        fields={str(name): mask for name, mask in rows[INPUTS].notna().items()},
    )


def fit(rows: pd.DataFrame, base_flop: pd.Series, share: pd.Series) -> pd.DataFrame:
    """The coefficients by part (`regression`, `factor`) and name, from the rows with a published value, of which each
    counts its `share` (0: is left out): one column per fold, fitted without its models.

    Models that are notable for their cost alone are left out of the regression: the cost is computed from the FLOP."""
    known = rows[FIELD].notna() & (share > 0)
    rows, base_flop = rows[known], base_flop[known]
    by_cost = rows["is_notable"].fillna(False) & rows["notability_criteria"].eq(COSTLY)
    weight = share[known].to_numpy() * ~by_cost.to_numpy(dtype="bool")
    logs, fold, dex = log_numbers(rows, base_flop), folds(rows["owner"]), log10(rows[FIELD].to_numpy())
    start, anchor = starts(rows, logs)
    words = list[str]()  # in the order of WORDS, then alphabetically
    for column in WORDS:
        counts = items_of(rows.loc[weight > 0, column])[0].value_counts()
        words += sorted(f"{column}:{word}" for word in counts.index[counts >= LEAST_ROWS] if word != COSTLY)
    columns = design(rows, logs, words)
    matrix, ridge = np.column_stack(list(columns.values())), PENALTY * np.eye(len(columns))
    ridge[0, 0] = INTERCEPT_PENALTY
    kept = [(fold != k) & (weight > 0) for k in range(FOLDS)]
    made = [fit_robust(matrix[use], dex[use] - TYPICAL_DEX, weight[use], ridge) for use in kept]
    off = [[(dex - anchor)[(start == place) & (fold != k)] for place in range(NEAR)] for k in range(FOLDS)]
    factors = [[float(np.median(some)) if len(some) >= LEAST_ROWS else 0.0 for some in each] for each in off]
    names = list(map(str, range(FOLDS)))
    parts = {"regression": pd.DataFrame(np.transpose(made), list(columns), names),
             "factor": pd.DataFrame(np.transpose(factors), STARTS[:NEAR], names)}  # fmt: skip
    return pd.concat(parts, names=["part", "name"]).round(DECIMALS).round(DIGITS)


def fit_robust(matrix: np.ndarray, target: np.ndarray, own: np.ndarray, ridge: np.ndarray) -> np.ndarray:
    """The coefficients that minimise Σ own · log(1 + r²) + b · ridge · b, by iteratively reweighted least squares."""
    weights = own
    for _ in range(ROUNDS):
        weighted = matrix.T * weights
        found = np.linalg.solve(weighted @ matrix + ridge, weighted @ target)
        weights = own / (1 + (target - matrix @ found) ** 2)
    return found


def log_numbers(rows: pd.DataFrame, base_flop: pd.Series) -> pd.DataFrame:
    """log10 of each of NUMBERS by the index of `rows`, null where unknown, and parameters where they are entries of a
    table of which an example reads a few. `base_flop` is aligned with `rows`."""
    n = rows["parameters_active"].fillna(rows["parameters"]).mask(has_word(rows["architecture"], LOOKUP))
    size = rows["dataset_size"].mask(rows["dataset_unit"].isin(EXTENTS))
    seen = rows["training_tokens"].fillna(size * rows["epochs"].fillna(1))
    peak, chips = peak_rate(rows), rows["hardware_quantity"]
    values = {
        "parameters": n,
        "dataset": rows["training_tokens"].fillna(size),
        "epochs": rows["epochs"],
        "count": OPERATIONS * n * seen,
        "product": peak_flop(rows) * TYPICAL_UTILIZATION,
        "rate": chips * peak,
        "chips": chips,
        "hours": rows["training_hours"],
        "peak": peak,
        "batch": rows["batch_size"],
        "base": base_flop,
        "further": rows["finetune_compute_flop"],
    }
    return log10(pd.DataFrame(values))


def starts(rows: pd.DataFrame, logs: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """The place in STARTS of what each row starts from, and log10 of the base's compute, of chips × hours or of 6 · N ·
    D where that is near its compute."""
    counted, language = logs["count"].notna(), has_word(rows["domains"], "Language")
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
    start = np.select([np.asarray(mask, dtype=bool) for mask in masks], range(len(masks)), len(masks))
    known = [start == 0, start == 1, start < NEAR]
    return start, np.select(known, [logs["base"], logs["product"], logs["count"]], np.nan)


def design(rows: pd.DataFrame, logs: pd.DataFrame, words: list[str]) -> dict[str, np.ndarray]:
    """The columns of the regression by name, one number per row; `words` are the `column:word` pairs that get one.

    Closed general language models have columns of their own: their makers disclose least."""
    # years since the start of 2018, in threes; an unknown date counts as the start of 2020
    days = (rows["publication_date"] - pd.Timestamp("2018-01-01")).dt.days
    year = (days / 365.25).fillna(2.0).to_numpy() / 3
    grown = np.maximum(year, 0)
    texts = dict(rows[WORDS].items())
    domains, category = texts["domains"], texts["organization_category"]
    inside = {name: _has(domains, [name]) for name in GROWING}
    industry, academia = _has(category, ["industry"]), _has(category, ["academia"])
    language, special = _has(domains, ["Language"]), _has(domains, SPECIAL)
    narrow = language * rows["tasks"].fillna("").ne("").to_numpy() * (1 - _has(rows["tasks"], GENERAL))
    closed = language * (1 - special) * rows["open_weights"].eq(False).fillna(False).to_numpy("float64") * (1 - narrow)
    made = {"": np.ones(len(rows)), "year": year, "year after 2018": grown}
    made |= {"year before 2012": np.minimum(year + 2, 0), "year after 2022": np.maximum(year - 4 / 3, 0)}
    made["experts"] = (rows["parameters_active"] < rows["parameters"]).to_numpy("float64")
    made["open weights"] = rows["open_weights"].fillna(False).to_numpy("float64")
    made |= {name: _has(texts[name.partition(":")[0]], [name.partition(":")[2]]) for name in words}
    made |= {name: ((logs[name] - centre) / 2).fillna(0).to_numpy() for name, centre in NUMBERS.items()}
    made |= {f"{name} known": logs[name].notna().to_numpy("float64") for name in NUMBERS}
    unsized = 1 - made["parameters known"]
    made["parameters²"] = made["parameters"] ** 2
    made |= {f"{name} × year": made[name] * year for name in ("parameters", "rate")}
    made |= {"industry × year": industry * year, "industry × year after 2018": industry * grown}
    made |= {"academia × year after 2018": academia * grown}
    kinds = {"narrow language": narrow, "closed language": closed, "secret size": closed * industry * unsized}
    made |= kinds | {f"{name} × year": kind * grown for name, kind in kinds.items()}
    made["unknown parameters × year"] = unsized * grown
    for name, mask in inside.items():
        made |= {f"{name} × year": mask * year, f"{name} × year after 2018": mask * grown}
        if name in DOMAINS:
            made |= {f"{name} × {other}": mask * made[other] for other in BY_DOMAIN}
    notable = rows["is_notable"].fillna(False).to_numpy("float64")
    return made | {f"notable {name}": notable * made[name] for name in OF_NOTE}


def _has(texts: pd.Series, words: list[str]) -> np.ndarray:
    """1 where a ;-joined text has one of the words, else 0."""
    return np.asarray(np.any([has_word(texts, word) for word in words], axis=0), dtype="float64")


def folds(owners: pd.Series) -> np.ndarray:
    """A number below FOLDS per row, by who owns its organisation: labs share code, data and habits."""
    codes, names = owners.factorize()
    hashes = pd.util.hash_array(np.asarray(names, dtype=object), categorize=False) >> np.uint64(FOLD_BITS)
    return np.asarray((hashes[codes] % np.uint64(FOLDS)).astype("int64"))
