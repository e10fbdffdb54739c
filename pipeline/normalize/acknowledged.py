"""Rows that may break a rule across columns: the cells that corrections.yml acknowledges, each with the rule it
breaks."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from datetime import date

import pandas as pd

from pipeline.config import Config, locked_snapshots
from pipeline.errors import DataError, Problem
from pipeline.normalize.claims import ids_of_records
from pipeline.normalize.corrections import in_span
from pipeline.schema import TableSchema

TABLE = "models"


def with_acknowledgements(context: Config, claims: pd.DataFrame) -> Config:
    """The context with the rules of `models` excusing the models whose cell is acknowledged, until the entry ends.
    Raises DataError for an entry that names no rule of that table."""
    table, acknowledged = context.schemas[TABLE], defaultdict(set)
    entries = [entry for entry in context.corrections if "rule" in entry]
    models = ids_of_records(claims, [entry["record"] for entry in entries]).to_dict()
    for entry in entries:
        newest = max(locked_snapshots(context.lock, entry["source"]), default=date.max)
        model = models.get((entry["source"], entry["record"]))
        if model and in_span(entry, newest):
            acknowledged[entry["rule"]].add(model)
    if unknown := sorted(set(acknowledged) - {rule.name for rule in table.rules}) if table.rules else []:
        where = context.paths.short(context.paths.curated / "corrections.yml")
        raise DataError(
            Problem(where, "", "rule", name, "no rule of this name", "see schemas/models.yml") for name in unknown
        )
    rules = tuple(replace(rule, acknowledged=frozenset(acknowledged[rule.name])) for rule in table.rules)
    return replace(context, schemas={**context.schemas, TABLE: replace(table, rules=rules)})


def without_rules(context: Config) -> Config:
    """The context without rules across columns: a vintage says what was said on its day, contradictions and all."""
    schemas: dict[str, TableSchema] = {name: replace(table, rules=()) for name, table in context.schemas.items()}
    return replace(context, schemas=schemas)
