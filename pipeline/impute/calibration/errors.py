"""How far off each method is when each model's own FLOP, and everything computed from it, is withheld.

Withheld are the published value, bounds on it, figures in notes, cost, power, the frontier flag, and a utilisation with
which chips × hours × peak give back the published value. The published value of a base model may be used.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from pipeline.impute.calibration.proportion import clopper_pearson
from pipeline.impute.flop import cascade, formulas, intervals
from pipeline.impute.flop.calibrated import Calibrated
from pipeline.impute.flop.formulas import FLOP_PER_PARAMETER_AND_TOKEN
from pipeline.impute.flop.methods import base_model, hardware, note, operation_count, statistical
from pipeline.impute.flop.methods.features import FOLDS, folds
from pipeline.impute.flop.rows import FIELD

SAME = 0.05  # a published value this close to 6 · N · D or to a hardware product is not independent of it
CUSTOMARY_SHARES = (0.30, 0.35, 0.40, 0.50)  # of the peak rate, with which publishers usually multiply
GIVEN_BACK = 0.02  # … and this close with the utilisation given, the utilisation is computed from it
# How much models count for the intervals: those whose published value is itself such a product count 0.4 times, those
# that are not notable a quarter. With equal weights, intervals contain only 81 to 83 % of the independent values.
DEPENDENT_WEIGHT = 0.4
NOT_NOTABLE_WEIGHT = 0.25
PHYSICAL = [base_model.METHOD, operation_count.METHOD, hardware.METHOD]
ANY_PHYSICAL, CASCADE, ALL = "physical", "cascade", "all"
PERIODS = {"before 2010": (0, 2010), "2010-2017": (2010, 2018), "2018 on": (2018, 9999), "2022 on": (2022, 9999)}
FACTORS = (2, 3, 10)
SUBSETS = ("whole", "independent")
ROUNDED = 4
PREDICTED = ["method", "made_by", "assumptions", "inputs_dex", "value"]


def hide(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows without what is computed from the published value, but with that value (others may be made from it)."""
    clocked = hardware.count_chip_hours(rows)["value"]
    given_back = (clocked / rows[FIELD] - 1).abs() < GIVEN_BACK
    return rows.assign(
        hardware_utilization=rows["hardware_utilization"].mask(given_back),
        **dict.fromkeys(("at_least", "at_most", "noted_low", "noted_high", "training_compute_stated"), np.nan),
    )


def predict(rows: pd.DataFrame, edges: pd.DataFrame, calibrated: Calibrated) -> pd.DataFrame:
    """model_id, method, made_by, assumptions, value: each method for each row with a published value, as well as
    `physical`, the method that would be selected, and `cascade`, which is that or else the statistical one. Left out
    where a method abstains."""
    rows = hide(rows)
    results = cascade.all_methods(rows, edges, calibrated)
    unpublished = rows.assign(**{FIELD: np.nan})
    judged = cascade.judge({method: results[method] for method in PHYSICAL}, unpublished)
    taken = pd.concat([made[made["is_selected"]] for made in judged.values()]).set_index("model_id")
    own = {method: made.set_index("model_id") for method, made in results.items() if method != note.METHOD}
    rest = own[statistical.METHOD]
    both = pd.concat([taken, rest[~rest.index.isin(taken.index)]])
    parts = [
        made.assign(made_by=made["method"], method=name).reindex(columns=PREDICTED)
        for name, made in {**own, ANY_PHYSICAL: taken, CASCADE: both}.items()
    ]
    return pd.concat(parts).dropna(subset="value").reset_index(names="model_id")


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
        "weight": np.where(independent, 1, DEPENDENT_WEIGHT) * np.where(notable, 1, NOT_NOTABLE_WEIGHT),
    }
    return pd.DataFrame(about)[rows[FIELD].notna()]


def score(predicted: pd.DataFrame, about: pd.DataFrame) -> pd.DataFrame:
    """The predictions for the rows of `about` (see `describe`), with error_dex = log10(prediction ÷ published)."""
    scored = predicted.merge(about, on="model_id", validate="many_to_one")
    scored = scored.assign(error_dex=np.log10(scored["value"] / scored["published"]))
    return scored.sort_values(["method", "model_id"], ignore_index=True)


def domain_groups(rows: pd.DataFrame) -> pd.Series:
    """language (nothing else), multimodal (language and more), vision, image generation, games, biology, speech, other."""
    domains = rows["domains"].fillna("")
    names = ["Language", "Vision", "Image generation", "Games", "Biology", "Speech"]
    has = {name: domains.str.contains(name, regex=False).to_numpy(dtype=bool) for name in names}
    masks = [(domains == "Language").to_numpy(dtype=bool), *has.values()]
    labels = ["language", "multimodal", *(name.lower() for name in names[1:])]
    return pd.Series(np.select(masks, labels, "other"), index=rows.index, dtype="str")


