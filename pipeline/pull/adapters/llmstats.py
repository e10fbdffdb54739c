"""LLMStats: one JSON file per model. Only what its keys state as a number, a date or a code is read."""

from __future__ import annotations

from pipeline.base.names import clean_name
from pipeline.pull.documents import plain_columns, read_json
from pipeline.pull.tabular import Fact, Reading, match_columns
from pipeline.registry.sources import Source


def read(content: bytes, source: Source, where: str) -> Reading:
    """The one record of the file under its name, with a fact for every filled key that source.yml lists."""
    model = read_json(content, where, plain_columns(source.fields.values()))
    columns, unknown = match_columns(model, source, where)
    cells = {field: clean_name(str(model[column])) for field, column in columns.items() if model[column]}
    record = cells.pop("name", "")
    return Reading([Fact(record, field, text) for field, text in cells.items()], 1, int(not record), unknown)
