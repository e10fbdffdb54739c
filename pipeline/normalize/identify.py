"""Names → model_id: the same NFC name means the same model; any other match or distinction is a line in
data/raw/curated/identities.csv. An id is the slug of the first known name and does not depend on anything later. A
source that only speaks of models makes none: a record of it that matches no name and has no line gets no id.

The table `aliases` has what models are called, and which model a name stands for when somebody else writes it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa

from pipeline.config import Source
from pipeline.curated import NO_RECORD, Decision, decision_problem
from pipeline.errors import DataError, Problem
from pipeline.frames import is_in, iso_days, mapped
from pipeline.names import short_hash, slug
from pipeline.normalize.columns import row_codes
from pipeline.schema import View

QUERY = Path(__file__).with_name("aliases.sql")
FOLDED = ("name_words", "words_key")  # the macros that say how names are compared
ABOUT_MODELS = ["model_id", "name", "is_notable", "huggingface_id"]


def resolve_models(
    records: pd.DataFrame, decisions: Iterable[Decision], where: str, speaking: Collection[str] = ()
) -> pd.Series:
    """The model_id of each row of `records` (source_id, record, since). Dropped records have none (""), nor have those
    of `speaking` sources that are about no known model.

    Raises DataError for a decision about a record that no source has, or that names an id that no model has."""
    decisions = list(decisions)
    _, first, which = np.unique(row_codes(records, ["source_id", "record"]), return_index=True, return_inverse=True)
    pairs = records[["source_id", "record"]].iloc[first]
    making = records[~is_in(records["source_id"], list(speaking))]
    ids = default_ids(dict(iso_days(making.groupby("record")["since"].min())))
    DataError.raise_any(_lost_decisions(decisions, ids, set(pairs["record"]), where))
    decided = {(d.source_id, d.alias): d.model_id for d in decisions if d.relation not in NO_RECORD}
    chosen = [
        decided.get((source, record), decided.get(("", record), ids.get(record, "")))
        for source, record in zip(pairs["source_id"], pairs["record"], strict=True)
    ]
    return pd.Series(np.array(chosen, dtype=object)[which], index=records.index, dtype="str")


def default_ids(first_seen: Mapping[str, str]) -> dict[str, str]:
    """{record: id}, given the day on which each record was first seen. When slugs collide, the record seen first keeps
    the slug and later ones get a hash of their name appended: ids never depend on what comes later."""
    ids: dict[str, str] = {}
    taken: set[str] = set()
    for record in sorted(first_seen, key=lambda name: (first_seen[name], name)):
        base = slug(record)
        ids[record] = base if base not in taken else f"{base}-{short_hash(record)}"
        taken.add(ids[record])
    return ids


def _lost_decisions(
    decisions: Sequence[Decision], ids: Mapping[str, str], records: set[str], where: str
) -> Iterator[Problem]:
    """Decisions about records or models that there are not."""
    doubled = {slug(record.split(" @ ")[0]) for record in ids if " @ " in record}
    models = {*ids.values(), *doubled, *(d.model_id for d in decisions if d.relation == "split")}
    for d in decisions:
        if d.needs_record and d.alias not in records:
            remedy = "mend the spelling or remove the line"
            yield decision_problem(where, d, "no source has a record of this name", remedy)
        if d.model_id and d.model_id not in models:
            remedy = "use the slug of the model's first name"
            yield decision_problem(where, d, f'no model has the id "{d.model_id}"', remedy)


def ids_of_records(claims: pd.DataFrame, records: Iterable[str]) -> pd.Series:
    """model_id by source_id and record, for records of these names."""
    about = claims.loc[is_in(claims["record"], records), ["source_id", "record", "model_id"]]
    return about.drop_duplicates(["source_id", "record"]).set_index(["source_id", "record"])["model_id"]


def ids_by_name(claims: pd.DataFrame) -> pd.Series:
    """model_id by record name. The name in a duplicate, `name @ link`, counts if no record has the bare name and it
    belongs to only one model."""
    records = claims[["record", "model_id"]].drop_duplicates("record")
    own = records.set_index("record")["model_id"]
    doubled = records[records["record"].str.contains(" @ ", regex=False)]
    names = doubled.assign(record=doubled["record"].str.split(" @ ").str[0]).drop_duplicates()
    single = names.drop_duplicates("record", keep=False).set_index("record")["model_id"]
    ids: pd.Series = pd.concat([own, single[~single.index.isin(own.index)]])
    return ids


def names_used(records: pd.DataFrame, sources: Mapping[str, Source], as_of: date | None) -> pd.DataFrame:
    """Each name that a source has had for a model up to that day, from all spans (source_id, record, model_id, since,
    until): source_id, publisher, record, model_id, since, until (null while the source has it)."""
    about = records[records["model_id"].fillna("") != ""]
    if as_of:
        day = pd.Timestamp(as_of)
        about = about[about["since"] <= day].assign(until=lambda rows: rows["until"].where(rows["until"] <= day))
    spans = about.groupby(["source_id", "record", "model_id"], sort=False, observed=True)
    names = spans.agg(since=("since", "min"), until=("until", "max"), ended=("until", "count"), all=("since", "size"))
    names = names.assign(until=names["until"].where(names["ended"] == names["all"])).reset_index()
    publishers = {name: source.publisher for name, source in sources.items()}
    return names.assign(publisher=mapped(names["source_id"], publishers, "str")).drop(columns=["ended", "all"])


def make_aliases(
    named: pd.DataFrame, models: pd.DataFrame, decisions: Iterable[Decision], views: Sequence[View]
) -> pd.DataFrame:
    """The table `aliases` from `names_used`, the models (ABOUT_MODELS), and the names that were decided to be another
    model's or to be in use for a model without being any source's."""
    decisions = list(decisions)
    called = [{"record": d.alias, "model_id": d.model_id} for d in decisions if d.relation == "called"]
    named = pd.concat([named, pd.DataFrame(called, columns=named.columns).astype(named.dtypes)])
    others = [(d.source_id or None, d.alias, d.model_id) for d in decisions if d.relation == "distinct"]
    tables = {
        "named": named[named["model_id"].isin(models["model_id"])],
        "models": models,
        "others": pd.DataFrame(others, columns=["source_id", "alias", "model_id"], dtype="str"),
    }
    with duckdb.connect(config={"threads": "1"}) as connection:
        for macro in (view for view in views if view.is_macro and view.name in FOLDED):
            connection.execute(f"CREATE MACRO {macro.name}{macro.query}")
        for name, frame in tables.items():
            connection.register(name, pa.Table.from_pandas(frame, preserve_index=False))
        aliases: pa.Table = connection.sql(QUERY.read_text(encoding="utf-8")).to_arrow_table()
    rows: pd.DataFrame = aliases.to_pandas(date_as_object=False)
    return rows
