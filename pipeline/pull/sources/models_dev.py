"""models.dev: one TOML file per model, with its release date, the date to which its knowledge reaches and where its
weights are."""

from __future__ import annotations

import tomllib

from pipeline.config import Source
from pipeline.pull.documents import one_record, read_document
from pipeline.pull.tabular import Reading


def read(content: bytes, source: Source, where: str) -> Reading:
    """The one record of the file under its name; of its lists and tables the first place of the weights alone is
    read."""
    model = read_document(tomllib.loads, content, where)
    weights = next((place["url"] for place in model.get("weights", [])), "")
    return one_record({**model, "weights": weights}, source, where)
