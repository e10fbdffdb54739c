"""Estimates for a table of any size, by ibis on DuckDB or on Spark, with the formulas and the defaults of one run."""

from __future__ import annotations

from functools import reduce
from itertools import product
from math import isnan
from operator import or_
from typing import Any

import duckdb
import ibis
import pyarrow as pa

from traincompute.base.errors import InputError, MissingExtraError
from traincompute.planning.estimate import DEFAULTS, NUMBERS, QUANTITIES, Evidence, assume, compute, read_numbers

WORDS = ("chip", "precision", "region")
# columns beside those of the table: the line, the default of a number, and what the defaults depend on, a text
LINE, DEFAULT, CASE, MARK = "estimate_line", "estimate_default_", "estimate_case", "\x1f"


def estimate_file(connection: duckdb.DuckDBPyConnection, source: str, target: str, engine: str = "duckdb") -> None:
    """Writes the runs of a .csv or .parquet file with value, _low and _high of QUANTITIES to a .parquet file (by Spark,
    to a folder of that name). Columns are NUMBERS, chip, precision and region, each of which may be missing; all others
    are kept. Where a run has flop and sizes, or hours and days, the first counts; a run from which nothing follows has
    no estimate. `connection` has the dataset.

    Raises InputError for a number out of range and an unknown chip, format or region, with the line of the first, and
    for a column base and a table without numbers."""
    backend = ibis.duckdb.connect(memory_limit="500MB") if engine == "duckdb" else _spark()
    runs = backend.read_csv(source) if source.endswith(".csv") else backend.read_parquet(source)
    if "base" in runs.columns:
        raise InputError(f"{source} has a column base, which counts for one run alone: leave it out, or rename it")
    kept, numbers = list(runs.columns), [name for name in NUMBERS if name in runs.columns]
    if not numbers:
        raise InputError(f"{source} has no column of numbers of a run; name one {', '.join(NUMBERS)}")
    runs = runs.mutate(**{CASE: _case(runs, numbers), LINE: ibis.row_number() + (2 if source.endswith(".csv") else 1)})
    if engine == "duckdb":
        runs = backend.create_table("runs", runs)  # reads the file once
    joined = runs.join(ibis.memtable(_defaults(runs, numbers, source, Evidence(connection))), CASE)
    missing = ibis.null().cast("float64")
    row = {
        name: ibis.coalesce(
            joined[name].cast("float64") if name in numbers else missing,
            joined[DEFAULT + name] if name in DEFAULTS else missing,
        )
        for name in (*NUMBERS, *DEFAULTS)
    }
    made = compute(row, lambda a, b: ibis.coalesce(a, b))
    columns = {name + end: made[name][place] for name, (place, end) in product(made, enumerate(("", "_low", "_high")))}
    ordered = joined.order_by(LINE) if engine == "duckdb" else joined
    others = [name for name in kept if name not in QUANTITIES]
    backend.to_parquet(ordered.mutate(**columns).select(*others, *columns), target)


def _case(runs: Any, numbers: list[str]) -> Any:
    """The words of a run, whether a number is bad, and the names of its numbers; with the same go the same defaults."""
    words = [runs[name].cast("string").fill_null("") if name in runs.columns else ibis.literal("") for name in WORDS]
    read = {name: runs[name].try_cast("float64").between(*NUMBERS[name][1:3]).fill_null(False) for name in numbers}
    is_bad = reduce(or_, (runs[name].notnull() & ~is_good for name, is_good in read.items()))
    given = [runs[name].notnull().ifelse(name, "") for name in numbers]
    return reduce(lambda text, part: text + MARK + part, [*words, is_bad.ifelse("bad", ""), *given])


def _defaults(runs: Any, numbers: list[str], source: str, evidence: Evidence) -> pa.Table:
    """The defaults of each case. Raises InputError with the first line of one whose words or numbers are bad."""
    found = []
    for row in runs.group_by(CASE).agg(**{LINE: runs[LINE].min()}).order_by(LINE).to_pyarrow().to_pylist():
        chip, precision, region, is_bad, *given = row[CASE].split(MARK)
        try:
            if is_bad:
                [first] = runs.filter(runs[LINE] == row[LINE]).to_pyarrow().to_pylist()
                read_numbers({name: first[name] for name in numbers})
                raise InputError("write numbers in full, such as 7e10")
            chosen = evidence.chip(chip, precision) if chip else None
            assumed, _ = assume(evidence, given, chosen, region)
        except InputError as error:
            raise InputError(f"{source}, line {row[LINE]}: {error}") from error
        found.append({DEFAULT + name: None if isnan(value) else value for name, value in assumed.items()})
        found[-1][CASE] = row[CASE]
    schema = pa.schema({CASE: pa.string()} | {DEFAULT + name: pa.float64() for name in DEFAULTS})
    return pa.Table.from_pylist(found, schema)


def _spark() -> Any:
    try:
        from pyspark.sql import SparkSession
    except ModuleNotFoundError as error:
        raise MissingExtraError("--engine spark needs Java, and pyspark: pip install pyspark") from error
    return ibis.pyspark.connect(SparkSession.builder.getOrCreate())
