"""The rows of a query in batches: as many as were asked for, and whether there were more."""

from __future__ import annotations

import duckdb
import pytest

from traincompute.query import run as results
from traincompute.query.run import Options, arrow_result, rows_result, unique

QUERY = "select i + $n as a, i as a from range(25) t(i)"


@pytest.mark.parametrize("form", ["rows", "arrow"])
@pytest.mark.parametrize(
    ("limit", "sizes"),
    [(None, [10, 10, 5]), (25, [10, 10, 5]), (24, [10, 10, 4]), (20, [10, 10]), (3, [3]), (0, [])],
)
def test_a_limit_ends_the_rows_and_says_that_there_are_more(
    monkeypatch: pytest.MonkeyPatch, form: str, limit: int | None, sizes: list[int]
) -> None:
    monkeypatch.setattr(results, "BATCH_ROWS", 10)
    with duckdb.connect() as connection:
        if form == "rows":
            [statement] = connection.extract_statements(QUERY)
            made = rows_result(connection, statement, {"n": 7}, Options(limit), lambda work: work())
            batches = list(made.batches)
        else:
            made = arrow_result(connection, QUERY, {"n": 7}, Options(limit), lambda work: work())
            first, *read = made.batches
            assert first.num_rows == 0, "the schema, even of no rows"
            assert {tuple(batch.schema.names) for batch in (first, *read)} == {("a", "a_1")}
            batches = [[*zip(*batch.to_pydict().values(), strict=True)] for batch in read if batch.num_rows]
    assert [len(batch) for batch in batches] == sizes
    assert [row for batch in batches for row in batch] == [(i + 7, i) for i in range(sum(sizes))]
    assert made.types == [{"rows": "BIGINT", "arrow": "int64"}[form]] * 2
    assert (made.names, made.rows, made.cut) == (["a", "a_1"], sum(sizes), sum(sizes) < 25)


def test_names_become_unique_by_the_first_number_that_is_free() -> None:
    assert unique(["a", "a_1", "a", "b", "a"]) == ["a", "a_1", "a_2", "b", "a_3"]
