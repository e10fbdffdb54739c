"""The wide models table: a pure pivot of the selected claims, plus the columns that its schema marks as derived."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pipeline.curated import Component
from pipeline.frames import conform, is_in
from pipeline.normalize.claims import ids_by_name, selected, who_says
from pipeline.normalize.columns import extracted, joined
from pipeline.normalize.first_shown import shown_between
from pipeline.normalize.reasons import NO_MODEL_LEFT
from pipeline.schema import TableSchema
from pipeline.vocabularies import Vocabulary
from traincompute.base.sources import OWN
from traincompute.units.table import FLOP_PER_PFS_DAY

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
GONE = "no source has the model any more"
GONE_REMEDY = "enter its new name in data/raw/curated/identities.csv, or end the lines about it with `until`"
NO_MODEL = r"^(?:blog|spaces|datasets|papers|collections|docs|posts|learn)/"  # other pages of the hub
TRUTH = {"true": True, "false": False}
# words for a method: the developer prints the value; it was inferred from other models, or somebody else estimated it
STATED, FROM_OTHERS = "stated", frozenset({"comparison", "other"})


def make_models(
    claims: pd.DataFrame,
    table: TableSchema,
    vocabularies: Mapping[str, Vocabulary],
    components: Collection[Component] = (),
) -> pd.DataFrame:
    """One row per model with a selected name claim, from the judged claims of one vintage, conformed to the schema."""
    chosen = selected(claims)
    wide = _pivot(chosen, table)
    links, access = _about_links(wide, chosen), _about_access(wide, vocabularies)
    closed = access["open_weights"].eq(False).fillna(False)  # the address is of other weights, such as its base's
    links["huggingface_id"] = links["huggingface_id"].mask(closed.astype("bool"))
    wide, known = wide.assign(**_about_compute(wide, chosen), **links, **access), ids_by_name(claims)
    wide = wide.assign(
        organization=wide["organizations"].str.replace(";.*", "", regex=True),  # the first
        publication_date_precision=_of(chosen, "publication_date", "note", wide),
        publication_date_basis=_basis(wide, _of(chosen, "publication_date", "reference", wide)),
        is_notable=is_in(wide.index, _notable(claims)),
        base_model_id=_named(chosen, "base_model", known, wide.index),
        components=_components(wide.index, components),
        training_run_id=_named(chosen, "training_run", known, wide.index),
        dataset_unit=wide["dataset_unit"].where(is_in(wide.index, _measured_in_unit(claims))),
    )
    return conform(wide.reset_index(names="model_id"), table)


def with_names(judged: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The judged claims about models of which a source has the name, and the others, as quarantined: what is known of a
    model that no source has any more."""
    named = judged.loc[(judged["field"] == "name") & (judged["status"] == "selected"), "model_id"]
    is_named = is_in(judged["model_id"], named.unique())
    told = {"status": "quarantined", "reason_code": NO_MODEL_LEFT, "reason": GONE, "remedy": GONE_REMEDY}
    return judged[is_named], judged[~is_named].assign(**told)


