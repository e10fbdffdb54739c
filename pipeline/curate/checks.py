"""The checks of `traincompute curate audit`: each takes the tables of a vintage and returns the values that contradict
something else stated about the same model. Pure functions; nothing is changed."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any, NamedTuple

import pandas as pd

from pipeline.impute.flop import formulas
from pipeline.impute.flop.formulas import CONFIDENT
from pipeline.impute.flop.methods.hardware import chip_hours_of, peak_rate, utilization_of
from pipeline.impute.flop.methods.operation_count import GUESSED_UNIT, count_operations, flop_per_token
from pipeline.impute.flop.result import has_word
from pipeline.impute.flop.rows import Declared
from pipeline.pull.notes.evaluation import evaluate
from pipeline.registry.reasons import CORRECTED

FLOP = "training_compute_flop"
NOTES = {"Training compute notes": FLOP, "Finetune compute notes": "finetune_compute_flop"}
FAR_APART = 10.0  # nine values in ten are within a factor of 10 of 6ND and hardware products
PLAUSIBLE = 1e9  # no training run in the dataset took less; smaller results are steps of a calculation,
STEP = 1e-4  # as are results that are at most this fraction of the value: tokens, FLOP of one pass
POWER_OF_TEN = 0.10  # a slip of the decimal point leaves the digits unchanged
ROUNDED = 1.01  # a value may be its own bound, rounded differently
HOURS_WITHIN = 0.02
FACTOR_FORGOTTEN = 0.02  # a value that is just N·D
SAME_DIGITS = 0.01  # a 6ND with the same digits as the value
SLIP, CONTRADICTION, IMPLAUSIBLE, RECORD, NOTE = range(
    1, 6
)  # ranks: how certain it is that the published value is at fault
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
    """One vintage: what the estimation methods look at by model_id, with the values that sources print and the `chip`
    of a model that names one; the claims; the conventions that the checkout declares; and the pairs of model_ids that
    identities.csv calls distinct."""

    models: pd.DataFrame
    claims: pd.DataFrame
    declared: Declared
    distinct: frozenset[frozenset[str]] = frozenset()


class Sum(NamedTuple):
    """A calculation in a note: both sides computed, the right-hand one only where a result is stated."""

    text: str
    left: float
    right: float | None
    claim_id: str


def printed(claims: pd.DataFrame, field: str) -> pd.DataFrame:
    """model_id → the claim of a field or, where a correction dropped every value, the claim before the correction."""
    rows = claims[claims["field"] == field]
    dropped = (rows["reason_code"] == CORRECTED) & rows["value"].notna()
    usable = rows[(rows["status"] == "selected") | dropped].assign(dropped=dropped)
    ordered = usable.sort_values(["dropped", "since", "claim_id"], ascending=[True, False, True], kind="stable")
    return ordered.drop_duplicates("model_id").set_index("model_id")


def check_arithmetic(view: View) -> Iterator[Finding]:
    """Calculations in the note next to a FLOP value: against their own result and against the value."""
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
    """A calculation whose stated result is wrong; worst where the published value repeats that result."""
    right = total.right or math.nan
    ratio, ids = right / total.left, [claim["claim_id"], total.claim_id]
    text = f"the note has {total.text}, but the left side makes {total.left:.4g}"
    if abs(claim["value"] / right - 1) > POWER_OF_TEN or _unit_left_out(ratio):
        return Finding(NOTE, claim["model_id"], "arithmetic", "arithmetic", right, total.left, ratio, text, ids)
    rank, ratio = SLIP if is_power_of_ten(ratio) else CONTRADICTION, claim["value"] / total.left
    text += f"; the value {claim['value']:.4g} repeats the slip"
    return Finding(rank, claim["model_id"], "arithmetic", field, claim["value"], total.left, ratio, text, ids)


def _by_sums(claim: Mapping[str, Any], field: str, sums: list[Sum], *, partial: bool) -> Iterator[Finding]:
    """A value that no complete calculation in its note comes near; `partial`: the note may leave out the base model."""
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
    """Bounds that the value violates: those in a note, and the columns training_compute_low and _high."""
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
    """Operation counting against the value, for models of language or of no stated domain that have no base model; a
    dataset counts once where no epochs are stated."""
    domains = view.models["domains"]
    rows = view.models[view.models[FLOP].notna() & (domains.isna() | has_word(domains, "Language"))]
    rows = rows[~rows.index.isin(based_models(view))]
    counted = count_operations(rows.assign(epochs=rows["epochs"].fillna(1)))
    counted = counted[counted["value"].notna() & ~has_word(counted["assumptions"], GUESSED_UNIT)]
    rows, ids = rows.loc[counted.index], claim_ids(view)
    factors = flop_per_token(rows)
    for name, value, product, factor in zip(rows.index, rows[FLOP], counted["value"], factors, strict=True):
        used = known_ids(ids, name, (FLOP, *INPUTS))
        yield from _by_operations(value, product, factor, (name, counted["formula"][name], used))


def _by_operations(value: float, product: float, factor: float, about: tuple[str, str, list[str]]) -> Iterator[Finding]:
    """A value that is parameters × tokens without the factor, or has a slip of the decimal point, or is far off."""
    model_id, formula, used = about
    forgotten = abs(value / (product / factor) - 1) <= FACTOR_FORGOTTEN
    slip = is_power_of_ten(value / product, SAME_DIGITS)
    if not (forgotten or slip or apart(value, product, FAR_APART)):
        return
    rank = CONTRADICTION if forgotten else SLIP if slip else IMPLAUSIBLE
    text = f"{formula} = {product:.4g} FLOP; the value is {value:.4g}"
    text += f", as if without the factor {factor:g}" if forgotten else ""
    yield Finding(rank, model_id, "6ND", FLOP, value, product, value / product, text, used)


def check_hardware(view: View) -> Iterator[Finding]:
    """Chips × time × peak rate for models that name one chip and have no base model: chip-hours in another unit, or a
    value far from the usual share of the peak. More than the whole peak is for check_peak."""
    rows = view.models[view.models[FLOP].notna() & view.models["chip"].notna()]
    rows = rows[~rows.index.isin(based_models(view))]
    rows = rows.assign(rate=peak_rate(rows), share=utilization_of(rows), hours=chip_hours_of(rows))
    ids = claim_ids(view)
    for model_id, row in rows.iterrows():
        used = known_ids(ids, str(model_id), (FLOP, *RUN))
        found = _by_days(row, view.declared.utilization.values()) or _by_usual_share(row)
        yield from [finding._replace(claim_ids=used) for finding in found]


def _by_days(row: pd.Series, shares: Collection[float]) -> list[Finding]:
    """Chip-hours too low for the value by a factor of the number of chips in the run, or of the hours in a day."""
    value, hours = row[FLOP], row["chip_hours"]
    for what, factor in (("hours of the run, not of one chip", row["hardware_quantity"]), ("days", 24)):
        usual = (row["share"], *shares)
        fits = [value / formulas.from_chips(hours * factor, row["rate"], share) for share in usual]
        if factor > 1 and any(abs(x - 1) <= HOURS_WITHIN for x in fits):
            text = f"{hours:.4g} chip-hours on {row['chip']}, but the value {value:.4g} fits {factor:.0f} times as many"
            about = (hours, hours * factor, 1 / factor, f"{text}: {what}")
            return [Finding(CONTRADICTION, str(row.name), "hours", "chip_hours", *about, [])]
    return []


def _by_usual_share(row: pd.Series) -> list[Finding]:
    """A value that is a tenth of the usual share of the peak or less, or ten times that."""
    value, hours, rate, share = row[FLOP], row["hours"], row["rate"], row["share"]
    usual = formulas.from_chips(hours, rate, share)
    if not usual > 0 or value / ROUNDED > usual / share or not apart(value, usual, FAR_APART):
        return []
    text = f"{hours:.4g} chip-hours on {row['chip']} at {rate:.4g} FLOP/s and a utilisation of {share:.2g}"
    text += f" are {usual:.4g} FLOP; the value is {value:.4g}"
    return [Finding(IMPLAUSIBLE, str(row.name), "hardware", FLOP, value, usual, value / usual, text, [])]


def apart(one: float, other: float, factor: float = CONFIDENT) -> bool:
    """Whether two positive numbers differ by the factor or more; by default, by more than a confident value may."""
    return distance(one / other) >= math.log10(factor) - 1e-9


def is_power_of_ten(ratio: float, within: float = POWER_OF_TEN) -> bool:
    """Whether a ratio is within 10 % (or less) of ×10, ×100, ÷10 and so on."""
    power = round(math.log10(ratio))
    return power != 0 and abs(ratio / 10.0**power - 1) <= within


def _unit_left_out(ratio: float) -> bool:
    """Whether a result is a thousand, a million ... times its left side: '3.25 * 500e9 * 6 = 9.75e21' omits 1e9."""
    return is_power_of_ten(ratio) and round(math.log10(ratio)) % 3 == 0


def distance(ratio: float | None) -> float:
    """How far a ratio is from 1 in orders of magnitude; 0 where there is none."""
    return abs(math.log10(ratio)) if ratio and ratio > 0 else 0.0


def _beside(view: View, field: str, rows: pd.DataFrame) -> Iterator[tuple[dict[Any, Any], pd.DataFrame]]:
    """Each printed value of a field with the rows from notes on it that the same source has for the same record."""
    values = printed(view.claims, field)
    groups = dict(list(rows.groupby(["model_id", "source_id"])))
    for model_id, claim in values[values["value"].notna()].to_dict("index").items():
        if (key := (model_id, claim["source_id"])) in groups:
            yield {**claim, "model_id": model_id}, groups[key]


def based_models(view: View) -> set[str]:
    """Models with a base model, whose compute is part of the value but often missing from the note."""
    claims = view.claims
    return set(claims.loc[(claims["field"] == "base_model") & (claims["status"] == "selected"), "model_id"])


def claim_ids(view: View) -> dict[tuple[str, str], str]:
    """(model_id, field) → the selected claim, or else the one that a correction dropped."""
    claims = view.claims
    known = (claims["status"] == "selected") | (claims["reason_code"] == CORRECTED)
    rows = claims.loc[known, ["model_id", "field", "claim_id", "status"]].sort_values("status")
    keys = zip(rows["model_id"].tolist(), rows["field"].tolist(), strict=True)
    # quarantined ones come first, so that a selected one wins
    return dict(zip(keys, rows["claim_id"].tolist(), strict=True))


def known_ids(ids: Mapping[tuple[str, str], str], model_id: str, fields: Iterable[str]) -> list[str]:
    """The selected claims of some fields of a model, where there are any."""
    return [ids[model_id, field] for field in fields if (model_id, field) in ids]
