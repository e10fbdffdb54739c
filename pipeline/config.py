"""Everything that a checkout declares, loaded once into one `Config`: the sources (data/raw/*/source.yml), the lock of
their files, which of them is believed (selection.yml), the constants of the estimates (constants.yml), and what
schema.py, vocabularies.py and curated.py load."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NotRequired

import pydantic
from pydantic import AfterValidator

from pipeline.curated import (
    Architecture,
    Component,
    Decision,
    load_architectures,
    load_components,
    load_corrections,
    load_decisions,
)
from pipeline.errors import DataError, Problem
from pipeline.files import (
    Number,
    closed,
    dict_of,
    list_of,
    load_json,
    load_yaml,
    mapping,
    read_whole,
    written_as,
)
from pipeline.names import EVIDENCE
from pipeline.paths import Paths
from pipeline.schema import Field, TableSchema, View, field_registry, load_schemas, load_views
from pipeline.vocabularies import Vocabulary, load_vocabularies

SCHEMA_VERSION = "0.2.0"

# --- Sources

SPAN = mapping(**{"from": date, "until": NotRequired[date]})
FILE_LIST = mapping(file=str, url=str, mirror=str)
FIELDS = dict_of(mapping(columns=dict[str, str], required=NotRequired[bool]))
GATES = mapping(
    min_rows=NotRequired[Number],
    max_shrink=NotRequired[Number],
    max_names_gone=NotRequired[Number],
    min_parsable=NotRequired[dict[str, Number]],
    max_emptied=NotRequired[dict[str, Number]],
    max_changed=NotRequired[dict[str, Number]],
)


def _spans(spans: list[dict[str, Any]]) -> tuple[tuple[date, date | None], ...]:
    return tuple((span["from"], span.get("until")) for span in spans)


def _columns(fields: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: tuple(entry["columns"]) for name, entry in fields.items()}


def _required(fields: dict[str, Any]) -> frozenset[str]:
    return frozenset(name for name, entry in fields.items() if entry.get("required"))


Texts = Annotated[tuple[str, ...], pydantic.Field(strict=False)]
AsFields = pydantic.Field(validation_alias="fields")


@closed
@dataclass(frozen=True)
class Source:
    """One source as its source.yml describes it. `subject` is the published table whose rows its records describe;
    the files under `urls` are parts of one snapshot. A source that makes no models only speaks of those that others
    make; what a source derived from another says is no second voice beside that one's."""

    id: str
    title: str
    publisher: str
    licence: str
    redistribute: bool
    attribution: str
    adapter: str
    subject: str
    priority: int
    urls: Texts = ()
    mirror_paths: Texts = ()  # where a mirror keeps the files, if not under the URL's host and path
    file_list: Annotated[Mapping[str, str], written_as(FILE_LIST, dict)] = field(default_factory=dict)  # see _listed
    media_types: Texts = ()
    day_first_until: date | None = None
    always_current: bool = False
    makes_models: bool = True
    derived_from: str = ""
    evidence: str = ""  # `seen` where its records are the developers' own text
    vintages: Annotated[tuple[tuple[date, date | None], ...], written_as(list_of(SPAN), _spans)] = ()
    fields: Annotated[Mapping[str, tuple[str, ...]], written_as(FIELDS, _columns)] = field(default_factory=dict)
    required: Annotated[frozenset[str], written_as(FIELDS, _required), AsFields] = frozenset()
    about: Mapping[str, str] = field(default_factory=dict)  # file: the model that it is about, where no cell says so
    notes: Texts = ()
    ignored: Annotated[frozenset[str], pydantic.Field(strict=False)] = frozenset()
    gates: Annotated[Mapping[str, Any], written_as(GATES, dict)] = field(default_factory=dict)

    @property
    def url(self) -> str | None:
        """Where to get it; the first file if there are several."""
        return self.urls[0] if self.urls else None

    def in_vintage(self, as_of: date) -> bool:
        """Whether a vintage of that date uses this source."""
        return self.always_current or any(
            first <= as_of and (last is None or as_of < last) for first, last in self.vintages
        )

    def snapshot_at(self, snapshots: list[date], as_of: date) -> date | None:
        """The snapshot that a vintage of that date uses: the latest one up to that date, or the latest of all if
        `always_current`."""
        usable = snapshots if self.always_current else [day for day in snapshots if day <= as_of]
        return max(usable, default=None) if self.in_vintage(as_of) else None


def load_sources(paths: Paths) -> dict[str, Source]:
    """Every source below data/raw by id, in order of id. Raises DataError for an unknown or missing key."""
    files = sorted(paths.raw.glob("*/source.yml"))
    sources = {file.parent.name: read_source(file, paths.short(file)) for file in files}
    strays = [source for source in sources.values() if source.derived_from and source.derived_from not in sources]
    remedy = f"one of {', '.join(sources)}"
    DataError.raise_any(
        Problem(f"data/raw/{source.id}/source.yml", "", "derived_from", source.derived_from, "no such source", remedy)
        for source in strays
    )
    return sources


