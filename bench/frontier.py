"""The frontier ranks of the built dataset against the same by comparing every pair of models in plain Python."""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.measure import PROCESSED
from bench.row import Row

TARGET = 0.01
QUERY = """select epoch(publication_date)::bigint, training_compute_flop from models
    where is_notable and publication_date is not null and training_compute_flop is not null"""


def rows(quick: bool, runs: int) -> list[Row]:
    """Seconds of both on the notable models with date and compute, the best of several runs, and their ratio."""
    import duckdb
    import numpy as np

    from pipeline.derive.frontier import larger_before

    with duckdb.connect(str(PROCESSED / "traincompute.duckdb"), read_only=True) as connection:
        pairs = connection.execute(QUERY).fetchall()
    days, flop = np.array([day for day, _ in pairs]), np.array([value for _, value in pairs])
    naive, expected = _best(lambda: [sum(1 for d, v in pairs if d <= day and v > value) for day, value in pairs], 5)
    ours, found = _best(lambda: larger_before(days, flop).tolist(), 50)
    if found != expected:
        raise RuntimeError("the ranks are not those of the comparison of all pairs")
    note = f"{1e3 * ours:.2f} ms ÷ {1e3 * naive:.0f} ms"
    return [Row("frontier rank ÷ all pairs in plain Python", ours / naive, target=TARGET, note=note)]


def _best(make: Callable[[], list[int]], runs: int) -> tuple[float, list[int]]:
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        made = make()
        times.append(time.perf_counter() - start)
    return min(times), made
