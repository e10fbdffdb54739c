"""The published tables as schemas/*.yml describe them, which is the only place where a column is described: columns,
rules across columns, the fields that a fact may state, and the views over the tables.

The pandera checks, the Arrow and DuckDB types and comments, and the data dictionary come from here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Any, NamedTuple, NotRequired

import yaml
from pydantic import BeforeValidator, ConfigDict, GetPydanticSchema, with_config

from pipeline.errors import DataError, Problem
from pipeline.files import RESTORE, Number, list_of, load_yaml, mapping, read_text
from pipeline.paths import Paths
from pipeline.vocabularies import TypeName, Vocabulary

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
# dates of what has happened, which cannot lie after the snapshot that has them
PAST = ("publication_date", "knowledge_cutoff", "release_date", "price_date", "list_date")


# --- Tables

_YAML: Any = yaml.SafeLoader("")


def _as_yaml_means(text: Any) -> Any:
    """The number, date or truth value that YAML means by a text."""
    return _YAML.construct_object(yaml.ScalarNode(_YAML.resolve(yaml.ScalarNode, text, (True, False)), text))


Scalar = Annotated[Any, BeforeValidator(_as_yaml_means)]


# What a cell must be, in the words of the standard Table Schema
CONSTRAINTS = mapping(
    required=NotRequired[bool],
    unique=NotRequired[bool],
    minimum=NotRequired[Scalar],
    exclusiveMinimum=NotRequired[Number],
    maximum=NotRequired[Number],
    enum=NotRequired[list[str]],
    pattern=NotRequired[str],
)
Constraints = Annotated[Mapping[str, Any], GetPydanticSchema(lambda _, schema_of: schema_of(CONSTRAINTS))]


@with_config(ConfigDict(extra="forbid"))
@dataclass(frozen=True)
class Column:
    """One column of a published table."""

    name: str
    type: TypeName
    description: str
    unit: str | None = None
    constraints: Constraints = field(default_factory=dict)
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
class Rule:
    """A rule by name, with the sentence that says why, and the columns it looks at in the order of the text.
    `acknowledged` are the keys of rows that may break it: somebody looked, and said why."""

    name: str
    text: str
    why: str
    columns: tuple[str, ...]
    acknowledged: frozenset[str] = frozenset()


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


SHAPE = mapping(
    name=str,
    title=str,
    description=str,
    fields=list[Column],
    checks=NotRequired[list_of(mapping(name=str, rule=str, why=str))],
    primaryKey=list[str],
)


@cache
def load_schemas(paths: Paths) -> dict[str, TableSchema]:
    """Every table below schemas/ by name. Raises DataError for a file that has not the shape of a schema."""
    return {file.stem: load_schema(file, paths) for file in sorted(paths.schemas.glob("*.yml"))}


def load_schema(file: Path, paths: Paths) -> TableSchema:
    """One schema."""
    where = paths.short(file)
    raw = load_yaml(file, where, SHAPE)
    texts, checks, keys = ("string", "list"), raw.get("checks", []), raw["primaryKey"]
    columns = [c if c.type in texts else replace(c, example=_as_yaml_means(c.example or "")) for c in raw["fields"]]
    names = [column.name for column in columns]
    faults = [("name", raw["name"], "is not the name of the file", f"name it {file.stem}")] * (raw["name"] != file.stem)
    faults += [("fields", name, "two columns of this name", "rename or remove one") for name in _doubled(names)]
    faults += [("primaryKey", k, "no such column", f"add the column; {RESTORE}") for k in keys if k not in names]
    DataError.raise_any(Problem(where, "", *fault) for fault in faults)
    rules = read_rules(checks, names, where)
    return TableSchema(raw["name"], raw["title"], raw["description"], tuple(keys), tuple(columns), rules)


def _doubled(names: list[str]) -> list[str]:
    return sorted({name for name in names if names.count(name) > 1})


# --- Rules
# A rule is a condition in SQL on the columns of a row, with `known(x)`, `close(a, b)` for equality within rounding, and
# `share(a, b)` for ;-joined lists with a common item. What is unknown breaks no rule. `base_model_id.x` is the column x
# of the row that base_model_id refers to. The column named first is the one to doubt: where a row of models breaks the
# rule, what a source says of it is set aside.

NAMES = re.compile(
    r"(?<![\w.'])[a-z_][\w.]*(?![\w(])(?=(?:[^']*'[^']*')*[^']*$)"
)  # outside of quotes, and no functions


def read_rules(lines: Iterable[Mapping[str, str]], names: list[str], where: str) -> tuple[Rule, ...]:
    """The rules of a schema with these columns. Raises DataError for a rule about others, or a second of one name."""
    rules, faults = [], []
    for line in lines:
        columns = dict.fromkeys(name for name in NAMES.findall(line["rule"]) if name not in ("and", "or", "not"))
        rules.append(Rule(line["name"], line["rule"], line["why"], tuple(columns)))
        unknown = [name for name in columns if not set(name.split(".")) <= set(names)]
        faults += [(line["name"], "rule", name, "no such column", f"one of {', '.join(names)}") for name in unknown]
    doubled = _doubled([rule.name for rule in rules])
    faults += [(name, "checks", "", "two rules of this name", "rename one") for name in doubled]
    DataError.raise_any(Problem(where, *fault) for fault in faults)
    return tuple(rules)


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
    further = vocabularies["fields"].codes.items()
    return stated | {
        f"models.{name}": Field(e["type"], e.get("unit", ""), e.get("vocab", ""), True) for name, e in further
    }


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
    macros, views = sorted(paths.sql.glob("macros/*.sql")), sorted(paths.sql.glob("*.sql"))
    return _ordered([_view(file, paths, True) for file in macros]) + _ordered([_view(f, paths, False) for f in views])


def _view(file: Path, paths: Paths, is_macro: bool) -> View:
    where = paths.short(file)
    lines = read_text(file, where).splitlines()
    head = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
    columns = {match[1]: match[2] for line in head if (match := COLUMN_LINE.fullmatch(line))}
    description = " ".join(line for line in head if not COLUMN_LINE.fullmatch(line))
    if not description:
        raise DataError.of(where, "has no comment", "begin the file with `-- what it answers`", record=file.stem)
    query = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
    return View(file.stem, description, columns, query, is_macro)


def _ordered(views: list[View]) -> list[View]:
    """The views, each after the views whose names occur in it."""
    by_name = {view.name: view for view in views}
    reads = {v.name: [n for n in by_name if n != v.name and re.search(rf"\b{n}\b", v.query)] for v in views}
    try:
        return [by_name[name] for name in TopologicalSorter(reads).static_order()]
    except CycleError as error:
        reason = f"views read each other: {', '.join(error.args[1])}"
        raise DataError.of("pipeline/publish/sql", reason, "break the cycle") from error
