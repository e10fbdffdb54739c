"""Facts → claims: each fact gets a model, a typed value in its field's unit, and what was converted on the way.

What a strict grammar cannot read is quarantined with a reason; in files that people enter it is an error.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from pipeline.base.columnar import is_in, mapped, row_codes
from pipeline.base.date_columns import parse_dates
from pipeline.base.errors import DataError, Problem
from pipeline.base.units import parse_quantities
from pipeline.registry.fields import NOTHING_STATED, TRUE_WORDS, Field
from pipeline.registry.sources import Source
from pipeline.registry.vocabularies import Vocabulary, resolve_items

PARSED = ["key", "value_text", "day_first"]  # what the reading of a fact depends on
TEXT_COLUMNS = ("note", "code", "reason", "remedy")


def read_texts(
    facts: pd.DataFrame,
    fields: Mapping[str, Field],
    vocabularies: Mapping[str, Vocabulary],
    sources: Mapping[str, Source],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The facts with `subject` and `text` (which reading is theirs), and the readings: each distinct text of a field
    is read once. Raises DataError for unknown fields."""
    subject = mapped(facts["source_id"], {name: source.subject for name, source in sources.items()}, "str")
    keyed = facts.assign(key=subject + "." + facts["field"], day_first=_day_first(facts, sources))
    _check_fields(keyed, fields)
    _, first, which = np.unique(row_codes(keyed, PARSED), return_index=True, return_inverse=True)
    readings = _parse(keyed[PARSED].iloc[first].reset_index(drop=True), fields, vocabularies)
    return facts.assign(subject=subject, text=which), readings.drop(columns=PARSED)


def with_readings(facts: pd.DataFrame, readings: pd.DataFrame) -> pd.DataFrame:
    """The facts with value, low, high, unit, note, code, reason, remedy (reason is filled where a text could not be
    read)."""
    return facts.join(readings.iloc[facts["text"].to_numpy()].set_axis(facts.index))


def _parse(distinct: pd.DataFrame, fields: Mapping[str, Field], vocabularies: Mapping[str, Vocabulary]) -> pd.DataFrame:
    kind = mapped(distinct["key"], {name: _kind(entry) for name, entry in fields.items()}, "str")
    readers = {"number": _numbers, "date": _dates, "boolean": _booleans, "string": _plain}
    parts = [
        readers[str(name)](rows, fields) if name in readers else _codes(rows, fields, vocabularies)
        for name, rows in distinct.groupby(kind, sort=True)
    ]
    typed = pd.concat(parts).sort_index()
    typed[list(TEXT_COLUMNS)] = typed[list(TEXT_COLUMNS)].fillna("")
    return typed.assign(unit=mapped(typed["key"], {name: entry.unit for name, entry in fields.items()}, "str"))


def _kind(entry: Field) -> str:
    return "codes" if entry.vocab else entry.type


def _numbers(rows: pd.DataFrame, fields: Mapping[str, Field]) -> pd.DataFrame:
    units = mapped(rows["key"], {name: entry.unit for name, entry in fields.items()}, "str")
    parsed = parse_quantities(rows["value_text"], units)
    zero = parsed["value"] == 0  # no field of this dataset can be zero; upstream has 0.0 where nothing is known
    parsed["reason"] = parsed["reason"].mask(zero, "zero is no quantity")
    return rows.join(parsed.assign(value=parsed["value"].mask(zero), code=""))


def _dates(rows: pd.DataFrame, fields: Mapping[str, Field]) -> pd.DataFrame:
    parsed = parse_dates(rows["value_text"], day_first=rows["day_first"])
    code = parsed["date"].dt.strftime("%Y-%m-%d").fillna("")
    return rows.assign(code=code, note=parsed["precision"].fillna(""), reason=parsed["reason"], remedy=parsed["remedy"])


def _booleans(rows: pd.DataFrame, fields: Mapping[str, Field]) -> pd.DataFrame:
    code = rows["value_text"].str.lower().map(TRUE_WORDS)
    reason = code.isna().map({True: "neither true nor false", False: ""})
    return rows.assign(code=code, reason=reason, remedy=code.isna().map({True: "write true or false", False: ""}))


def _plain(rows: pd.DataFrame, fields: Mapping[str, Field]) -> pd.DataFrame:
    return rows.assign(code=rows["value_text"])


def _codes(rows: pd.DataFrame, fields: Mapping[str, Field], vocabularies: Mapping[str, Vocabulary]) -> pd.DataFrame:
    results = [
        _read_codes(fields[name], text, vocabularies)
        for name, text in zip(rows["key"], rows["value_text"], strict=True)
    ]
    return rows.join(pd.DataFrame(results, index=rows.index, columns=["code", "reason", "remedy"]))


def _read_codes(entry: Field, text: str, vocabularies: Mapping[str, Vocabulary]) -> tuple[str, str, str]:
    vocabulary = vocabularies[entry.vocab]
    codes, unknown = resolve_items(text, vocabulary)
    if unknown:
        reason, remedy = vocabulary.unknown(unknown[0])
        return "", f'"{unknown[0]}" is {reason}', remedy
    if not codes:
        return "", NOTHING_STATED, ""
    if entry.type == "string" and len(codes) > 1:
        return "", "several values in one cell", "enter the one that is meant in the curated facts"
    return ";".join(codes if entry.keep_order else sorted(codes)), "", ""


def _day_first(facts: pd.DataFrame, sources: Mapping[str, Source]) -> pd.Series:
    """Whether 05/06/2019 is day first: as source.yml says, for facts that were first seen before its date."""
    limits = {name: source.day_first_until for name, source in sources.items()}
    limit = mapped(facts["source_id"], limits, "datetime64[s]")
    return (facts["since"] < limit) & (facts["field"].str.endswith("_date"))


def _check_fields(facts: pd.DataFrame, fields: Mapping[str, Field]) -> None:
    strange = facts[~facts["key"].isin(list(fields))].drop_duplicates(["file", "field"])
    if len(strange):
        raise DataError(
            _problem(row, "no such field", "use a column of schemas/models.yml or a field of schemas/vocab/fields.yml")
            for row in strange.to_dict("records")
        )


def check_readable(claims: pd.DataFrame, sources: Mapping[str, Source]) -> None:
    """Raises DataError for unknown codes of closed vocabularies wherever they stand, and for other unreadable texts
    in files that people enter."""
    entered = is_in(claims["source_id"], [name for name, source in sources.items() if source.adapter == "curated"])
    unknown = claims["reason"].str.contains("is not in the vocabulary", regex=False)
    bad = claims[unknown | (entered & ~claims["reason"].isin(["", NOTHING_STATED]))]
    if len(bad):
        raise DataError(_problem(row, row["reason"], row["remedy"]) for row in bad.to_dict("records"))


def _problem(row: Mapping, reason: str, remedy: str) -> Problem:  # type: ignore[type-arg]
    return Problem(f"{row['file']}:{row['line']}", row["record"], row["field"], row["value_text"], reason, remedy)
