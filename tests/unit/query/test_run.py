"""One query of a user: what is refused, and the rows in batches, as many as were asked for."""

from __future__ import annotations

import duckdb
import pytest

from traincompute.query import run as module
from traincompute.query.run import run, run_to_table

QUERY = "select i + $n as a, i as a from range(25) t(i)"


@pytest.mark.parametrize(("limit", "kept"), [(None, 25), (25, 25), (24, 24), (20, 20), (3, 3), (0, 0)])
def test_a_limit_ends_the_rows_and_says_that_there_are_more(
    monkeypatch: pytest.MonkeyPatch, limit: int | None, kept: int
) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 10)
    with duckdb.connect() as connection:
        made = run(connection, QUERY, {"n": 7}, limit)
        assert list(made.rows) == [(i + 7, i) for i in range(kept)]
    assert (made.names, made.is_cut) == (["a", "a_1"], kept < 25)


def test_a_table_has_all_rows_and_unique_names() -> None:
    with duckdb.connect() as connection:
        made = run_to_table(connection, QUERY, {"n": 7})
        assert run_to_table(connection, "select 1 as a where false").schema.names == ["a"]
    assert (made.num_rows, made.column_names) == (25, ["a", "a_1"])
