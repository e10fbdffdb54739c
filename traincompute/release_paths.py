"""The part of the Python interface that gives files and folders of releases: no pandas, so that a download starts at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from traincompute.base.places import DUCKDB_NAME, ReleaseError
from traincompute.cache.choice import choose
from traincompute.cache.folders import download_release, home, verified
from traincompute.cache.index import Release


def path(name: str = DUCKDB_NAME, version: str | None = None) -> Path:
    """The verified file of that name in a release (a table's name stands for its Parquet file); not to be changed.

    Raises ReleaseError for a release that cannot be had, for a file that it lacks, and for one that was changed.

    >>> t.path("models").name
    'models.parquet'
    """
    release = choose(version)
    return verified(release, name if name in release.files else table_file(release, name))


def download(version: str | None = "latest", to: str | Path | None = None) -> Path:
    """The folder of a whole release below `to`, else in the cache: downloaded where it is not there yet, and verified.

    Raises ReleaseError for a release that cannot be had or written, and for a `version` that is a folder already.

    >>> (t.download("latest", to="data") / "manifest.json").exists()
    True
    """
    return download_release(choose(version), to)


def folder(version: str | None = None) -> Path:
    """The folder of a whole release: in place where it lies on this machine, else downloaded into the cache."""
    release = choose(version)
    return home(release) or download_release(release)


def changelog(version: str | None = None) -> str:
    """What changed in the release against the one before it, as Markdown.

    Raises ReleaseError for a release that cannot be had, and for a build, which has no changelog.

    >>> t.changelog("latest").splitlines()[0]
    '# Changelog'
    """
    return path("CHANGELOG.md", version).read_text(encoding="utf-8")


def table_file(release: Release, table: str) -> str:
    """The name of the Parquet file of a table. Raises ReleaseError with the nearest name where the release has none."""
    name = f"{table}.parquet"
    if name not in release.files:
        tables = [file.removesuffix(".parquet") for file in release.files if file.endswith(".parquet")]
        raise ReleaseError(f"release {release.version} has no table or file {table}" + nearest(table, tables), 2)
    return name


def nearest(name: str, names: Sequence[str]) -> str:
    """The nearest of the names as the end of a message, or all of them."""
    from traincompute.query.errors import did_you_mean  # DuckDB comes with it, and nothing but a slip needs it

    return did_you_mean(name, names) or f"; there are: {', '.join(names)}"
