"""HELM's list of models (YAML): parameters and release dates by the name under which HELM shows a model."""

from __future__ import annotations

from pipeline.base.names import clean_name
from pipeline.pull.documents import REST, plain_columns, read_yaml
from pipeline.pull.tabular import Fact, Reading, name_records
from pipeline.registry.sources import Source

NO_MODEL = "simple/model1"  # what HELM's own tests use
# Counts that no developer has stated (models behind an API), and one of packed weights (1.6T parameters, 862e9 stored).
GUESSED = ("anthropic/claude-v1.3", "openai/text-davinci-00", "deepseek-ai/deepseek-v4-pro")


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per entry; entries that share a display name are told apart by their id."""
    columns = {field: column for field, (column,) in source.fields.items()}
    model = {"name": str, "display_name": str, **plain_columns(source.fields.values())}
    entries = read_yaml(content, where, {"models": [model], **REST})["models"]
    known = ("name", "display_name", *columns.values())
    rows = [{key: str(entry[key]) for key in known if key in entry} for entry in entries if entry["name"] != NO_MODEL]
    records = name_records(rows, "display_name", "name")
    facts = [
        Fact(record, field, clean_name(row[column]))
        for record, row in records
        for field, column in columns.items()
        if row.get(column) and not (field == "parameters" and row["name"].startswith(GUESSED))
    ]
    return Reading(facts, len(rows), len(rows) - len(records))
