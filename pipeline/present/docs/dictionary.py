"""docs/data-dictionary.md: every column of every table, generated from the schemas."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.present.docs.markdown import row
from pipeline.schema import TYPES, Column, TableSchema

HEAD = (
    "# Data dictionary\n\nGenerated from `schemas/*.yml` by `traincompute dev docs`; edit those files, not this one.\n"
)
COLUMNS = "| column | type | unit | meaning | example |\n|---|---|---|---|---|\n"


def dictionary(tables: Mapping[str, TableSchema]) -> str:
    """docs/data-dictionary.md: every column of every table, generated."""
    return HEAD + "".join(_section(table) for table in tables.values())


def _section(table: TableSchema) -> str:
    head = f"\n## {table.name}\n\n{table.title}. {table.description}\n\nKey: `{', '.join(table.primary_key)}`\n\n"
    rows = [row(f"`{c.name}`", TYPES[c.type][1], c.unit, _meaning(c), c.example) for c in table.columns]
    return head + COLUMNS + "".join(rows)


def _meaning(column: Column) -> str:
    vocabulary = f" Codes: `schemas/vocab/{column.vocab}.yml`." if column.vocab else ""
    derived = f" *Derived:* {column.derived}." if column.derived else ""
    required = " Never null." if column.required else ""
    return f"{column.description}.{derived}{vocabulary}{required}".replace("..", ".")
