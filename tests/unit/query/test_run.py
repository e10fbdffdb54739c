"""One query of a user: what is refused, and the rows in batches, as many as were asked for."""

from __future__ import annotations

import duckdb
import pytest

from traincompute.query import run as module
from traincompute.query.run import Options, run, run_to_table

QUERY = "select i + $n as a, i as a from range(25) t(i)"


@pytest.mark.parametrize(
    ("limit", "sizes"),
    [(None, [10, 10, 5]), (25, [10, 10, 5]), (24, [10, 10, 4]), (20, [10, 10]), (3, [3]), (0, [])],
)
def test_a_limit_ends_the_rows_and_says_that_there_are_more(
    monkeypatch: pytest.MonkeyPatch, limit: int | None, sizes: list[int]
) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 10)
    with duckdb.connect() as connection:
        made = run(connection, QUERY, {"n": 7}, Options(limit))
        batches = list(made.batches)
    assert [len(batch) for batch in batches] == sizes
    assert [row for batch in batches for row in batch] == [(i + 7, i) for i in range(sum(sizes))]
    assert (made.names, made.types, made.rows) == (["a", "a_1"], ["BIGINT"] * 2, sum(sizes))
    assert made.cut == (sum(sizes) < 25)


def test_a_table_has_all_rows_and_unique_names() -> None:
    with duckdb.connect() as connection:
        made = run_to_table(connection, QUERY, {"n": 7})
        assert run_to_table(connection, "select 1 as a where false").schema.names == ["a"]
    assert (made.num_rows, made.column_names) == (25, ["a", "a_1"])
