"""What every adapter offers, and the adapter that a source names."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from pipeline.pull.tabular import Reading
from pipeline.registry.sources import Source


class Adapter(Protocol):
    """What every module of adapters/ offers."""

    def read(self, content: bytes, source: Source, where: str) -> Reading: ...


def adapter_of(source: Source) -> Adapter:
    """The module of adapters/ that source.yml names."""
    return cast(Adapter, importlib.import_module(f"pipeline.pull.adapters.{source.adapter}"))
