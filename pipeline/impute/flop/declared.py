"""What the checkout declares for the estimation methods: conventions for what a source leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pipeline.registry.architectures import Architecture, load_architectures
from pipeline.registry.context import Context
from pipeline.registry.vocabularies import Vocabulary


class Declared(NamedTuple):
    """`bands`: the factor either way that each confidence word of a published value means. `utilization`: the usual share
    of a chip's peak rate by domain (`default` for all others). `tokens_per_unit`: tokens in one unit of a dataset, where
    there is one accepted conversion. `owners`: the parent of each organisation that has one. `architectures`: kinds of
    network that affect the compute."""

    bands: Mapping[str, float]
    utilization: Mapping[str, float]
    tokens_per_unit: Mapping[str, float]
    owners: Mapping[str, str]
    architectures: Sequence[Architecture]


def load_declared(context: Context) -> Declared:
    """The declarations of a checkout. Raises DataError where the architectures are not well-formed."""
    words = context.vocabularies
    return Declared(
        bands=_attribute(words["confidence"], "factor"),
        utilization=context.constants["utilization"],
        tokens_per_unit=_attribute(words["dataset_units"], "tokens_per_unit"),
        owners=_attribute(words["organizations"], "parent"),
        architectures=load_architectures(context.paths, words["architectures"]),
    )


def _attribute(vocabulary: Vocabulary, key: str) -> dict[str, Any]:
    return {code: about[key] for code, about in vocabulary.codes.items() if key in about}
