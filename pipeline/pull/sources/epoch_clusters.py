"""Epoch AI's file of GPU clusters. Of the references of a cluster the first link is kept; 32 archived links of
2026-03-30 have several hundred characters of tracking codes."""

from __future__ import annotations

from pipeline.config import Source
from pipeline.pull.tabular import Reading, read_plain, with_short_link


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per cluster; the 257 rows that share one anonymized name are distinguished by an ordinal."""
    return read_plain(content, source, where, text=with_short_link)
