"""The checks of `traincompute audit`: each takes the tables of a vintage and gives the values that contradict something
else that is stated about the same model. Pure functions; nothing is changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import pandas as pd

from pipeline.pull.notes.evaluation import evaluate
from pipeline.registry.reasons import CORRECTED

FLOP = "training_compute_flop"
NOTES = {"Training compute notes": FLOP, "Finetune compute notes": "finetune_compute_flop"}
APART = 3.0  # what epoch.ai calls a confident value is within a factor of 3; calculations in notes are exact
FAR_APART = 10.0  # 6ND and hardware products are within a factor of 10 for nine values in ten
PLAUSIBLE = 1e9  # no training run of the dataset took less; smaller results are steps of a calculation,
STEP = 1e-4  # as are results that are this part of the value: tokens, FLOP of one pass
POWER_OF_TEN = 0.10  # a slip of the decimal point leaves the digits as they are
ROUNDED = 1.01  # a value may be its own bound rounded otherwise
SECONDS = 3600
UTILISATION = {
    True: 0.30,
    False: 0.40,
}  # for language models and others, epoch.ai/data/ai-models-documentation/estimation
HOURS_WITHIN = 0.02
FACTOR_FORGOTTEN = 0.02  # a value that is N·D itself
SAME_DIGITS = 0.01  # a 6ND that has the digits of the value
MANY_PARAMETERS = 1e11  # a model of this size may be a mixture of experts though no source says so (Kimi K2.5, GLM-4.6)
SLIP, CONTRADICTION, IMPLAUSIBLE, RECORD, NOTE = range(1, 6)  # ranks: how surely the published value is what is wrong
RUN = ("hardware", "hardware_quantity", "training_hours", "chip_hours", "numerical_format")
INPUTS = ("parameters", "parameters_active", "training_tokens", "dataset_size", "epochs")


class Finding(NamedTuple):
    """One contradiction. `ratio` is stated / expected, `rank` 1 (a slip of the decimal point) to 5 (only the note)."""

    rank: int
    model_id: str
    check: str
    field: str
    stated: float | str
    expected: float | str
    ratio: float | None
    evidence: str
    claim_ids: list[str]


class View(NamedTuple):
    """The tables of one vintage: models by model_id, claims, hardware by hardware_id, mentions of hardware."""

    models: pd.DataFrame
    claims: pd.DataFrame
    hardware: pd.DataFrame
    mentions: pd.DataFrame


class Sum(NamedTuple):
    """A calculation in a note: both sides computed, the right one where a result is stated."""

    text: str
    left: float
    right: float | None
    claim_id: str


def printed(claims: pd.DataFrame, field: str) -> pd.DataFrame:
    """model_id → the claim that a field has or, where a correction dropped every value, had before it."""
    rows = claims[claims["field"] == field]
    dropped = (rows["reason_code"] == CORRECTED) & rows["value"].notna()
    usable = rows[(rows["status"] == "selected") | dropped].assign(dropped=dropped)
    ordered = usable.sort_values(["dropped", "since", "claim_id"], ascending=[True, False, True], kind="stable")
    return ordered.drop_duplicates("model_id").set_index("model_id")


def check_arithmetic(view: View) -> Iterator[Finding]:
    """Calculations in the note beside a FLOP value: against their own result and against the value."""
    based = based_models(view)
    for note, field in NOTES.items():
        rows = view.claims[(view.claims["field"] == "arithmetic") & (view.claims["locator"] == note)]
        for claim, group in _beside(view, field, rows):
            sums = list(read_sums(group))
            parts = field == FLOP and claim["model_id"] in based
            yield from [_by_slip(claim, field, s) for s in sums if s.right and apart(s.left, s.right)]
            yield from _by_sums(claim, field, sums, partial=parts)


def read_sums(group: pd.DataFrame) -> Iterator[Sum]:
    """The arithmetic claims that can be computed."""
    for text, claim_id in zip(group["value_text"], group["claim_id"], strict=True):
        try:
            left, right = evaluate(text)
        except ValueError:
            continue
        if left > 0 and (right is None or right > 0):
            yield Sum(text, left, right, claim_id)


def _by_slip(claim: Mapping[str, Any], field: str, total: Sum) -> Finding:
    """A calculation whose result is not what it says; worst where the published value repeats the result."""
    right = total.right or math.nan
    ratio, ids = right / total.left, [claim["claim_id"], total.claim_id]
    text = f"the note has {total.text}, but the left side makes {total.left:.4g}"
    if abs(claim["value"] / right - 1) > POWER_OF_TEN or _unit_left_out(ratio):
        return Finding(NOTE, claim["model_id"], "arithmetic", "arithmetic", right, total.left, ratio, text, ids)
    rank, ratio = SLIP if is_power_of_ten(ratio) else CONTRADICTION, claim["value"] / total.left
    text += f"; the value {claim['value']:.4g} repeats the slip"
    return Finding(rank, claim["model_id"], "arithmetic", field, claim["value"], total.left, ratio, text, ids)


def _by_sums(claim: Mapping[str, Any], field: str, sums: list[Sum], *, partial: bool) -> Iterator[Finding]:
    """A value that no complete calculation of its note comes near; `partial`: the note may leave out the base model."""
    least = max(PLAUSIBLE, claim["value"] * STEP)
    results = {s.left: s for s in sums if s.left > least}
    stated = [s.right for s in sums if s.right and s.right > least]
    means = [math.sqrt(a * b) for a, b in combinations([*results, *stated], 2)]  # two ways to estimate, one value
    if any(abs(claim["value"] / x - 1) <= POWER_OF_TEN for x in means):
        return
    if not results or not all(apart(claim["value"], x) for x in [*results, *stated, sum(results)]):
        return
    nearest = results[min(results, key=lambda x: distance(claim["value"] / x))]
    ratio = claim["value"] / nearest.left
    if partial and ratio > 1:
        return
    rank = SLIP if is_power_of_ten(ratio) else CONTRADICTION
    text = f"the note has {nearest.text}; the value is {claim['value']:.4g}"
    ids = [claim["claim_id"], nearest.claim_id]
    yield Finding(rank, claim["model_id"], "arithmetic", field, claim["value"], nearest.left, ratio, text, ids)


def check_stated(view: View) -> Iterator[Finding]:
    """A FLOP figure that the note states in words, against the value."""
    based, rows = based_models(view), view.claims[view.claims["field"] == "training_compute_stated"]
    for claim, group in _beside(view, FLOP, rows[rows["value"] > PLAUSIBLE]):
        value = claim["value"]
        nearest = min(group["value"], key=lambda x: distance(value / x))
        whole = value < nearest or claim["model_id"] not in based
        if apart(value, nearest) and whole:
            rank = SLIP if is_power_of_ten(value / nearest) else CONTRADICTION
            text = f"the note states {nearest:.4g} FLOP; the value is {value:.4g}"
            ids = [claim["claim_id"], *group["claim_id"]]
            yield Finding(rank, claim["model_id"], "stated", FLOP, value, nearest, value / nearest, text, ids)


def check_bounds(view: View) -> Iterator[Finding]:
    """Bounds that the value breaks: those of a note, and the columns training_compute_low and _high."""
    rows = view.claims[view.claims["field"] == "training_compute_bound"]
    for claim, group in _beside(view, FLOP, rows):
        for low, high, claim_id in zip(group["low"], group["high"], group["claim_id"], strict=True):
            yield from _bound(claim, low, high, [claim["claim_id"], claim_id], "the note")
    models = view.models[view.models[FLOP].notna()]
    ids = claim_ids(view)
    for row in models[["training_compute_low", "training_compute_high", FLOP]].itertuples():
        claim = {"model_id": row.Index, "value": row[3]}
        names = (FLOP, "training_compute_low", "training_compute_high")
        yield from _bound(claim, row[1], row[2], known_ids(ids, str(row.Index), names), "the source")


def _bound(claim: Mapping[str, Any], low: float, high: float, ids: list[str], who: str) -> Iterator[Finding]:
    value = claim["value"]
    for word, bound, broken in (("at least", low, value < low / ROUNDED), ("at most", high, value > high * ROUNDED)):
        if broken:  # comparisons with a missing bound are false
            text = f"{who} has {word} {bound:.4g} FLOP; the value is {value:.4g}"
            yield Finding(CONTRADICTION, claim["model_id"], "bound", FLOP, value, bound, value / bound, text, ids)


def check_operations(view: View) -> Iterator[Finding]:
    """6·N·D of language models without a base model against the value (Kaplan et al. 2020, arXiv:2001.08361, §2.1)."""
    rows = view.models[view.models[FLOP].notna() & (_is_language(view.models) | view.models["domains"].isna())]
    rows = rows[~rows.index.isin(based_models(view)) & ~_unknown_experts(view, rows)]
    n = rows["parameters_active"].fillna(rows["parameters"])
    tokens = rows["dataset_size"].where(rows["dataset_unit"] == "token") * rows["epochs"].fillna(1)
    d = rows["training_tokens"].fillna(tokens)
    ids = claim_ids(view)
    for model_id, size, seen, value in zip(rows.index, n, d, rows[FLOP], strict=True):
        product = 6 * size * seen
        if not product > 0:  # NaN where something is not stated
            continue
        text = f"6 × {size:.4g} parameters × {seen:.4g} tokens = {product:.4g} FLOP; the value is {value:.4g}"
        forgotten = abs(value / (size * seen) - 1) <= FACTOR_FORGOTTEN
        slip = is_power_of_ten(value / product, SAME_DIGITS)
        if forgotten or slip or apart(value, product, FAR_APART):
            rank = CONTRADICTION if forgotten else SLIP if slip else IMPLAUSIBLE
            text += ", as if without the factor 6" if forgotten else ""
            used = known_ids(ids, model_id, (FLOP, *INPUTS))
            yield Finding(rank, model_id, "6ND", FLOP, value, product, value / product, text, used)


def check_hardware(view: View) -> Iterator[Finding]:
    """Chips × time × peak rate: the value needs a utilisation above 1, or is far from the custom one."""
    rows = view.models[view.models[FLOP].notna() & ~view.models.index.isin(based_models(view))]
    language, ids = _is_language(rows), claim_ids(view)
    chips = _single_chips(view).reindex(rows.index).dropna()
    for model_id, chip in zip(chips.index, chips, strict=True):
        row = rows.loc[model_id]
        rate = peak_rate(view.hardware.loc[chip], row["numerical_format"])
        own = row["hardware_utilization"]
        share = own if own > 0 else UTILISATION[bool(language[model_id])]
        used = known_ids(ids, str(model_id), (FLOP, *RUN))
        yield from [f._replace(claim_ids=used) for f in _by_hardware(row, str(chip), rate, share)]


def _by_hardware(row: pd.Series, chip: str, rate: float, share: float) -> Iterator[Finding]:
    value, hours, model_id = row[FLOP], row["chip_hours"], str(row.name)
    for what, factor in (("hours of the run, not of one chip", row["hardware_quantity"]), ("days", 24)):
        fits = [value / (hours * factor * SECONDS * rate * x) for x in (share, *UTILISATION.values())]
        if factor > 1 and any(abs(x - 1) <= HOURS_WITHIN for x in fits):
            text = (
                f"{hours:.4g} chip-hours on {chip}, but the value {value:.4g} fits {factor:.0f} times as many: {what}"
            )
            yield Finding(CONTRADICTION, model_id, "hours", "chip_hours", hours, hours * factor, 1 / factor, text, [])
            return
    hours = row["hardware_quantity"] * row["training_hours"] if hours != hours else hours  # NaN where not stated
    most = hours * SECONDS * rate
    text = f"{hours:.4g} chip-hours on {chip} at {rate:.4g} FLOP/s"
    if value / ROUNDED > most > 0:
        text += f" are at most {most:.4g} FLOP; the value {value:.4g} needs a utilisation of {value / most:.3g}"
        yield Finding(IMPLAUSIBLE, model_id, "utilisation", FLOP, value, most, value / most, text, [])
    elif most > 0 and apart(value, most * share, FAR_APART):
        text += f" and a utilisation of {share:.2g} are {most * share:.4g} FLOP; the value is {value:.4g}"
        yield Finding(IMPLAUSIBLE, model_id, "hardware", FLOP, value, most * share, value / (most * share), text, [])


def peak_rate(chip: pd.Series, number_format: object) -> float:
    """Peak FLOP/s: of the format if the chip has it, else tensor FP16, FP16 (TPU alone), FP32; NaN if none is known."""
    own = {"FP8": "fp8", "FP4": "fp4", "NVFP4": "fp4", "TF32": "tf32", "FP32": "fp32", "FP64": "fp64"}
    usual = ["tensor_fp16", *(["fp16"] if "TPU" in chip["name"] else []), "fp32"]
    order = [own[str(number_format)], *usual] if str(number_format) in own else usual
    return next((float(chip[f"peak_{name}_flops"]) for name in order if chip[f"peak_{name}_flops"] > 0), math.nan)


def apart(one: float, other: float, factor: float = APART) -> bool:
    """Whether two positive numbers differ by the factor or more."""
    return distance(one / other) >= math.log10(factor) - 1e-9


def is_power_of_ten(ratio: float, within: float = POWER_OF_TEN) -> bool:
    """Whether a ratio is within 10 % (or less) of ×10, ×100, ÷10 and so on."""
    power = round(math.log10(ratio))
    return power != 0 and abs(ratio / 10.0**power - 1) <= within


def _unit_left_out(ratio: float) -> bool:
    """Whether a result is a thousand, a million ... times its left side: '3.25 * 500e9 * 6 = 9.75e21' leaves out 1e9."""
    return is_power_of_ten(ratio) and round(math.log10(ratio)) % 3 == 0


def distance(ratio: float | None) -> float:
    """How far a ratio is from 1 in orders of magnitude; 0 where there is none."""
    return abs(math.log10(ratio)) if ratio and ratio > 0 else 0.0


def _beside(view: View, field: str, rows: pd.DataFrame) -> Iterator[tuple[dict[Any, Any], pd.DataFrame]]:
    """Each printed value of a field with the rows that the same source has about the same record, notes about it."""
    values = printed(view.claims, field)
    groups = dict(list(rows.groupby(["model_id", "source_id"])))
    for model_id, claim in values[values["value"].notna()].to_dict("index").items():
        if (key := (model_id, claim["source_id"])) in groups:
            yield {**claim, "model_id": model_id}, groups[key]


def based_models(view: View) -> set[str]:
    """Models with a base model, whose compute the value holds and the note often leaves out."""
    claims = view.claims
    return set(claims.loc[(claims["field"] == "base_model") & (claims["status"] == "selected"), "model_id"])


def _is_language(models: pd.DataFrame) -> pd.Series:
    return models["domains"].fillna("").str.split(";").map(lambda words: "Language" in words).astype(bool)


def _unknown_experts(view: View, rows: pd.DataFrame) -> pd.Series:
    """Mixtures of experts whose active parameters are not known."""
    words = view.claims[(view.claims["field"] == "architecture") & (view.claims["code"] == "MoE")]
    named = rows["name"].str.contains(r"(?i)\bA\d+(?:\.\d+)?B\b|\bMoE\b|\b\d+x\d+(?:\.\d+)?B\b", regex=True)
    likely = named | rows.index.isin(words["model_id"]) | (rows["parameters"] > MANY_PARAMETERS)
    return likely & rows["parameters_active"].isna()


def _single_chips(view: View) -> pd.Series:
    """model_id → hardware_id of models that name one chip, which the hardware table has."""
    count = view.mentions.groupby("model_id")["hardware_id"].agg(["size", "first"])
    return count.loc[count["size"] == 1, "first"]


def claim_ids(view: View) -> dict[tuple[str, str], str]:
    """(model_id, field) → the selected claim, or the one that a correction dropped."""
    claims = view.claims
    rows = claims[(claims["status"] == "selected") | (claims["reason_code"] == CORRECTED)].sort_values("status")
    keys = zip(rows["model_id"], rows["field"], strict=True)  # quarantined ones first, so that a selected one wins
    return dict(zip(keys, rows["claim_id"], strict=True))


def known_ids(ids: Mapping[tuple[str, str], str], model_id: str, fields: Iterable[str]) -> list[str]:
    """The selected claims of some fields of a model, where it has them."""
    return [ids[model_id, field] for field in fields if (model_id, field) in ids]
