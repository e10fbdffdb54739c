"""docs/errata.md: every value of an upstream file that we correct, with the reason, as it can be sent to its publisher."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from pipeline.base.paths import Paths
from pipeline.normalize.corrections import load_corrections
from pipeline.present.docs.markdown import row
from pipeline.registry.sources import load_sources

HEAD = """# Errata

Generated from `data/raw/curated/corrections.yml` by `traincompute dev docs`; edit that, not this page. The page has
one line per model and cell: what the upstream files say, what we publish in its place, and why
([corrections](glossary.md#correction)). A cell that two files of a publisher share is listed once. Cells that were looked at
and kept are left out.
"""
COLUMNS = "| model | field | upstream | here | why |\n|---|---|---|---|---|\n"
KEPT = "acknowledge"
INSTEAD = {"drop": "no value", "lower_bound": "at least {}", "upper_bound": "at most {}"}


def errata(paths: Paths) -> str:
    """The page as Markdown."""
    return HEAD + "".join(_section(publisher, entries) for publisher, entries in corrected(paths).items())


def corrected(paths: Paths) -> dict[str, list[Mapping[str, Any]]]:
    """The entries that change a value, by publisher and in order of record and field, each cell once."""
    sources = load_sources(paths)
    publishers: dict[str, dict[tuple[str, ...], Mapping[str, Any]]] = {}
    for entry in load_corrections(paths):
        cell = tuple(str(entry[name]) for name in ("record", "field", "value_text"))
        if entry["action"] != KEPT:
            publishers.setdefault(sources[entry["source"]].publisher, {}).setdefault(cell, entry)
    return {publisher: [cells[key] for key in sorted(cells)] for publisher, cells in sorted(publishers.items())}


def _section(publisher: str, entries: Iterable[Mapping[str, Any]]) -> str:
    return f"\n## {publisher}\n\n{COLUMNS}" + "".join(_rows(entries))


def _rows(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for record, cells in groupby(entries, lambda entry: str(entry["record"])):
        for number, entry in enumerate(cells):
            link = f" ([reference]({entry['reference'].split(';')[0]}))" if entry.get("reference") else ""
            texts = (f"`{entry['field']}`", entry["value_text"], _instead(entry), f"{entry['reason']}{link}")
            yield row("" if number else record, *texts)


def _instead(entry: Mapping[str, Any]) -> str:
    return str(entry["new_value"]) if entry["action"] == "set" else INSTEAD[entry["action"]].format(entry["value_text"])
