"""The checks of `traincompute curate audit` on what a training run used: compute that its chips cannot have done,
chip-hours that are not its chips × hours, cores entered as chips, and costs of chip-hours that have since been
corrected."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pandas as pd

from pipeline.curate.checks import (
    CONTRADICTION,
    FLOP,
    IMPLAUSIBLE,
    ROUNDED,
    RUN,
    Finding,
    View,
    apart,
    based_models,
    claim_ids,
    known_ids,
    printed,
)
from pipeline.impute.flop import formulas
from pipeline.impute.flop.methods.hardware import chip_hours_of, peak_rate
from pipeline.registry.reasons import CORRECTED

FINETUNE = "finetune_compute_flop"
COSTS = ("training_cost_usd", "training_cost_cloud_usd")
PAID_FOR = ("chip_hours", "hardware_quantity", "training_hours", FLOP)
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e\d+)?")
HALF = re.compile(r"1 / 2\b")  # 0.5 may be a utilisation
SAME_RATE = 0.03  # notes round the rate of a chip
ANOTHER_PRICE = 1.25  # what was paid for may be rounded or corrected by this much
ANOTHER_RUN = 1.5  # chips come and go, and days are rounded; of 144 models with all three, eight are further apart


def check_peak(view: View) -> Iterator[Finding]:
    """Every claim of training compute, selected or not, that needs more than 100 % of the peak of the model's chips in
    its chip-hours; models that name one kind of chip. Of a model with a base model the further training counts."""
    rows = view.models[view.models["chip"].notna()]
    rows = rows.assign(hours=chip_hours_of(rows), rate=peak_rate(rows))
    most, ids = formulas.from_chips(rows["hours"], rows["rate"], 1), claim_ids(view)
    claims = own_training(view)
    for claim in claims[claims["own"] / ROUNDED > claims["model_id"].map(most)].to_dict("records"):
        model_id, own = claim["model_id"], claim["own"]
        row, limit = rows.loc[model_id], float(most[model_id])
        text = f"{row['hours']:.4g} chip-hours on {row['chip']} at {row['rate']:.4g} FLOP/s"
        text += f" are at most {limit:.4g} FLOP; the value {own:.4g} needs a utilisation of {own / limit:.3g}"
        used = [claim["claim_id"], *known_ids(ids, model_id, RUN)]
        about = (claim["field"], claim["value"], limit, own / limit, text, used)
        yield Finding(IMPLAUSIBLE, model_id, "utilisation", *about)


def own_training(view: View) -> pd.DataFrame:
    """The claims of training compute with `own`, the FLOP of the model's own training: the whole where there is no base
    model, else what was added to the base: the fine-tuning or, if none is stated, the whole less the base."""
    usable = (view.claims["status"] != "quarantined") | (view.claims["reason_code"] == CORRECTED)
    claims = view.claims[usable & view.claims["field"].isin([FLOP, FINETUNE]) & view.claims["value"].notna()]
    is_part, based = claims["field"] == FINETUNE, claims["model_id"].isin(based_models(view))
    told = claims["model_id"].isin(claims.loc[is_part, "model_id"])
    bases = claims["model_id"].map(view.models["base_model_id"]).map(view.models[FLOP])
    own = claims["value"].mask(based & ~is_part, (claims["value"] - bases).mask(told))
    return claims.assign(own=own.mask(is_part & ~based))


def check_chip_hours(view: View) -> Iterator[Finding]:
    """Chip-hours that are half as much again as chips × hours, or that much less: nodes taken for chips, one epoch for
    the run, all runs of a paper for one."""
    rows, ids = view.models, claim_ids(view)
    rows = rows.assign(product=rows["hardware_quantity"] * rows["training_hours"])
    for model_id, row in rows.dropna(subset=["chip_hours", "product"]).iterrows():
        hours, made = row["chip_hours"], row["product"]
        if apart(hours, made, ANOTHER_RUN):
            text = (
                f"{hours:.6g} chip-hours, but {row['hardware_quantity']:.6g} chips for {row['training_hours']:.6g}"
                " hours"
            )
            about = (hours, made, hours / made, f"{text} are {made:.6g}")
            used = known_ids(ids, str(model_id), ("chip_hours", "hardware_quantity", "training_hours"))
            yield Finding(IMPLAUSIBLE, str(model_id), "run", "chip_hours", *about, used)


def check_cores(view: View) -> Iterator[Finding]:
    """Cores of TPUs entered as chips: the calculation of the same source halves their number before the chip's rate."""
    rates = peak_rate(view.models[view.models["hardware_type"] == "TPU"])
    by = ["model_id", "source_id"]
    sums = view.claims[view.claims["field"] == "arithmetic"].groupby(by)["value_text"].agg(list)
    stated = view.claims[(view.claims["field"] == "hardware_quantity") & view.claims["model_id"].isin(rates.index)]
    for claim in stated.join(sums.rename("sums"), on=by).dropna(subset=["sums", "value"]).to_dict("records"):
        count, rate = claim["value"], rates[claim["model_id"]]
        for text in claim["sums"]:
            numbers = [float(number) for number in NUMBER.findall(text)]
            halved = count in numbers if HALF.search(text) else count / 2 in numbers and count not in numbers
            if halved and any(abs(number / rate - 1) < SAME_RATE for number in numbers):
                about = (count, count / 2, 2.0, f"{count:.6g} chips, but the note has {text}: two cores are one chip")
                yield Finding(
                    CONTRADICTION, claim["model_id"], "cores", "hardware_quantity", *about, [claim["claim_id"]]
                )