def read_source(file: Path, where: str) -> Source:
    """One source.yml; the id must be the folder's name."""
    source: Source = load_yaml(file, where, Source)
    if source.id != file.parent.name:
        remedy = f"name it {file.parent.name}, like its folder"
        raise DataError.of(where, "is not the name of the folder", remedy, field="id", value=source.id)
    return replace(source, **_listed(file, where, source.file_list)) if source.file_list else source


def _listed(file: Path, where: str, file_list: Mapping[str, str]) -> dict[str, Any]:
    """urls and mirror_paths of the files that a text file lists, one line each: its words take the places {0}, {1} …
    of the patterns `url` and `mirror`."""
    beside = where.replace(file.name, file_list["file"])
    lines = read_whole(file.with_name(file_list["file"]), beside).splitlines()
    patterns = {"urls": file_list["url"], "mirror_paths": file_list["mirror"]}
    return {
        key: tuple(_filled(pattern, line, f"{beside}:{number}") for number, line in enumerate(lines, start=1))
        for key, pattern in patterns.items()
    }


def _filled(pattern: str, line: str, where: str) -> str:
    try:
        return pattern.format(*line.split())
    except (IndexError, KeyError, ValueError) as error:
        remedy = "give as many words as the pattern in source.yml has places {0}, {1} …"
        raise DataError.of(where, f"does not fit {pattern}", remedy, value=line) from error


# --- The lock


def _day(text: str) -> str:
    try:
        date.fromisoformat(text[:10])
    except ValueError as error:
        raise ValueError("does not begin with a day") from error
    return text


Day = Annotated[str, AfterValidator(_day)]


FILE = mapping(sha256=str, size=int, etag=NotRequired[str], md5=NotRequired[str])
SNAPSHOT = mapping(
    retrieved_at=Day,
    looked_at=NotRequired[Day],
    live=NotRequired[bool],
    files=dict_of(FILE),  # by address
)
LOCK = dict_of(mapping(lines=int, snapshots=dict_of(SNAPSHOT, key=Day)))


def load_lock(paths: Paths) -> dict[str, Any]:
    """The lock: {source: {lines, snapshots: {day: {retrieved_at, looked_at, live, files: {url: {sha256, md5, size,
    etag}}}}}}."""
    if not paths.lock.exists():
        return {}
    lock: dict[str, Any] = load_json(paths.lock, paths.short(paths.lock), LOCK)
    return lock


def locked_snapshots(lock: Mapping[str, Any], source_id: str) -> list[date]:
    """The dates of the snapshots that the source's facts came from, oldest first."""
    return sorted(date.fromisoformat(day) for day in lock.get(source_id, {}).get("snapshots", {}))


def last_look(lock: Mapping[str, Any], source_id: str) -> date | None:
    """The day on which a pull last saw the source's files, changed or not; None for a source that people enter."""
    snapshots = lock.get(source_id, {}).get("snapshots", {}).values()
    looks = [text[:10] for one in snapshots for text in (one["retrieved_at"], one.get("looked_at", ""))]
    return max((date.fromisoformat(text) for text in looks if text), default=None)


# --- Who is believed


@dataclass(frozen=True)
class Selection:
    """Ranks (smaller is preferred) of sources, by default and by field; a curated fact ranks as `source/evidence`."""

    default: Mapping[str, int]
    fields: Mapping[str, Mapping[str, int]]


RANKED = list[list[str]]
SELECTION = mapping(default=RANKED, fields=NotRequired[dict[str, RANKED] | None])


def load_selection(paths: Paths, sources: Iterable[Source]) -> Selection:
    """selection.yml, checked: each list names every source of models exactly once. Raises DataError otherwise."""
    where = paths.short(paths.selection)
    raw = load_yaml(paths.selection, where, SELECTION)
    lists = {"default": raw["default"], **(raw.get("fields") or {})}
    needed = {name for source in sources if source.subject == "models" for name in _ranked_as(source)}
    faults = [(field, *fault) for field, lines in lists.items() for fault in _misnamed(lines, needed)]
    DataError.raise_any(Problem(where, "", *fault) for fault in faults)
    ranks = {field: {name: rank for rank, line in enumerate(lines) for name in line} for field, lines in lists.items()}
    return Selection(ranks.pop("default"), ranks)


def _ranked_as(source: Source) -> list[str]:
    return [f"{source.id}/{word}" for word in EVIDENCE] if source.adapter == "curated" else [source.id]


def _misnamed(lines: list[list[str]], needed: set[str]) -> Iterator[tuple[str, str, str]]:
    """Name, reason and remedy where a list does not name each of them once."""
    names = [name for line in lines for name in line]
    yield from ((name, "is not listed", "add it to a line") for name in sorted(needed - set(names)))
    yield from ((name, "is not a source of models", "correct the spelling") for name in sorted(set(names) - needed))
    yield from ((name, "is listed twice", "keep one") for name in sorted({n for n in names if names.count(n) > 1}))


# --- Constants


def _has_default(values: dict[str, Number]) -> dict[str, Number]:
    if "default" not in values:
        raise ValueError("has no default; add what holds for all other names")
    return values


