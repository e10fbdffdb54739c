"""A ledger of any size → chunks that can be built one after the other or side by side.

A chunk has all facts of its models, and those of the models that they are made from, directly or in turn: guests, whose
rows are another chunk's. Chunks follow each other in the order of every key that begins with a model_id. DuckDB reads
the ledger from disk and spills what does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import ipc

from pipeline.base.names import slug
from pipeline.normalize.facts import COLUMNS, check_header
from pipeline.normalize.identity import default_ids
from pipeline.registry.provenance import CITATION
from pipeline.registry.sources import Source
from pipeline.scale.parts import read_part, write_parts

Files = Mapping[str, Sequence[Path]]  # the ledger: the files of each source, every line a fact about a model
MEMORY = "1GB"
BUFFER = 4_000_000  # bytes of a file at a time
TOLD = ("first", "last", "ended", "spans")  # of a column
NAMING = ("base_model", "training_run")  # the fields that name other models

# Each distinct name with the day on which it was first seen, the names that it names, and its slug if it is plain ASCII
NAMES = f"""CREATE TABLE names AS
SELECT record, since, named, CASE WHEN regexp_full_match(record, '[ -*,-~]*[A-Za-z0-9][ -*,-~]*')
  THEN trim(regexp_replace(lower(record), '[^a-z0-9.]+', '-', 'g'), '-.') END AS slug
