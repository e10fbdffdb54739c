"""What the methods look at: one row per model, built from models, claims and chips; and the claims behind it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pipeline.config import Config
from pipeline.curated import Architecture
from pipeline.frames import Tables, is_in, items_of
from pipeline.impute.derive.run_ids import training_run_id
from pipeline.impute.digits import log10
from pipeline.impute.flop.methods.hardware import RATES, usual_utilization
from pipeline.impute.flop.published_intervals import band_factor
from pipeline.impute.flop.result import join_texts
from pipeline.normalize.identify import ids_by_name
from pipeline.normalize.reasons import CORRECTED
from pipeline.vocabularies import Vocabulary

FIELD = "training_compute_flop"
BOUNDS = ["training_compute_bound", FIELD]  # fields whose claims may give a limit instead of a value
# numbers that sources claim but the models table has no column for
NUMBERS = ["training_compute_stated", "forward_flop", "training_examples", "training_factor"]
WORDS = ["base_model", "architecture"]
LOOKED_AT = ["model_id", "field", "status", "reason_code", "correction", "value", "low", "high", "code"]
# what a count of forward passes rests on
PASSES = ["forward_flop", "training_examples", "training_factor", "dataset_size", "epochs"]


class Declared(NamedTuple):
    """`bands`: the factor either way that each confidence word of a published value means. `utilization`: the usual
    share of a chip's peak rate by domain (`default` for all others). `tokens_per_unit`: tokens in one unit of a
    dataset, where there is one accepted conversion. `owners`: the parent of each organisation that has one.
    `architectures`: kinds of network that affect the compute."""

    bands: Mapping[str, float]
    utilization: Mapping[str, float]
    tokens_per_unit: Mapping[str, float]
    owners: Mapping[str, str]
    architectures: Sequence[Architecture]


def load_declared(context: Config) -> Declared:
    """The declarations of a checkout. Raises DataError where the architectures are not well-formed."""
    words = context.vocabularies
    return Declared(
        bands=_attribute(words["confidence"], "factor"),
        utilization=context.constants["utilization"],
        tokens_per_unit=_attribute(words["dataset_units"], "tokens_per_unit"),
        owners=_attribute(words["organizations"], "parent"),
        architectures=context.architectures,
    )


def _attribute(vocabulary: Vocabulary, key: str) -> dict[str, Any]:
    return {code: about[key] for code, about in vocabulary.codes.items() if key in about}


def estimation_rows(made: Tables, declared: Declared) -> pd.DataFrame:
    """One row per model of `made` (models, claims, model_hardware, hardware): its columns, who owns the organisation of
    its training run (`owner`), the text of the base model, the words for its architecture, further numbers, the chip's
    rates, bounds (`at_least` and `at_most`; `noted_low` and `noted_high` are those without a column in models), the
    value that a correction took away (`refused`), which of PASSES were entered from memory (`recalled`), the half-width
    in dex of a published value (`published_dex`), and the conventions `usual_utilization` and `tokens_per_unit`."""
    models, claims = made["models"], made["claims"]
    looked_at = claims.loc[is_in(claims["field"], pd.Series([*WORDS, *BOUNDS, *NUMBERS])), LOOKED_AT]
    readable = looked_at[looked_at["status"] != "quarantined"]
    base = readable[(readable["field"] == "base_model") & (readable["status"] == "selected")]
    limits = readable[readable["field"].isin(BOUNDS) & readable["value"].isna()].groupby("model_id")
    chosen = readable[readable["status"] == "selected"].pivot(index="model_id", columns="field", values="value")
    ids = models["model_id"]
    organization = models["organization"].set_axis(ids)
    owner = organization.map(declared.owners).astype("str").fillna(organization)
    rows = models.assign(
        owner=training_run_id(models).map(owner).astype("str"),
        base_model=ids.map(base.set_index("model_id")["code"]).astype("str"),
        architecture=ids.map(_architecture(readable, declared)).astype("str"),
        at_least=models["training_compute_low"].fillna(ids.map(limits["low"].max())),
        at_most=models["training_compute_high"].fillna(ids.map(limits["high"].min())),
        noted_low=ids.map(limits["low"].max()),
        noted_high=ids.map(limits["high"].min()),
        refused=ids.map(_refused(looked_at)),
        recalled=ids.map(_recalled(claims)).astype("str"),
        published_dex=log10(band_factor(models, declared.bands)),
        usual_utilization=usual_utilization(models["domains"], declared.utilization),
        tokens_per_unit=models["dataset_unit"].map(declared.tokens_per_unit).astype("float64"),
        **{name: ids.map(chosen.get(name, pd.Series(dtype="float64"))) for name in NUMBERS},
    )
    return rows.assign(**_chips(ids, made["model_hardware"], made["hardware"]))


def _architecture(claims: pd.DataFrame, declared: Declared) -> pd.Series:
    """Per model, the words of its notes and of the declared architectures, ;-joined in alphabetical order."""
    noted = claims.loc[claims["field"] == "architecture", ["model_id", "code"]]
    known = pd.DataFrame(declared.architectures, columns=["model_id", "code"], dtype="str")
    words = pd.concat([noted, known]).drop_duplicates().sort_values("code")
    return join_texts(words["code"], words["model_id"], ";")


def _recalled(claims: pd.DataFrame) -> pd.Series:
    """Per model, those of PASSES whose selected claim was entered from memory, ;-joined."""
    is_recalled = (claims["evidence"] == "recalled").to_numpy() & (claims["status"] == "selected").to_numpy()
    from_memory = claims.loc[is_recalled, ["model_id", "field"]]
    some = from_memory[from_memory["field"].isin(PASSES)].sort_values("field")
    return join_texts(some["field"], some["model_id"], ";")


def _refused(claims: pd.DataFrame) -> pd.Series:
    """Per model, the published value that a correction dropped or turned into a bound."""
    bounded = claims["correction"].notna() & claims["value"].isna() & (claims["status"] != "quarantined")
    gone = claims[(claims["field"] == FIELD) & ((claims["reason_code"] == CORRECTED) | bounded)]
    return gone["value"].fillna(gone["low"]).fillna(gone["high"]).groupby(gone["model_id"]).max()


def _chips(ids: pd.Series, mentions: pd.DataFrame, hardware: pd.DataFrame) -> dict[str, pd.Series]:
    """Chips named and chips known for each model, and the chip's rates; for several kinds, their geometric mean, with
    `rates_apart`, the fastest divided by the slowest."""
    kinds = mentions[["model_id", "hardware_id"]].dropna().drop_duplicates()
    known = kinds["model_id"].value_counts()
    about = hardware.set_index("hardware_id")[["type", *RATES.values()]]
    alone = kinds["model_id"].map(known) == 1
    single = about.reindex(ids.map(kinds[alone].set_index("model_id")["hardware_id"])).set_axis(ids.index)
    several = _mean_chips(kinds[~alone].join(about, on="hardware_id")).reindex(ids).set_axis(ids.index)
    return {
        "chips": ids.map(mentions["model_id"].value_counts()).fillna(0),
        "chips_known": ids.map(known).fillna(0),
        "hardware_type": single["type"].fillna(several["type"]),
        "rates_apart": several["rates_apart"],
        **{rate: single[rate].fillna(several[rate]) for rate in RATES.values()},
    }


def _mean_chips(each: pd.DataFrame) -> pd.DataFrame:
    """Per model, the geometric mean of its chips' rates, null if one of them has no such rate; their kind if they share
    one; and the fastest divided by the slowest, on tensor cores if all have them, else in FP32."""
    rates = list(RATES.values())
    each = each.sort_values(["model_id", "hardware_id"])
    by_model = each.groupby("model_id")
    logs = each[rates].transform(np.log).groupby(each["model_id"])
    mean = logs.mean().transform(np.exp).where(logs.count().eq(by_model.size(), axis=0))
    most, least = by_model[rates].max(), by_model[rates].min()
    apart = (most / least).where(mean.notna())
    kind = by_model["type"].first().where(by_model["type"].nunique() == 1)
    return mean.assign(type=kind, rates_apart=apart[RATES["tensor"]].fillna(apart[RATES["fp32"]]))


def untrained(claims: pd.DataFrame) -> pd.Series:
    """The model_ids of programs that ask other models and of merges, of which a fact says that nothing was trained."""
    no = (claims["field"] == "trains") & (claims["status"] == "selected") & (claims["code"] == "false")
    return claims.loc[no, "model_id"]


def base_edges(claims: pd.DataFrame, ids: pd.Series) -> pd.DataFrame:
    """model_id and base_id for each model that a selected base_model claim names; null where no record has that name.

    A text is one name if a record has it, else a comma-separated list of names."""
    named = claims.loc[(claims["field"] == "base_model") & (claims["status"] == "selected"), ["model_id", "code"]]
    parts = named["code"].str.split(",").explode().str.strip()
    known = ids_by_name(claims[["record", "model_id"]])
    known = known[is_in(known, ids)]
    one = named["code"].map(known).astype("str").reindex(parts.index)
    edges = named[["model_id"]].join(one.fillna(parts.map(known).astype("str")).rename("base_id"))
    edges = edges[is_in(edges["model_id"], ids)].drop_duplicates()
    return edges.sort_values(["model_id", "base_id"], ignore_index=True)


def input_ids(made: pd.DataFrame, claims: pd.DataFrame) -> pd.Series:
    """The claim_ids behind each row's `fields`, ;-joined, by the index of `made`."""
    fields, places = items_of(made["fields"].mask(made["fields"] == ""))
    used = pd.DataFrame({"row": made.index[places], "model_id": made["model_id"].array[places], "field": fields})
    chosen = claims.loc[
        is_in(claims["field"], fields.unique()) & (claims["status"] == "selected"), ["model_id", "field", "claim_id"]
    ]
    found = used.merge(chosen, on=["model_id", "field"], how="inner", sort=False)
    return join_texts(found["claim_id"], found["row"], ";").reindex(made.index)
