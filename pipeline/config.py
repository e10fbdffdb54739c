"""Everything that a checkout declares, loaded once into one `Config`: the sources (data/raw/*/source.yml), the lock of
their files, which of them is believed (selection.yml), the constants of the estimates (constants.yml), and what
schema.py, vocabularies.py and curated.py load."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import BaseModel, ConfigDict, GetPydanticSchema
from pydantic import Field as Key

from pipeline.curated import IS_DAY, Architecture, Component, Day, Decision, Waiver, load_corrections, load_curated
from pipeline.errors import DataError, Problem
from pipeline.files import Number, dict_of, load_yaml, mapping, one_of, passing, read_text, twice
from pipeline.names import EVIDENCE
from pipeline.paths import Paths
from pipeline.schema import Field, TableSchema, View, field_registry, load_schemas, load_views
from pipeline.vocabularies import Vocabulary, load_vocabularies
from traincompute.units import UNITS

SCHEMA_VERSION = "0.2.0"
MODULES = Path(__file__).parent / "pull" / "sources"
ADAPTERS = sorted({"plain_table", "curated", *(file.stem for file in MODULES.glob("[!_]*.py"))})
IDENTITIES, WAIVERS, KINDS = (f"data/raw/curated/{name}.csv" for name in ("identities", "waivers", "architectures"))

# --- Sources


class Closed(BaseModel):
    """What a file declares; it may have no other keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Span(Closed):
    """The days from `first` to the day before `last`."""

    first: date = Key(alias="from")
    last: date | None = Key(None, alias="until")


SEEN = re.compile(rf"{IS_DAY.pattern}/{IS_DAY.pattern}")
Seen = Annotated[str, passing(SEEN.fullmatch, "is no span of days; write it like 2026-03-30/ or 2025-11-01/2026-03-30")]


class FieldColumns(Closed):
    """The columns that hold a field, each with the snapshots between which it was seen."""

    columns: dict[str, Seen]
    required: bool = False


# Limits to what a pull may bring (see pull/source_checks.py), the last three by field
GATES = mapping(
    **dict.fromkeys(("min_rows", "max_shrink", "max_names_gone"), NotRequired[Number]),
    **dict.fromkeys(("min_parsable", "max_emptied", "max_changed"), NotRequired[dict[str, Number]]),
)


class FileList(Closed):
    """A file with a line for each upstream file, whose words take the places {0}, {1} … of two patterns: where it is
    fetched, and where a mirror keeps it."""

    file: str
    url: str
    mirror: str


class Source(Closed):
    """One source as its source.yml describes it. `subject` is the published table whose rows its records describe;
    the files under `urls` are parts of one snapshot. A source that makes no models only speaks of those that others
    make; what a source took from another does not count as a second publisher."""

    id: str
    title: str
    publisher: str
    licence: str
    redistribute: bool
    attribution: str
    adapter: Annotated[str, one_of(*ADAPTERS)]
    subject: str
    priority: int
    urls: tuple[str, ...] = ()
    mirror_paths: tuple[str, ...] = ()  # where a mirror keeps the files, if not under the URL's host and path
    file_list: FileList | None = None
    media_types: tuple[str, ...] = ()
    day_first_until: date | None = None
    always_current: bool = False
    makes_models: bool = True
    derived_from: str = ""
    evidence: str = ""  # `seen` where its records are the developers' own text
    vintages: tuple[Span, ...] = ()
    columns_of: dict[str, FieldColumns] = Key({}, alias="fields")
    about: dict[str, str] = {}  # file: the model that it is about, where no cell says so
    record: str = ""  # pattern of a record's name, where no column has it: {region|region_name} {date:7}
    constants: dict[str, str] = {}  # field: what the file says of all its records
    first_link: bool = False  # of a cell with links, only the first, and only if it is short
    zero_is_empty: bool = False  # where 0 (and in a document false) says that nothing is known
    notes: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()
    gates: Annotated[Mapping[str, Any], GetPydanticSchema(lambda _, schema_of: schema_of(GATES))] = {}

    @cached_property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """The columns of each field, in the order in which they are looked for."""
        return {name: tuple(of.columns) for name, of in self.columns_of.items()}

    @property
    def required(self) -> frozenset[str]:
        """The fields without which a file is refused."""
        return frozenset(name for name, of in self.columns_of.items() if of.required)

    @property
    def url(self) -> str | None:
        """Where to get it; the first file if there are several."""
        return self.urls[0] if self.urls else None

    def snapshot_at(self, snapshots: list[date], as_of: date) -> date | None:
        """The snapshot that a vintage of that date uses: the latest one up to that date, or the latest of all if
        `always_current`; None if it does not use the source."""
        in_use = any(one.first <= as_of and (one.last is None or as_of < one.last) for one in self.vintages)
        usable = [day for day in snapshots if self.always_current or (in_use and day <= as_of)]
        return max(usable, default=None)


