"""What the methods look at: one row per model, built from models, claims and chips; and the claims behind it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Config
from pipeline.frames import Tables, is_in, items_of
from pipeline.impute.bounds import band_factor
from pipeline.impute.methods.base_model import counted_once
from pipeline.impute.methods.hardware import RATES, usual_utilization
from pipeline.impute.results import FIELD, join_texts, log10
from pipeline.impute.runs import training_run_id
from pipeline.normalize.identify import ids_by_name
from pipeline.vocabularies import Vocabulary

LOOKED_AT = ["model_id", "field", "status", "value", "low", "high", "code", "evidence"]
BOUNDS = ["training_compute_bound", FIELD]  # fields whose claims may give a limit instead of a value
# numbers that sources claim but the models table has no column for
NUMBERS = ["forward_flop", "training_examples", "training_factor"]
# what a count of forward passes rests on
PASSES = ["forward_flop", "training_examples", "training_factor", "dataset_size", "epochs"]


def estimation_rows(context: Config, made: Tables) -> pd.DataFrame:
    """One row per model of `made` (models, claims, model_hardware, hardware): its columns, with the training run as far
    as it is known before any estimate; who owns the organisation of that run (`owner`; a model without an organisation
    stands alone), the text of the base model, the words for its architecture, further numbers, the chip's rates, bounds
    (`at_least` and `at_most`; `noted_low` and `noted_high` are those without a column in models), which of PASSES were
    entered from memory (`recalled`), the half-width in dex of a published value, and two conventions."""
    models, claims, words = made["models"], made["claims"], context.vocabularies
    ids, fields = models["model_id"], pd.Series(["architecture", "base_model", *BOUNDS, *NUMBERS, *PASSES])
    looked_at = claims.loc[is_in(claims["field"], fields), LOOKED_AT]
    readable = looked_at[looked_at["status"] != "quarantined"]
    selected = readable[readable["status"] == "selected"]
    base = selected[selected["field"] == "base_model"].set_index("model_id")["code"]
    chosen = selected[selected["field"].isin(NUMBERS)].pivot(index="model_id", columns="field", values="value")
    limits = readable[readable["field"].isin(BOUNDS) & readable["value"].isna()].groupby("model_id")
    from_memory = selected[(selected["evidence"] == "recalled") & selected["field"].isin(PASSES)].sort_values("field")
    noted = readable.loc[readable["field"] == "architecture", ["model_id", "code"]]
    architectures = [(line.model_id, line.architecture) for line in context.architectures]
    declared = pd.DataFrame(architectures, columns=["model_id", "code"], dtype="str")
    kinds = pd.concat([noted, declared]).drop_duplicates().sort_values("code")
    organization, run = models["organization"].set_axis(ids), training_run_id(models)
    owner = organization.map(attribute(words["organizations"], "parent")).astype("str").fillna(organization)
    tokens = attribute(words["dataset_units"], "tokens_per_unit")
    rows = models.assign(
        training_run_id=run,
        owner=run.map(owner).astype("str").fillna("?" + models["name"]),
        base_model=ids.map(base).astype("str"),
        architecture=ids.map(join_texts(kinds["code"], kinds["model_id"], ";")).astype("str"),
        at_least=models["training_compute_low"].fillna(ids.map(limits["low"].max())),
        at_most=models["training_compute_high"].fillna(ids.map(limits["high"].min())),
        noted_low=ids.map(limits["low"].max()),
        noted_high=ids.map(limits["high"].min()),
        recalled=ids.map(join_texts(from_memory["field"], from_memory["model_id"], ";")).astype("str"),
        published_dex=log10(band_factor(models, attribute(words["confidence"], "factor"))),
        usual_utilization=usual_utilization(models["domains"], context.constants["utilization"]),
        tokens_per_unit=models["dataset_unit"].map(tokens).astype("float64"),
        **{name: ids.map(chosen.get(name, pd.Series(dtype="float64"))) for name in NUMBERS},
    )
    return rows.join(_chips(ids, made["model_hardware"], made["hardware"]))


def attribute(vocabulary: Vocabulary, key: str) -> dict[str, Any]:
    """What a vocabulary says under `key` of the codes of which it says that."""
    return {code: about[key] for code, about in vocabulary.codes.items() if key in about}


def _chips(ids: pd.Series, mentions: pd.DataFrame, hardware: pd.DataFrame) -> pd.DataFrame:
    """Chips named and chips known for each model, and the chip's rates; for several kinds their geometric mean, null if
    one of them has no such rate, with `rates_apart`, the fastest divided by the slowest."""
    rates = list(RATES.values())
    kinds = mentions[["model_id", "hardware_id"]].dropna().drop_duplicates().sort_values(["model_id", "hardware_id"])
    each = kinds.join(hardware.set_index("hardware_id")[["type", *rates]], on="hardware_id")
    by_model, logs = each.groupby("model_id"), each[rates].transform(np.log).groupby(each["model_id"])
    known, first = by_model.size(), each.drop_duplicates("model_id").set_index("model_id")
    made = logs.mean().transform(np.exp).where(logs.count().eq(known, axis=0))
    apart = (by_model[rates].max() / by_model[rates].min()).where(made.notna() & (known > 1).to_numpy()[:, None])
    made[known == 1] = first.loc[known == 1, rates]  # as the table has them
    made = made.assign(
        chips_known=known,
        hardware_type=first["type"].where(by_model["type"].nunique() == 1),
        rates_apart=apart[RATES["tensor"]].fillna(apart[RATES["fp32"]]),
    )
    made = made.reindex(ids).set_axis(ids.index)
    return made.assign(
        chips=ids.map(mentions["model_id"].value_counts()).fillna(0), chips_known=made["chips_known"].fillna(0)
    )


def untrained(claims: pd.DataFrame) -> pd.Series:
    """The model_ids of programs that ask other models and of merges, of which a fact says that nothing was trained."""
    no = (claims["field"] == "trains") & (claims["status"] == "selected") & (claims["code"] == "false")
    return claims.loc[no, "model_id"]


def base_edges(claims: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """model_id, base_id and sign (`counted_once`) for each model of `rows` that a selected base_model claim names;
    base_id is null where no record has that name.

    A text is one name if a record has it, else a comma-separated list of names."""
    ids, chosen = rows["model_id"], claims["status"] == "selected"
    named = claims.loc[(claims["field"] == "base_model") & chosen, ["model_id", "code"]]
    parts = named["code"].str.split(",").explode().str.strip()
    known = ids_by_name(claims[["record", "model_id"]])
    known = known[is_in(known, ids)]
    one = named["code"].map(known).astype("str").reindex(parts.index)
    edges = named[["model_id"]].join(one.fillna(parts.map(known).astype("str")).rename("base_id"))
    edges = edges[is_in(edges["model_id"], ids)].drop_duplicates().sort_values(["model_id", "base_id"])
    return counted_once(edges, rows.set_index("model_id")["training_run_id"].to_dict())


def input_ids(made: pd.DataFrame, claims: pd.DataFrame) -> pd.Series:
    """The claim_ids behind each row's `fields`, ;-joined, by the index of `made`."""
    fields, places = items_of(made["fields"].mask(made["fields"] == ""))
    used = pd.DataFrame({"row": made.index[places], "model_id": made["model_id"].array[places], "field": fields})
    chosen = claims.loc[
        is_in(claims["field"], fields.unique()) & (claims["status"] == "selected"), ["model_id", "field", "claim_id"]
    ]
    found = used.merge(chosen, on=["model_id", "field"], how="inner", sort=False)
    return join_texts(found["claim_id"], found["row"], ";").reindex(made.index)