FROM (
  SELECT record, min(since) AS since, list(value_text) FILTER (field IN {NAMING}) AS named FROM facts GROUP BY record
)"""
SLUGS = """CREATE TABLE slugs AS
SELECT record, since, coalesce(n.slug, s.model_id) AS slug FROM names n LEFT JOIN spelled s USING (record)"""
SHARED = (
    """SELECT record, since FROM slugs JOIN (SELECT slug FROM slugs GROUP BY slug HAVING count(*) > 1) USING (slug)"""
)
IDS = """CREATE TABLE ids AS
SELECT record, coalesce(s.model_id, slug) AS model_id FROM slugs LEFT JOIN shared s USING (record)"""

# A cut is possible wherever the models so far come first by id as well as by id and what follows it in longer keys
PLACES = """CREATE TABLE places AS
WITH ordered AS (
  SELECT model_id, row_number() OVER (ORDER BY model_id) AS place, row_number() OVER (ORDER BY model_id || ':') AS other
  FROM (SELECT DISTINCT model_id FROM ids)
), cuts AS (
  SELECT model_id, place, max(other) OVER (ORDER BY place) = place AS is_cut FROM ordered
), steps AS (
  SELECT model_id, coalesce(max(CASE WHEN is_cut THEN place // $size END)
    OVER (ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS step FROM cuts
) SELECT model_id, dense_rank() OVER (ORDER BY step) - 1 AS chunk FROM steps"""

# A text is one name if a record has it, else a comma-separated list of names; of `name @ link`, the name counts, too
GUESTS = """CREATE TABLE guests AS
WITH RECURSIVE called AS (
  SELECT record AS name, model_id FROM ids UNION
  SELECT split_part(record, ' @ ', 1), model_id FROM ids WHERE contains(record, ' @ ')
), texts AS (
  SELECT record, unnest(named) AS text FROM names WHERE named IS NOT NULL
), stated AS (
  SELECT DISTINCT model_id, unnest(list_append(list_transform(string_split(text, ','), lambda part: trim(part)), text)) AS name
  FROM texts JOIN ids USING (record)
), edges AS (
  SELECT DISTINCT s.model_id, c.model_id AS other FROM stated s JOIN called c USING (name) WHERE s.model_id <> c.model_id
), needed AS (
  SELECT p.chunk, e.other AS model_id FROM edges e JOIN places p USING (model_id)
  UNION SELECT n.chunk, e.other FROM needed n JOIN edges e USING (model_id)
) SELECT chunk, model_id FROM needed ANTI JOIN places USING (chunk, model_id)"""

ROUTES = """SELECT record, model_id, chunk, is_guest FROM ids JOIN (
  SELECT chunk, model_id, false AS is_guest FROM places UNION ALL SELECT chunk, model_id, true FROM guests
) USING (model_id) ORDER BY record, chunk"""
Settings = dict[str, str | bool | int | float | list[str]]


def assign_chunks(sources: Mapping[str, Source], files: Files, target: Path, size: int, threads: int = 1) -> int:
    """Decides into which chunks, of about `size` models, the facts of each record go, and writes that to `target`;
    returns the number of chunks. Raises DataError for a file whose columns are not those of a ledger."""
    scratch = target.with_suffix(".duckdb")
    settings: Settings = {
        "memory_limit": MEMORY,
        "threads": threads,
        "temp_directory": str(target.with_suffix(".spilled")),
    }
    with duckdb.connect(str(scratch), config=settings) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"CREATE VIEW facts AS {_read(sources, files)}")
        connection.execute(NAMES)
        _enter_ids(connection)
        connection.execute(PLACES, {"size": size})
        connection.execute(GUESTS)
        routes: pa.Table = connection.sql(ROUTES).to_arrow_table()
    with ipc.new_file(target, routes.schema) as file:
        file.write_table(routes.combine_chunks())
    scratch.unlink()
    return int(pc.max(routes["chunk"]).as_py()) + 1


class Routes(NamedTuple):
    """The records, and by their place where the rows of each begin in the table of routes, and how many it has."""

    records: pd.Index
    starts: np.ndarray
    counts: np.ndarray
    table: pa.Table


def load_routes(file: Path) -> Routes:
    """What `assign_chunks` wrote."""
    with pa.memory_map(str(file)) as source:
        table = ipc.open_file(source).read_all()
    records = table["record"].to_pandas()
    starts = np.flatnonzero((records != records.shift()).to_numpy())
    return Routes(pd.Index(records.iloc[starts]), starts, np.diff(starts, append=len(records)), table)


def route(lines: pa.Table, routes: Routes, chunks: int, target: Path) -> None:
    """Writes the lines of a ledger with model_id and is_guest, in one batch for each chunk."""
    record = lines["record"].combine_chunks().dictionary_encode()
    place = routes.records.get_indexer(record.dictionary.to_pandas())[record.indices.to_numpy()]
    counts = routes.counts[place]
    row = np.repeat(np.arange(len(place)), counts)
    nth = np.arange(len(row)) - np.repeat(counts.cumsum() - counts, counts)  # of the routes of its record
    taken = routes.starts[place][row] + nth
    chunk = routes.table["chunk"].to_numpy()[taken]
    order = np.argsort(chunk, kind="stable")
    about = routes.table.select(["model_id", "is_guest"]).take(pa.array(taken[order]))
    made = lines.take(pa.array(row[order]))
    for name in about.column_names:
        made = made.append_column(name, about[name])
    write_parts(made, np.searchsorted(chunk[order], np.arange(1, chunks)), target)


def write_columns(lines: pa.Table, target: Path) -> None:
    """Writes when each column had cells, of the lines of one file."""
    plain = lines.filter(pc.equal(lines["locator"], "")).select(["source_id", "field", "since", "until"])
    until = pc.if_else(pc.equal(plain["until"], ""), None, plain["until"])
    spans = plain.set_column(3, "until", until).group_by(["source_id", "field"])
    counted = spans.aggregate([("since", "min"), ("until", "max"), ("until", "count"), ("since", "count")])
    write_parts(counted.rename_columns(["source_id", "field", *TOLD]), [], target)


def load_columns(files: Iterable[Path]) -> pd.DataFrame:
    """When each column of the whole ledger had cells, as `revisions.columns_of` tells it."""
    each = pa.Table.from_batches([read_part(file, 0) for file in files]).to_pandas().groupby(["source_id", "field"])
    told = each.agg({"first": "min", "last": "max", "ended": "sum", "spans": "sum"})
    days = {name: pd.to_datetime(told[name], errors="coerce").astype("datetime64[s]") for name in TOLD[:2]}
    found: pd.DataFrame = told.assign(**days)
    return found


def _read(sources: Mapping[str, Source], files: Files) -> str:
    """A query for all facts, with the columns COLUMNS."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, found in files.items():
        for file in found:
            with file.open("rb") as lines:
                alike.setdefault((name, *check_header(lines.readline(), str(file))), []).append(str(file))
    return " UNION ALL ".join(_read_alike(sources[name], header, found) for (name, *header), found in alike.items())


def _read_alike(source: Source, header: list[str], files: list[str]) -> str:
    """A query for the facts in files with the same columns."""
    cited = {"reference": "", "evidence": source.evidence, "accessed": ""}
    absent = {"source_id": source.id, **{name: cited[name] for name in CITATION if name not in header}}
    stated = {name: f"coalesce({name}, '')" for name in header}
    columns = {**stated, **{name: _quoted(text) for name, text in absent.items()}, "file": "filename"}
    types = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in header)
    options = f"auto_detect = false, header = true, delim = ',', quote = '\"', escape = '\"', buffer_size = {BUFFER}"
    places = ", ".join(map(_quoted, files))
    return (
        f"SELECT {', '.join(f'{columns[name]} AS {name}' for name in COLUMNS)}"
        f" FROM read_csv([{places}], {options}, columns = {{{types}}}, filename = true)"
    )


def _enter_ids(connection: duckdb.DuckDBPyConnection) -> None:
    """The table `ids`: the model_id of each record, as identity.default_ids gives it without any decisions."""
    odd = connection.sql("SELECT record FROM names WHERE slug IS NULL").fetchall()
    _register(connection, "spelled", {record: slug(record) for (record,) in odd})
    connection.execute(SLUGS)
    _register(connection, "shared", default_ids(dict(connection.sql(SHARED).fetchall())))
    connection.execute(IDS)


def _register(connection: duckdb.DuckDBPyConnection, name: str, ids: Mapping[str, str]) -> None:
    rows = {"record": pa.array(ids.keys(), pa.string()), "model_id": pa.array(ids.values(), pa.string())}
    connection.register(name, pa.table(rows))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
