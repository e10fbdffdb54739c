"""The formulas of the estimates, each once, in plain operators: the same lines work on numbers, on pandas columns and on
ibis columns, in memory or on an engine that reads from disk.

Units: parameters and tokens are counts, rates FLOP/s, times hours, compute FLOP, half-widths dex (log10).
"""

from __future__ import annotations

from typing import Any

SECONDS_PER_HOUR = 3600


def counted(factor: Any, parameters: Any, tokens: Any) -> Any:
    """FLOP of training by counting operations: factor · N · D, the factor 6 for a dense transformer (Kaplan et al. 2020,
    arXiv:2001.08361, §2.1), 3 for an encoder-decoder, 8 with activations computed again."""
    return factor * parameters * tokens


def from_chips(chip_hours: Any, peak: Any, utilisation: Any) -> Any:
    """FLOP that chips do: chip-hours × 3,600 s × peak FLOP/s of the format × utilisation
    (epoch.ai/blog/estimating-training-compute)."""
    return chip_hours * SECONDS_PER_HOUR * peak * utilisation


def with_base(base: Any, increment: Any) -> Any:
    """FLOP of a model that began as another: the base's whole compute and its own increment."""
    return base + increment


def lower(value: Any, half_width: Any) -> Any:
    """Lower end of an interval of ± half_width dex around a value."""
    return value / 10**half_width


def upper(value: Any, half_width: Any) -> Any:
    """Upper end of an interval of ± half_width dex around a value."""
    return value * 10**half_width
