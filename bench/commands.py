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
# what reads the dataset
READING = (["sql", COUNT], ["explain", "gpt-4"], ["search", "deepseek"], ["match", "gpt 4", "DeepSeek v3"])


def rows(quick: bool, runs: int) -> list[Row]:
    """--help and tables against `import click`, what reads the dataset against the duckdb module with one query. The
    section `reader` has `releases`."""
    cases = [
        Case("--help ÷ import click", [COMMAND, "--help"], CLICK, 1.3),
        Case("tables ÷ import click", [COMMAND, "tables"], CLICK, 1.3),
        *(Case(f"{words[0]} ÷ the duckdb module alone", [COMMAND, *words], DUCKDB_ALONE, 1.3) for words in READING),
        Case("import click ÷ python -c pass", CLICK, python("pass"), None),
    ]
    return compare_all(cases, runs)
