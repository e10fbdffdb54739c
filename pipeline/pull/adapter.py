"""What every adapter offers, and the one place where that of a source is asked."""

from __future__ import annotations

import importlib
from typing import Protocol, cast

from pipeline.base.errors import DataError
from pipeline.pull.tabular import Reading
from pipeline.registry.sources import Source


class Adapter(Protocol):
    """What every module of adapters/ offers."""

    def read(self, content: bytes, source: Source, where: str) -> Reading: ...


def read_upstream(source: Source, content: bytes, where: str) -> Reading:
    """What the adapter that source.yml names makes of an upstream file. Raises DataError for a file of whatever other
    form, so that no source stops the others."""
    adapter = cast(Adapter, importlib.import_module(f"pipeline.pull.adapters.{source.adapter}"))
    try:
        return adapter.read(content, source, where)
    except DataError:
        raise
    except Exception as error:
        what = f"not of the form that {source.adapter} reads ({type(error).__name__}: {error})"
        remedy = f"look at the file; if its form has changed, pipeline/pull/adapters/{source.adapter}.py must follow"
        raise DataError.of(where, what, remedy) from error
