"""The part of the Python interface that gives files and folders of releases: no pandas, so that a download starts at
once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from traincompute.base.places import DUCKDB_NAME, ReleaseError
from traincompute.index import find_release, read_index
from traincompute.install import install
from traincompute.resolve_version import Dataset, resolve_version


def path(name: str = DUCKDB_NAME, version: str | None = None) -> Path:
    """A file of a dataset (a table's name stands for its Parquet file), checked; not to be changed. Without a name it
    is the reader's own DuckDB file with all tables and views.

    Raises ReleaseError for a release that cannot be had, for a file that it lacks, and for one that was changed.

    >>> t.path("models").name
    'models.parquet'
    """
    dataset = resolve_version(version)
    if name == DUCKDB_NAME:
        from traincompute.database import database_file  # DuckDB, which nothing else here needs

        if made := database_file(dataset.folder):
            return made
        raise ReleaseError(
            "the cache cannot be written, so there is no DuckDB file; name a folder with TRAINCOMPUTE_CACHE"
        )
    return dataset.file(name) if (dataset.folder / name).is_file() else table_path(dataset, name)


def download(version: str | None = "latest", to: str | Path | None = None) -> Path:
    """The folder of a whole release below `to`, else in the cache: downloaded where it is not there yet, and verified.

    Raises ReleaseError for a release that cannot be had or written.

    >>> (t.download("latest", to="data") / "manifest.json").exists()
    True
    """
    return install(find_release(read_index(fresh=version in (None, "latest")), version), to)


def table_path(dataset: Dataset, table: str) -> Path:
    """The Parquet file of a table. Raises ReleaseError with the nearest name where the release has none."""
    if table not in dataset.tables:
        message = f"release {dataset.version} has no table or file {table}"
        raise ReleaseError(message + nearest(table, dataset.tables), 2)
    return dataset.file(f"{table}.parquet")


def nearest(name: str, names: Sequence[str]) -> str:
    """The nearest of the names as the end of a message, or all of them."""
    from traincompute.query.errors import did_you_mean  # DuckDB comes with it, and nothing but a slip needs it

    return did_you_mean(name, names) or f"; there are: {', '.join(names)}"
