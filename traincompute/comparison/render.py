"""A comparison as text, Markdown or JSON: headline figures first, then what changed by cause and column, then cells."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pandas as pd

from traincompute.comparison.compare import Comparison
from traincompute.show.table import Column, clip, markdown_lines, table_lines
from traincompute.show.values import human_text

FREE_TEXT = ("name", "old", "new", "detail")
FORMULA = r"^(?:[=+@\t\r]|-(?![0-9.]))"  # a negative number is not a formula
CELLS = ("changed", "filled", "blanked")
WHOLE = ("model_added", "model_removed")
FLOP, LARGE = "training_compute_flop", 1e25  # the threshold of the EU AI Act, article 51
# the columns people look for first; the rest follow by name
FIRST = (FLOP, "parameters", "training_tokens", "publication_date", "name")
NUMBERS = ("added", "removed", "changed", "number", *CELLS)
LONGEST_CELL = 48
Section = tuple[str, Sequence[Column], Sequence[Sequence[str]]]  # title, columns, rows


def as_json(comparison: Comparison) -> str:
    """The whole comparison as one JSON object."""
    changes = comparison.changes.astype(object).where(pd.notna(comparison.changes), None)
    body = {
        "old": comparison.old.label,
        "new": comparison.new.label,
        "equal": comparison.is_equal,
        "headlines": comparison.headlines,
        "tables": comparison.tables,
        "columns": comparison.columns,
        "causes": _counts(comparison.changes, "cause"),
        "changes": changes.to_dict("records"),
    }
    return json.dumps(body, ensure_ascii=False, indent=1)


def as_csv(changes: pd.DataFrame) -> str:
    """The changes, one line each; text that a spreadsheet would run as a formula is prefixed with an apostrophe."""
    texts = {name: changes[name].str.replace(FORMULA, r"'\g<0>", regex=True) for name in FREE_TEXT}
    lines: str = changes.assign(**texts).to_csv(index=False, lineterminator="\n")
    return lines


def as_text(comparison: Comparison, limit: int) -> str:
    """Plain text with at most `limit` changed cells."""
    head = f"{comparison.old.label} -> {comparison.new.label}"
    if comparison.is_equal:
        return f"{head}: no difference"
    parts = [head]
    for title, columns, rows in _sections(comparison, limit):
        parts += ["", *([title] if title else []), *table_lines(columns, rows, LONGEST_CELL)]
    return "\n".join(parts)


def as_markdown(comparison: Comparison, limit: int) -> str:
    """The same as Markdown, without a heading of its own, for somebody who has to agree to it: the largest models come
    first, and every model that came, went or is large is named, whatever the limit."""
    if comparison.is_equal:
        return f"No difference between {comparison.old.label} and {comparison.new.label}."
    parts = []
    for title, columns, rows in [*_named(comparison), *_sections(comparison, limit)]:
        short = [[clip(cell, LONGEST_CELL) for cell in row] for row in rows]
        parts.append("\n".join([*([f"**{title}**", ""] if title else []), *markdown_lines(columns, short)]))
    return "\n\n".join(parts)


def _named(comparison: Comparison) -> list[Section]:
    """What came, went or changed of at least LARGE FLOP, and the names of all models that came or went."""
    changes = comparison.changes.assign(flop=comparison.changes["model_id"].map(comparison.compute))
    cells = changes[changes["column"] == FLOP]
    most = cells[["old", "new"]].apply(pd.to_numeric, errors="coerce").max(axis=1)
    whole = changes[changes["kind"].isin(WHOLE)].sort_values("flop", ascending=False, kind="stable")
    large = pd.concat([whole[whole["flop"] >= LARGE], cells[most >= LARGE]])
    title = f"At least {LARGE:.0e} FLOP: all {len(large)} models and values that came, went or changed"
    rows = [[name, _words(kind), _shown(old), _shown(new), cause] for name, kind, old, new, cause in _of_large(large)]
    sections = [(title.replace("e+", "e"), _columns("model", "what", "old", "new", "cause"), rows)]
    for kind in WHOLE:
        of_kind = whole[whole["kind"] == kind]
        rows = [[name, human_text(flop), cause] for name, flop, cause in of_kind[["name", "flop", "cause"]].to_numpy()]
        sections.append((f"All {len(rows)}: {_words(kind)}", _columns("model", "FLOP", "cause"), rows))
    return [section for section in sections if section[2]]


def _of_large(large: pd.DataFrame) -> list[Sequence[Any]]:
    """name, kind, old, new and cause; of a model that came or went, its FLOP stands on the side that has it."""
    old = large["old"].where(large["kind"] != "model_removed", large["flop"])
    new = large["new"].where(large["kind"] != "model_added", large["flop"])
    return list(large.assign(old=old, new=new)[["name", "kind", "old", "new", "cause"]].to_numpy())


def _shown(cell: Any) -> str:
    return "" if pd.isna(cell) else f"{float(cell):.6g}"


def _sections(comparison: Comparison, limit: int) -> list[Section]:
    changes, old, new = comparison.changes, comparison.old.label, comparison.new.label
    figures = [Column("figure"), Column(old, is_number=True), Column(new, is_number=True)]
    sections: list[Section] = [("", figures, [_figures(entry) for entry in comparison.headlines])]
    differing = [entry for entry in comparison.tables if any(entry[key] for key in ("added", "removed", "changed"))]
    rows = [
        [entry["table"], *(human_text(entry[key]) for key in ("added", "removed", "changed"))] for entry in differing
    ]
    sections.append(("Rows by table", _columns("table", "added", "removed", "changed"), rows))
    counts = changes.groupby(["kind", "cause"]).size().reset_index().to_numpy()
    rows = [[_words(kind), cause, str(count)] for kind, cause, count in counts]
    sections.append(("Models and cells by cause", _columns("what", "cause", "number"), rows))
    sections.append(("Cells by column", _columns("column", *CELLS), _by_column(changes)))
    named = [f"{name} ({what})" for what, names in comparison.columns.items() for name in names]
    sections.append(("Columns", _columns("column"), [[name] for name in named]))
    sections.append(
        (_title(changes, limit), _columns("model", "column", "old", "new", "cause"), _first(changes, limit))
    )
    return [section for section in sections if section[2]]


def _columns(*names: str) -> list[Column]:
    return [Column(name, name in NUMBERS) for name in names]


def _figures(entry: dict[str, Any]) -> list[str]:
    return [entry["figure"], human_text(entry["old"]), human_text(entry["new"])]


def _words(kind: str) -> str:
    return kind.replace("_", " ") if kind.startswith("model") else f"cell {kind}"


def _counts(changes: pd.DataFrame, column: str) -> dict[str, int]:
    return {str(key): int(count) for key, count in changes.groupby(column).size().items()}


def _by_column(changes: pd.DataFrame) -> list[Sequence[str]]:
    cells = changes[changes["kind"].isin(CELLS)]
    table = cells.groupby(["column", "kind"]).size().unstack(fill_value=0).reindex(columns=list(CELLS), fill_value=0)
    return [
        [str(name), *(str(count) for count in row)] for name, row in zip(table.index, table.to_numpy(), strict=True)
    ]


def _title(changes: pd.DataFrame, limit: int) -> str:
    return f"Changes ({min(limit, len(changes))} of {len(changes)}; --csv prints all of them)"


def _first(changes: pd.DataFrame, limit: int) -> list[Sequence[str]]:
    """The changes that matter most: columns in the order of FIRST, with models added, removed or renamed last."""
    rank = changes["column"].map({name: n for n, name in enumerate(FIRST)}).fillna(len(FIRST))
    # within a column, blanked cells first, then the largest factor
    factor = changes["ratio"].map(lambda ratio: max(ratio, 1 / ratio) if ratio > 0 else 0.0, na_action="ignore")
    order = pd.DataFrame({"rank": rank, "blank": changes["kind"] != "blanked", "factor": -factor.fillna(0.0)})
    chosen = changes.loc[order.sort_values(["rank", "blank", "factor"], kind="stable").index[:limit]]
    columns = chosen["column"].fillna(chosen["kind"].map(_words))
    cells = zip(chosen["name"], columns, chosen["old"], chosen["new"], chosen["cause"], strict=True)
    return [["" if pd.isna(cell) else str(cell) for cell in row] for row in cells]
