"""Texts → parsed values: each distinct text of a field is read once, as a number in the field's unit, a day or a code.

Plain numbers, whole dates and literal texts are read a column at a time, all others by text.py. What the
grammars cannot read is quarantined with a reason; in files entered by hand it is an error."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.config import Source
from pipeline.errors import DataError
from pipeline.frames import is_in, mapped
from pipeline.normalize.columns import row_codes
from pipeline.normalize.facts import fact_problem
from pipeline.normalize.text import FIRST_YEAR, LAST_YEAR, ParsedValue, read_text
from pipeline.schema import Field
from pipeline.vocabularies import Vocabulary

TEXT = ["key", "value_text", "day_first"]  # what a parsed value depends on
PARSED = dict.fromkeys(ParsedValue._fields, "str") | dict.fromkeys(("value", "low", "high"), "float64")  # with dtypes
# numbers with too few digits to overflow, underflow or be refused, and whole dates
PLAIN_NUMBER = r"^[0-9]{1,20}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?$"
PLAIN_DATE = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
# Epoch AI writes 2.0001e25 for 2e25, so that equal values keep an order, and spreadsheets write 5.0000000000000004e22
NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
ROUNDING = re.compile(r"0{6,}[1-9][0-9]{0,3}$")
ORDER = re.compile(r"(?<=[1-9])0{2,}1$")  # for FLOP alone: a count may be 16,210,001
READ_NEVERTHELESS = ("held", "no_bound", "bound_excludes_value", "withdrawn")
NOTE = "without the last digits, which only order equal values or come from rounding"


def parse_values(
    facts: pd.DataFrame,
    fields: Mapping[str, Field],
    vocabularies: Mapping[str, Vocabulary],
    sources: Mapping[str, Source],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The facts with `subject` and `text` (the row number of their parsed value), and the parsed values. Raises
    DataError for unknown fields."""
    subject = mapped(facts["source_id"], {name: source.subject for name, source in sources.items()}, "str")
    until = mapped(facts["source_id"], {name: one.day_first_until for name, one in sources.items()}, "datetime64[s]")
    day_first = (facts["since"] < until) & facts["field"].str.endswith("_date")  # 05/06/2019 in an early snapshot
    keyed = facts.assign(key=subject + "." + facts["field"], day_first=day_first)
    unknown = keyed[is_in(keyed["key"], set(keyed["key"].unique()) - fields.keys())]
    remedy = "use a column of schemas/models.yml or a field of schemas/vocab/fields.yml"
    strange = unknown.drop_duplicates(["file", "field"]).to_dict("records")
    DataError.raise_any(fact_problem(row, "no such field", remedy) for row in strange)
    _, first, which = np.unique(row_codes(keyed, TEXT), return_index=True, return_inverse=True)
    return facts.assign(subject=subject, text=which), parse_texts(keyed[TEXT].iloc[first], fields, vocabularies)


def with_values(facts: pd.DataFrame, values: pd.DataFrame) -> pd.DataFrame:
    """The facts with the columns of their parsed values; a reason_code means that the text could not be read."""
    return facts.join(values.iloc[facts["text"].to_numpy()].set_axis(facts.index))


def parse_texts(
    texts: pd.DataFrame, fields: Mapping[str, Field], vocabularies: Mapping[str, Vocabulary]
) -> pd.DataFrame:
    """The parsed values of rows of key (a key of `fields`), value_text and day_first, in their order, numbered from 0.
    Raises LookupError for a unit that the reader does not know."""
    unit = mapped(texts["key"], {name: field.unit for name, field in fields.items()}, "str").reset_index(drop=True)
    printed = texts.reset_index(drop=True)
    cells = printed["value_text"].copy()
    at = (unit != "") & cells.str.contains(r"00[0-9]*[1-9]", regex=True, na=False)
    cells[at] = [without_last_digits(text, unit) for text, unit in zip(cells[at], unit[at], strict=True)]
    kept = printed.assign(value_text=cells)
    plain = _parse_plain(kept, fields)
    rest = kept.loc[~kept.index.isin(plain.index), TEXT]
    single = [
        read_text(fields[key], text, vocabularies, day_first=first) for key, text, first in rest.itertuples(index=False)
    ]
    values = pd.concat(
        [plain, pd.DataFrame(single, columns=list(PARSED), index=rest.index).astype(PARSED)]
    ).sort_index()
    return values.assign(unit=unit, note=values["note"].mask(kept["value_text"] != printed["value_text"], NOTE))


def _parse_plain(texts: pd.DataFrame, fields: Mapping[str, Field]) -> pd.DataFrame:
    """The values of plain numbers above zero, of days that the calendar has and of texts that are taken literally."""
    kinds = {name: "codes" if field.vocab else field.type for name, field in fields.items()}
    kind, printed = mapped(texts["key"], kinds, "str"), texts["value_text"]
    cells = pa.array(printed.where(kind == "number"), type=pa.string(), from_pandas=True)
    numbers = pc.if_else(pc.match_substring_regex(cells, PLAIN_NUMBER), cells, pa.scalar(None, pa.string()))
    value = pd.Series(pc.cast(numbers, pa.float64()).to_numpy(zero_copy_only=False), index=texts.index)
    dates = printed.where(kind == "date")
    days = pd.to_datetime(dates.where(dates.str.match(PLAIN_DATE, na=False)), format="%Y-%m-%d", errors="coerce")
    is_day = days.between(pd.Timestamp(FIRST_YEAR, 1, 1), pd.Timestamp(LAST_YEAR, 12, 31))
    is_code = is_day | (kind == "string")
    empty = pd.Series("", index=texts.index, dtype="str")
    values = pd.DataFrame({
        "value": value.where(value > 0), "low": np.nan, "high": np.nan,
        "note": empty.mask(is_day, "day"), "code": empty.mask(is_code, printed),
        **dict.fromkeys(("unit", "reason_code", "reason", "remedy"), ""),
    })  # fmt: skip
    return values.loc[(value > 0) | is_code, list(PARSED)].astype(PARSED)


def without_last_digits(text: str, unit: str) -> str:
    """The text of a number of this unit, without digits at the end that say nothing."""
    match = NUMBER.search(text)
    if not match or "." not in match[0]:
        return text
    _, digits, exponent = Decimal(match[0]).normalize().as_tuple()
    printed = "".join(map(str, digits))
    kept = ROUNDING.sub("", printed)
    kept = ORDER.sub("", ORDER.sub("", kept)) if unit == "FLOP" else kept
    if not kept or kept == printed:
        return text
    number = f"{kept}e{int(exponent) + len(printed) - len(kept)}"
    return text[: match.start()] + number + text[match.end() :]


def check_readable(facts: pd.DataFrame, sources: Mapping[str, Source]) -> None:
    """Raises DataError for unknown codes of closed vocabularies in any file, and for other unreadable texts in files
    entered by hand."""
    entered = is_in(facts["source_id"], [name for name, source in sources.items() if source.adapter == "curated"])
    unread = ~facts["reason_code"].isin(["", "states_nothing", *READ_NEVERTHELESS])
    bad = facts[(facts["reason_code"] == "unknown_code") | (entered & unread)].to_dict("records")
    DataError.raise_any(fact_problem(row, row["reason"], row["remedy"]) for row in bad)
