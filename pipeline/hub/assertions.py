"""The rules of a schema as one aggregation that any engine can run: what pandera checks in memory, for tables that do
not fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ibis
import ibis.expr.types as ir

from pipeline.base.errors import Problem
from pipeline.hub.engine import Engine
from pipeline.registry.cell_rules import cell_rules
from pipeline.registry.rules import evaluate
from pipeline.registry.schema import Column, TableSchema
from traincompute.show.values import human


def check(engine: Engine, table: ir.Table, schema: TableSchema) -> list[Problem]:
    """Every rule that rows break, with the number of such rows and the first of their keys."""
    key = table[schema.key].cast("string")
    rules = dict(enumerate(_rules(table, schema)))
    counts = {f"n{i}": bad.fill_null(False).cast("int64").sum() for i, (_, _, bad) in rules.items()}
    found = engine.first(table.aggregate(rows=table.count(), distinct=key.nunique(), **counts))
    broken = {i: rule for i, rule in rules.items() if found[f"n{i}"]}
    firsts = {f"n{i}": ibis.cases((bad.fill_null(False), key)).min() for i, (_, _, bad) in broken.items()}
    first = engine.first(table.aggregate(**firsts)) if firsts else {}
    problems = [
        Problem(schema.name, str(first[n] or ""), name, "", f"{human(found[n], 'row')}: {words}", "correct the input")
        for n, (name, words, _) in zip(firsts, broken.values(), strict=True)
    ]
    if found["rows"] != found["distinct"]:
        doubled = f"{human(found['rows'] - found['distinct'], 'row')}: key occurs in more than one row"
        problems.append(Problem(schema.name, "", schema.key, "", doubled, "correct the input"))
    return problems


def _rules(table: ir.Table, schema: TableSchema) -> Iterator[tuple[str, str, Any]]:
    """(column, rule in words, expression that is true for a bad row)."""
    for column in schema.columns:
        yield from _column_rules(table[column.name], column)
    for rule in schema.rules:
        held = evaluate(rule.tree, lambda name: table[name], lambda values: values.isnull())
        yield rule.columns[0], f"breaks {rule.name}: {rule.why}", ~held


def _column_rules(values: Any, column: Column) -> Iterator[tuple[str, str, Any]]:
    if column.required:
        yield column.name, "must not be empty", values.isnull()
    if column.type == "number":
        yield column.name, "is not finite", values.isnan() | values.isinf()
    for words, test in cell_rules(column, _matches, ibis.date):
        yield column.name, words, ~test(values)


def _matches(texts: Any, pattern: str) -> Any:
    return texts.re_search(f"^({pattern})$")
