"""The cloud regions of the ML CO2 Impact calculator: one record per provider and region."""

from __future__ import annotations

from pipeline.config import Source
from pipeline.pull.tabular import Reading, Row, read_plain, with_short_link


def read(content: bytes, source: Source, where: str) -> Reading:
    """Plain columns under a name made of the provider and region codes; a reference is kept only if it is a link."""
    return read_plain(content, source, where, name=_name, text=with_short_link)


def _name(cells: Row) -> str:
    return f"{cells['provider']} {cells['region'] or cells['region_name']}"
