"""Estimates for a table of any size, by ibis on DuckDB or on Spark, with the formulas and the defaults of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import product
from math import isnan
from typing import Any

import duckdb
import ibis
import pyarrow as pa

from traincompute.base.errors import InputError, MissingExtraError
from traincompute.planning import formulas
from traincompute.planning.estimate import assume, read_numbers
from traincompute.planning.evidence import Evidence

WORDS = ("chip", "precision", "region")
CASE, LINE, MARK = "estimate_case", "estimate_line", "\x1f"
ENDS = ("", "_low", "_high")
DEFAULTS = pa.schema({CASE: pa.string()} | dict.fromkeys(formulas.DEFAULTS, pa.float64()))


def estimate_file(connection: duckdb.DuckDBPyConnection, source: str, target: str, engine: str = "duckdb") -> None:
    """Writes the runs of a .csv or .parquet file with value, _low and _high of formulas.QUANTITIES to a .parquet file
    (by Spark, to a folder of that name). Columns are formulas.NUMBERS, chip, precision and region, each of which may be
    missing; all others are kept. Where a run has flop and sizes, or hours and days, the first counts; a run from which
    nothing follows has no estimate. `connection` has the dataset.

    Raises InputError for a number out of range and an unknown chip, format or region, with the line of the first, and
    for a column base and a table without numbers."""
    backend = ibis.duckdb.connect(memory_limit="500MB") if engine == "duckdb" else _spark()
    runs = backend.read_csv(source) if source.endswith(".csv") else backend.read_parquet(source)
    if "base" in runs.columns:
        raise InputError(f"{source} has a column base, which counts for one run alone: leave it out, or rename it")
    kept = [name for name in runs.columns if name not in formulas.QUANTITIES]
    numbers = [name for name in formulas.NUMBERS if name in runs.columns]
    if not numbers:
        raise InputError(f"{source} has no column of numbers of a run; name one {', '.join(formulas.NUMBERS)}")
    first_line = 2 if source.endswith(".csv") else 1
    runs = runs.mutate(**{CASE: _case(runs, numbers), LINE: ibis.row_number() + first_line})
    if engine == "duckdb":
        runs = backend.create_table("runs", runs)  # reads the file once
    evidence, defaults = Evidence(connection), []
    for case in runs.select(CASE).distinct().to_pyarrow()[CASE].to_pylist():
        try:
            defaults.append(_defaults(evidence, case))
        except InputError as error:
            first = runs.filter(runs[CASE] == case).order_by(LINE).limit(1).to_pyarrow().to_pylist()[0]
            raise InputError(f"{source}, line {first[LINE]}: {_bad_number(first) or error}") from error
    joined = runs.join(ibis.memtable(pa.Table.from_pylist(defaults, DEFAULTS)), CASE)
    missing = dict.fromkeys(formulas.NUMBERS, ibis.null().cast("float64"))
    row = (
        missing
        | {name: joined[name] for name in formulas.DEFAULTS}
        | {name: joined[name].cast("float64") for name in numbers}
    )
    made = formulas.run(row, lambda a, b: ibis.coalesce(a, b))
    columns = {f"{name}{end}": made[name][place] for name, (place, end) in product(made, enumerate(ENDS))}
    ordered = joined.order_by(LINE) if engine == "duckdb" else joined
    backend.to_parquet(ordered.mutate(**columns).select(*kept, *columns), target)


def _case(runs: Any, numbers: Sequence[str]) -> Any:
    """A text with the words of a run, the names of its numbers, and whether one of them is bad: runs with the same text
    have the same defaults."""
    words = [runs[name].cast("string").fill_null("") if name in runs.columns else ibis.literal("") for name in WORDS]
    given, is_bad = ibis.literal(""), ibis.literal(False)
    for name in numbers:
        _, least, most, _ = formulas.NUMBERS[name]
        given += runs[name].notnull().ifelse(f"{name} ", "")
        is_bad |= ~runs[name].try_cast("float64").between(least, most).fill_null(runs[name].isnull())
    return reduce(lambda a, b: a + MARK + b, [*words, given, is_bad.ifelse("bad", "")])


def _defaults(evidence: Evidence, case: str) -> dict[str, Any]:
    """The defaults of the runs of a case, as a row. Raises InputError where a word or a number of them is bad."""
    *words, given, is_bad = case.split(MARK)
    if is_bad:
        raise InputError("write numbers in full, such as 7e10")
    chip, precision, region = (word or None for word in words)
    found = evidence.chip(chip, precision) if chip else None
    assumed, _ = assume(evidence, given.split(), found, region)
    return {CASE: case} | {name: None if isnan(value) else value for name, value in assumed.items()}


def _bad_number(row: Mapping[str, Any]) -> str:
    try:
        read_numbers({name: row[name] for name in formulas.NUMBERS if name in row})
    except InputError as error:
        return str(error)
    return ""


def _spark() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise MissingExtraError("--engine spark needs Java, and pyspark: pip install pyspark") from error
    return ibis.pyspark.connect(SparkSession.builder.getOrCreate())
