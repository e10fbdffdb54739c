"""The pages of docs/ that are made as a whole from the schemas and the sources, each from its template in
templates/docs/."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pipeline.config import last_look, load_lock, load_sources
from pipeline.paths import Paths
from pipeline.pull.ledger import load_witnesses, witness_of
from pipeline.schema import TYPES, load_schemas

TEMPLATES = Path(__file__).with_name("templates") / "docs"


def _dictionary(paths: Paths) -> Mapping[str, Any]:
    return {"tables": load_schemas(paths).values(), "types": TYPES}


def _sources(paths: Paths) -> Mapping[str, Any]:
    """The sources, and what the lock and the lists of witnesses say of them."""
    known, lock = load_sources(paths), load_lock(paths)
    witnesses = load_witnesses(paths, known.values())

    return {
        "sources": known.values(),
        "looked": lambda source: last_look(lock, source.id),
        "snapshots": lambda source: lock.get(source.id, {}).get("snapshots", {}),
        "witness": lambda snapshot: witness_of(snapshot, witnesses),
    }


GENERATED: Mapping[str, Callable[[Paths], Mapping[str, Any]]] = {
    "data-dictionary.md": _dictionary,
    "sources.md": _sources,
}


def render_page(name: str, paths: Paths) -> str:
    """The Markdown of a page of `GENERATED`."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["cell"] = lambda text: str(text).replace("|", "\\|").replace("\n", " ")
    return environment.get_template(name).render(GENERATED[name](paths)).rstrip() + "\n"
