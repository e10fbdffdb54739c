"""Checks tables against schemas/ with pandera and reports all failures at once."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from pipeline.errors import Problem
from pipeline.frames import is_increasing
from pipeline.schema import LIST_SEPARATOR, TYPES, Column, TableSchema
from pipeline.validate.origin import Origin, nowhere
from pipeline.validate.pandera_alone import STRING, Engine, pa
from pipeline.validate.rows import row_checks, rule_problem
from pipeline.vocabularies import Vocabulary

Test = Callable[[Any, Any], Any]  # of the cells of a column and the bound that its schema gives
CELL_RULES: Mapping[str, tuple[Test, str]] = {
    "minimum": (operator.ge, "is below {}"),
    "exclusiveMinimum": (operator.gt, "is not above {}"),
    "maximum": (operator.le, "is above {}"),
    "enum": (lambda cells, listed: cells.isin([str(item) for item in listed]), "is not one of {}"),
    "pattern": (lambda texts, pattern: texts.str.fullmatch(pattern), "does not match {}"),
}
PERSON_REMEDY = "look at its claims with `traincompute sql`; correct it in data/raw/curated/corrections.yml"


def check_table(
    frame: pd.DataFrame, table: TableSchema, vocabularies: Mapping[str, Vocabulary], origin: Origin = nowhere
) -> list[Problem]:
    """Every cell and every row of a conformed frame that breaks a rule of its schema, as a problem with the row's key
    and, of a rule across columns, with the facts that `origin` finds behind them."""
    found = _infinite(frame, table)
    try:
        _schema(frame, table, vocabularies).validate(frame, lazy=True, inplace=True)
    except pa.errors.SchemaErrors as error:
        rules, cases = {rule.name for rule in table.rules}, error.failure_cases
        again = cases["check"].isin(rules) & cases.duplicated(["check", "index"])  # a broken rule fails every column
        found += [_problem(row, frame, table, origin) for row in cases[~again].to_dict("records")]
    return found


def _infinite(frame: pd.DataFrame, table: TableSchema) -> list[Problem]:
    """Numbers that are infinite, in one look at all columns: a check of pandera for each took a tenth of a build."""
    numbers = frame.select_dtypes("float64")
    places = zip(*np.nonzero(np.isinf(numbers.to_numpy())), strict=True)
    return [
        _refused(frame, row, table, str(numbers.columns[place]), numbers.iat[row, place], "is not finite")
        for row, place in places
    ]


def _schema(frame: pd.DataFrame, table: TableSchema, vocabularies: Mapping[str, Vocabulary]) -> Any:
    """The pandera DataFrameSchema of a published table: strict, without coercion, and with a unique key unless the
    order of the rows already shows that it is."""
    unique = None if is_increasing(frame[table.key]) else list(table.primary_key)
    schema = pa.DataFrameSchema(checks=row_checks(table), strict=True, coerce=False, ordered=True, unique=unique)
    schema.columns = {c.name: _pandera_column(c, vocabularies) for c in table.columns}  # as an argument, it is copied
    return schema


def _pandera_column(column: Column, vocabularies: Mapping[str, Vocabulary]) -> Any:
    unique, checks = bool(column.constraints.get("unique")), _checks(column, vocabularies)
    nullable = not column.required
    return pa.Column(_dtype(column.type), name=column.name, nullable=nullable, unique=unique, checks=checks)


@cache
def _dtype(type_name: str) -> Any:
    """pandera's name for the dtype of a published type, which it looks for anew wherever it is given pandas' own."""
    return _text_dtype() if type_name in ("string", "list") else Engine.dtype(TYPES[type_name][0])


def _text_dtype() -> Any:
    """pandas' text dtype, compared as a whole. pandera's own compares row by row and looks for the rows that failed,
    which took 0.4 of the time of all checks."""

    class Text(STRING):  # type: ignore[misc]
        def check(self, pandera_dtype: Any, data_container: Any = None) -> bool:
            return bool(pandera_dtype.type == self.type)

    return Text()


def _checks(column: Column, vocabularies: Mapping[str, Vocabulary]) -> list[Any]:
    checks = []
    for name, (test, words) in CELL_RULES.items():
        if name in column.constraints:
            given = column.constraints[name]
            bound = pd.Timestamp(str(given)) if column.type == "date" else given
            checks.append(_check(partial(_keeps, test, bound), words.format(given)))
    vocabulary = vocabularies.get(column.vocab or "")
    if vocabulary and not vocabulary.open:
        codes = set(vocabulary.codes)
        error = f"has a code that {vocabulary.file} does not list"
        checks.append(_check(lambda s: _all_known(s, codes), error))
    return checks


def _keeps(test: Test, bound: Any, cells: pd.Series) -> Any:
    return test(cells, bound)


def _check(test: Callable[[pd.Series], Any], error: str) -> Any:
    """A check that empty cells pass: pandera itself would copy the column without them first."""
    return pa.Check(lambda s: test(s) | s.isna(), error=error, ignore_na=False)


def _all_known(series: pd.Series, codes: set[str]) -> pd.Series:
    """Whether all items of each ;-joined text are codes; each distinct text is checked once."""
    texts = series.dropna().unique()
    return series.isin([text for text in texts if all(item in codes for item in text.split(LIST_SEPARATOR))])


def warnings_of(frame: pd.DataFrame, table: TableSchema, looked_at: Collection[tuple[str, str]] = ()) -> list[Problem]:
    """Cells outside the bounds that a schema gives under `warn`: unusual, but not refused. Left out are those at which
    somebody looked, by key and column."""
    found = []
    for column in (c for c in table.columns if c.warn):
        high = frame[column.name] > column.warn["maximum"]
        found += [
            Problem(
                table.name,
                row_key(frame, i, table),
                column.name,
                str(frame[column.name][i]),
                f"is above {column.warn['maximum']}",
                "check whether this is intended",
            )
            for i in frame.index[high.fillna(False)]
            if (row_key(frame, i, table), column.name) not in looked_at
        ]
    return found


def _problem(case: Mapping[Any, Any], frame: pd.DataFrame, table: TableSchema, origin: Origin) -> Problem:
    index, column, value = case.get("index"), case.get("column"), case.get("failure_case")
    known = index is not None and index == index
    if rule := next((rule for rule in table.rules if rule.name == case.get("check")), None):
        key = row_key(frame, index, table)
        return rule_problem(rule, frame, index, table, key, origin(key, rule.columns))
    row = int(str(index)) if known else None
    return _refused(frame, row, table, str(column or ""), value, _rule(str(case.get("check"))))


def _refused(frame: pd.DataFrame, row: int | None, table: TableSchema, column: str, value: Any, reason: str) -> Problem:
    key = "" if row is None else row_key(frame, row, table)
    return Problem(table.name, key, column, str(value), reason, PERSON_REMEDY)


def _rule(check: str) -> str:
    plain = {
        "not_nullable": "must not be empty",
        "field_uniqueness": "occurs in more than one row",
        "multiple_fields_uniqueness": "key occurs in more than one row",
    }
    return plain.get(check, check)


def row_key(frame: pd.DataFrame, index: Any, table: TableSchema) -> str:
    return " ".join(str(frame.at[index, name]) for name in table.primary_key)
