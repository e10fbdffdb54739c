"""The rows of the wide tables about models: a pure pivot of the selected claims, plus the columns that the schema marks
as derived, the chips that the claims name, and the organisations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.curated import Component
from pipeline.frames import is_in, items_of
from pipeline.normalize.columns import extracted, joined
from pipeline.normalize.identify import ids_by_name
from pipeline.normalize.publication_dates import shown_between
from pipeline.normalize.select import who_says
from pipeline.schema import LIST_SEPARATOR, TableSchema
from pipeline.vocabularies import Vocabulary
from traincompute.citation import OWN
from traincompute.units import FLOP_PER_PFS_DAY

CHOSEN = ["model_id", "field", "value", "code", "value_text", "note", "reference", "evidence", "correction"]
PIVOTED = [*CHOSEN, "source_id", "record", "publisher", "status"]  # what tables about models are made of
# a model is notable in a vintage if the vintage's snapshot of this source has it, or a fact that was read by hand in a
# later state of that file gives its criteria
NOTABLE_SOURCE, CRITERIA = "epoch_notable", "notability_criteria"
STATED_HUB = r"^(?:https://huggingface\.co/)?(?P<found>[\w.-]+/[\w.-]+)$"  # the address, or owner and name alone
LINKS = {
    "reference_url": r"(?P<found>https?://\S+)",
    "arxiv_id": r"arxiv\.org/(?:abs|pdf|html)/(?P<found>[0-9]{4}\.[0-9]{4,5}|[a-z-]+(?:\.[A-Z]{2})?/[0-9]{7})",
    "doi": r"doi\.org/(?P<found>10\.[0-9]{4,9}/[^\s?#]+)",
    "huggingface_id": r"huggingface\.co/(?P<found>[\w.-]+/[\w.-]+)",
}
NO_MODEL = r"^(?:blog|spaces|datasets|papers|collections|docs|posts|learn)/"  # other pages of the hub
TRUTH = {"true": True, "false": False}
# words for a method: the developer prints the value; it was inferred from other models, or somebody else estimated it
COMPUTE = [f"training_compute_{name}" for name in ("flop", "method", "confidence")]
STATED, FROM_OTHERS = "stated", frozenset({"comparison", "other"})


def make_models(
    claims: pd.DataFrame,
    table: TableSchema,
    vocabularies: Mapping[str, Vocabulary],
    components: Collection[Component] = (),
) -> pd.DataFrame:
    """One row per model with a selected name claim, from the judged claims of one vintage."""
    chosen = claims.loc[claims["status"] == "selected", CHOSEN]
    wide, ids = _pivot(chosen, table), ids_by_name(claims[["record", "model_id"]])
    access = vocabularies["accessibility"]
    implied = wide["accessibility"].map({code: access.attribute(code, "open_weights") for code in access.codes})
    open_weights = wide["open_weights"].fillna(implied.astype("boolean"))  # as stated, else as the kind of access says
    links = _links(wide["name"], chosen[chosen["field"].isin(["reference_url", "huggingface_id"])])
    closed = open_weights.eq(False).fillna(False).astype("bool")  # then the address is of others, such as its base's
    by_hand = claims["source_id"].str.startswith(OWN) & (claims["field"] == CRITERIA)
    notable = claims.loc[(claims["source_id"] == NOTABLE_SOURCE) | by_hand, "model_id"]
    dates = chosen[chosen["field"] == "publication_date"].set_index("model_id")[["note", "reference"]]
    pairs = [(line.model_id, line.component_id) for line in components]
    parts = pd.DataFrame(pairs, columns=["model_id", "component_id"], dtype="str")
    compute = _compute(wide[COMPUTE], chosen[chosen["field"].isin(["training_compute_flop", "reference_url"])])
    sized = claims[claims["field"].isin(["dataset_unit", "dataset_size"])]
    countries = wide["countries"].fillna(_seats(wide["organizations"], vocabularies["organizations"]))
    wide = wide.assign(**links, **compute, open_weights=open_weights, countries=countries)
    wide = wide.assign(
        huggingface_id=wide["huggingface_id"].mask(closed),
        organization=wide["organizations"].str.replace(";.*", "", regex=True),  # the first
        publication_date_precision=dates["note"],
        publication_date_basis=_date_basis(wide[["publication_date", *links]], dates["reference"]),
        is_notable=is_in(wide.index, notable.unique()),
        base_model_id=_model_named(chosen[chosen["field"] == "base_model"], ids, wide.index),
        components=parts[is_in(parts["component_id"], wide.index)].groupby("model_id")["component_id"].agg(";".join),
        training_run_id=_model_named(chosen[chosen["field"] == "training_run"], ids, wide.index),
        dataset_unit=wide["dataset_unit"].where(is_in(wide.index, _measured_in_unit(sized))),
    )
    return wide.reset_index(names="model_id")


def _pivot(chosen: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """model_id → one column per claimed field: numbers from `value`, everything else from `code`."""
    stated = [c for c in table.columns if c.name != "model_id" and not c.derived]
    named = chosen.loc[(chosen["field"] == "name") & chosen["code"].notna(), "model_id"]
    models, rows = pd.Index(named.sort_values(), name="model_id"), chosen.groupby("field").indices
    row_of_model = models.get_indexer(chosen["model_id"])
    columns = {}
    for c in stated:
        about = np.asarray(rows.get(c.claim or c.name, []), dtype="int64")
        places = np.full(len(models) + 1, -1)
        places[row_of_model[about]] = about  # the row of a model without a name, -1, is beyond all others
        values = chosen["value" if c.type == "number" else "code"]
        columns[c.name] = values.array.take(places[:-1], allow_fill=True)
    wide = pd.DataFrame(columns, index=models).astype({c.name: "str" for c in stated if c.type in ("string", "list")})
    for c in stated:
        if c.type == "date":
            wide[c.name] = pd.to_datetime(wide[c.name])
        elif c.type == "boolean":
            wide[c.name] = wide[c.name].map(TRUTH).astype("boolean")
    return wide


def _seats(organizations: pd.Series, vocabulary: Vocabulary) -> pd.Series:
    """The countries that the vocabulary gives for the organisations of each model."""
    seats = {}
    for names in organizations.dropna().unique():
        countries = {vocabulary.attribute(name, "country") for name in names.split(LIST_SEPARATOR)} - {None}
        seats[names] = LIST_SEPARATOR.join(sorted(countries)) or None
    return organizations.map(seats).astype("str")


def _compute(wide: pd.DataFrame, chosen: pd.DataFrame) -> dict[str, pd.Series]:
    """Who states the compute and how; null where there is no value. It is stated by the developer if the method says so
    and neither compares with other models nor names another's estimate; else see who_says."""
    known = wide["training_compute_flop"].notna()
    words = wide["training_compute_method"].str.split(";")
    stated = words.map(lambda codes: STATED in codes and FROM_OTHERS.isdisjoint(codes), na_action="ignore").eq(True)
    links = chosen[chosen["field"] == "reference_url"].set_index("model_id")["value_text"]
    who = who_says(chosen[chosen["field"] == "training_compute_flop"], links, stated)
    return {
        "training_compute_pfs_days": wide["training_compute_flop"] / FLOP_PER_PFS_DAY,
        "training_compute_source": who.reindex(wide.index).where(known),
        "training_compute_method": wide["training_compute_method"].where(known),
        "training_compute_confidence": wide["training_compute_confidence"].where(known),
    }


