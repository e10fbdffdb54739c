"""Values that a publisher has withdrawn: a newer file of the same publisher had the cell, and has it blank now."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from pipeline.config import Source
from pipeline.frames import is_in, iso_days, mapped
from pipeline.normalize.columns import joined
from pipeline.normalize.reasons import WITHDRAWN

CELL = ["publisher", "model_id", "field"]


def mark_withdrawn(
    typed: pd.DataFrame, ledger: pd.DataFrame, sources: Mapping[str, Source], columns: pd.DataFrame | None = None
) -> pd.DataFrame:
    """The typed facts of a vintage, with a reason given to each one about a model that its publisher no longer states:
    a newer file of that publisher still has the record and the column, but has emptied the cell. `columns` are the
    source_id and field of those that the vintage has, for whoever has only part of its facts."""
    publishers = {name: source.publisher for name, source in sources.items() if source.subject == "models"}
    columns = columns_in(typed) if columns is None else columns
    emptied = _emptied(typed, ledger, publishers, columns)
    if emptied.empty:
        return typed
    plain = (typed["reason_code"] == "") & (typed["locator"] == "") & is_about_a_model(typed)
    stated = typed.loc[plain, ["source_id", "snapshot", *CELL[1:]]].reset_index(names="at")
    stated = stated.assign(publisher=mapped(stated["source_id"], publishers, "str"))
    stated["snapshot"] = mapped(stated["source_id"], _last_news(typed, ledger), "datetime64[s]")
    both = joined(stated, emptied, CELL, suffixes=("", "_new"))
    gone = both[both["until"] > both["snapshot"]].drop_duplicates("at")
    marked = typed.copy()
    marked.loc[gone["at"], "reason_code"] = WITHDRAWN
    marked.loc[gone["at"], "reason"] = _words(gone).to_numpy()
    return marked


def _last_news(typed: pd.DataFrame, ledger: pd.DataFrame) -> dict[str, pd.Timestamp]:
    """The day of the last snapshot of each source, of those until the one in use, that changed anything."""
    used = mapped(ledger["source_id"], typed.groupby("source_id")["snapshot"].first().to_dict(), "datetime64[s]")
    days = pd.concat([ledger[name].where(ledger[name] <= used) for name in ("since", "until")])
    return dict(days.groupby(pd.concat([ledger["source_id"]] * 2)).max())


def is_about_a_model(facts: pd.DataFrame) -> pd.Series:
    """Whether each fact has a model: those of other subjects have null, and those of records that are dropped ""."""
    return facts["model_id"].fillna("") != ""


def columns_in(typed: pd.DataFrame) -> pd.DataFrame:
    """source_id and field of the columns that have a cell in a vintage."""
    return typed.loc[typed["locator"] == "", ["source_id", "field"]].drop_duplicates()


def _emptied(
    typed: pd.DataFrame, ledger: pd.DataFrame, publishers: Mapping[str, str], columns: pd.DataFrame
) -> pd.DataFrame:
    """The cells that were emptied after the oldest snapshot in use, and by which file on which day (`until`), where
    that file still has the record and other cells of the column."""
    snapshots = typed.groupby("source_id")["snapshot"].first()
    used = mapped(ledger["source_id"], snapshots.to_dict(), "datetime64[s]")
    oldest = snapshots[snapshots.index.isin(list(publishers))].min()
    ended = (ledger["until"] > oldest) & (ledger["until"] <= used) & (ledger["locator"] == "")
    ended = ledger.loc[ended & is_about_a_model(ledger), ["source_id", "record", "until", *CELL[1:]]]
    present = typed.loc[is_in(typed["source_id"], ended["source_id"].unique()), ["source_id", "record", "field"]]
    present = present[is_in(present["record"], ended["record"].unique())]
    records, filled = present[["source_id", "record"]].drop_duplicates(), present.drop_duplicates()
    ended = joined(joined(ended, records, ["source_id", "record"]), columns, ["source_id", "field"])
    empty = joined(ended, filled, ["source_id", "record", "field"], how="left", indicator=True)
    empty = empty[empty["_merge"] == "left_only"]
    cells = empty.assign(publisher=mapped(empty["source_id"], publishers, "str")).sort_values("until")
    latest: pd.DataFrame = cells[[*CELL, "source_id", "until"]].drop_duplicates(CELL, keep="last")
    return latest


def _words(gone: pd.DataFrame) -> pd.Series:
    words: pd.Series = "withdrawn: blank in " + gone["source_id_new"] + " since " + iso_days(gone["until"])
    return words
