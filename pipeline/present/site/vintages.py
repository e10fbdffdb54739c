"""What `models` held on the day of every older snapshot of the notable models: which models, whether they were notable,
their dates and their published training compute. Read from the ledger, as a build `--as-of` that day reads it.

Values that the pipeline estimates are left out: a past day would get them by the methods of today. It takes its time,
so it runs beside the rest of the site: `python -m` this module, with the database and the day of its facts."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from pipeline.config import Config, load_config, locked_snapshots
from pipeline.frames import is_in, significant
from pipeline.normalize.pivot import NOTABLE_SOURCE
from pipeline.normalize.stage import Read, load_ledger, read_ledger, read_vintage, select_claims
from pipeline.paths import CHECKOUT, Paths
from pipeline.present.site.engine import packed
from pipeline.schema import LIST_SEPARATOR
from traincompute.database import connect_sealed

FIELDS = ("name", "publication_date", "training_compute_flop")
LISTS = {"organizations": "organization", "domains": "domain", "countries": "country"}  # column → field
EPOCH = pd.Timestamp("1970-01-01")
Model = tuple[str, int | None, float | None, bool]  # name, days since 1970, FLOP, whether it is notable
State = dict[str, Model]


def vintages_of(database: Path, as_of: str) -> dict[str, Any]:
    """What the snapshots of this checkout held of the models of a dataset, and of others."""
    with connect_sealed(database) as connection:
        ids = [key for (key,) in connection.execute("select model_id from models order by model_id").fetchall()]
    return read_vintages(load_config(Paths(CHECKOUT)), ids, date.fromisoformat(as_of) if as_of else None)


def read_vintages(context: Config, ids: Sequence[str], as_of: date | None) -> dict[str, Any]:
    """days, gone (models that `models` has no more) and spans, for a page that has the models `ids` in that order.

    A span is [row, first day, last day, name, date, FLOP, notable]: a row from len(ids) on is one of the models gone,
    days are indices, the date counts from 1970."""
    days = [day for day in locked_snapshots(context.lock, NOTABLE_SOURCE) if not as_of or day <= as_of][:-1]
    ledger = load_ledger(context)
    few = ledger[is_in(ledger["source_id"], _sources(context)) & is_in(ledger["field"], FIELDS)]
    read = read_ledger(context, few.reset_index(drop=True))
    fixes = [entry for entry in context.corrections if entry["field"] in FIELDS]
    states = [state_on(context, read, fixes, day) for day in days]
    lost = sorted({key for state in states for key in state} - set(ids))
    return {
        "days": [day.isoformat() for day in days],
        "gone": {"model_id": lost, **_last_said(context, ledger, lost)},
        "spans": spans(states, [*ids, *lost]),
    }


def state_on(context: Config, read: Read, fixes: Sequence[Mapping[str, Any]], day: date) -> State:
    """The models of one day; of bounds, which might be set aside beside a value, none are read."""
    stated = select_claims(context, read_vintage(context, read, day), fixes, day)
    won = stated[stated["status"] == "selected"]
    said = {str(field): rows.set_index("model_id") for field, rows in won.groupby("field")}
    names = said["name"]["code"]
    dates = (pd.to_datetime(said["publication_date"]["code"]) - EPOCH).dt.days.reindex(names.index)
    flop = significant(said["training_compute_flop"]["value"].reindex(names.index).to_numpy())
    notable = set(stated.loc[stated["source_id"] == NOTABLE_SOURCE, "model_id"])
    return {
        key: (name, None if pd.isna(on) else int(on), None if pd.isna(size) else float(size), key in notable)
        for key, name, on, size in zip(names.index, names, dates, flop, strict=True)
    }


def spans(states: Sequence[State], ids: Sequence[str]) -> list[list[Any]]:
    """[row, first, last, *model] for each run of days on which a model stayed the same."""
    found: list[list[Any]] = []
    for row, key in enumerate(ids):
        for number, state in enumerate(states):
            model = state.get(key)
            if model is None:
                continue
            if found and found[-1][:1] == [row] and found[-1][2] == number - 1 and tuple(found[-1][3:]) == model:
                found[-1][2] = number
            else:
                found.append([row, number, number, *model])
    return found


def _sources(context: Config) -> list[str]:
    return [name for name, source in context.sources.items() if source.subject == "models"]


def _last_said(context: Config, ledger: pd.DataFrame, ids: Sequence[str]) -> Mapping[str, list[list[str] | None]]:
    """The lists that a source last gave for each model."""
    rows = ledger[is_in(ledger["model_id"], ids) & is_in(ledger["field"], list(LISTS.values()))]
    read = read_ledger(context, rows.sort_values("since", kind="stable").reset_index(drop=True))
    typed = read.ledger.assign(code=read.readings["code"].to_numpy()[read.ledger["text"]])
    last = typed.drop_duplicates(["model_id", "field"], keep="last").set_index(["field", "model_id"])["code"].to_dict()
    texts = {column: [last.get((field, key)) for key in ids] for column, field in LISTS.items()}
    return {column: [text.split(LIST_SEPARATOR) if text else None for text in some] for column, some in texts.items()}


if __name__ == "__main__":
    gc.disable()
    sys.stdout.buffer.write(packed(vintages_of(Path(sys.argv[1]), sys.argv[2])))
