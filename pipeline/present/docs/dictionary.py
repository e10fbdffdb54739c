"""docs/data-dictionary.md: every column of every table, generated from the schemas."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.registry.schema import TYPES, Column, TableSchema


def dictionary(tables: Mapping[str, TableSchema]) -> str:
    """docs/data-dictionary.md: every column of every table, generated."""
    head = "# Data dictionary\n\nGenerated from `schemas/*.yml` by `traincompute dev docs`; edit those files, not this one.\n"
    return head + "".join(_dictionary_table(table) for table in tables.values())


def _dictionary_table(table: TableSchema) -> str:
    rows = [
        f"| `{c.name}` | {TYPES[c.type][3]} | {c.unit or ''} | {_cell(c)} | {c.example if c.example is not None else ''} |"
        for c in table.columns
    ]
    head = f"\n## {table.name}\n\n{table.title}. {table.description}\n\nKey: `{', '.join(table.primary_key)}`\n\n"
    return head + "| column | type | unit | meaning | example |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n"


def _cell(column: Column) -> str:
    vocabulary = f" Codes: `schemas/vocab/{column.vocab}.yml`." if column.vocab else ""
    derived = f" *Derived:* {column.derived}." if column.derived else ""
    required = " Never null." if column.required else ""
    return f"{column.description}.{derived}{vocabulary}{required}".replace("|", "\\|").replace("..", ".")
