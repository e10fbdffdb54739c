"""The Python interface: tables, queries and citations of a release, verified whenever they are read.

A `version` is one of the index (2026.11.0, vintage-2025-05-06), "latest" to ask the index anew, or a folder that holds a
release or a build. None is the dataset at hand: $TRAINCOMPUTE_DATA, the latest release of $TRAINCOMPUTE_INDEX that this
machine has heard of, the build of the checkout, or what the package carries, the first that there is. What is read once is
read from the cache afterwards. Every function raises ReleaseError where a release cannot be had or is not what its index says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from traincompute.base.places import ReleaseError
from traincompute.cache.choice import choose
from traincompute.cache.edition import edition_of, sources_of
from traincompute.cache.folders import verified
from traincompute.cache.index import read_index
from traincompute.citation import STYLES, cite_as
from traincompute.comparison.compare import compare
from traincompute.names.resolve import resolve
from traincompute.query.frames import to_frame
from traincompute.query.results import unique
from traincompute.query.sealed import checked_statement, limit_time, open_sealed, plain_errors
from traincompute.release_paths import folder, nearest, path, table_file
from traincompute.verification.rendering import flatten


def load(
    table: str, version: str | None = None, columns: Sequence[str] | None = None, lists: str = "list"
) -> pd.DataFrame:
    """The table as a DataFrame in the order of its key: text as str (object before pandas 3), integers Int64, truth boolean,
    dates datetime64[s], numbers float64; what is missing is missing. Lists are Python lists, or with `lists="joined"` texts
    joined by ;, as in CSV.

    `attrs` holds units ({column: unit}), table, version and the manifest's sha256. Only the file of this table is
    fetched. Raises ReleaseError for an unknown table or column, ValueError for another value of `lists`."""
    if lists not in ("list", "joined"):
        raise ValueError(f'lists is {lists!r}; it may be "list" or "joined"')
    release = choose(version)
    content = verified(release, table_file(release, table)).read_bytes()
    data = _columns(content, table, columns)
    frame = to_frame(flatten(data) if lists == "joined" else data)
    frame.attrs = {
        "units": {field.name: unit for field in data.schema if (unit := _metadata(field).get("unit"))},
        "table": table,
        "version": release.version,
        "manifest_sha256": release.manifest_sha256,
    }
    return frame


def sql(query: str, version: str | None = None, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """The result of one query that reads, with dtypes as in `load`; $name in it stands for a parameter.

    It runs like `traincompute sql`: sealed off from files and network, for a minute at most. Raises ValueError with a
    plain message where the query is refused or fails."""
    with open_sealed(path(version=version)) as connection, plain_errors(connection, query):
        checked_statement(connection, query)
        limited = limit_time(connection, 60.0)
        return to_frame(limited(lambda: _unique(connection.sql(query, params=dict(parameters or {})).to_arrow_table())))


def match(names: Iterable[str], version: str | None = None) -> pd.DataFrame:
    """Which model each name stands for, as people write them: a DataFrame in the order and with the index of the names.

    Columns: asked, model_id and name (missing where the name stands for no one model), how (exact, normalised, alias,
    unique part, ambiguous or none) and candidates, a list of the model_ids that it could mean otherwise, the likeliest
    first. Nothing is guessed: SQL has the macro model_id_of for names that are clear."""
    series = names if isinstance(names, pd.Series) else pd.Series(list(names), dtype="object")
    with open_sealed(path(version=version)) as connection:
        found = resolve(connection, ["" if pd.isna(name) else str(name) for name in series])
    frame = pd.DataFrame(found, columns=["asked", "model_id", "name", "how", "candidates"]).set_index(series.index)
    return frame.astype({"asked": "str", "model_id": "str", "name": "str", "how": "str"})


def versions(index: str | None = None) -> pd.DataFrame:
    """The releases of the index, asked anew: version, channel, date, as_of, schema_version, models, notable, bytes."""
    names = ["version", "channel", "date", "as_of", "schema_version", "models", "notable", "bytes"]
    rows = [[release.about.get(name) for name in names] for release in read_index(index).releases.values()]
    frame = pd.DataFrame(rows, columns=names)
    kinds = {"models": "Int64", "notable": "Int64", "bytes": "Int64", "date": "datetime64[s]", "as_of": "datetime64[s]"}
    return frame.astype({name: kinds.get(name, "str") for name in names})


def cite(version: str | None = None, style: str = "text") -> str:
    """How to cite the release, with the sources that are to be named: "text", "apa", "bibtex" or "csl" (JSON).

    Version, date and the sha256 of the manifest fix every number. Raises ValueError for another style."""
    if style not in STYLES:
        raise ValueError(f"no style {style!r}; there are: {', '.join(STYLES)}")
    release = choose(version)
    return cite_as(style, edition_of(release), sources_of(release))


def diff(old: str, new: str | None = None) -> pd.DataFrame:
    """Every cell of `models` that differs between two releases: model, column, old, new, ratio and cause."""
    return compare(folder(old), folder(new)).changes


def _columns(content: bytes, table: str, columns: Sequence[str] | None) -> pa.Table:
    """The wanted columns in the order asked for. Raises ReleaseError with the nearest name for one that is not there."""
    file = parquet.ParquetFile(pa.BufferReader(content))
    if columns is None:
        return file.read()
    names = file.schema_arrow.names
    for column in columns:
        if column not in names:
            raise ReleaseError(f"{table} has no column {column}" + nearest(column, names), 2)
    return file.read(columns=list(columns)).select(list(columns))


def _unique(data: pa.Table) -> pa.Table:
    return data.rename_columns(unique(data.column_names))


def _metadata(field: pa.Field) -> dict[str, str]:
    return {key.decode(): value.decode() for key, value in (field.metadata or {}).items()}
