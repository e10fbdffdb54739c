"""The Python interface: tables, queries and citations of a release, verified whenever they are read.

A `version` is one of the index (2026.11.0, vintage-2025-05-06), "latest" to read the index again, or the folder of a
release or build; None is the dataset at hand (docs/reading.md). The examples begin with `import traincompute as t`;
every function raises ReleaseError for a release that cannot be had."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from traincompute.base.errors import InputError, ReleaseError, did_you_mean
from traincompute.comparison import COLUMNS, compare
from traincompute.database import open_database
from traincompute.names.resolve import NOTHING, resolve
from traincompute.query.rendering import flatten, to_frame
from traincompute.query.run import run_to_table
from traincompute.releases import resolve_version


def load(
    table: str, version: str | None = None, columns: Sequence[str] | None = None, lists: str = "list"
) -> pd.DataFrame:
    """The table as a DataFrame in the order of its key: text as str (object before pandas 3), integers Int64, truth
    boolean, dates datetime64[s], numbers float64; what is missing is missing. Lists are Python lists, or with
    `lists="joined"` texts joined by ;, as in CSV. `attrs` holds units ({column: unit}), table, version and the
    manifest's sha256. `load("columns")` lists the columns of every table with unit and meaning.

    Raises ReleaseError for an unknown table or column, InputError for another value of `lists`.

    >>> models = t.load("models", columns=["model_id", "training_compute_flop", "parameters"])
    >>> models.attrs["units"]
    {'training_compute_flop': 'FLOP', 'parameters': 'parameter'}
    >>> models[models.model_id == "gpt-3-175b"].training_compute_flop.item()  # Brown et al. 2020, table D.1
    3.14e+23
    """
    if lists not in ("list", "joined"):
        raise InputError(f'lists is {lists!r}; it may be "list" or "joined"')
    dataset = resolve_version(version)
    file = parquet.ParquetFile(pa.BufferReader(dataset.file(table).read_bytes()))
    columns = [columns] if isinstance(columns, str) else columns
    for column in columns or ():
        if column not in file.schema_arrow.names:
            raise ReleaseError(f"{table} has no column {column}{did_you_mean(column, file.schema_arrow.names)}", 2)
    data = file.read() if columns is None else file.read(columns=list(columns)).select(list(columns))
    frame = to_frame(flatten(data) if lists == "joined" else data)
    units = {field.name: unit.decode() for field in data.schema if (unit := (field.metadata or {}).get(b"unit"))}
    frame.attrs = {"units": units, "table": table, "version": dataset.version}
    frame.attrs["manifest_sha256"] = dataset.manifest_sha256
    return frame


def sql(query: str, version: str | None = None, parameters: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """The result of one query that reads, with its columns and dtypes as in `load`; $name in it stands for a parameter.
    Like `traincompute sql` it reaches no files and no network, for a minute at most. The result has 1 GB at most.

    Raises QueryError for a query that is refused or fails or whose result is larger, QueryTimeoutError for one that
    takes longer, FileError for a file that DuckDB cannot read.

    >>> t.sql("select organizations from models where model_id = $id", parameters={"id": "gpt-3-175b"}).iloc[0, 0]
    ['OpenAI']
    >>> t.sql("select round(3.64e3 * 8.64e19 / 1e23, 2) as flop_1e23").flop_1e23.item()  # 3,640 petaflop/s-days
    3.14
    """
    with open_database(resolve_version(version).folder) as connection:
        return to_frame(run_to_table(connection, query, parameters))


def match(names: str | Iterable[str], version: str | None = None) -> pd.DataFrame:
    """Which model each name stands for, as people write them: a DataFrame in the order and with the index of the names;
    a single text is one name. Nothing is guessed: SQL has the macro model_id_of for names that are clear.

    Columns, none with a unit: asked, model_id and name (missing where the name stands for no one model), how (exact,
    normalised, alias, unique part, ambiguous, base or none), candidates, a list of the model_ids that it could mean
    otherwise, the likeliest first, base_model_id (of a fine-tune that is not in the dataset: the model it was made
    from) and taken_off, a list of the words without which it was found.

    Raises FileError as `sql`.

    >>> t.match(["AlexNet", "gpt 4", "GPT-3"]).how.tolist()
    ['exact', 'normalised', 'ambiguous']
    >>> t.match(["gpt 3 175b"]).model_id.item()
    'gpt-3-175b'
    """
    given = [names] if isinstance(names, str) else names
    series = given if isinstance(given, pd.Series) else pd.Series(list(given), dtype="object")
    with open_database(resolve_version(version).folder) as connection:
        answers = resolve(connection, ["" if pd.isna(name) else str(name) for name in series])
    frame = pd.DataFrame(answers, columns=["asked", *NOTHING]).set_index(series.index)
    return frame.astype(dict.fromkeys(("asked", "model_id", "name", "how", "base_model_id"), "str"))


def cite(version: str | None = None, style: str = "text") -> str:
    """How to cite the release, with the sources that are to be named: "text" or "bibtex". Version, date and the sha256
    of the manifest fix every number. Raises InputError for another style.

    >>> print(t.cite(style="bibtex").splitlines()[0])  # doctest: +ELLIPSIS
    @dataset{traincompute_...,
    """
    return resolve_version(version).cite(style)


def diff(old: str, new: str | None = None) -> pd.DataFrame:
    """Every cell of `models` that differs between two releases, and every model that only one of them has.

    Columns: kind (changed, filled, blanked, model_added, model_removed or model_renamed), model_id, name, column, old
    and new (texts as in CSV, in the unit of the column; of a model that only one side has its training compute), ratio
    (new ÷ old of a number, without unit), cause (upstream revision, our correction, new curated fact, selection,
    identity or changed method), source_id (of the source behind it) and detail (in words). Raises ReleaseError.

    >>> changes = t.diff("latest")
    >>> list(changes)
    ['kind', 'model_id', 'name', 'column', 'old', 'new', 'ratio', 'cause', 'source_id', 'detail']
    """
    changes = compare(resolve_version(old).folder, resolve_version(new).folder).changes
    frame = pd.DataFrame(changes, columns=COLUMNS, dtype="object")
    return frame.astype(dict.fromkeys(COLUMNS, "str") | {"ratio": "float64"})
