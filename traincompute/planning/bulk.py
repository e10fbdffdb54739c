"""Estimates for a table of any size, by ibis on DuckDB or on Spark, with the formulas and the defaults of one run."""

from __future__ import annotations

from functools import reduce
from itertools import product
from operator import and_
from pathlib import Path
from typing import Any

import duckdb
import ibis
import pandas as pd
import pyarrow as pa

from traincompute.base.errors import InputError
from traincompute.planning.estimate import DEFAULTS, NUMBERS, QUANTITIES, Evidence, assume, compute, read_numbers
from traincompute.show.rows import whole_file

# columns beside those of the table: its line, what its defaults depend on, these, and whether its numbers are good
LINE, KEY, DEFAULT, GOOD = "estimate_line", "estimate_key_", "estimate_default_", "estimate_key_good"


def estimate_file(connection: duckdb.DuckDBPyConnection, source: str, target: str, engine: str = "duckdb") -> None:
    """Writes the runs of a .csv or .parquet file with value, low and high of each quantity to a .parquet file (Spark:
    to a folder of that name). Columns are NUMBERS, chip, precision and region, each of which may be missing; all others
    are kept. Where a run has flop and sizes, or hours and days, the first counts; a run from which nothing follows has
    no estimate. `connection` has the dataset.

    Raises InputError for a number out of range and an unknown chip, format or region, with the line of the first, and
    for a column base and a table without numbers."""
    try:
        backend = ibis.duckdb.connect(memory_limit="500MB") if engine == "duckdb" else ibis.pyspark.connect()
    except ImportError as error:
        raise InputError("--engine spark needs Java, and pyspark: pip install pyspark") from error
    is_csv = source.lower().endswith(".csv")
    runs = backend.read_csv(source) if is_csv else backend.read_parquet(source)
    if "base" in runs.columns:
        raise InputError(f"{source} has a column base, which counts for one run alone: leave it out, or rename it")
    if done := [each for name in QUANTITIES for each in (f"{name}_low", f"{name}_high") if each in runs.columns]:
        raise InputError(f"{source} has estimates already, such as {done[0]}: leave them out")
    kept, numbers = list(runs.columns), [name for name in NUMBERS if name in runs.columns]
    if not numbers:
        raise InputError(f"{source} has no column of numbers of a run; name one {', '.join(NUMBERS)}")
    read = {name: runs[name].try_cast("float64").between(*NUMBERS[name][1:3]).fill_null(False) for name in numbers}
    words = [name for name in ("chip", "precision", "region") if name in kept]
    keys = {KEY + name: runs[name].cast("string").fill_null("") for name in words}
    keys |= {KEY + name: runs[name].notnull() for name in numbers}
    keys |= {GOOD: reduce(and_, (runs[name].isnull() | is_good for name, is_good in read.items()))}
    runs = runs.mutate(**keys, **{LINE: ibis.row_number() + (2 if is_csv else 1)})
    if engine == "duckdb":
        runs = backend.create_table("runs", runs)  # reads the file once
    defaults = _defaults(runs, list(keys), numbers, source, Evidence(connection))
    joined = runs.join(ibis.memtable(defaults), list(keys))
    row = {name: ibis.null().cast("float64") for name in NUMBERS}
    row |= {name: joined[DEFAULT + name] for name in DEFAULTS}
    row |= {name: ibis.coalesce(joined[name].cast("float64"), row[name]) for name in numbers}
    made = compute(row, lambda a, b: ibis.coalesce(a, b))
    columns = {name + end: made[name][place] for name, (place, end) in product(made, enumerate(("", "_low", "_high")))}
    ordered = joined.order_by(LINE) if engine == "duckdb" else joined
    others = [name for name in kept if name not in QUANTITIES]
    with whole_file(Path(target)) as file:
        backend.to_parquet(ordered.mutate(**columns).select(*others, *columns), str(file))


def _defaults(runs: Any, keys: list[str], numbers: list[str], source: str, evidence: Evidence) -> pa.Table:
    """The defaults of runs alike. Raises InputError with the first line of those whose words or numbers are bad."""
    found = []
    for row in runs.group_by(keys).agg(**{LINE: runs[LINE].min()}).order_by(LINE).to_pyarrow().to_pylist():
        try:
            if not row[GOOD]:
                [first] = runs.filter(runs[LINE] == row[LINE]).to_pyarrow().to_pylist()
                read_numbers({name: first[name] for name in numbers})
                raise InputError("write numbers in full, such as 7e10")
            chip, precision, region = (row.get(KEY + name, "") for name in ("chip", "precision", "region"))
            chosen = evidence.chip(chip, precision) if chip else None
            assumed, _ = assume(evidence, [name for name in numbers if row[KEY + name]], chosen, region)
        except InputError as error:
            raise InputError(f"{source}, line {row[LINE]}: {error}") from error
        found.append({key: row[key] for key in keys} | {DEFAULT + name: value for name, value in assumed.items()})
    fields = [*runs.select(keys).schema().to_pyarrow(), *(pa.field(DEFAULT + name, pa.float64()) for name in DEFAULTS)]
    frame = pd.DataFrame(found, columns=[field.name for field in fields])
    return pa.Table.from_pandas(frame, pa.schema(fields))  # nan becomes null
