"""Epoch AI's timelines of data centers: one record per data center and day on which its state changed."""

from __future__ import annotations

import re

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading, Row, read_plain

NOTHING = re.compile(r"0(?:\.0*)?(?: .*)?")  # before anything runs


def read(content: bytes, source: Source, where: str) -> Reading:
    """Power, chips in H100 equivalents and cost of each state; cells of 0 are left out."""
    return read_plain(content, source, where, name=_name, text=_text)


def _name(cells: Row) -> str:
    return f"{cells['data_center']} {cells['date']}"


def _text(fact: Fact, _: Row) -> str:
    return "" if NOTHING.fullmatch(fact.value_text) else fact.value_text
