"""One query of a user: what is refused, and the rows in batches, as many as were asked for."""

from __future__ import annotations

import duckdb
import pytest

from traincompute.base.errors import QueryError
from traincompute.query import run as module
from traincompute.query.run import Options, run, unique

QUERY = "select i + $n as a, i as a from range(25) t(i)"


@pytest.mark.parametrize("in_arrow", [False, True])
@pytest.mark.parametrize(
    ("limit", "sizes"),
    [(None, [10, 10, 5]), (25, [10, 10, 5]), (24, [10, 10, 4]), (20, [10, 10]), (3, [3]), (0, [])],
)
def test_a_limit_ends_the_rows_and_says_that_there_are_more(
    monkeypatch: pytest.MonkeyPatch, in_arrow: bool, limit: int | None, sizes: list[int]
) -> None:
    monkeypatch.setattr(module, "BATCH_ROWS", 10)
    with duckdb.connect() as connection:
        made = run(connection, QUERY, {"n": 7}, Options(limit), in_arrow)
        batches = list(made.batches)
    if in_arrow:
        assert batches[0].num_rows == 0, "the schema, even of no rows"
        assert {tuple(batch.schema.names) for batch in batches} == {("a", "a_1")}
        batches = [[*zip(*batch.to_pydict().values(), strict=True)] for batch in batches if batch.num_rows]
    assert [len(batch) for batch in batches] == sizes
    assert [row for batch in batches for row in batch] == [(i + 7, i) for i in range(sum(sizes))]
    assert made.types == ["int64" if in_arrow else "BIGINT"] * 2
    assert (made.names, made.rows, made.cut) == (["a", "a_1"], sum(sizes), sum(sizes) < 25)


def test_names_become_unique_by_the_first_number_that_is_free() -> None:
    assert unique(["a", "a_1", "a", "b", "a"]) == ["a", "a_1", "a_2", "b", "a_3"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "the query is empty"),
        ("select 1; select 2", "one statement at a time, please: this is 2"),
        ("-- only\n/* now */ delete from models", "DELETE is not for `sql`, which only reads"),
    ],
)
def test_what_does_not_read_is_refused(query: str, message: str) -> None:
    with duckdb.connect() as connection, pytest.raises(QueryError, match=f"^{message}"):
        run(connection, query)
