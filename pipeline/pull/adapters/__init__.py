"""One module per kind of upstream file: `read(content, source, where) -> Reading`. None imports another."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from pipeline.pull.tabular import Reading
from pipeline.registry.sources import Source


class Adapter(Protocol):
    """What every module of this folder offers."""

    def read(self, content: bytes, source: Source, where: str) -> Reading: ...


def adapter_of(source: Source) -> Adapter:
    """The module that source.yml names."""
    return cast(Adapter, importlib.import_module(f"pipeline.pull.adapters.{source.adapter}"))
