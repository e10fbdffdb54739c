"""Stage 2: refuses tables that break their schemas, and reports every problem at once.

A pandera schema made from schemas/<table>.yml checks columns, types, keys and cells; the rules across columns and the
references between tables are checked beside it. `blame` says which facts to set aside where a row breaks its schema:
the one that changed last among the facts behind the rule or the cell, even if the others are ours. Only where all of
them are ours the build stops: then our own lines contradict each other."""

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
from pipeline.normalize.columns import hex_digits
from pipeline.normalize.correct import in_span
from pipeline.normalize.identify import ids_of_records
from pipeline.schema import LIST_SEPARATOR, NAMES, Column, Rule, TableSchema
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
    """The rows that break a rule across columns and are no acknowledged exception, each with what the columns say; a
    row where the rule is null keeps it. Raises DataError for a rule that SQL cannot read."""
    if not table.rules:
        return []
    problems, cells = [], {}
    for name in dict.fromkeys(name for rule in table.rules for name in rule.columns):
        here, _, there = name.partition(".")  # `a.b` is the column b of the row that a refers to
        cells[name] = frame[here].map(frame.set_index(table.key)[there]) if there else frame[here]
    seen, quoted = pd.DataFrame(cells, index=frame.index), {name: f'"{name}"' for name in cells}
    with duckdb.connect(config={"threads": "1"}) as connection:
        connection.execute(RULE_MACROS)
        rows = connection.from_arrow(pyarrow.Table.from_pandas(seen, preserve_index=False))
        for rule in table.rules:
            condition = NAMES.sub(lambda name: quoted.get(name[0], name[0]), rule.text)
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


def with_waivers(context: Config, as_of: date | None, claims: pd.DataFrame) -> Config:
    """The context with the rules of `models` excusing the models whose cell an entry acknowledges with `rule`, until
    the entry ends. A vintage has no rules: it says what was said on its day, contradictions and all. Raises DataError
    for an entry that names no rule of that table."""
    if as_of:
        return replace(context, schemas={name: replace(table, rules=()) for name, table in context.schemas.items()})
    table, excused = context.schemas[MODELS], defaultdict(set)
    entries = [entry for entry in context.corrections if "rule" in entry]
    named = claims[["source_id", "record", "model_id"]]
    models = ids_of_records(named, [entry["record"] for entry in entries]).to_dict()
    for entry in entries:
        newest = max(locked_snapshots(context.lock, entry["source"]), default=date.max)
        model = models.get((entry["source"], entry["record"]))
        if model and in_span(entry, newest):
            excused[entry["rule"]].add(model)
    unknown = sorted(set(excused) - {rule.name for rule in table.rules})
    cell, fault = (context.paths.short(context.paths.corrections), "", "rule"), "no rule of this name"
    DataError.raise_any(Problem(*cell, name, fault, "see schemas/models.yml") for name in unknown)
    rules = tuple(replace(rule, acknowledged=frozenset(excused[rule.name])) for rule in table.rules)
    return replace(context, schemas={**context.schemas, MODELS: replace(table, rules=rules)})


# --- The facts behind what is wrong

ELSEWHERE = {"base_model_id": "base_model", "training_run_id": "training_run"}  # column → field of its claim
HOURS = ("chip_hours", "training_hours", "hardware_quantity")
DERIVED = dict.fromkeys(("a100_hours", "h100_hours", "training_cost_cloud_usd"), HOURS)  # column → fields it comes from
FACT = ["table", "key", "field", "claim_id", "source_id", "since", "changed", "value_text", "value", "is_ours"]
RELATED = 1_000  # the place of facts that are in none of the cells, after all that are


class ContradictionError(Exception):
    """Facts that are to be set aside, by claim_id, each with the reason."""

    def __init__(self, claims: dict[str, str]) -> None:
        self.claims = claims
        super().__init__(f"{len(claims)} claims break rules")


