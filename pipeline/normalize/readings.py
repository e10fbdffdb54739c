"""Facts → typed readings: each fact gets a value in its field's unit and a note of what was converted on the way.

What the strict grammars cannot read is quarantined with a reason; in files entered by hand it is an error.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.config import Source
from pipeline.errors import DataError, Problem
from pipeline.frames import is_in, mapped
from pipeline.normalize.columns import row_codes
from pipeline.normalize.order_digits import NOTE, without_order_digits
from pipeline.normalize.reasons import STATES_NOTHING, UNKNOWN_CODE
from pipeline.normalize.text import FIRST_YEAR, LAST_YEAR, Reading, read_text
from pipeline.schema import Field
from pipeline.vocabularies import Vocabulary
from traincompute.units.table import check_unit

PARSED = ["key", "value_text", "day_first"]  # what the reading of a fact depends on
READ = dict.fromkeys(Reading._fields, "str") | dict.fromkeys(("value", "low", "high"), "float64")  # column: dtype
# What is read a column at a time: numbers with too few digits to overflow, underflow or be refused, and whole dates
PLAIN_NUMBER = r"^[0-9]{1,20}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$"
PLAIN_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


def read_texts(
    facts: pd.DataFrame,
    fields: Mapping[str, Field],
    vocabularies: Mapping[str, Vocabulary],
    sources: Mapping[str, Source],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The facts with `subject` and `text` (the row number of their reading), and the readings: each distinct text of a
    field is read once. Raises DataError for unknown fields."""
    subject = mapped(facts["source_id"], {name: source.subject for name, source in sources.items()}, "str")
    keyed = facts.assign(key=subject + "." + facts["field"], day_first=_day_first(facts, sources))
    _check_fields(keyed, fields)
    _, first, which = np.unique(row_codes(keyed, PARSED), return_index=True, return_inverse=True)
    printed = keyed[PARSED].iloc[first].reset_index(drop=True)
    units = mapped(printed["key"], {name: entry.unit for name, entry in fields.items()}, "str")
    texts = without_order_digits(printed["value_text"], units)
    readings = read_column(printed.assign(value_text=texts), fields, vocabularies)
    readings["note"] = readings["note"].mask(texts != printed["value_text"], NOTE)
    return facts.assign(subject=subject, text=which), readings


def with_readings(facts: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
    """The facts with the columns of their readings (those of Reading; a reason_code means that the text could not be
    read)."""
    return facts.join(readings.iloc[facts["text"].to_numpy()].set_axis(facts.index))


def read_column(
    rows: pd.DataFrame, fields: Mapping[str, Field], vocabularies: Mapping[str, Vocabulary]
) -> pd.DataFrame:
    """read_text for rows of key (a key of `fields`), value_text and day_first: a table with the columns of Reading and
    the index of the rows. Raises LookupError for a unit that is not in UNITS."""
    for unit in {fields[key].unit for key in rows["key"].unique() if fields[key].type == "number"}:
        check_unit(unit)
    at = rows.reset_index(drop=True)
    plain = _plain(at, mapped(at["key"], {name: _kind(entry) for name, entry in fields.items()}, "str"))
    rest = at.loc[~at.index.isin(plain.index), PARSED]
    read = [
        read_text(fields[key], text, vocabularies, day_first=first) for key, text, first in rest.itertuples(index=False)
    ]
    single = pd.DataFrame(read, columns=list(READ), index=rest.index).astype(READ)
    units = mapped(at["key"], {name: entry.unit for name, entry in fields.items()}, "str")
    return pd.concat([plain, single]).sort_index().assign(unit=units).set_axis(rows.index)


def _kind(entry: Field) -> str:
    return "codes" if entry.vocab else entry.type


def _plain(rows: pd.DataFrame, kind: pd.Series) -> pd.DataFrame:
    """The readings of plain numbers above zero, whole calendar dates, and texts that are taken literally."""
    texts = rows["value_text"]
    values = _plain_numbers(texts.where(kind == "number"))
    is_day, is_text = _is_day(texts.where(kind == "date")), kind == "string"
    made = pd.DataFrame({"value": values.where(values > 0), "note": "", "code": ""}, index=rows.index)
    made["note"] = made["note"].mask(is_day, "day")
    made["code"] = made["code"].mask(is_day | is_text, texts)
    empty = dict.fromkeys(("unit", "reason_code", "reason", "remedy"), "")
    made = made.assign(low=np.nan, high=np.nan, **empty)[list(READ)]
    return made[(values > 0) | is_day | is_text].astype(READ)


def _plain_numbers(texts: pd.Series) -> pd.Series:
    """Plain decimal and scientific numbers as the nearest float64; NaN for any other text."""
    cells = pa.array(texts, type=pa.string(), from_pandas=True)
    plain = pc.if_else(pc.match_substring_regex(cells, PLAIN_NUMBER), cells, pa.scalar(None, pa.string()))
    return pd.Series(pc.cast(plain, pa.float64()).to_numpy(zero_copy_only=False), index=texts.index)


def _is_day(texts: pd.Series) -> pd.Series:
    """Whether a text is a whole ISO date that exists in the calendar and lies within the accepted years."""
    days = pd.to_datetime(texts.where(texts.str.match(PLAIN_DATE, na=False)), format="%Y-%m-%d", errors="coerce")
    return days.between(pd.Timestamp(FIRST_YEAR, 1, 1), pd.Timestamp(LAST_YEAR, 12, 31))


def _day_first(facts: pd.DataFrame, sources: Mapping[str, Source]) -> pd.Series:
    """Whether the day comes first in 05/06/2019: it does for facts first seen before the date given in source.yml."""
    limits = {name: source.day_first_until for name, source in sources.items()}
    limit = mapped(facts["source_id"], limits, "datetime64[s]")
    return (facts["since"] < limit) & (facts["field"].str.endswith("_date"))


def _check_fields(facts: pd.DataFrame, fields: Mapping[str, Field]) -> None:
    if unknown := set(facts["key"].unique()) - fields.keys():
        strange = facts[is_in(facts["key"], unknown)].drop_duplicates(["file", "field"])
        raise DataError(
            _problem(row, "no such field", "use a column of schemas/models.yml or a field of schemas/vocab/fields.yml")
            for row in strange.to_dict("records")
        )


def check_readable(facts: pd.DataFrame, sources: Mapping[str, Source]) -> None:
    """Raises DataError for unknown codes of closed vocabularies in any file, and for other unreadable texts in files
    entered by hand."""
    entered = is_in(facts["source_id"], [name for name, source in sources.items() if source.adapter == "curated"])
    unread = ~facts["reason_code"].isin(["", STATES_NOTHING])
    bad = facts[(facts["reason_code"] == UNKNOWN_CODE) | (entered & unread)]
    if len(bad):
        raise DataError(_problem(row, row["reason"], row["remedy"]) for row in bad.to_dict("records"))


def _problem(row: Mapping, reason: str, remedy: str) -> Problem:  # type: ignore[type-arg]
    return Problem(f"{row['file']}:{row['line']}", row["record"], row["field"], row["value_text"], reason, remedy)
