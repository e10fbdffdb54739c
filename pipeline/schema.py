"""The published tables as schemas/*.yml describe them, which is the only place where a column is described: columns,
rules across columns, the fields that a fact may state, and the views over the tables.

The pandera checks, the Arrow and DuckDB types and comments, and the data dictionary come from here."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired

from pipeline.errors import DataError, Problem
from pipeline.files import RESTORE, closed, list_of, load_yaml, mapping, read_whole
from pipeline.paths import Paths
from pipeline.vocabularies import Vocabulary

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


@closed
@dataclass(frozen=True)
class Column:
    """One column of a published table."""

    name: str
    type: Literal["string", "number", "integer", "boolean", "date", "list"]
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
class Rule:
    """A rule by name, with the sentence that says why, and the columns it looks at in the order of the text.
    `acknowledged` are the keys of rows that may break it: somebody looked, and said why."""

    name: str
    text: str
    why: str
    columns: tuple[str, ...]
    tree: ast.expr
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
    """One schema, such as that of a product, which is not among the published tables."""
    where = paths.short(file)
    raw = load_yaml(file, where, SHAPE)
    columns: list[Column] = raw["fields"]
    names = [column.name for column in columns]
    DataError.raise_any(Problem(where, "", *fault) for fault in _faults(file.stem, raw, names))
    rules = read_rules(raw.get("checks", []), names, where)
    return TableSchema(raw["name"], raw["title"], raw["description"], tuple(raw["primaryKey"]), tuple(columns), rules)


def _faults(stem: str, raw: Mapping[str, Any], names: list[str]) -> Iterator[tuple[str, str, str, str]]:
    """field, value, reason and remedy of what the parts of a schema say against each other."""
    if raw["name"] != stem:
        yield "name", raw["name"], "is not the name of the file", f"name it {stem}"
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield "fields", name, "two columns of this name", "rename or remove one"
    for name in raw["primaryKey"]:
        if name not in names:
            yield "primaryKey", name, "no such column", f"add the column; {RESTORE}"


# --- Rules
# A rule compares columns, numbers and texts in Python's notation: `a < b <= c`, `+ - * /`, `and`, `or`, `known(x)` and
# `not known(x)`, `close(a, b)` for equality within rounding, `share(a, b)` and `not share(a, b)` for ;-joined lists
# with a common item. A comparison with an unknown side holds. `base_model_id.x` is the column x of the row that
# base_model_id refers to. The column named first is the one to doubt: where a row of models breaks the rule, what a
# source says of it is set aside.

OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne, ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.And: operator.and_, ast.Or: operator.or_,
}  # fmt: skip
CALLS = {"known": 1, "close": 2, "share": 2}  # and how many arguments they take
PARTS = (
    ast.Name, ast.Attribute, ast.Constant, ast.BinOp, ast.BoolOp, ast.Compare, ast.Call, ast.UnaryOp, ast.Not, ast.Load
)  # fmt: skip
FORM = "write a comparison of columns such as `low <= value`, known(column) or close(a, b)"


def read_rules(lines: Iterable[Mapping[str, str]], names: list[str], where: str) -> tuple[Rule, ...]:
    """The rules of a schema with these columns. Raises DataError for a rule that cannot be read."""
    rules = [_read_rule(line, names, where) for line in lines]
    doubled = {rule.name for rule in rules if sum(other.name == rule.name for other in rules) > 1}
    DataError.raise_any(Problem(where, name, "checks", "", "two rules of this name", "rename one") for name in doubled)
    return tuple(rules)


def _read_rule(line: Mapping[str, str], names: list[str], where: str) -> Rule:
    name, text = line["name"], line["rule"]
    try:
        tree = ast.parse(text, mode="eval").body
        columns = tuple(dict.fromkeys(_columns(tree)))
    except (SyntaxError, TypeError) as error:
        raise DataError.of(where, "cannot be read", FORM, record=name, field="rule", value=text) from error
    unknown, remedy = [name for name in columns if not set(name.split(".")) <= set(names)], f"one of {', '.join(names)}"
    DataError.raise_any(Problem(where, name, "rule", column, "no such column", remedy) for column in unknown)
    return Rule(name, text, line["why"], columns, tree)


def _columns(tree: ast.expr) -> list[str]:
    """The columns that a rule names, in the order of its text. Raises TypeError for what rules cannot say."""
    nodes = list(ast.walk(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    negations = [node.operand for node in nodes if isinstance(node, ast.UnaryOp)]
    strange = [node for node in nodes if not isinstance(node, (*PARTS, *OPERATORS))]
    strange += [call for call in calls if len(call.args) != CALLS.get(ast.unparse(call.func)) or call.keywords]
    strange += [operand for operand in negations if ast.unparse(operand).split("(")[0] not in ("known", "share")]
    if strange:
        raise TypeError(ast.unparse(strange[0]))
    inner = [call.func for call in calls] + [node.value for node in nodes if isinstance(node, ast.Attribute)]
    columns = [node for node in nodes if isinstance(node, ast.Name | ast.Attribute) and node not in inner]
    return [ast.unparse(node) for node in sorted(columns, key=lambda node: node.col_offset)]


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
    files = [(file, True) for file in sorted(paths.sql.glob("macros/*.sql"))]
    files += [(file, False) for file in sorted(paths.sql.glob("*.sql"))]
    views = [_view(file, paths.short(file), is_macro) for file, is_macro in files]
    return _ordered([v for v in views if v.is_macro]) + _ordered([v for v in views if not v.is_macro])


def _view(file: Path, where: str, is_macro: bool) -> View:
    lines = read_whole(file, where).splitlines()
    head = [line.removeprefix("--").strip() for line in lines if line.startswith("--")]
    columns = {match[1]: match[2] for line in head if (match := COLUMN_LINE.fullmatch(line))}
    description = " ".join(line for line in head if not COLUMN_LINE.fullmatch(line))
    if not description:
        raise DataError.of(where, "has no comment", "begin the file with `-- what it answers`", record=file.stem)
    query = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
    return View(file.stem, description, columns, query, is_macro)


def _ordered(views: Sequence[View]) -> list[View]:
    """The views, each after the views whose names occur in it."""
    waiting, ordered = {view.name: view for view in views}, list[View]()
    while waiting:
        ready = [v for v in waiting.values() if not any(_reads(v, name) for name in waiting)]
        if not ready:
            reason = f"views read each other: {', '.join(sorted(waiting))}"
            raise DataError.of("pipeline/publish/sql", reason, "break the cycle", record=min(waiting))
        ordered += ready
        waiting = {name: view for name, view in waiting.items() if view not in ready}
    return ordered


def _reads(view: View, name: str) -> bool:
    return name != view.name and re.search(rf"\b{name}\b", view.query) is not None