def load_sources(paths: Paths) -> dict[str, Source]:
    """Every source below data/raw by id, in order of id. Raises DataError for an unknown or missing key."""
    files = sorted(paths.raw.glob("*/source.yml"))
    return {file.parent.name: read_source(file, paths.short(file)) for file in files}


def read_source(file: Path, where: str) -> Source:
    """One source.yml, with the addresses of the files that it lists elsewhere."""
    source = load_yaml(file, where, Source)
    if source.id != file.parent.name:
        remedy = f"name it {file.parent.name}, like its folder"
        raise DataError.of(where, "is not the name of the folder", remedy, field="id", value=source.id)
    if not (listed := source.file_list):
        return source
    addresses, beside = list[tuple[str, str]](), where.replace(file.name, listed.file)
    for number, line in enumerate(read_text(file.with_name(listed.file), beside).splitlines(), start=1):
        try:
            addresses.append((listed.url.format(*line.split()), listed.mirror.format(*line.split())))
        except IndexError as error:
            remedy = "give as many words as the patterns in source.yml have places {0}, {1} …"
            raise DataError.of(f"{beside}:{number}", "does not fit the patterns", remedy, value=line) from error
    urls, mirrors = zip(*addresses, strict=True)
    return source.model_copy(update={"urls": urls, "mirror_paths": mirrors})


# --- The lock

Moment = Annotated[str, Key(pattern=r"^\d{4}-\d\d-\d\d")]  # as text, beginning with the day
FILE = mapping(sha256=str, md5=NotRequired[str], size=int, etag=NotRequired[str])
# with its files by address
SNAPSHOT = mapping(retrieved_at=Moment, looked_at=NotRequired[Moment], live=NotRequired[bool], files=dict_of(FILE))
LOCK = dict_of(mapping(lines=int, snapshots=dict_of(SNAPSHOT, key=Day)))


def load_lock(paths: Paths) -> dict[str, Any]:
    """The lock by source: what the shapes above say, and nothing where there is no lock."""
    return load_yaml(paths.lock, paths.short(paths.lock), LOCK) if paths.lock.exists() else {}


def locked_snapshots(lock: Mapping[str, Any], source_id: str) -> list[date]:
    """The dates of the snapshots that the source's facts came from, oldest first."""
    return sorted(date.fromisoformat(day) for day in lock.get(source_id, {}).get("snapshots", {}))


def last_look(lock: Mapping[str, Any], source_id: str) -> date | None:
    """The day on which a pull last saw the source's files, changed or not; None for a source that people enter."""
    snapshots = lock.get(source_id, {}).get("snapshots", {}).values()
    looks = [text[:10] for one in snapshots for text in (one["retrieved_at"], one.get("looked_at", ""))]
    return max((date.fromisoformat(text) for text in looks if text), default=None)


# --- Who is believed

RANKED = list[list[str]]
SELECTION = mapping(default=RANKED, fields=NotRequired[dict[str, RANKED] | None])


@dataclass(frozen=True)
class Selection:
    """Ranks (smaller is preferred) of sources, by default and by field; a curated fact ranks as `source/evidence`."""

    default: Mapping[str, int]
    fields: Mapping[str, Mapping[str, int]]


def load_selection(paths: Paths, sources: Iterable[Source]) -> Selection:
    """selection.yml. Raises DataError for a list that does not name every source of models exactly once."""
    where = paths.short(paths.selection)
    raw = load_yaml(paths.selection, where, SELECTION)
    models = [source for source in sources if source.subject == "models"]
    needed = {f"{s.id}/{word}" for s in models if s.adapter == "curated" for word in EVIDENCE}
    needed |= {s.id for s in models if s.adapter != "curated"}
    lists, faults = {"default": raw["default"], **(raw.get("fields") or {})}, []
    for subject, lines in lists.items():
        names = [name for line in lines for name in line]
        faults += [(subject, n, "is not listed", "add it to a line") for n in sorted(needed.difference(names))]
        faults += [(subject, n, "is not a source of models", "correct it") for n in sorted({*names} - needed)]
        faults += [(subject, n, "is listed twice", "keep one") for n in twice(names)]
    DataError.raise_any(Problem(where, "", *fault) for fault in faults)
    ranks = {field: {name: rank for rank, line in enumerate(lines) for name in line} for field, lines in lists.items()}
    return Selection(ranks.pop("default"), ranks)


# --- Constants


def _numbers(names: str) -> dict[str, Any]:
    """The shape of keys whose values are numbers."""
    return dict.fromkeys(names.split(), Number)


