"""Rules across the columns of a row, as schemas/*.yml state them under `checks`: one text that pandas and ibis evaluate
alike.

A rule compares columns, numbers and texts in Python's notation: `a < b <= c`, `+ - * /`, `and`, `or`, `known(x)` and
`not known(x)`, `close(a, b)` for equality within rounding, `share(a, b)` and `not share(a, b)` for ;-joined lists of
pandas with a common item. A comparison with an unknown side holds. `base_model_id.x` is the column x of the row that
base_model_id refers to. The column named first is the one to doubt: where a row of models breaks the rule, what a
source says of it is set aside."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from typing import Any

from pipeline.base.errors import DataError, Problem

CLOSE = 1e-6  # the share by which two sides of a relation between units may differ
COMPARE: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip
COUNT: Mapping[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip
JOIN: Mapping[type, Callable[[Any, Any], Any]] = {ast.And: operator.and_, ast.Or: operator.or_}
FORM = "write a comparison of columns such as `low <= value`, known(column) or close(a, b)"


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


def read_rules(raw: list[Mapping[str, str]], names: list[str], where: str) -> tuple[Rule, ...]:
    """The rules of a schema with these columns. Raises DataError for a rule that cannot be read."""
    rules = [_read_rule(entry, names, where) for entry in raw]
    doubled = {rule.name for rule in rules if sum(other.name == rule.name for other in rules) > 1}
    DataError.raise_any(Problem(where, name, "checks", "", "two rules of this name", "rename one") for name in doubled)
    return tuple(rules)


def _read_rule(entry: Mapping[str, str], names: list[str], where: str) -> Rule:
    if set(entry) != {"name", "rule", "why"}:
        found = ", ".join(entry)
        raise DataError.of(
            where, "a rule has name, rule and why", FORM, record=entry.get("name", ""), field="checks", value=found
        )
    try:
        tree = ast.parse(entry["rule"], mode="eval").body
        columns = tuple(dict.fromkeys(_columns(tree)))
    except (SyntaxError, KeyError, TypeError) as error:
        raise DataError.of(
            where, "cannot be read", FORM, record=entry["name"], field="rule", value=entry["rule"]
        ) from error
    unknown, remedy = [name for name in columns if not set(name.split(".")) <= set(names)], f"one of {', '.join(names)}"
    DataError.raise_any(Problem(where, entry["name"], "rule", name, "no such column", remedy) for name in unknown)
    return Rule(entry["name"], entry["rule"], entry["why"], columns, tree)


def _columns(node: ast.expr) -> list[str]:
    """The columns that an expression names. Raises KeyError or TypeError for what rules cannot say."""
    found: list[str] = []
    evaluate(node, lambda name: found.append(name) or _Nothing(), lambda _: _Nothing())  # type: ignore[func-returns-value]
    return found


class _Nothing:
    """Takes part in every operation, so that an expression can be walked without data."""

    def _same(self, *_: object) -> _Nothing:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _same
    __and__ = __rand__ = __or__ = __ror__ = __lt__ = __le__ = __gt__ = __ge__ = __invert__ = abs = _same
    combine = astype = _same
    __eq__ = __ne__ = _same  # type: ignore[assignment]
    __hash__ = object.__hash__


def evaluate(node: ast.expr, column: Callable[[str], Any], is_null: Callable[[Any], Any]) -> Any:
    """The expression on the columns that `column` gives, whichever engine they are of: for each row whether it holds,
    or its value. `is_null` is the engine's test for an unknown value."""
    match node:
        case ast.Name(id=name):
            return column(name)
        case ast.Attribute(value=ast.Name(id=name), attr=other):
            return column(f"{name}.{other}")
        case ast.Constant(value=value) if isinstance(value, int | float | str):
            return value
        case ast.BinOp(left=left, op=op, right=right):
            return COUNT[type(op)](evaluate(left, column, is_null), evaluate(right, column, is_null))
        case ast.BoolOp(op=op, values=values):
            return reduce(JOIN[type(op)], (evaluate(part, column, is_null) for part in values))
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="known"), args=[item])):
            return is_null(evaluate(item, column, is_null))
        case ast.Call(func=ast.Name(id="known"), args=[item]):
            return ~is_null(evaluate(item, column, is_null))
        case ast.Call(func=ast.Name(id="close"), args=[left, right]):
            return _is_close(evaluate(left, column, is_null), evaluate(right, column, is_null), is_null)
        case ast.Call(func=ast.Name(id="share"), args=[left, right]):
            return (
                evaluate(left, column, is_null).combine(evaluate(right, column, is_null), _have_common).astype("bool")
            )
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=ast.Name(id="share")) as shared):
            return ~evaluate(shared, column, is_null)
        case ast.Compare(left=first, ops=ops, comparators=others):
            sides = [evaluate(side, column, is_null) for side in (first, *others)]
            pairs = zip(ops, pairwise(sides), strict=True)
            return reduce(operator.and_, (_compared(COMPARE[type(op)], *pair, is_null) for op, pair in pairs))
        case _:
            raise TypeError(ast.unparse(node))


def _compared(compare: Callable[[Any, Any], Any], left: Any, right: Any, is_null: Callable[[Any], Any]) -> Any:
    """The comparison, or true where a side is unknown."""
    unknown = [is_null(side) for side in (left, right) if not isinstance(side, int | float | str)]
    return reduce(operator.or_, unknown, compare(left, right))


def _have_common(one: Any, other: Any) -> bool:
    """Whether two ;-joined lists have an item in common, or one of them is unknown."""
    return not (isinstance(one, str) and isinstance(other, str)) or not set(one.split(";")).isdisjoint(other.split(";"))


def _is_close(left: Any, right: Any, is_null: Callable[[Any], Any]) -> Any:
    return _compared(operator.le, (left / right - 1).abs(), CLOSE, is_null)
