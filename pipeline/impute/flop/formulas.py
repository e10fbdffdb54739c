"""The formulas of the estimates, each defined once, in plain operators: the same lines work on numbers, on pandas
columns and on ibis columns, in memory or on an engine that reads from disk.

Units: parameters and tokens are counts, rates FLOP/s, times hours, compute FLOP, half-widths dex (log10).
"""

import math
from typing import Any

SECONDS_PER_HOUR = 3600
FORWARD = 2  # FLOP per parameter and token of a forward pass: one multiply-add
PASSES = 3  # forward, and backward at twice that
FLOP_PER_PARAMETER_AND_TOKEN = FORWARD * PASSES
# How far a figure may be off either way, by the confidence word that it deserves, where nothing is measured: the
# factors of schemas/vocab/confidence.yml (epoch.ai/data/ai-models-documentation/estimation).
CONFIDENT, LIKELY = 3.0, 10.0
# The same as half-widths of a 90 % interval in dex: for what sources state, and for what rests on an assumption.
STATED_DEX = round(math.log10(CONFIDENT), 2)
ASSUMED_DEX = round(math.log10(LIKELY), 2)
BASE_PLUS_FINETUNE = "base_plus_finetune"
OPERATION_COUNTING = "operation_counting"
HAS_BASE = "needs the compute of the base model"
ALONE = "the base model's compute alone"  # and so from it up


def counted(factor: Any, parameters: Any, tokens: Any) -> Any:
    """FLOP of training by counting operations: factor · N · D, the factor being 6 for a dense transformer (Kaplan et
    al. 2020, arXiv:2001.08361, §2.1), 3 for an encoder-decoder, 8 with activation recomputation."""
    return factor * parameters * tokens


def from_chips(chip_hours: Any, peak: Any, utilisation: Any) -> Any:
    """FLOP that chips perform: chip-hours × 3,600 s × peak FLOP/s of the format × utilisation
    (epoch.ai/blog/estimating-training-compute)."""
    return chip_hours * SECONDS_PER_HOUR * peak * utilisation


def chip_hours(compute: Any, peak: Any, utilisation: Any) -> Any:
    """Chip-hours that an amount of compute takes: the inverse of `from_chips`."""
    return compute / (peak * SECONDS_PER_HOUR * utilisation)


def from_passes(forward: Any, examples: Any, passes: Any = PASSES) -> Any:
    """FLOP of training where weights are used more than once: k · F · n, F being one forward pass over an example and
    k = 3 where all weights learn by backpropagation (epoch.ai/blog/estimating-training-compute)."""
    return passes * forward * examples


def with_base(base: Any, increment: Any) -> Any:
    """FLOP of a model that started from another: the base's whole compute plus its own increment."""
    return base + increment


def lower(value: Any, half_width: Any) -> Any:
    """Lower end of an interval of ± half_width dex around a value."""
    return value / 10**half_width


def upper(value: Any, half_width: Any) -> Any:
    """Upper end of an interval of ± half_width dex around a value."""
    return value * 10**half_width


def interval(value: Any, half_width: Any) -> dict[str, Any]:
    """Both ends by name."""
    return {"low": lower(value, half_width), "high": upper(value, half_width)}