def _links(names: pd.Series, chosen: pd.DataFrame) -> dict[str, pd.Series]:
    """The addresses of each model; of several models that cite one address of the hub, it is that of the model that has
    its name."""
    texts = chosen.pivot(index="model_id", columns="field", values="value_text").astype("str")
    texts = texts.reindex(index=names.index, columns=["reference_url", "huggingface_id"])
    links = {name: extracted(texts["reference_url"], pattern) for name, pattern in LINKS.items()}
    hub = extracted(texts["huggingface_id"], STATED_HUB).fillna(links["huggingface_id"])
    last, own = (text.str.lower().str.replace(r"^.*/|[^a-z0-9]", "", regex=True).fillna("") for text in (hub, names))
    is_own = np.array([name.endswith(end) for name, end in zip(own, last, strict=True)], dtype=bool)
    of_another = hub.notna() & hub.duplicated(keep=False) & ~is_own
    return links | {"huggingface_id": hub.mask(of_another | hub.str.contains(NO_MODEL, regex=True, na=False))}


def _date_basis(wide: pd.DataFrame, cited: pd.Series) -> pd.Series:
    """Whether the date is that of the preprint that the model is linked with, or that is `cited` for the date, of a
    release after it or of an announcement before; else as upstream has it."""
    links = [("arXiv:" + wide["arxiv_id"]), cited.reindex(wide.index), wide["reference_url"]]
    paper = shown_between(links[0].fillna("") + " " + links[1].fillna("") + " " + links[2].fillna(""))
    day = wide["publication_date"].astype("datetime64[ns]")
    kinds = [paper["first"].isna(), day < paper["first"], day > paper["last"]]
    words = np.select(kinds, ["upstream", "announcement", "release"], "paper")
    return pd.Series(words, index=wide.index, dtype="str").where(wide["publication_date"].notna())


