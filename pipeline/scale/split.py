"""A ledger of any size → chunks that can be built one after the other or side by side.

A chunk has all facts of its models, and those of the models that they are made from, directly or in turn: guests, whose
rows are another chunk's. Chunks follow each other in the order of every key that begins with a model_id. DuckDB reads
the ledger from disk and spills what does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from pipeline.base.names import slug
from pipeline.normalize.facts import COLUMNS, check_header
from pipeline.normalize.identity import default_ids
from pipeline.registry.citation import CITATION
from pipeline.registry.sources import Source

Files = Mapping[str, Sequence[Path]]  # the ledger: the files of each source, every line a fact about a model
MEMORY = "1GB"
BUFFER = 4_000_000  # bytes of a file at a time
FLUSH_ROWS = 16_384  # of a chunk at a time; DuckDB keeps what is not written yet in memory
NAMING = ("base_model", "training_run")  # the fields that name other models

# Each distinct name with the day on which it was first seen, the names that it names, and its slug if it is plain ASCII
NAMES = f"""CREATE TABLE names AS
SELECT record, since, named, CASE WHEN regexp_full_match(record, '[ -*,-~]*[A-Za-z0-9][ -*,-~]*')
  THEN trim(regexp_replace(lower(record), '[^a-z0-9.]+', '-', 'g'), '-.') END AS slug
FROM (
  SELECT record, min(since) AS since, list(DISTINCT value_text) FILTER (field IN {NAMING}) AS named FROM facts GROUP BY record
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

CHUNKS = f"""COPY (
  SELECT w.chunk, w.model_id, w.is_guest, {", ".join(f"f.{name}" for name in COLUMNS)}
  FROM facts f JOIN ids USING (record) JOIN (
    SELECT chunk, model_id, false AS is_guest FROM places UNION ALL SELECT chunk, model_id, true FROM guests
  ) w USING (model_id)
) TO $target (FORMAT parquet, COMPRESSION lz4, PARTITION_BY (chunk))"""


def split(sources: Mapping[str, Source], files: Files, target: Path, size: int, threads: int = 1) -> list[Path]:
    """Writes the chunks, of about `size` models, as folders of Parquet files below `target`, each fact with its model_id
    and is_guest; returns the folders in order. Raises DataError for a file whose columns are not those of a ledger."""
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "threads": threads,
        "temp_directory": str(target / "spilled"),
    }
    with duckdb.connect(str(target / "split.duckdb"), config=settings) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute("SET preserve_insertion_order = false")
        connection.execute(f"SET partitioned_write_flush_threshold = {FLUSH_ROWS}")
        connection.execute(f"CREATE VIEW facts AS {_read(sources, files)}")
        connection.execute(NAMES)
        _enter_ids(connection)
        connection.execute(PLACES, {"size": size})
        connection.execute(GUESTS)
        connection.execute(CHUNKS, {"target": str(target / "ledger")})
    (target / "split.duckdb").unlink()
    return sorted((target / "ledger").iterdir(), key=lambda folder: int(folder.name.partition("=")[2]))


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
