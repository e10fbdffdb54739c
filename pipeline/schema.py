"""The published tables as schemas/*.yml describe them, which is the only place where a column is described: columns,
rules across columns, the fields that a fact may state, and the views over the tables.

The pandera checks, the Arrow and DuckDB types and comments, and the data dictionary come from here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from pydantic import ConfigDict, with_config
from pydantic import Field as Key

from pipeline.errors import DataError, Problem
from pipeline.files import load_yaml, one_of, read_text, twice
from pipeline.paths import Paths
from pipeline.vocabularies import TypeName, Vocabulary

LIST_SEPARATOR = ";"
# published type: (pandas dtype, name in the documentation, Arrow type). Lists are ;-joined text in pandas.
TYPES: dict[str, tuple[Any, str, str]] = {
    "string": ("str", "text", "string"),
    "number": ("float64", "number", "float64"),
    "integer": ("Int64", "integer", "int64"),
    "boolean": ("boolean", "true or false", "bool"),
    "date": ("datetime64[s]", "date", "date32"),
    "list": ("str", "list of text", "string"),
}
# dates of what has happened, which cannot lie after the snapshot that has them
PAST = ("publication_date", "knowledge_cutoff", "release_date", "price_date", "list_date")

# --- Tables

# What a cell must be, in the words of the standard Table Schema
Constraint = Annotated[str, one_of("required", "unique", "minimum", "exclusiveMinimum", "maximum", "enum", "pattern")]
closed = with_config(ConfigDict(extra="forbid"))  # no other keys than the fields


@closed
@dataclass(frozen=True)
class Column:
    """One column of a published table."""

    name: str
    type: TypeName
    description: str
    unit: str | None = None
    constraints: Mapping[Constraint, Any] = field(default_factory=dict)
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


# outside of quotes, and no functions
NAMES = re.compile(r"(?<![\w.'])[a-z_][\w.]*(?![\w(])(?=(?:[^']*'[^']*')*[^']*$)")


@closed
@dataclass(frozen=True)
class Rule:
    """A rule across columns by name, with the sentence that says why. `acknowledged` are the keys of rows that may
    break it: somebody looked, and said why.

    `text` is a condition in SQL on the columns of a row, with `known(x)`, `close(a, b)` for equality within rounding,
    and `share(a, b)` for ;-joined lists with a common item. What is unknown breaks no rule. `base_model_id.x` is the
    column x of the row that base_model_id refers to. The column named first is the one to doubt: where a row of models
    breaks the rule, what a source says of it is set aside."""

    name: str
    text: Annotated[str, Key(alias="rule")]
    why: str
    acknowledged: frozenset[str] = frozenset()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns it looks at, in the order of the text."""
        return tuple(dict.fromkeys(name for name in NAMES.findall(self.text) if name not in ("and", "or", "not")))


@closed
@dataclass(frozen=True)
class TableSchema:
    """One published table."""

    name: str
    title: str
    description: str
    primary_key: Annotated[tuple[str, ...], Key(alias="primaryKey")]
    columns: Annotated[tuple[Column, ...], Key(alias="fields")]
    rules: Annotated[tuple[Rule, ...], Key(alias="checks")] = ()

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
    return {file.stem: load_schema(file, paths) for file in sorted(paths.schemas.glob("*.yml"))}


def load_schema(file: Path, paths: Paths) -> TableSchema:
    """One schema. Raises DataError for a key or a rule with a column that there is not, and for a name given twice."""
    where = paths.short(file)
    table = load_yaml(file, where, TableSchema, is_typed=True)
    names, used = table.names, [("primaryKey", table.primary_key), *((rule.name, rule.columns) for rule in table.rules)]
    faults = [("name", table.name, "is not the name of the file", f"name it {file.stem}")] * (table.name != file.stem)
    faults += [("fields", name, "two columns of this name", "rename or remove one") for name in twice(names)]
    faults += [("checks", name, "two rules of this name", "rename one") for name in twice(r.name for r in table.rules)]
    faults += [
        (place, name, "no such column", f"one of {', '.join(names)}")
        for place, columns in used
        for name in columns
        if not set(name.split(".")) <= set(names)
    ]
    DataError.raise_any(Problem(where, "", *fault) for fault in faults)
    return table


# --- Fields


class Field(NamedTuple):
    """How the texts of one fact field are read."""

    type: str
    unit: str
    vocab: str
    keep_order: bool


def field_registry(
    schemas: Mapping[str, TableSchema], vocabularies: Mapping[str, Vocabulary], subjects: Iterable[str]
) -> dict[str, Field]:
    """Every field that a fact may state, by `subject.field`: the columns of the subject's table and, for models, the
    additional fields in vocab/fields.yml."""
    columns = {f"{name}.{c.claim or c.name}": c for name in subjects for c in schemas[name].columns}
    stated = {name: Field(c.type, c.unit or "", c.vocab or "", not c.set) for name, c in columns.items()}
    for name, about in vocabularies["fields"].codes.items():
        stated[f"models.{name}"] = Field(about["type"], about.get("unit", ""), about.get("vocab", ""), True)
    return stated


# --- Views

COLUMN_LINE = re.compile(r"([a-z][a-z0-9_]*): (.+)")


@dataclass(frozen=True)
class View:
    """A view of the DuckDB file, or a macro if `is_macro`: name, what it answers, the meaning of each column, and the
    SQL."""

    name: str
    description: str
    columns: Mapping[str, str]
    query: str
    is_macro: bool


def load_views(paths: Paths) -> list[View]:
    """All macros, then all views, each after the ones it reads. Raises DataError for a file without a comment."""
    views = {}
    for file in (*sorted(paths.sql.glob("macros/*.sql")), *sorted(paths.sql.glob("*.sql"))):
        where = paths.short(file)
        lines = read_text(file, where).splitlines()
        head = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
        columns = {match[1]: match[2] for line in head if (match := COLUMN_LINE.fullmatch(line))}
        description = " ".join(line for line in head if not COLUMN_LINE.fullmatch(line))
        if not description:
            raise DataError.of(where, "has no comment", "begin the file with `-- what it answers`", record=file.stem)
        query = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
        views[file.stem] = View(file.stem, description, columns, query, file.parent.name == "macros")
    reads = {name: [n for n in views if n != name and re.search(rf"\b{n}\b", v.query)] for name, v in views.items()}
    return sorted((views[name] for name in TopologicalSorter(reads).static_order()), key=lambda view: not view.is_macro)
