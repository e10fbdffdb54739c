"""The value of arithmetic that stands as text, by a parser that knows numbers and operators only."""

from __future__ import annotations

import ast
import operator
import re
from functools import cache


def evaluate(expression: str) -> tuple[float, float | None]:
    """The value of the left side and of the right side (None if there is none). Raises ValueError on all but
    numbers, + - * / ^ and brackets, and on results that are not finite or beyond 1e100."""
    if not re.fullmatch(r"[\d.eE+*/^()= -]{1,400}", expression):
        raise ValueError(f"not arithmetic of at most 400 characters: {expression[:80]!r}")
    left, sign, right = expression.partition("=")
    return _compute(left), _compute(right) if sign else None


@cache  # files repeat the same notes; and Python 3.11.2 parses badly in several threads at once
def _compute(text: str) -> float:
    try:
        value = _node(ast.parse(text.strip().replace("^", "**"), mode="eval").body)
    except (SyntaxError, ArithmeticError, RecursionError, MemoryError) as error:
        raise ValueError(f"{text[:80]!r}: {error}") from error
    if not abs(value) < 1e100:
        raise ValueError(f"{text[:80]!r} is too large")
    return value


def _node(node: ast.expr) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_node(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATORS:
            return float(_OPERATORS[type(sign)](_node(left), _node(right)))
        case _:
            raise ValueError(f"{type(node).__name__} is not arithmetic")


def _power(base: float, exponent: float) -> float:
    if base < 0 or abs(exponent) > 99:  # no complex numbers, no towers of powers
        raise ValueError("power out of bounds")
    return float(base**exponent)


_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.Pow: _power}  # fmt: skip
