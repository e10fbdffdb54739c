"""What a rule across columns says of each row of a table."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from functools import reduce
from itertools import pairwise
from typing import Any

from pipeline.schema import OPERATORS

CLOSE = 1e-6  # the share by which two sides of a relation between units may differ


def evaluate(node: ast.expr, column: Callable[[str], Any], is_null: Callable[[Any], Any]) -> Any:
    """The expression on the columns that `column` gives: for each row whether it holds, or its value. `is_null` tests
    for an unknown value."""

    def value(part: ast.expr) -> Any:
        return evaluate(part, column, is_null)

    def compared(compare: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        unknown = [is_null(side) for side in (left, right) if not isinstance(side, int | float | str)]
        return reduce(operator.or_, unknown, compare(left, right))

    match node:
        case ast.Name(id=name):
            return column(name)
        case ast.Attribute(value=ast.Name(id=name), attr=other):
            return column(f"{name}.{other}")
        case ast.Constant(value=constant):
            return constant
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATORS[type(op)](value(left), value(right))
        case ast.BoolOp(op=op, values=values):
            return reduce(OPERATORS[type(op)], map(value, values))
        case ast.UnaryOp(operand=operand):
            return ~value(operand)
        case ast.Call(func=ast.Name(id="known"), args=[item]):
            return ~is_null(value(item))
        case ast.Call(func=ast.Name(id="close"), args=[left, right]):
            return compared(operator.le, (value(left) / value(right) - 1).abs(), CLOSE)
        case ast.Call(func=ast.Name(id="share"), args=[left, right]):
            return value(left).combine(value(right), _have_common).astype("bool")
        case ast.Compare(left=first, ops=ops, comparators=others):
            pairs = zip(ops, pairwise([value(side) for side in (first, *others)]), strict=True)
            return reduce(operator.and_, (compared(OPERATORS[type(op)], *pair) for op, pair in pairs))
        case _:
            raise TypeError(ast.unparse(node))


def _have_common(one: Any, other: Any) -> bool:
    """Whether two ;-joined lists have an item in common, or one of them is unknown."""
    return not (isinstance(one, str) and isinstance(other, str)) or not set(one.split(";")).isdisjoint(other.split(";"))
