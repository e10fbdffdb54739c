"""HELM's list of models (YAML): parameters and release dates by the name under which HELM shows a model."""

from __future__ import annotations

import yaml

from pipeline.config import Source
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import Reading, name_records, parse, plain_text

NO_MODEL = "simple/model1"  # what HELM's own tests use
# Counts that no developer has stated (models behind an API), and one of packed weights (1.6T parameters, 862e9 stored).
GUESSED = ("anthropic/claude-v1.3", "openai/text-davinci-00", "deepseek-ai/deepseek-v4-pro")


def read(content: bytes, source: Source, where: str) -> Reading:
    """One record per entry; entries that share a display name are told apart by their id."""
    columns = {field: column for field, (column,) in source.fields.items()}
    entries = parse(yaml.safe_load, content, where)["models"]
    keys = {"name", "display_name", *columns.values()}
    rows = [{key: plain_text(entry.get(key), where, key) for key in keys} for entry in entries]
    rows = [row for row in rows if row["name"] != NO_MODEL]
    records = name_records(rows, "display_name", "name")
    facts = [
        Fact(record, field, row[column])
        for record, row in records
        for field, column in columns.items()
        if row[column] and not (field == "parameters" and row["name"].startswith(GUESSED))
    ]
    return Reading(facts, len(rows), len(rows) - len(records))