def _model_named(chosen: pd.DataFrame, ids: pd.Series, index: pd.Index) -> pd.Series:
    """The id of the first other model that each claim names, if a record has exactly that name: `ids` are by name."""
    named = chosen.set_index("model_id")["code"]
    first = named.str.split(",").str[0].str.strip().map(ids)
    models = named.map(ids).fillna(first).reindex(index)
    return models.where(is_in(models, index) & (models != index))


def _measured_in_unit(claims: pd.DataFrame) -> pd.Series:
    """The models for which a publisher of the selected dataset_unit also agrees with the selected dataset_size: one
    source gives a dataset as 499e9 tokens, another gives the same dataset as 238e9 words."""
    pair = ["model_id", "publisher"]
    agreeing = claims["status"].isin(["selected", "superseded"])
    units = claims.loc[agreeing & (claims["field"] == "dataset_unit"), [*pair, "code", "status"]]
    chosen = units[units["status"] == "selected"].set_index("model_id")["code"]
    units = units.loc[units["code"] == units["model_id"].map(chosen), pair]
    sizes = claims.loc[agreeing & (claims["field"] == "dataset_size"), pair]
    return joined(units, sizes, pair)["model_id"]


def make_model_hardware(
    claims: pd.DataFrame, hardware: pd.DataFrame, vocabularies: Mapping[str, Vocabulary]
) -> pd.DataFrame:
    """One row per model and chip of the selected claims about hardware (model_id, value_text), the chip named as in the
    claim; hardware_id is null if no chip has that name."""
    rows = claims.assign(mention=claims["value_text"].str.split(",")).explode("mention", ignore_index=True)
    rows["mention"] = rows["mention"].str.strip()
    rows = rows[rows["mention"] != ""].drop_duplicates(["model_id", "mention"], ignore_index=True)
    names = rows["mention"].map(vocabularies["hardware"].lookup).fillna(rows["mention"])
    ids = hardware.set_index("name")["hardware_id"]
    return rows.assign(ordinal=rows.groupby("model_id").cumcount() + 1, hardware_id=names.map(ids))


def make_organizations(models: pd.DataFrame, vocabulary: Vocabulary) -> pd.DataFrame:
    """One row per organisation that made a model and per parent of one, from organizations, organization_category and
    countries of models. Category and country come from the vocabulary, otherwise from the models that the organisation
    made alone, if these agree."""
    count = items_of(models["organizations"])[0].value_counts()
    parents = [parent for name in count.index if (parent := vocabulary.attribute(name, "parent"))]
    names = sorted({*count.index, *parents})
    alone = models[models["organizations"].isin(names)]
    category, country = (_agreed(alone, column) for column in ("organization_category", "countries"))
    rows: dict[str, Any] = {
        "organization": names,
        "parent": [vocabulary.attribute(name, "parent") for name in names],
        "category": [vocabulary.attribute(name, "category") or category.get(name) for name in names],
        "country": [vocabulary.attribute(name, "country") or country.get(name) for name in names],
        "aliases": [";".join(vocabulary.attribute(name, "aliases") or []) or None for name in names],
        "models": count.reindex(names).fillna(0).astype("int64").to_numpy(),
    }
    return pd.DataFrame(rows)


def _agreed(alone: pd.DataFrame, column: str) -> dict[str, str]:
    """{organisation: value} for organisations whose single-organisation models all have the same value."""
    values = alone[["organizations", column]].dropna().drop_duplicates()
    agreed = values.drop_duplicates("organizations", keep=False).set_index("organizations")[column]
    return dict(agreed[~agreed.str.contains(";", regex=False)])
