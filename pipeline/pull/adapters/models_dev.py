"""models.dev: one TOML file per model, with its release date, the date to which its knowledge reaches and where its
weights are."""

from __future__ import annotations

from pipeline.base.names import clean_name
from pipeline.pull.documents import REST, plain_columns, read_toml
from pipeline.pull.tabular import Fact, Reading, match_columns
from pipeline.registry.sources import Source

WEIGHTS = {"weights?": [{"url": str} | REST]}


def read(content: bytes, source: Source, where: str) -> Reading:
    """The one record of the file under its name; of its lists and tables the first place of the weights alone is
    read."""
    model = read_toml(content, where, plain_columns(source.fields.values()) | WEIGHTS)
    model["weights"] = next((place["url"] for place in model.get("weights", [])), "")
    columns, unknown = match_columns(model, source, where)
    cells = {field: clean_name(str(model[column])) for field, column in columns.items() if model[column] != ""}
    record = cells.pop("name", "")
    return Reading([Fact(record, field, text) for field, text in cells.items()], 1, int(not record), unknown)
