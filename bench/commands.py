"""How soon a command answers, relative to the least that it needs."""

from __future__ import annotations

from bench.case import Case
from bench.measure import COMMAND, PROCESSED, compare_all, python
from bench.row import Row

CLICK = python("import click")
COUNT = "select count(*) from models where training_compute_flop >= 1e25"
DATASET = str(PROCESSED / "traincompute.duckdb")
DUCKDB_ALONE = python(
    f"import duckdb; print(duckdb.connect({DATASET!r}, read_only=True).execute({COUNT!r}).fetchall())"
)


def rows(quick: bool, runs: int) -> list[Row]:
    """--help and tables against `import click`, sql against the duckdb module alone. The section `reader` has
    `releases`."""
    cases = [
        Case("--help ÷ import click", [COMMAND, "--help"], CLICK, 1.5),
        Case("tables ÷ import click", [COMMAND, "tables"], CLICK, 1.5),
        Case("sql ÷ the duckdb module alone", [COMMAND, "sql", COUNT], DUCKDB_ALONE, 1.5),
        Case("import click ÷ python -c pass", CLICK, python("pass"), None),
    ]
    return compare_all(cases, runs)
