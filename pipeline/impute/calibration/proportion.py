"""What a count tells about a share: the exact interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404)."""

from __future__ import annotations

from functools import cache
from math import exp, lgamma, log, log1p

STEPS = 50  # halvings: the bound is exact to 2⁻⁵⁰


@cache
def clopper_pearson(hits: int, n: int, confidence: float = 0.95) -> tuple[float, float]:
    """The lowest and highest share that would not be rejected at (1 − confidence) / 2 on its side."""
    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else _solve(lambda p: at_least(hits, n, p) > tail)
    high = 1.0 if hits == n else _solve(lambda p: at_least(hits + 1, n, p) > 1 - tail)
    return low, high


def at_least(hits: int, n: int, share: float) -> float:
    """The probability of at least this many hits out of n."""
    if not 0 < share < 1:
        return float(share >= 1)
    logs = (lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share)
            for k in range(hits, n + 1))  # fmt: skip
    return sum(exp(value) for value in logs)


def _solve(reached) -> float:  # type: ignore[no-untyped-def]
    low, high = 0.0, 1.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return (low + high) / 2
