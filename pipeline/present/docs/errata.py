"""docs/errata.md: every value of an upstream file that we correct, with the reason, as it can be sent to its publisher."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from pipeline.base.paths import Paths
from pipeline.normalize.corrections import load_corrections
from pipeline.registry.sources import load_sources

HEAD = """# Errata

Generated from `data/raw/curated/corrections.yml` by `traincompute dev docs`; edit that, not this page. The page has
one line per model and cell: what the upstream files say, what we publish in its place, and why
([corrections](glossary.md#correction)). A cell that two files of a publisher share is listed once. Cells that were looked at
and kept are left out.
"""
KEPT = "acknowledge"
INSTEAD = {"drop": "no value", "lower_bound": "at least {}", "upper_bound": "at most {}"}


def errata(paths: Paths) -> str:
    """The page as Markdown."""
    return HEAD + "".join(_section(publisher, entries) for publisher, entries in corrected(paths).items())


def corrected(paths: Paths) -> dict[str, list[Mapping[str, Any]]]:
    """The entries that change a value, by publisher and in order of record and field, each cell once."""
    sources = load_sources(paths)
    entries = [entry for entry in load_corrections(paths) if entry["action"] != KEPT]
    found: dict[str, dict[tuple[str, ...], Mapping[str, Any]]] = {}
    for entry in entries:
        cell = tuple(str(entry[name]) for name in ("record", "field", "value_text"))
        found.setdefault(sources[entry["source"]].publisher, {}).setdefault(cell, entry)
    return {publisher: [cells[key] for key in sorted(cells)] for publisher, cells in sorted(found.items())}


def _section(publisher: str, entries: Iterable[Mapping[str, Any]]) -> str:
    return f"\n## {publisher}\n\n" + "\n".join(_lines(entries)) + "\n"


def _lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    yield "| model | field | upstream | here | why |"
    yield "|---|---|---|---|---|"
    for record, cells in groupby(entries, lambda entry: str(entry["record"])):
        for number, entry in enumerate(cells):
            link = f" ([reference]({entry['reference'].split(';')[0]}))" if entry.get("reference") else ""
            name = "" if number else _cell(record)
            yield f"| {name} | `{entry['field']}` | {_cell(entry['value_text'])} | {_here(entry)} | {_cell(entry['reason'])}{link} |"


def _here(entry: Mapping[str, Any]) -> str:
    return _cell(
        entry["new_value"] if entry["action"] == "set" else INSTEAD[entry["action"]].format(entry["value_text"])
    )


def _cell(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")
