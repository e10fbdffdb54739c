"""Everything that a checkout declares, read once before the facts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.base.paths import Paths
from pipeline.registry import selection
from pipeline.registry.components import Component, load_components
from pipeline.registry.constants import Constants, load_constants
from pipeline.registry.fields import Field, field_registry
from pipeline.registry.schema import TableSchema, load_schemas
from pipeline.registry.sources import Source, load_lock, load_sources
from pipeline.registry.views import View, load_views
from pipeline.registry.vocabularies import Vocabulary, load_vocabularies

SCHEMA_VERSION = "0.2.0"


@dataclass(frozen=True)
class Context:
    """Everything that is read from the checkout before the facts."""

    paths: Paths
    sources: Mapping[str, Source]
    lock: Mapping[str, Any]
    schemas: Mapping[str, TableSchema]
    vocabularies: Mapping[str, Vocabulary]
    fields: Mapping[str, Field]
    selection: selection.Selection
    views: Sequence[View]
    constants: Constants
    components: Sequence[Component] = ()

    def of_sources(self, names: Collection[str]) -> Context:
        """The same with these sources alone."""
        sources = {name: source for name, source in self.sources.items() if name in names}
        return replace(self, sources=sources, lock={name: self.lock[name] for name in sources if name in self.lock})


def load_context(paths: Paths) -> Context:
    """Sources, lock, schemas and vocabularies of a checkout. Raises DataError if one of them is malformed."""
    sources, schemas, vocabularies = load_sources(paths), load_schemas(paths), load_vocabularies(paths)
    subjects = sorted({source.subject for source in sources.values()})
    fields = field_registry(schemas, vocabularies, subjects)
    order, views = selection.load_selection(paths, sources.values()), load_views(paths)
    about = load_constants(paths), load_components(paths)
    return Context(paths, sources, load_lock(paths), schemas, vocabularies, fields, order, views, *about)
