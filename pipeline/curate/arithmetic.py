"""The value of arithmetic that stands as text, by a parser that knows numbers and operators only."""

from __future__ import annotations

import ast
import math
import operator
from functools import cache

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
             ast.Pow: math.pow}  # fmt: skip


def both_sides(text: str) -> list[float | None]:
    """The values of the left and the right side of a calculation; None for a side that is absent, or that is not a
    positive number made of numbers, + - * / ^ and brackets."""
    left, _, right = text.partition("=")
    return [_value(left), _value(right)]


@cache  # files repeat the same notes
def _value(text: str) -> float | None:
    try:
        value = _compute(ast.parse(text.strip().replace("^", "**"), mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None
    return value if 0 < value < 1e100 else None


def _compute(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_compute(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in OPERATORS:
            return float(OPERATORS[type(sign)](_compute(left), _compute(right)))
    raise ValueError(f"{type(node).__name__} is not arithmetic")
