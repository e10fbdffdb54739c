"""Into which chunks the facts of each record go, so that these can be built one after the other or side by side.

Chunks follow each other in the order of every key that begins with a model_id. A chunk also gets the models that its own
are made from, directly or in turn, and those of their families: guests. Only names are looked at here, in DuckDB, which spills what does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from pipeline.base.names import slug
from pipeline.impute.flop.families import FAMILY
from pipeline.normalize.identity import default_ids

Settings = dict[str, str | bool | int | float | list[str]]
MEMORY = "1GB"
NAMING = ("base_model", "training_run")  # the fields that name other models

# Each distinct name with the day on which it was first seen, and the names that it names; on DuckDB and on Spark
NAMES = f"""SELECT record, min(since) AS since, array_agg(value_text) FILTER (WHERE field IN {NAMING}) AS named
FROM lines GROUP BY record"""

# The slug of a name if it is plain ASCII
SLUGS = """CREATE TABLE slugs AS
SELECT record, since, named, CASE WHEN regexp_full_match(record, '[ -*,-~]*[A-Za-z0-9][ -*,-~]*')
  THEN trim(regexp_replace(lower(record), '[^a-z0-9.]+', '-', 'g'), '-.') END AS slug
FROM read_parquet($names)"""
SPELLED = "UPDATE slugs SET slug = spelled.model_id FROM spelled WHERE slugs.record = spelled.record"
SHARED = "SELECT record, since FROM slugs WHERE slug IN (SELECT slug FROM slugs GROUP BY slug HAVING count(*) > 1)"
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

FAMILY_OF = "lower(record)"
for _pattern, _replacement in FAMILY:
    FAMILY_OF = f"regexp_replace({FAMILY_OF}, '{_pattern}', '{_replacement}', 'g')"

# A text is one name if a record has it, else a comma-separated list of names; of `name @ link`, the name counts, too
GUESTS = f"""CREATE TABLE guests AS
WITH RECURSIVE called AS (
  SELECT record AS name, model_id FROM ids UNION
  SELECT split_part(record, ' @ ', 1), model_id FROM ids WHERE contains(record, ' @ ')
), texts AS (
  SELECT record, unnest(named) AS text FROM slugs WHERE len(named) > 0
), stated AS (
  SELECT DISTINCT model_id, unnest(list_append(list_transform(string_split(text, ','), lambda part: trim(part)), text)) AS name
  FROM texts JOIN ids USING (record)
), families AS (
  SELECT DISTINCT model_id, {FAMILY_OF} AS family FROM ids
), edges AS (
  SELECT DISTINCT s.model_id, c.model_id AS other FROM stated s JOIN called c USING (name) WHERE s.model_id <> c.model_id
  UNION SELECT f.model_id, o.model_id FROM families f JOIN families o USING (family) WHERE f.model_id <> o.model_id
), needed AS (
  SELECT p.chunk, e.other AS model_id FROM edges e JOIN places p USING (model_id)
  UNION SELECT n.chunk, e.other FROM needed n JOIN edges e USING (model_id)
) SELECT chunk, model_id FROM needed ANTI JOIN places USING (chunk, model_id)"""

ROUTES = """COPY (SELECT record, model_id, chunk, is_guest FROM ids JOIN (
  SELECT chunk, model_id, false AS is_guest FROM places UNION ALL SELECT chunk, model_id, true FROM guests
) USING (model_id)) TO $target (FORMAT parquet)"""


def assign_chunks(names: Path, target: Path, size: int) -> None:
    """Writes record, model_id, chunk and is_guest to `target`, a row for each chunk, of about `size` models, that gets the
    facts of a record. `names` is the result of NAMES as Parquet."""
    settings: Settings = {"memory_limit": MEMORY, "temp_directory": str(target.with_suffix(".spilled"))}
    with duckdb.connect(str(target.with_suffix(".duckdb")), config=settings) as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(SLUGS, {"names": str(names)})
        _enter_ids(connection)
        connection.execute(PLACES, {"size": size})
        connection.execute(GUESTS)
        connection.execute(ROUTES, {"target": str(target)})


def _enter_ids(connection: duckdb.DuckDBPyConnection) -> None:
    """The table `ids`: the model_id of each record, as identity.default_ids gives it without any decisions."""
    odd = connection.sql("SELECT record FROM slugs WHERE slug IS NULL").fetchall()
    _register(connection, "spelled", {record: slug(record) for (record,) in odd})
    connection.execute(SPELLED)
    _register(connection, "shared", default_ids(dict(connection.sql(SHARED).fetchall())))
    connection.execute(IDS)


def _register(connection: duckdb.DuckDBPyConnection, name: str, ids: Mapping[str, str]) -> None:
    rows = {"record": pa.array(ids.keys(), pa.string()), "model_id": pa.array(ids.values(), pa.string())}
    connection.register(name, pa.table(rows))
