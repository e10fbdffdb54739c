"""LLMStats: one JSON file per model. Only what its keys state as a number, a date or a code is read."""

from __future__ import annotations

import json

from pipeline.config import Source
from pipeline.pull.documents import one_record, read_document
from pipeline.pull.tabular import Reading


def read(content: bytes, source: Source, where: str) -> Reading:
    """The one record of the file under its name; 0 and false say that nothing is known."""
    model = read_document(json.loads, content, where)
    return one_record({key: value or None for key, value in model.items()}, source, where)
