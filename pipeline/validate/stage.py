"""Stage 2: refuses tables that break their schemas, and reports every problem at once.

A pandera schema made from schemas/<table>.yml checks columns, types, keys and cells; the rules across columns and the
references between tables are checked beside it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Config
from pipeline.errors import DataError, Problem
from pipeline.frames import Tables, is_in, is_increasing, items_of
from pipeline.schema import LIST_SEPARATOR, TYPES, Column, Rule, TableSchema
from pipeline.validate.evaluate import evaluate
from pipeline.validate.pandera_alone import STRING, Engine, pa
from pipeline.vocabularies import Vocabulary

MODELS = "models"
CELL_REMEDY = "look at its claims with `traincompute sql`; correct it in data/raw/curated/corrections.yml"
RULE_REMEDY = (
    "correct one of them in data/raw/curated/corrections.yml, or the fact that a person entered; if both are right, "
    "acknowledge the cell there with the reason and `rule`"
)
BUG = "this is a bug in the pipeline; please report it"
PLAINLY = {
    "not_nullable": "must not be empty",
    "field_uniqueness": "occurs in more than one row",
    "multiple_fields_uniqueness": "key occurs in more than one row",
}


def check_tables(context: Config, made: Tables) -> Tables:
    """The tables, unchanged. Raises DataError with every cell and every row that breaks a rule of its schema."""
    schemas, vocabularies = context.schemas, context.vocabularies
    problems = [check_table(frame, schemas[name], vocabularies) for name, frame in made.items()]
    DataError.raise_any(problem for some in problems for problem in some)
    return made


def check_stated(context: Config, made: Tables) -> None:
    """Raises DataError for a cell of models that no source can state, before anything is worked out from it."""
    table = context.schemas[MODELS]
    stated = {column.name for column in table.columns if not column.derived}
    problems = check_table(made[MODELS], replace(table, rules=()), context.vocabularies)
    DataError.raise_any(problem for problem in problems if problem.field in stated)


def check_links(context: Config, made: Tables) -> None:
    """Raises DataError if a table refers to a row of another table that does not exist."""
    links = [(context.schemas[name], column) for name in made for column in context.schemas[name].columns]
    DataError.raise_any(p for table, column in links if column.references for p in _dangling(made, table, column))


def check_table(frame: pd.DataFrame, table: TableSchema, vocabularies: Mapping[str, Vocabulary]) -> list[Problem]:
    """Every cell and every row of a conformed frame that breaks a rule of its schema, as a problem with the row's
    key."""
    problems = list(_infinite(frame, table))
    try:
        _pandera_schema(frame, table, vocabularies).validate(frame, lazy=True, inplace=True)
    except pa.errors.SchemaErrors as error:
        problems += [_refused(case, frame, table) for case in error.failure_cases.to_dict("records")]
        if set(table.names) - set(frame):
            return problems
    return problems + [problem for rule in table.rules for problem in _broken(rule, frame, table)]


def _infinite(frame: pd.DataFrame, table: TableSchema) -> Iterator[Problem]:
    """Numbers that are infinite, in one look at all columns: a check of pandera for each took a tenth of a build."""
    numbers = frame.select_dtypes("float64")
    for row, place in zip(*np.nonzero(np.isinf(numbers.to_numpy())), strict=True):
        case = {"index": row, "column": numbers.columns[place], "failure_case": numbers.iat[row, place]}
        yield _refused(case | {"check": "is not finite"}, frame, table)


def _pandera_schema(frame: pd.DataFrame, table: TableSchema, vocabularies: Mapping[str, Vocabulary]) -> Any:
    """The pandera DataFrameSchema of a published table: strict, without coercion, and with a unique key unless the
    order of the rows already shows that it is."""
    unique = None if is_increasing(frame[table.key]) else list(table.primary_key)
    schema = pa.DataFrameSchema(strict=True, coerce=False, ordered=True, unique=unique)
    schema.columns = {c.name: _pandera_column(c, vocabularies) for c in table.columns}  # as an argument, it is copied
    return schema


def _pandera_column(column: Column, vocabularies: Mapping[str, Vocabulary]) -> Any:
    tests = list(_cell_tests(column))
    vocabulary = vocabularies.get(column.vocab or "")
    if vocabulary and not vocabulary.open:
        codes = set(vocabulary.codes)
        tests.append((f"has a code that {vocabulary.file} does not list", lambda cells: _all_listed(cells, codes)))
    # empty cells pass; with ignore_na pandera would copy the column without them first
    checks = [pa.Check(lambda s, test=test: test(s) | s.isna(), error=words, ignore_na=False) for words, test in tests]
    unique = bool(column.constraints.get("unique"))
    return pa.Column(_dtype(column.type), name=column.name, nullable=not column.required, unique=unique, checks=checks)


@cache
def _dtype(type_name: str) -> Any:
    """pandera's dtype of a published type. That of texts is compared as a whole: pandera's own compares row by row,
    which took 0.4 of the time of all checks."""
    if type_name not in ("string", "list"):
        return Engine.dtype(TYPES[type_name][0])

    class Text(STRING):  # type: ignore[misc]
        def check(self, pandera_dtype: Any, data_container: Any = None) -> bool:
            return bool(pandera_dtype.type == self.type)

    return Text()


def _all_listed(cells: pd.Series, codes: set[str]) -> pd.Series:
    """Whether all items of each ;-joined text are codes; each distinct text is looked at once."""
    texts = cells.dropna().unique()
    return cells.isin([text for text in texts if codes.issuperset(text.split(LIST_SEPARATOR))])


def _refused(case: Mapping[Any, Any], frame: pd.DataFrame, table: TableSchema) -> Problem:
    """The problem of a cell, or of a column as a whole."""
    index, check = case.get("index"), str(case.get("check"))
    key = row_key(frame, int(index), table) if pd.notna(index) else ""
    column, value = str(case.get("column") or ""), str(case.get("failure_case"))
    return Problem(table.name, key, column, value, PLAINLY.get(check, check), CELL_REMEDY)


def _broken(rule: Rule, frame: pd.DataFrame, table: TableSchema) -> Iterator[Problem]:
    """The rows that break a rule across columns and are no acknowledged exception, each with what the columns say."""
    for index in frame.index[~holds(rule, frame, table) & ~frame[table.key].isin(list(rule.acknowledged))]:
        said = ", ".join(f"{name} {column_of(frame, name, table)[index]}" for name in rule.columns)
        reason = f"breaks {rule.name} ({said}): {rule.why}"
        yield Problem(table.name, row_key(frame, index, table), rule.columns[0], "", reason, RULE_REMEDY)


def holds(rule: Rule, frame: pd.DataFrame, table: TableSchema) -> pd.Series:
    """Whether each row keeps the rule."""
    held: pd.Series = evaluate(rule.tree, lambda name: column_of(frame, name, table), pd.isna)
    return held.astype("bool")


def column_of(frame: pd.DataFrame, name: str, table: TableSchema) -> pd.Series:
    """A column of the frame, or for `a.b` the column b of the row that a refers to."""
    here, _, there = name.partition(".")
    values = frame[here]
    return values.map(frame.set_index(table.key)[there]) if there else values


def _dangling(made: Tables, table: TableSchema, column: Column) -> Iterator[Problem]:
    """The values of a column that refer to no row."""
    target, key = str(column.references).split(".")
    frame = made[table.name]
    values = frame[column.name].dropna()
    if column.type == "list":
        items, places = items_of(values)
        values = items.set_axis(values.index[places])
    for index, value in values[~is_in(values, made[target][key])].items():
        reason = f"is not in {column.references}"
        yield Problem(table.name, row_key(frame, index, table), column.name, str(value), reason, BUG)


def row_key(frame: pd.DataFrame, index: Any, table: TableSchema) -> str:
    """The key of a row as text."""
    return " ".join(str(frame.at[index, name]) for name in table.primary_key)


CELL_TESTS: Mapping[str, tuple[Callable[[Any, Any], Any], str]] = {  # constraint → the test of a cell, and its reason
    "minimum": (operator.ge, "is below {}"),
    "exclusiveMinimum": (operator.gt, "is not above {}"),
    "maximum": (operator.le, "is above {}"),
    "enum": (lambda cells, listed: cells.isin([str(item) for item in listed]), "is not one of {}"),
    "pattern": (lambda texts, pattern: texts.str.fullmatch(pattern), "does not match {}"),
}


def _cell_tests(column: Column) -> Iterator[tuple[str, Callable[[pd.Series], Any]]]:
    """For each constraint of a column what is said of a cell that breaks it, and the test."""
    for name, (test, words) in CELL_TESTS.items():
        if name in column.constraints:
            given = column.constraints[name]
            bound = pd.Timestamp(str(given)) if column.type == "date" else given
            yield words.format(given), lambda cells, test=test, bound=bound: test(cells, bound)  # type: ignore[misc]