def is_whole(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.Series:
    """False where the published value is less than those of the models that it was made from: it leaves them out, so it
    is not the total that we estimate (epoch.ai/data/ai-models-documentation/estimation: base models are included)."""
    published = rows.set_index("model_id")[FIELD]
    bases = base_model.base_compute(edges, published).set_axis(rows.index)
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


def out_of_fold(scored: pd.DataFrame, basis: pd.DataFrame) -> pd.DataFrame:
    """`scored` with half_width_90 (dex) and inside_50, _80, _90, from intervals made of `basis` without the fold
    that has the row's family."""
    parts = []
    for fold in range(FOLDS):
        table = intervals.make_intervals(own_methods(basis[basis["fold"] != fold]))
        parts.append(_judge_intervals(scored[scored["fold"] == fold], table))
    return pd.concat(parts).sort_index()


def own_methods(scored: pd.DataFrame) -> pd.DataFrame:
    """The rows that intervals are made from: without those that repeat a method's rows under the name of the cascade,
    and without published values that are not the whole."""
    return scored[(scored["method"] == scored["made_by"]) & scored["whole"]]


def _judge_intervals(scored: pd.DataFrame, table: pd.DataFrame) -> pd.DataFrame:
    made = scored.assign(method=scored["made_by"])
    judged = scored
    for level in intervals.LEVELS:
        half = intervals.half_width(made, table, level)
        judged = judged.assign(**{f"inside_{level}": scored["error_dex"].abs() <= half, f"half_width_{level}": half})
    return judged


def measure(judged: pd.DataFrame, inputs: str) -> pd.DataFrame:
    """The rows of the table `calibration` for one kind of inputs: each method overall, and by domain, period and
    confidence."""
    lines = []
    for subset, rows in {ALL: judged, **{name: judged[judged[name]] for name in SUBSETS}}.items():
        for method, group in rows.groupby("method", sort=True):
            for key, part in _parts(group):
                if len(part):
                    about = {"inputs": inputs, "method": method, "subset": subset}
                    lines.append(about | dict.fromkeys(("domain", "period", "confidence"), ALL) | key | figures(part))
    return pd.DataFrame(lines)


def _parts(group: pd.DataFrame) -> list[tuple[dict[str, str], pd.DataFrame]]:
    parts: list[tuple[dict[str, str], pd.DataFrame]] = [({}, group)]
    parts += [({"domain": str(name)}, part) for name, part in group.groupby("domain", sort=True)]
    for name, (first, end) in PERIODS.items():
        parts.append(({"period": name}, group[(group["year"] >= first) & (group["year"] < end)]))
    parts += [({"confidence": str(word)}, part) for word, part in group.groupby("confidence", sort=True)]
    return parts


def figures(part: pd.DataFrame) -> dict[str, float]:
    """n, bias and spread of the errors, shares within factors, coverage and width of the intervals."""
    error = part["error_dex"].to_numpy()
    median = float(np.median(error))
    low, high = clopper_pearson(int(part["inside_90"].sum()), len(part))
    made = {"n": len(part), "median_error_dex": median, "mad_dex": float(np.median(np.abs(error - median)))}
    made |= {f"within_{factor}": float(np.mean(np.abs(error) <= np.log10(factor))) for factor in FACTORS}
    made |= {f"coverage_{level}": float(part[f"inside_{level}"].mean()) for level in intervals.LEVELS}
    made |= {"coverage_90_low": low, "coverage_90_high": high}
    made |= {"half_width_90_dex": float(part["half_width_90"].median())}
    return {name: value if name == "n" else round(value, ROUNDED) + 0.0 for name, value in made.items()}


def for_fit(rows: pd.DataFrame, edges: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    """The arguments of statistical.fit: the rows without what is computed from the published value, and the FLOP of the
    base models."""
    rows = hide(rows)
    known = cascade.known_compute(rows, edges).reindex(rows["model_id"])
    return rows, base_model.base_compute(edges, known).set_axis(rows.index)


def count_imputed(rows: pd.DataFrame, edges: pd.DataFrame) -> pd.DataFrame:
    """method, models, bounds: how many notable models without a published value get a value from each method, and how
    many get only a bound."""
    results = cascade.all_methods(rows, edges, None)
    notable = rows["is_notable"].astype("bool")
    taken = {name: made["is_selected"] & notable for name, made in results.items()}
    models = [int((taken[name] & made["value"].notna()).sum()) for name, made in results.items()]
    bounds = [int((taken[name] & made["value"].isna()).sum()) for name, made in results.items()]
    return pd.DataFrame({"method": list(results), "models": models, "bounds": bounds})
