"""Estimates of ten million rows, with method and interval: the expression of the hub on DuckDB against naive pandas.

python -m bench.estimation ibis rows.csv out.parquet
python -m bench.estimation pandas rows.csv out.parquet
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.case import Case
from bench.measure import alone, compare, module, python
from bench.row import Row

ROWS, FEW = 10_000_000, 200_000
TIME, MEMORY = 0.25, 0.2
# of every ten rows, seven state tokens and four have a base, and the compute of every other base is known
MADE = """
SELECT 'author' || (i % 50021) || '/model-' || i AS hub_id, 1.75e8 * (1 + i % 400) AS parameters,
  CASE WHEN i % 10 < 7 THEN (1 + i % 1500) * 1e10 END AS training_tokens,
  CASE WHEN i % 10 > 5 THEN 'author/base-' || (i % 997) END AS base_model_id,
  CASE WHEN i % 10 > 5 THEN ['finetune', 'quantized'][1 + i % 2] ELSE '' END AS base_relation,
  CASE WHEN i % 10 > 5 AND i % 4 > 1 THEN 1e22 * (1 + i % 97) END AS base_compute_flop
FROM range({count}) AS made(i)
"""


def rows(quick: bool, runs: int) -> list[Row]:
    """Time and memory against naive pandas, from CSV and from Parquet, and whether both give the same."""
    count = FEW if quick else ROWS
    made = []
    with tempfile.TemporaryDirectory() as name:
        for form in ("csv", "parquet"):
            source = Path(name) / f"rows.{form}"
            alone(write_rows, source, count)
            ours, theirs = Path(name) / "ours.parquet", Path(name) / "theirs.parquet"
            case = Case(
                f"{count:,} rows of {form} → Parquet, ibis on DuckDB ÷ naive pandas",
                module("bench.estimation", "ibis", source, ours),
                module("bench.estimation", "pandas", source, theirs),
                None if quick else TIME,
                None if quick else MEMORY,
                weighed=True,
            )
            made += compare(case, min(runs, 3))
            made.append(Row(f"cells that differ between them ({form})", alone(differing, ours, theirs), "", target=0))
    imports = Case(
        "import ibis, duckdb ÷ import pandas", python("import ibis; ibis.duckdb"), python("import pandas"), None
    )
    return made + compare(imports, runs)


def write_rows(target: Path, count: int) -> None:
    """Writes synthetic rows, the same for the same count."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"COPY ({MADE.replace('{count}', str(count))}) TO '{target}'")


def with_ibis(source: Path, target: Path) -> None:
    """The expression of pipeline.hub.estimates on DuckDB, out of core."""
    import ibis

    from pipeline.hub.engine import DICTIONARIES
    from pipeline.hub.estimates import estimated

    connection = ibis.duckdb.connect(memory_limit="512MB", preserve_insertion_order=False)
    read = connection.read_csv if source.suffix == ".csv" else connection.read_parquet
    sql = connection.compile(estimated(read(str(source)).mutate(base_relation=ibis._.base_relation.fill_null(""))))
    level = 1  # what pandas uses; DuckDB's default is 3
    options = f"COMPRESSION zstd, COMPRESSION_LEVEL {level}, {DICTIONARIES}"
    connection.raw_sql(f"COPY ({sql}) TO '{target}' (FORMAT parquet, {options})")


def with_pandas(source: Path, target: Path) -> None:
    """The same as a script would write it: whole columns, all in memory."""
    import numpy as np
    import pandas as pd

    rows = pd.read_csv(source) if source.suffix == ".csv" else pd.read_parquet(source)
    own = 6 * rows["parameters"] * rows["training_tokens"]
    based, further = rows["base_model_id"].notna(), rows["base_relation"] == "finetune"
    whole = rows["base_compute_flop"] + own.where(further, 0)
    value = whole.where(based, own)
    least = based & further & value.isna() & rows["base_compute_flop"].notna()
    rows["training_compute_flop"] = value
    rows["training_compute_low"] = (value / 10**0.48).where(value.notna(), rows["base_compute_flop"].where(least))
    rows["training_compute_high"] = value * 10**0.48
    methods = [(based & value.notna()) | least, value.notna()]
    rows["training_compute_method"] = np.select(methods, ["base_plus_finetune", "operation_counting"], "")
    lacking = [value.notna(), based & rows["base_compute_flop"].isna(), based, rows["parameters"].isna()]
    words = ["", "needs the compute of the base model", "needs the compute of the further training: a lower bound"]
    rows["reason"] = np.select(lacking, [*words, "needs parameters"], "needs tokens seen")
    rows.to_parquet(target, compression="zstd")


def differing(ours: Path, theirs: Path) -> int:
    """How many rows of either file are not in the other; numbers are compared exactly, an empty method counts as
    null."""
    import duckdb

    columns = "hub_id, training_compute_flop, training_compute_low, training_compute_high, reason, "
    method = "coalesce(training_compute_method, '')"
    one, other = (f"SELECT {columns} {method} FROM '{file}'" for file in (ours, theirs))
    query = f"SELECT count(*) FROM (({one} EXCEPT {other}) UNION ALL ({other} EXCEPT {one}))"
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        [(count,)] = connection.execute(query).fetchall()
    return int(count)


if __name__ == "__main__":
    {"ibis": with_ibis, "pandas": with_pandas}[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