NO_DEFAULT = "has no default; add what holds for all other names"
# by the first word that occurs in a name
ByWord = Annotated[dict[str, Number], passing(lambda values: "default" in values, NO_DEFAULT)]
Constants = Mapping[str, Mapping[str, Any]]
COST = mapping(
    **_numbers("orders_of_magnitude_per_year interconnect_share usual_training_hours dollars_of pue"),
    **_numbers("days_before_publication days_after_release days_before_release"),
    **dict.fromkeys(("server_price", "server_power", "band_dex"), ByWord),
    price_index=str, families=list[str], electricity_usd_per_kwh=dict[int, Number],
)  # fmt: skip
CLOUD = mapping(
    **_numbers("days_before_training days_after_publication band_dex"),
    to_three_years=dict[str, ByWord], vendors=list[str], vendor_of=dict[str, str],
)  # fmt: skip
PUE = mapping(**_numbers("year value change_per_year"))
BENCHMARK = mapping(**_numbers("parameters k sequence_length"), model=str, experts=bool, stage=str)
CONSTANTS = mapping(
    utilization=ByWord,
    power=mapping(**_numbers("server_overhead band_dex one_chip_band_dex"), pue=PUE),
    energy=mapping(load=ByWord, load_band_dex=ByWord),
    carbon=mapping(band_dex=Number), cost=COST, cloud=CLOUD, equivalents=dict[str, Number],
    chip_hours=mapping(**_numbers("utilization most_utilization band_dex")),
    eras=mapping(**_numbers("window_days large_scale_z bespoke_days"), deep_learning=date, large_scale=date),
    scaling=mapping(tokens_per_parameter=Number),
    benchmarks=dict_of(BENCHMARK),
    measured=mapping(most_of_16bit_peak=Number, generations=dict[str, str], scales=list[Number]),
)  # fmt: skip


def load_constants(paths: Paths) -> Constants:
    """Subject → name → value. Raises DataError if the file is missing or has not this shape."""
    return load_yaml(paths.constants, paths.short(paths.constants), CONSTANTS)


# --- All of it


@dataclass(frozen=True)
class Config:
    """Everything that is read from the checkout before the facts."""

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
    corrections: Sequence[Mapping[str, Any]] = ()
    identities: list[Decision] = field(default_factory=list)
    architectures: Sequence[Architecture] = ()


def load_config(paths: Paths) -> Config:
    """What a checkout declares. Raises DataError if a file is malformed, or names what no other file has."""
    sources, schemas, vocabularies = load_sources(paths), load_schemas(paths), load_vocabularies(paths)
    identities, architectures = load_curated(paths, Decision), load_curated(paths, Architecture)
    kinds, waivers = [*vocabularies["architectures"].codes], load_curated(paths, Waiver)
    named = [(f"{IDENTITIES}:{d.line}", d.alias, "source_id", d.source_id, [*sources]) for d in identities]
    named += [(f"{WAIVERS}:{w.line}", w.id, "table", w.table, [*schemas]) for w in waivers]
    named += [(f"{KINDS}:{e.line}", e.model_id, "architecture", e.architecture, kinds) for e in architectures]
    subjects = sorted({source.subject for source in sources.values()} & schemas.keys())
    fields = field_registry(schemas, vocabularies, subjects)
    for name, source in sources.items():
        where = f"data/raw/{name}/source.yml"
        named.append((where, "", "subject", source.subject, [*schemas]))
        named.append((where, "", "derived_from", source.derived_from, [*sources]))
        if source.adapter == "plain_table":  # others make the fields of facts of what they read
            stated = [field.partition(".")[2] for field in fields if field.startswith(f"{source.subject}.")]
            named += [(where, "", "fields", field, stated) for field in source.fields]
    keys = [f"{name}.{table.key}" for name, table in schemas.items()]
    for name, column in [(name, column) for name, table in schemas.items() for column in table.columns]:
        named.append((f"schemas/{name}.yml", column.name, "references", column.references or "", keys))
        named.append((f"schemas/{name}.yml", column.name, "vocab", column.vocab or "", [*vocabularies]))
        if name in subjects and column.type == "number" and not column.derived:
            named.append((f"schemas/{name}.yml", column.name, "unit", column.unit or "none", [*UNITS]))
    DataError.raise_any(
        Problem(where, record, key, value, "is not known", f"one of {', '.join(sorted(allowed))}")
        for where, record, key, value, allowed in named
        if value and value not in allowed
    )
    return Config(
        paths=paths,
        sources=sources,
        lock=load_lock(paths),
        schemas=schemas,
        vocabularies=vocabularies,
        fields=fields,
        selection=load_selection(paths, sources.values()),
        views=load_views(paths),
        constants=load_constants(paths),
        components=sorted(load_curated(paths, Component), key=lambda line: (line.model_id, line.component_id)),
        corrections=load_corrections(paths),
        identities=identities,
        architectures=architectures,
    )
