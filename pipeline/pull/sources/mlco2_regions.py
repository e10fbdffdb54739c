"""The cloud regions of the ML CO2 Impact calculator: one record per provider and region."""

from __future__ import annotations

from pipeline.pull.tabular import LINK_FIELD, Reading, read_plain, short_link
from pipeline.registry.sources import Source


def read(content: bytes, source: Source, where: str) -> Reading:
    """Plain columns under a name made of the provider and region codes; a reference is kept only if it is a link."""
    return read_plain(
        content,
        source,
        where,
        name=lambda cells: f"{cells['provider']} {cells['region'] or cells['region_name']}",
        text=lambda fact, _: short_link(fact.value_text) if fact.field == LINK_FIELD else fact.value_text,
    )
