"""A comparison as text, Markdown or JSON: headline figures first, then what changed by cause and column, then cells."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import pandas as pd

from traincompute.comparison.compare import FLOP, Comparison
from traincompute.show.table import clip, columns_of, markdown_lines, table_lines
from traincompute.show.values import human_text

FORMULA = r"^(?:[=+@\t\r]|-(?![0-9.]))"  # what a spreadsheet would run; a negative number is not a formula
CELLS = ("changed", "filled", "blanked")
WHOLE = ("model_added", "model_removed")
LARGE = 1e25  # FLOP, the threshold of the EU AI Act, article 51
# the columns people look for first; the rest follow by name
FIRST = (FLOP, "parameters", "training_tokens", "publication_date", "name")
LONGEST_CELL = 48
Section = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # title, headings, rows


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
        "causes": {str(cause): int(count) for cause, count in comparison.changes.groupby("cause").size().items()},
        "changes": changes.to_dict("records"),
    }
    return json.dumps(body, ensure_ascii=False, indent=1)


def as_csv(changes: pd.DataFrame) -> str:
    """The changes, one line each; text that a spreadsheet would run as a formula is prefixed with an apostrophe."""
    texts = ("name", "old", "new", "detail")
    safe = {name: changes[name].str.replace(FORMULA, r"'\g<0>", regex=True) for name in texts}
    lines: str = changes.assign(**safe).to_csv(index=False, lineterminator="\n")
    return lines


def as_text(comparison: Comparison, limit: int) -> str:
    """Plain text with at most `limit` changed cells."""
    head = f"{comparison.old.label} -> {comparison.new.label}"
    if comparison.is_equal:
        return f"{head}: no difference"
    parts = [head]
    for title, names, rows in _sections(comparison, limit):
        parts += ["", *([title] if title else []), *table_lines(columns_of(names, rows), rows, LONGEST_CELL)]
    return "\n".join(parts)


def as_markdown(comparison: Comparison, limit: int) -> str:
    """The same as Markdown, without a heading of its own, for somebody who has to agree to it: the largest models come
    first, and every model that came, went or is large is named, whatever the limit."""
    if comparison.is_equal:
        return f"No difference between {comparison.old.label} and {comparison.new.label}."
    parts = []
    for title, names, rows in [*_named(comparison), *_sections(comparison, limit)]:
        short = [[clip(cell, LONGEST_CELL) for cell in row] for row in rows]
        table = markdown_lines(columns_of(names, rows), short)
        parts.append("\n".join([*([f"**{title}**", ""] if title else []), *table]))
    return "\n\n".join(parts)


def _named(comparison: Comparison) -> Iterable[Section]:
    """What came, went or changed of at least LARGE FLOP, and the names of all models that came or went."""
    changes = comparison.changes.assign(flop=comparison.changes["model_id"].map(comparison.compute))
    cells = changes[changes["column"] == FLOP]
    most = cells[["old", "new"]].apply(pd.to_numeric, errors="coerce").max(axis=1)
    whole = changes[changes["kind"].isin(WHOLE)].sort_values("flop", ascending=False, kind="stable")
    # the FLOP of a model that came or went stand on the side that has it
    whole = whole.assign(
        old=whole["flop"].where(whole["kind"] == "model_removed"),
        new=whole["flop"].where(whole["kind"] == "model_added"),
    )
    large = pd.concat([whole[whole["flop"] >= LARGE], cells[most >= LARGE]])
    rows = [
        [name, _words(kind), *("" if pd.isna(flop) else f"{float(flop):.6g}" for flop in (old, new)), cause]
        for name, kind, old, new, cause in large[["name", "kind", "old", "new", "cause"]].to_numpy()
    ]
    if rows:
        title = f"At least 1e25 FLOP: all {len(rows)} models and values that came, went or changed"
        yield title, ("model", "what", "old", "new", "cause"), rows
    for kind in WHOLE:
        of_kind = whole[whole["kind"] == kind][["name", "flop", "cause"]].to_numpy()
        if len(of_kind):
            rows = [[name, human_text(flop), cause] for name, flop, cause in of_kind]
            yield f"All {len(rows)}: {_words(kind)}", ("model", "FLOP", "cause"), rows


def _sections(comparison: Comparison, limit: int) -> Iterable[Section]:
    changes, counted = comparison.changes, ("added", "removed", "changed")
    figures = [[row["figure"], human_text(row["old"]), human_text(row["new"])] for row in comparison.headlines]
    yield "", ("figure", comparison.old.label, comparison.new.label), figures
    tables = [row for row in comparison.tables if any(row[key] for key in counted)]
    if tables:
        rows = [[row["table"], *(human_text(row[key]) for key in counted)] for row in tables]
        yield "Rows by table", ("table", *counted), rows
    if len(changes):
        by_cause = changes.groupby(["kind", "cause"]).size().reset_index().to_numpy()
        rows = [[_words(kind), cause, str(count)] for kind, cause, count in by_cause]
        yield "Models and cells by cause", ("what", "cause", "number"), rows
    cells = changes[changes["kind"].isin(CELLS)].groupby(["column", "kind"]).size()
    if len(cells):
        table = cells.unstack(fill_value=0).reindex(columns=list(CELLS), fill_value=0)
        rows = [[str(name), *map(str, row)] for name, row in zip(table.index, table.to_numpy(), strict=True)]
        yield "Cells by column", ("column", *CELLS), rows
    if named := [[f"{name} ({what})"] for what, names in comparison.columns.items() for name in names]:
        yield "Columns", ("column",), named
    if rows := _first(changes, limit):
        title = f"Changes ({len(rows)} of {len(changes)}; --csv prints all of them)"
        yield title, ("model", "column", "old", "new", "cause"), rows


def _words(kind: str) -> str:
    return kind.replace("_", " ") if kind.startswith("model") else f"cell {kind}"


def _first(changes: pd.DataFrame, limit: int) -> list[list[str]]:
    """The changes that matter most: columns in the order of FIRST, with models added, removed or renamed last; within a
    column, blanked cells first, then the largest factor."""
    rank = changes["column"].map({name: n for n, name in enumerate(FIRST)}).fillna(len(FIRST))
    factor = changes["ratio"].map(lambda ratio: max(ratio, 1 / ratio) if ratio > 0 else 0.0, na_action="ignore")
    order = pd.DataFrame({"rank": rank, "blank": changes["kind"] != "blanked", "factor": -factor.fillna(0.0)})
    chosen = changes.loc[order.sort_values(["rank", "blank", "factor"], kind="stable").index[:limit]]
    columns = chosen["column"].fillna(chosen["kind"].map(_words))
    cells = zip(chosen["name"], columns, chosen["old"], chosen["new"], chosen["cause"], strict=True)
    return [["" if pd.isna(cell) else str(cell) for cell in row] for row in cells]
