"""Stage 2: refuses tables that break their schemas, and reports every problem at once.

A pandera schema made from schemas/<table>.yml checks columns, types, keys and cells; the rules across columns and the
references between tables are checked beside it."""

from __future__ import annotations

import operator
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import date
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pyarrow

from pipeline.config import Config, locked_snapshots
from pipeline.errors import DataError, Problem
from pipeline.frames import DTYPES, Tables, is_in, is_increasing, items_of
from pipeline.normalize.correct import in_span
from pipeline.normalize.identify import ids_of_records
from pipeline.schema import LIST_SEPARATOR, NAMES, Column, TableSchema
from pipeline.vocabularies import Vocabulary

# Without PySpark and Hypothesis: pandera imports them, too, where they happen to be installed, which takes longer than
# all the checks of a build, and PySpark warns about pandas 3.
hidden = [name for name in ("pyspark", "hypothesis") if name not in sys.modules]
sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
try:
    import pandera.backends.pandas.builtin_checks  # noqa: F401  the first check would load it, and all that pandera finds
    import pandera.pandas as pa
finally:
    for name in hidden:
        del sys.modules[name]

MODELS = "models"
# What rules are written with: two sides of a relation between units may differ by a millionth
RULE_MACROS = """CREATE MACRO known(cell) AS cell IS NOT NULL; CREATE MACRO close(a, b) AS abs(a / b - 1) <= 1e-6;
    CREATE MACRO share(a, b) AS list_has_any(string_split(a, ';'), string_split(b, ';'))"""
FORM = "write a comparison of columns such as `low <= value`, known(column) or close(a, b)"
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
Test = Callable[[Any, Any], Any]
CELL_TESTS: Mapping[str, tuple[Test, str]] = {  # constraint → the test of a cell, and its reason
    "minimum": (operator.ge, "is below {}"),
    "exclusiveMinimum": (operator.gt, "is not above {}"),
    "maximum": (operator.le, "is above {}"),
    "enum": (lambda cells, listed: cells.isin([str(item) for item in listed]), "is not one of {}"),
    "pattern": (lambda texts, pattern: texts.str.fullmatch(pattern), "does not match {}"),
}


def check_tables(context: Config, made: Tables, unfinished: Collection[str] = ()) -> Tables:
    """The tables that are finished, unchanged. Of the others only what sources state is checked, before anything is
    worked out from it. Raises DataError with every cell and every row that breaks a rule of its schema."""
    problems: list[Problem] = []
    for name, frame in made.items():
        table, worked_out = context.schemas[name], set[str]()
        if name in unfinished:
            table, worked_out = replace(table, rules=()), {column.name for column in table.columns if column.derived}
        found = check_table(frame, table, context.vocabularies)
        problems += [problem for problem in found if problem.field not in worked_out]
    DataError.raise_any(problems)
    return {name: frame for name, frame in made.items() if name not in unfinished}


def check_links(context: Config, made: Tables) -> None:
    """Raises DataError if a table refers to a row of another table that does not exist."""
    problems = []
    for name, frame in made.items():
        for column in [column for column in context.schemas[name].columns if column.references]:
            target, key = str(column.references).split(".")
            items, places = items_of(frame[column.name].dropna())  # of a column of texts each is one item
            values = items.set_axis(frame[column.name].dropna().index[places])
            for index, value in values[~is_in(values, made[target][key])].items():
                place = row_key(frame, index, context.schemas[name]), column.name, str(value)
                problems.append(Problem(name, *place, f"is not in {column.references}", BUG))
    DataError.raise_any(problems)


def check_table(frame: pd.DataFrame, table: TableSchema, vocabularies: Mapping[str, Vocabulary]) -> list[Problem]:
    """Every cell and every row of a conformed frame that breaks a rule of its schema, as a problem with the row's
    key."""
    problems, numbers = [], frame.select_dtypes("float64")
    infinite = np.nonzero(np.isinf(numbers.to_numpy()))  # in one look: a check of pandera for each column is slow
    for row, place in zip(*infinite, strict=True):
        cell = numbers.columns[place], str(numbers.iat[row, place])
        problems.append(Problem(table.name, row_key(frame, row, table), *cell, "is not finite", CELL_REMEDY))
    for column in table.columns:  # pandera would compare the types of texts row by row
        if column.name in frame and frame[column.name].dtype != DTYPES[column.type]:
            reason = f"has not the type {DTYPES[column.type]}"
            problems.append(Problem(table.name, "", column.name, str(frame[column.name].dtype), reason, BUG))
    unique = None if is_increasing(frame[table.key]) else list(table.primary_key)
    schema = pa.DataFrameSchema(strict=True, coerce=False, ordered=True, unique=unique)
    schema.columns = {c.name: _pandera_column(c, vocabularies) for c in table.columns}  # as an argument, it is copied
    try:
        schema.validate(frame, lazy=True, inplace=True)
    except pa.errors.SchemaErrors as error:
        for case in error.failure_cases.to_dict("records"):
            key = row_key(frame, int(case["index"]), table) if pd.notna(case.get("index")) else ""
            reason = PLAINLY.get(str(case["check"]), str(case["check"]))
            cell = str(case.get("column") or ""), str(case.get("failure_case"))
            problems.append(Problem(table.name, key, *cell, reason, CELL_REMEDY))
        if set(table.names) - set(frame):
            return problems
    return problems + broken_rows(frame, table)