def _pivot(chosen: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """model_id → one column per claimed field: numbers from `value`, everything else from `code`."""
    stated = [c for c in table.columns if c.name != "model_id" and not c.derived]
    named = chosen.loc[(chosen["field"] == "name") & chosen["code"].notna(), "model_id"]
    models, rows = pd.Index(named.sort_values(), name="model_id"), chosen.groupby("field").indices
    model = models.get_indexer(chosen["model_id"])
    columns = {}
    for c in stated:
        values, about = chosen["value" if c.type == "number" else "code"], rows.get(c.claim or c.name, [])
        columns[c.name] = _in_places(values, np.asarray(about, dtype="int64"), model, len(models))
    wide = pd.DataFrame(columns, index=models).astype({c.name: "str" for c in stated if c.type in ("string", "list")})
    dates = {c.name: pd.to_datetime(wide[c.name]) for c in stated if c.type == "date"}
    truths = {c.name: wide[c.name].map(TRUTH).astype("boolean") for c in stated if c.type == "boolean"}
    return wide.assign(**dates, **truths)


def _in_places(values: pd.Series, rows: np.ndarray, model: np.ndarray, models: int) -> Any:
    """The values in some rows, each in the place of its model, and null in all others."""
    at = np.full(models + 1, -1)
    at[model[rows]] = rows  # the place of a model without a name, -1, is beyond all others
    return values.array.take(at[:-1], allow_fill=True)


def _notable(claims: pd.DataFrame) -> np.ndarray:
    by_hand = claims["source_id"].str.startswith(OWN) & (claims["field"] == CRITERIA)
    ids: np.ndarray = claims.loc[(claims["source_id"] == NOTABLE_SOURCE) | by_hand, "model_id"].unique()
    return ids


def _about_compute(wide: pd.DataFrame, chosen: pd.DataFrame) -> dict[str, pd.Series]:
    """Who states the compute and how; null where there is no value. It is stated by the developer if the method says so
    and neither compares with other models nor names another's estimate; else see who_says."""
    known = wide["training_compute_flop"].notna()
    words = wide["training_compute_method"].str.split(";")
    stated = words.map(lambda found: STATED in found and FROM_OTHERS.isdisjoint(found), na_action="ignore").eq(True)
    links = chosen[chosen["field"] == "reference_url"].set_index("model_id")["value_text"]
    who = who_says(chosen[chosen["field"] == "training_compute_flop"], links, stated)
    return {
        "training_compute_pfs_days": wide["training_compute_flop"] / FLOP_PER_PFS_DAY,
        "training_compute_source": who.reindex(wide.index).where(known),
        "training_compute_method": wide["training_compute_method"].where(known),
        "training_compute_confidence": wide["training_compute_confidence"].where(known),
    }


def _about_links(wide: pd.DataFrame, chosen: pd.DataFrame) -> dict[str, pd.Series]:
    links = _of(chosen, "reference_url", "value_text", wide)
    found = {name: extracted(links, pattern) for name, pattern in LINKS.items()}
    hub = extracted(_of(chosen, "huggingface_id", "value_text", wide), STATED_HUB).fillna(found["huggingface_id"])
    other = hub.str.contains(NO_MODEL, regex=True, na=False) | (_of_another(hub, wide["name"]))
    return found | {"huggingface_id": hub.mask(other)}


def _of_another(hub: pd.Series, name: pd.Series) -> pd.Series:
    """Whether an address that several models cite is not that of the model itself, by its name."""
    last, own = (text.str.lower().str.replace(r"^.*/|[^a-z0-9]", "", regex=True).fillna("") for text in (hub, name))
    named = [mine.endswith(its) for mine, its in zip(own, last, strict=True)]
    return hub.notna() & hub.duplicated(keep=False) & ~pd.Series(named, index=hub.index)


def _basis(wide: pd.DataFrame, cited: pd.Series) -> pd.Series:
    """Whether the date is that of the preprint that the model is linked with, or that is `cited` for the date, of a
    release after it or of an announcement before; else as upstream has it."""
    links = ("arXiv:" + wide["arxiv_id"]).fillna("") + " " + cited.fillna("") + " " + wide["reference_url"].fillna("")
    paper = shown_between(links)
    day = wide["publication_date"].astype("datetime64[ns]")
    kinds = [paper["first"].isna(), day < paper["first"], day > paper["last"]]
    words = np.select(kinds, ["upstream", "announcement", "release"], "paper")
    return pd.Series(words, index=wide.index, dtype="str").where(wide["publication_date"].notna())


def _about_access(wide: pd.DataFrame, vocabularies: Mapping[str, Vocabulary]) -> dict[str, pd.Series]:
    """open_weights as stated, otherwise as implied by the kind of access."""
    access = vocabularies["accessibility"]
    implied = wide["accessibility"].map({code: access.attribute(code, "open_weights") for code in access.codes})
    return {"open_weights": wide["open_weights"].fillna(implied.astype("boolean"))}


def _named(chosen: pd.DataFrame, field: str, known: pd.Series, index: pd.Index) -> pd.Series:
    """The id of the first other model that the claim about a field names, if a record has exactly that name: `known`
    has the ids by name."""
    named = chosen[chosen["field"] == field].set_index("model_id")["code"]
    first = named.str.split(",").str[0].str.strip().map(known)
    found = named.map(known).fillna(first).reindex(index)
    return found.where(is_in(found, index) & (found != index))


def _components(ids: pd.Index, components: Collection[Component]) -> pd.Series:
    """The ids of the components of each model, ;-joined, of those that the vintage has."""
    known = pd.DataFrame([c[:2] for c in components], columns=["model_id", "component_id"], dtype="str")
    known = known[is_in(known["component_id"], ids)]
    return known.groupby("model_id")["component_id"].agg(";".join).reindex(ids)


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


def _of(chosen: pd.DataFrame, field: str, column: str, wide: pd.DataFrame) -> pd.Series:
    """A column of the selected claims about a field, per model."""
    rows = chosen.loc[chosen["field"] == field, ["model_id", column]]
    return rows.set_index("model_id")[column].reindex(wide.index)
