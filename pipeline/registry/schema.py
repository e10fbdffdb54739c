"""The published tables as schemas/*.yml describe them, which is the only place where a column is described.

The pandera checks (validate/cells.py), the Arrow and DuckDB types and comments, and the data dictionary come from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pipeline.base.declared import Declared
from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.base.textfile import RESTORE
from pipeline.base.yamlfile import load_yaml
from pipeline.registry.rules import Rule, read_rules

LIST_SEPARATOR = ";"
# published type: (pandas dtype, name in the documentation). Lists are ;-joined text in pandas.
TYPES: dict[str, tuple[Any, str]] = {
    "string": ("str", "text"),
    "number": ("float64", "number"),
    "integer": ("Int64", "integer"),
    "boolean": ("boolean", "true or false"),
    "date": ("datetime64[s]", "date"),
    "list": ("str", "list of text"),
}
COLUMN = {
    "name": str, "type": set(TYPES), "description": str, "unit?": str, "constraints?": {...: object},
    "warn?": {...: object}, "vocab?": str, "claim?": str, "set?": bool, "derived?": str, "references?": str,
    "example?": object,
}  # fmt: skip
SHAPE = {
    "name": str, "title": str, "description": str, "fields": [COLUMN],
    "checks?": [{"name": str, "rule": str, "why": str}], "primaryKey": [str],
}  # fmt: skip


@dataclass(frozen=True)
class Column:
    """One column of a published table."""

    name: str
    type: str
    description: str
    unit: str | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    warn: Mapping[str, Any] = field(default_factory=dict)
    vocab: str | None = None
    claim: str | None = None
    set: bool = False
    derived: str | None = None
    references: str | None = None
    example: Any = None

    @property
    def required(self) -> bool:
        return bool(self.constraints.get("required"))

    @property
    def comment(self) -> str:
        """Description, unit and derivation on one line, as DuckDB and the data dictionary show them."""
        unit = f" [{self.unit}]" if self.unit else ""
        return f"{self.description}{unit}" + (f". Derived: {self.derived}" if self.derived else "")


@dataclass(frozen=True)
class TableSchema:
    """One published table."""

    name: str
    title: str
    description: str
    primary_key: tuple[str, ...]
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...] = ()

    @property
    def key(self) -> str:
        """The first column of the primary key, a text: of a table with rules, or that others refer to, it is the only
        one."""
        return self.primary_key[0]

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]


@cache
def load_schemas(paths: Paths) -> dict[str, TableSchema]:
    """Every table below schemas/ by name. Raises DataError for a file that has not the shape of a schema."""
    tables = {file.stem: _table(file, paths.short(file)) for file in sorted(paths.schemas.glob("*.yml"))}
    return Declared(tables, paths.short(paths.schemas) + "/{}.yml")


def load_schema(file: Path, paths: Paths) -> TableSchema:
    """One schema that is not among the published tables, such as a product's."""
    return _table(file, paths.short(file))


def _table(file: Path, where: str) -> TableSchema:
    raw = load_yaml(file, where, SHAPE)
    columns = tuple(Column(**f) for f in raw["fields"])
    names = [column.name for column in columns]
    DataError.raise_any(Problem(where, "", *fault) for fault in _faults(file.stem, raw, names))
    rules = read_rules(raw.get("checks", []), names, where)
    return TableSchema(raw["name"], raw["title"], raw["description"], tuple(raw["primaryKey"]), columns, rules)


def _faults(stem: str, raw: Mapping[str, Any], names: list[str]) -> Iterator[tuple[str, str, str, str]]:
    """field, value, reason and remedy of what the parts of a schema say against each other."""
    if raw["name"] != stem:
        yield "name", raw["name"], "is not the name of the file", f"name it {stem}"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield "fields", name, "two columns of this name", "rename or remove one"
    for name in raw["primaryKey"]:
        if name not in names:
            yield "primaryKey", name, "no such column", f"add the column; {RESTORE}"
