"""Which release is read: the one that is asked for, else the dataset at hand."""

from __future__ import annotations

import os
from pathlib import Path

from traincompute.base.places import (
    BUILT_IN,
    DUCKDB_NAME,
    EMBEDDED,
    MANIFEST,
    ReleaseError,
    default_folder,
    holds_dataset,
    in_checkout,
    own_releases,
    processed_folder,
)
from traincompute.cache.folders import local_release, verified
from traincompute.cache.index import Release, find_release, read_index
from traincompute.verification.manifest import facts_until, read_json, version_of


def choose(version: str | None) -> Release:
    """The release that a version or a folder stands for; None is the dataset at hand, "latest" the newest of the index.

    Raises ReleaseError where there is none."""
    folder = version if version and holds_dataset(version) else None if version else default_folder()
    if folder:
        return local_release(Path(folder))
    if not version and in_checkout() and not (os.environ.get("TRAINCOMPUTE_INDEX") or Path(own_releases()).exists()):
        raise ReleaseError(f"{Path(processed_folder()) / DUCKDB_NAME} does not exist; run `traincompute build` first")
    return _carried(version) or find_release(read_index(fresh=version == "latest"), version)


def _carried(version: str | None) -> Release | None:
    """The build of the checkout or what the package carries, where it has that version and the user has named no index. One
    that was not released gives way to an index, if one is known."""
    if not version or os.environ.get("TRAINCOMPUTE_INDEX"):
        return None
    indexed = Path(BUILT_IN).is_file() or Path(own_releases()).is_file()
    for folder in filter(holds_dataset, (processed_folder(), EMBEDDED)):
        carried = local_release(Path(folder))
        if carried.version == version.removeprefix("v") and (carried.about or not indexed):
            return carried
    return None


def version_line(package: str) -> str:
    """The version of the package and the day that the facts at hand reach to; their version, too, where it is another."""
    folder = default_folder()
    if not folder or not holds_dataset(folder):
        return package
    manifest = read_json(Path(folder) / MANIFEST)
    version = version_of(manifest) or manifest.get("version")
    return f"{package}{f', data {version}' if version != package else ''}, facts to {facts_until(manifest)}"


def database(version: str | None) -> Path:
    """The DuckDB file of a release, verified. Raises ReleaseError."""
    return verified(choose(version), DUCKDB_NAME)