ByWord = Annotated[dict[str, Number], AfterValidator(_has_default)]  # by the first word that occurs in a name
Constants = Mapping[str, Mapping[str, Any]]


POINT = mapping(flop=Number, tokens=Number, exponent=Number)
COST = mapping(
    orders_of_magnitude_per_year=Number,
    interconnect_share=Number,
    server_price=ByWord,
    days_before_publication=Number,
    days_after_release=Number,
    days_before_release=Number,
    usual_training_hours=Number,
    dollars_of=Number,
    price_index=str,
    families=list[str],
    band_dex=ByWord,
    server_power=ByWord,
    pue=Number,
    electricity_usd_per_kwh=dict[Annotated[int, pydantic.Field(strict=False)], Number],
)
CLOUD = mapping(
    days_before_training=Number,
    days_after_publication=Number,
    to_three_years=dict[str, ByWord],
    vendors=list[str],
    vendor_of=dict[str, str],
    band_dex=Number,
)
ERAS = mapping(deep_learning=date, large_scale=date, window_days=Number, large_scale_z=Number, bespoke_days=Number)
PUE = mapping(year=Number, value=Number, change_per_year=Number)
BENCHMARK = mapping(model=str, parameters=Number, k=Number, sequence_length=Number, experts=bool, stage=str)
CONSTANTS = mapping(
    utilization=ByWord,
    power=mapping(server_overhead=Number, pue=PUE, band_dex=Number, one_chip_band_dex=Number),
    energy=mapping(load=ByWord, load_band_dex=ByWord),
    carbon=mapping(band_dex=Number),
    chip_hours=mapping(utilization=Number, most_utilization=Number, band_dex=Number),
    cost=COST,
    cloud=CLOUD,
    equivalents=dict[str, Number],
    eras=ERAS,
    scaling=mapping(
        tokens_per_parameter=Number,
        approach_1=POINT,
        approach_2=POINT,
        approach_3=mapping(A=Number, B=Number, alpha=Number, beta=Number),
    ),
    benchmarks=dict_of(BENCHMARK),
    measured=mapping(most_of_16bit_peak=Number, generations=dict[str, str], scales=list[Number]),
)


def load_constants(paths: Paths) -> Constants:
    """Subject → name → value. Raises DataError if the file is missing or has not this shape."""
    constants: Constants = load_yaml(paths.constants, paths.short(paths.constants), CONSTANTS)
    return constants


# --- All of it


@dataclass(frozen=True)
class Config:
    """Everything that is read from the checkout before the facts. What people decide is read when it is first used."""

    paths: Paths
    sources: Mapping[str, Source]
    lock: Mapping[str, Any]
    schemas: Mapping[str, TableSchema]
    vocabularies: Mapping[str, Vocabulary]
    fields: Mapping[str, Field]
    selection: Selection
    views: Sequence[View]
    constants: Constants
    components: Sequence[Component] = ()

    @cached_property
    def corrections(self) -> list[dict[str, Any]]:
        return load_corrections(self.paths)

    @cached_property
    def identities(self) -> list[Decision]:
        return load_decisions(self.paths.identities, self.paths.short(self.paths.identities))

    @cached_property
    def architectures(self) -> list[Architecture]:
        return load_architectures(self.paths, self.vocabularies["architectures"])

    def of_sources(self, names: Collection[str]) -> Config:
        """The same with these sources alone."""
        sources = {name: source for name, source in self.sources.items() if name in names}
        return replace(self, sources=sources, lock={name: self.lock[name] for name in sources if name in self.lock})


def _unknown_names(
    paths: Paths,
    sources: Mapping[str, Source],
    schemas: Mapping[str, TableSchema],
    vocabularies: Mapping[str, Vocabulary],
) -> Iterable[Problem]:
    """The subjects of sources that are no table, and the vocabularies of columns that are no file."""
    for name, source in sources.items():
        if source.subject not in schemas:
            where = paths.short(paths.raw / name / "source.yml")
            yield Problem(where, "", "subject", source.subject, "is no table", f"one of {', '.join(sorted(schemas))}")
    for table in schemas.values():
        for column in table.columns:
            if column.vocab and column.vocab not in vocabularies:
                where, remedy = f"schemas/{table.name}.yml", f"one of {', '.join(sorted(vocabularies))}"
                yield Problem(where, column.name, "vocab", column.vocab, "is no vocabulary", remedy)


def load_config(paths: Paths) -> Config:
    """What a checkout declares. Raises DataError if a file is malformed."""
    sources, schemas, vocabularies = load_sources(paths), load_schemas(paths), load_vocabularies(paths)
    DataError.raise_any(_unknown_names(paths, sources, schemas, vocabularies))
    return Config(
        paths=paths,
        sources=sources,
        lock=load_lock(paths),
        schemas=schemas,
        vocabularies=vocabularies,
        fields=field_registry(schemas, vocabularies, sorted({source.subject for source in sources.values()})),
        selection=load_selection(paths, sources.values()),
        views=load_views(paths),
        constants=load_constants(paths),
        components=load_components(paths),
    )