def check_costs(view: View) -> Iterator[Finding]:
    """Costs that a publisher worked out from what has been corrected since: its chip-hours or, where it prints none and
    the model was made from no other, its training compute. A base that is added to the compute is not paid for
    again."""
    for field in COSTS:
        costs = priced(view, field)
        for claim in costs[~(costs["was"] / costs["now"]).between(1 / ANOTHER_PRICE, ANOTHER_PRICE)].to_dict("records"):
            was, now, cost = claim["was"], claim["now"], claim["value"]
            text = f"{cost:.6g} dollars for {was:.4g} {claim['of']}, since"
            text += " left out" if pd.isna(now) else f" corrected to {now:.4g}"
            about = (cost, "" if pd.isna(now) else cost * now / was, None if pd.isna(now) else was / now, text)
            yield Finding(IMPLAUSIBLE, claim["model_id"], "stale", field, *about, [claim["claim_id"]])


def priced(view: View, field: str) -> pd.DataFrame:
    """The claims of a cost with what it is the price `of`: as its publisher printed it (`was`), and as selected
    (`now`)."""
    claims, by = view.claims, ["publisher", "model_id"]
    costs = printed(claims, field).reset_index().join(_run(claims[claims["locator"].fillna("") == ""], by), on=by)
    costs = costs.join(_run(claims[claims["status"] == "selected"], by[1:]).add_suffix("_now"), on="model_id")
    timed = costs["hours"].notna()
    was = costs["hours"].where(timed, costs["flop"].mask(costs["model_id"].isin(based_models(view))))
    now, of = costs["hours_now"].where(timed, costs["flop_now"]), timed.map({True: "chip-hours", False: "FLOP"})
    return costs.assign(was=was, now=now, of=of)[was.notna()]


def _run(claims: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """The newest chip-hours (as printed, else chips × hours) and FLOP of some claims, by `keys`."""
    rows = claims[claims["field"].isin(PAID_FOR)]
    newest = rows.sort_values(["since", "claim_id"]).groupby([*keys, "field"])["value"].last()
    wide = newest.unstack().reindex(columns=PAID_FOR)
    hours = wide["chip_hours"].fillna(wide["hardware_quantity"] * wide["training_hours"])
    return pd.DataFrame({"hours": hours, "flop": wide[FLOP]})
