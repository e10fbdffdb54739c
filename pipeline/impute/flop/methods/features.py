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
        "count": formulas.counted(FLOP_PER_PARAMETER_AND_TOKEN, n, seen),
        "product": formulas.from_chips(chip_hours_of(rows), peak, TYPICAL_UTILIZATION),
        "rate": chips * peak,
        "chips": chips,
        "hours": rows["training_hours"],
        "peak": peak,
        "batch": rows["batch_size"],
        "base": base_flop,
        "further": rows["finetune_compute_flop"],
    }
    return pd.DataFrame(values).transform(log10)


def starts(rows: pd.DataFrame, logs: pd.DataFrame) -> np.ndarray:
    """The index in STARTS of what each row starts from."""
    language, counted = has_word(rows["domains"], "Language"), logs["count"].notna()
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
    """log10 of the base's compute, of chips × hours or of 6 · N · D that a row starts from; nan for all others."""
    known = [start == 0, start == 1, start < NEAR]
    return np.asarray(np.select(known, [logs["base"], logs["product"], logs["count"]], np.nan))


def years(rows: pd.DataFrame) -> np.ndarray:
    """Years since the start of 2018; an unknown date counts as the start of 2020."""
    days = (rows["publication_date"] - pd.Timestamp("2018-01-01")).dt.days
    return np.asarray((days / 365.25).fillna(2.0).to_numpy())


def design(rows: pd.DataFrame, logs: pd.DataFrame, words: list[str]) -> Columns:
    """The columns of the regression by name; `words` are the `column:word` pairs that get one."""
    year = years(rows) / 3
    grown = np.maximum(year, 0)
    made: Columns = {"": np.ones(len(rows)), "year": year, "year after 2018": grown}
    made |= {"year before 2012": np.minimum(year + 2, 0), "year after 2022": np.maximum(year - 4 / 3, 0)}
    made["experts"] = _flag(rows["parameters_active"] < rows["parameters"])
    made["open weights"] = _flag(rows["open_weights"].fillna(False))
    made |= {name: _flag(has_word(rows[name.partition(":")[0]], name.partition(":")[2])) for name in words}
    made |= {name: ((logs[name] - centre) / 2).fillna(0).to_numpy() for name, centre in NUMBERS.items()}
    made |= {f"{name} known": _flag(logs[name].notna()) for name in NUMBERS}
    made["parameters²"] = made["parameters"] ** 2
    made |= {f"{name} × year": made[name] * year for name in ("parameters", "rate")}
    industry, academia = (_flag(has_word(rows["organization_category"], kind)) for kind in ("industry", "academia"))
    made |= {"industry × year": industry * year, "industry × year after 2018": industry * grown}
    made |= {"academia × year after 2018": academia * grown}
    made |= _closed(rows, industry, made["parameters known"], grown)
    for domain in GROWING:
        inside = _flag(has_word(rows["domains"], domain))
        made |= {f"{domain} × year": inside * year, f"{domain} × year after 2018": inside * grown}
        if domain in DOMAINS:
            made |= {f"{domain} × {name}": inside * made[name] for name in BY_DOMAIN}
    notable = _flag(rows["is_notable"].fillna(False))
    return made | {f"notable {name}": notable * made[name] for name in OF_NOTE}


def _flag(mask: pd.Series) -> np.ndarray:
    return mask.to_numpy(dtype="float64")


def _closed(rows: pd.DataFrame, industry: np.ndarray, is_sized: np.ndarray, grown: np.ndarray) -> Columns:
    """Columns for general language models without open weights, whose largest makers disclose least, for those that are
    made for one task, and for their growth."""
    language = has_word(rows["domains"], "Language")
    special, general = (
        np.any([has_word(rows[column], name) for name in names], axis=0)
        for column, names in (("domains", SPECIAL), ("tasks", GENERAL))
    )
    narrow = _flag(language & rows["tasks"].fillna("").ne("") & ~general)
    closed = _flag(language & ~special & ~rows["open_weights"].fillna(True).astype("bool")) * (1 - narrow)
    secret = closed * industry * (1 - is_sized)
    kinds = {"narrow language": narrow, "closed language": closed, "secret size": secret}
    return kinds | {f"{name} × year": kind * grown for name, kind in kinds.items()} | {
        "unknown parameters × year": (1 - is_sized) * grown
    }  # fmt: skip


def common_words(rows: pd.DataFrame, least: int) -> list[str]:
    """The `column:word` pairs that at least `least` rows have, in the order of WORDS, then alphabetically."""
    found = []
    for column in WORDS:
        counts = items_of(rows[column])[0].value_counts()
        found += sorted(f"{column}:{word}" for word in counts.index[counts >= least] if word != COSTLY)
    return found


def owners(rows: pd.DataFrame) -> pd.Series:
    """Whose models are judged together, by the index of `rows`: those of one owner, whose labs share code, data and
    habits, and with them what others made in the same training run. A model without an organisation stands alone."""
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
