"""Markdown and LaTeX, for a page or a paper: the rows as one table, below it what its columns mean and how to cite
it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from traincompute.export.content import Content
from traincompute.show.table import Column, markdown_lines, one_line
from traincompute.show.values import exact, short_power

POWER = re.compile(r"(-?[0-9.]+)e([+-]?)0*([0-9]+)")
SPECIAL = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
SPECIAL |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
LATEX = str.maketrans(SPECIAL)


def write_md(content: Content, path: Path) -> None:
    """Writes a table as GitHub and others show it."""
    rows = ([short_power(exact(cell)) for cell in row] for row in _rows(content))
    lines = [*markdown_lines(_columns(content), rows), "", *_told(content, "- `{}`: {}"), "", content.citation]
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def write_tex(content: Content, path: Path) -> None:
    """Writes a `tabular` for \\input, with the rules of the package booktabs; meanings and citation are comments."""
    columns = _columns(content)
    lines = [
        *_told(content, "% {}: {}"),
        *(f"% {line}" for line in content.citation.splitlines()),
        f"\\begin{{tabular}}{{{''.join('r' if column.is_number else 'l' for column in columns)}}}",
        "\\toprule",
        _line(column.name.translate(LATEX) for column in columns),
        "\\midrule",
        *(_line(map(_cell, row)) for row in _rows(content)),
        "\\bottomrule",
        "\\end{tabular}",
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _rows(content: Content) -> Iterator[tuple[Any, ...]]:
    return zip(*(column.to_pylist() for column in content.flat.columns), strict=True)


def _columns(content: Content) -> list[Column]:
    numbers = (pa.types.is_integer, pa.types.is_floating)
    return [Column(field.name, any(holds(field.type) for holds in numbers)) for field in content.flat.schema]


def _told(content: Content, form: str) -> list[str]:
    """A line for each column that has a meaning."""
    named = zip(content.data.column_names, content.columns, strict=True)
    return [form.format(name, one_line(column.label(sys.maxsize))) for name, column in named if column.description]


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _cell(value: Any) -> str:
    """A value for LaTeX: powers of ten as such, every sign that means something to it as a sign."""
    text = one_line(exact(value))
    if isinstance(value, float) and (power := POWER.fullmatch(text)):
        return f"${power[1]} \\times 10^{{{power[2].strip('+')}{power[3]}}}$"
    return text.translate(LATEX)