def row_key(frame: pd.DataFrame, index: Any, table: TableSchema) -> str:
    """The key of a row as text."""
    return " ".join(str(frame.at[index, name]) for name in table.primary_key)


# --- Cells


def _pandera_column(column: Column, vocabularies: Mapping[str, Vocabulary]) -> Any:
    def check(test: Test, bound: Any, words: str) -> Any:  # with ignore_na pandera would copy the filled cells first
        return pa.Check(lambda cells: test(cells, bound) | cells.isna(), error=words, ignore_na=False)

    limits, vocabulary = column.constraints, vocabularies.get(column.vocab or "")
    to_cell = (lambda day: pd.Timestamp(str(day))) if column.type == "date" else (lambda bound: bound)
    tests = [(name, *CELL_TESTS[name]) for name in limits if name in CELL_TESTS]
    checks = [check(test, to_cell(limits[name]), words.format(limits[name])) for name, test, words in tests]
    if vocabulary and not vocabulary.open:
        checks.append(check(_all_listed, set(vocabulary.codes), f"has a code that {vocabulary.file} does not list"))
    unique = bool(limits.get("unique"))
    return pa.Column(name=column.name, nullable=not column.required, unique=unique, checks=checks)


def _all_listed(cells: pd.Series, codes: set[str]) -> pd.Series:
    """Whether all items of each ;-joined text are codes; each distinct text is looked at once."""
    texts = cells.dropna().unique()
    return cells.isin([text for text in texts if codes.issuperset(text.split(LIST_SEPARATOR))])


# --- Rules across columns


def broken_rows(frame: pd.DataFrame, table: TableSchema) -> list[Problem]:
    """The rows that break a rule across columns and are no acknowledged exception, each with what the columns say; one
    of which the rule is null keeps it. Raises DataError for a rule that SQL cannot read."""
    if not table.rules:
        return []
    problems, cells = [], {}
    for name in dict.fromkeys(name for rule in table.rules for name in rule.columns):
        here, _, there = name.partition(".")  # `a.b` is the column b of the row that a refers to
        cells[name] = frame[here].map(frame.set_index(table.key)[there]) if there else frame[here]
    seen = pd.DataFrame(cells, index=frame.index)
    with duckdb.connect(config={"threads": "1"}) as connection:
        connection.execute(RULE_MACROS)
        rows = connection.from_arrow(pyarrow.Table.from_pandas(seen, preserve_index=False))
        for rule in table.rules:
            condition = NAMES.sub(lambda name: f'"{name[0]}"' if name[0] in cells else name[0], rule.text)
            try:
                breaks = rows.project(f"NOT coalesce({condition}, true) AS breaks").fetchnumpy()["breaks"]
            except duckdb.Error as error:
                cell = {"record": rule.name, "field": "rule", "value": rule.text}
                raise DataError.of(f"schemas/{table.name}.yml", "cannot be read", FORM, **cell) from error
            is_excused = frame[table.key].isin(list(rule.acknowledged))
            for index in frame.index[np.asarray(breaks, dtype=bool) & ~is_excused]:
                said = ", ".join(f"{name} {cells[name].at[index]!s}" for name in rule.columns)
                place = table.name, row_key(frame, index, table), rule.columns[0], ""
                problems.append(Problem(*place, f"breaks {rule.name} ({said}): {rule.why}", RULE_REMEDY))
    return problems


def with_waivers(context: Config, claims: pd.DataFrame) -> Config:
    """The context with the rules of `models` excusing the models whose cell an entry acknowledges with `rule`, until
    the entry ends. Raises DataError for an entry that names no rule of that table."""
    table, excused = context.schemas[MODELS], defaultdict(set)
    entries = [entry for entry in context.corrections if "rule" in entry]
    named = claims[["source_id", "record", "model_id"]]
    models = ids_of_records(named, [entry["record"] for entry in entries]).to_dict()
    for entry in entries:
        newest = max(locked_snapshots(context.lock, entry["source"]), default=date.max)
        model = models.get((entry["source"], entry["record"]))
        if model and in_span(entry, newest):
            excused[entry["rule"]].add(model)
    unknown = sorted(set(excused) - {rule.name for rule in table.rules}) if table.rules else []
    cell, fault = (context.paths.short(context.paths.corrections), "", "rule"), "no rule of this name"
    DataError.raise_any(Problem(*cell, name, fault, "see schemas/models.yml") for name in unknown)
    rules = tuple(replace(rule, acknowledged=frozenset(excused[rule.name])) for rule in table.rules)
    return replace(context, schemas={**context.schemas, MODELS: replace(table, rules=rules)})


def without_rules(context: Config) -> Config:
    """The context without rules across columns: a vintage says what was said on its day, contradictions and all."""
    schemas = {name: replace(table, rules=()) for name, table in context.schemas.items()}
    return replace(context, schemas=schemas)