def blame(
    context: Config, error: DataError, made: Tables, records: pd.DataFrame, ledger: pd.DataFrame
) -> ContradictionError | DataError:
    """The facts behind the problems of the error, which are to be set aside; or an error with the problems for which
    there are none but our own, and where these stand. `made` has the tables so far, `records` the facts of the tables
    of records (`record_facts`), `ledger` the file and line of all facts."""
    if not {problem.where for problem in error.problems} <= made.keys():
        return error  # no row, but a file
    curated = [name for name, source in context.sources.items() if source.adapter == "curated"]
    facts = [records.assign(is_ours=is_in(records["source_id"], curated))]
    if "claims" in made:
        claims = made["claims"][made["claims"]["status"] == "selected"].rename(columns={"model_id": "key"})
        is_ours = claims["source_id"].isin(curated)
        written = (claims[["evidence", "correction"]].astype("str").fillna("") != "").any(axis=1)
        facts.append(claims.assign(table=MODELS, changed=0, is_ours=is_ours)[~is_ours | written])  # no others stated it
    stated = pd.concat(facts[::-1], ignore_index=True).reindex(columns=FACT).astype({"is_ours": bool})
    aside, left, done = dict[str, str](), list[Problem](), set[tuple[str, str]]()
    rules = {(name, f"breaks {rule.name}"): rule for name, table in context.schemas.items() for rule in table.rules}
    broken = [(problem, rules.get((problem.where, problem.reason.partition(" (")[0]))) for problem in error.problems]
    behind = [(problem, rule, _behind(problem, rule, context, made, stated)) for problem, rule in broken]
    for problem, rule, cells in sorted(behind, key=lambda each: not (each[2]["place"] < RELATED).any()):
        if problem[:2] in done:
            continue  # without the first, a row may keep the other rules
        if (last := _last(cells, context.lock)) is not None:
            reason = f"breaks {rule.name}: {rule.why}" if rule else f"{problem.field} {problem.reason}"
            aside |= dict.fromkeys(_same_value(last, made, curated), reason)
            done.add(problem[:2])
        else:
            of_cells = is_in(hex_digits(ledger["hash"].to_numpy(), ledger.index), cells["claim_id"])
            lines = ledger[of_cells].drop_duplicates("hash", keep="last")
            places = ", ".join(f"{file}:{line}" for file, line in zip(lines["file"], lines["line"], strict=True))
            left.append(problem._replace(reason=problem.reason + (f" ({places})" if places else "")))
    return DataError(left) if left else ContradictionError(aside)


def _behind(problem: Problem, rule: Rule | None, context: Config, made: Tables, stated: pd.DataFrame) -> pd.DataFrame:
    """The facts that a problem may come from, with their `place`: those in the cells that the columns of the rule are
    made of, of the row before those of the rows that it refers to; what changed of its chips; and where none of the
    cells is stated, all facts of the row or its model."""
    table, frame = context.schemas[problem.where], made[problem.where]
    row = frame[frame[list(table.primary_key)].map(str).agg(" ".join, axis=1) == problem.record]
    columns = [name.partition(".") for name in (rule.columns if rule else (problem.field,))]
    rows = [(problem.record, here) for here, _, _ in columns]
    rows += [(str(row[here].iloc[0]), there) for here, _, there in columns if there and len(row)]
    claim_of = {column.name: column.claim or column.name for column in table.columns} | ELSEWHERE
    cells = [(key, field) for key, name in rows for field in (claim_of.get(name, name), *DERIVED.get(name, ()))]
    order = {cell: place for place, cell in enumerate(dict.fromkeys(cells))}
    is_about = zip(stated["key"], stated["field"], strict=True)
    place = pd.Series([order.get(cell) for cell in is_about], stated.index, dtype="float64")
    place = place.where(stated["table"] == table.name)
    chips = row
    if problem.where == MODELS and "model_hardware" in made:
        chips = made["model_hardware"][made["model_hardware"]["model_id"] == problem.record]
    is_related = (stated["table"] == "hardware") & stated["key"].isin(chips.get("hardware_id", []))
    is_related &= stated["changed"] > 0
    if place.isna().all():  # the cell is worked out, or must not be empty
        of_row = (stated["table"] == problem.where) & (stated["key"] == problem.record)
        of_row |= (stated["table"] == MODELS) & stated["key"].isin(row.get("model_id", []))
        is_related |= of_row & (stated["field"] != "name")
    return stated.assign(place=place.mask(is_related & place.isna(), RELATED)).dropna(subset="place")


def _last(cells: pd.DataFrame, lock: Mapping[str, Any]) -> pd.Series | None:
    """The fact that changed last, of several of one day the one named first; None if all are ours. Of ours and
    theirs of one day it is theirs, and theirs begins on the day on which we got the snapshot that brought it."""
    ordered = cells.sort_values(["since", "place"], ascending=[False, True], kind="stable")
    ours, theirs = ordered[ordered["is_ours"]], ordered[~ordered["is_ours"]]
    if theirs.empty:
        return None
    newest = theirs.iloc[0]
    day = f"{newest['since']:%Y-%m-%d}"
    got = lock.get(newest["source_id"], {}).get("snapshots", {}).get(day, {}).get("retrieved_at", day)[:10]
    is_ours_newer = not ours.empty and f"{ours['since'].iloc[0]:%Y-%m-%d}" > max(day, got)
    return ours.iloc[0] if is_ours_newer else newest


def _same_value(fact: pd.Series, made: Tables, curated: list[str]) -> list[str]:
    """The claim_ids of the fact and, of a model, of what other sources state alike."""
    if fact["is_ours"] or fact["table"] != MODELS:
        return [fact["claim_id"]]
    claims = made["claims"]
    same = claims["value_text"].eq(fact["value_text"]) | claims["value"].eq(fact["value"])
    same &= claims["model_id"].eq(fact["key"]) & claims["field"].eq(fact["field"])
    same &= claims["status"].ne("quarantined") & ~claims["source_id"].isin(curated)
    return list(claims.loc[same, "claim_id"])
