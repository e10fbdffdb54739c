"""The table of names: what models are called here, in every source and in earlier snapshots, and which model a name
stands for when somebody else writes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow as pa

from pipeline.config import Source
from pipeline.curated import Decision
from pipeline.frames import conform, mapped
from pipeline.schema import TableSchema, View
from pipeline.vocabularies import Vocabulary

QUERY = Path(__file__).with_suffix(".sql")
FOLDED = ("name_words", "words_key")  # the macros that say how names are compared
ABOUT_MODELS = ["model_id", "name", "is_notable", "huggingface_id"]


def names_used(ledger: pd.DataFrame, sources: Mapping[str, Source], as_of: date | None) -> pd.DataFrame:
    """Each name that a source has had for a model up to that day: source_id, publisher, record, model_id, since, until
    (null while the source has it)."""
    about = ledger.loc[ledger["model_id"].fillna("") != "", ["source_id", "record", "model_id", "since", "until"]]
    if as_of:
        day = pd.Timestamp(as_of)
        about = about[about["since"] <= day].assign(until=lambda rows: rows["until"].where(rows["until"] <= day))
    spans = about.groupby(["source_id", "record", "model_id"], sort=False, observed=True)
    found = spans.agg(since=("since", "min"), until=("until", "max"), open=("until", "count"), all=("since", "size"))
    found = found.assign(until=found["until"].where(found["open"] == found["all"])).reset_index()
    publishers = {name: source.publisher for name, source in sources.items()}
    return found.assign(publisher=mapped(found["source_id"], publishers, "str")).drop(columns=["open", "all"])


def make_aliases(
    named: pd.DataFrame, models: pd.DataFrame, decisions: Iterable[Decision], views: Sequence[View], table: TableSchema
) -> pd.DataFrame:
    """The table `aliases` from `names_used`, the models, and the names that were decided to be another model's or to be
    in use for a model without being any source's."""
    decisions = list(decisions)
    called = [{"record": d.alias, "model_id": d.model_id} for d in decisions if d.relation == "called"]
    named = pd.concat([named, pd.DataFrame(called, columns=named.columns).astype(named.dtypes)])
    known = named[named["model_id"].isin(models["model_id"])]
    with duckdb.connect(config={"threads": "1"}) as connection:
        for macro in (view for view in views if view.is_macro and view.name in FOLDED):
            connection.execute(f"CREATE MACRO {macro.name}{macro.query}")
        others = [(d.source_id or None, d.alias, d.model_id) for d in decisions if d.relation == "distinct"]
        distinct = pd.DataFrame(others, columns=["source_id", "alias", "model_id"], dtype="str")
        connection.register("others", pa.Table.from_pandas(distinct, preserve_index=False))
        connection.register("named", pa.Table.from_pandas(known, preserve_index=False))
        connection.register("models", pa.Table.from_pandas(models[ABOUT_MODELS], preserve_index=False))
        made: pa.Table = connection.sql(QUERY.read_text(encoding="utf-8")).to_arrow_table()
    return conform(made.to_pandas(date_as_object=False), table)


def make_model_settings(vocabulary: Vocabulary, table: TableSchema) -> pd.DataFrame:
    """One row per spelling of a setting that stands in names of models and tells none apart."""
    rows = [
        {"spelling": text.replace("_", " "), "setting": code, "only_marked": bool(about.get("only_marked"))}
        for code, about in vocabulary.codes.items()
        for text in (code, *about["aliases"])
    ]
    return conform(pd.DataFrame(rows).drop_duplicates("spelling"), table)
