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
from traincompute.base.sources import both_days
from traincompute.cache.folders import local_release, verified
from traincompute.cache.index import Release, find_release, read_index
from traincompute.verification.manifest import entered_until, facts_until, read_json, version_of


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
    """The release of that version that is at hand, where the user has named no index. What was only built has no version that
    could be asked for: it is another dataset after the next build. Raises ReleaseError that lists what is at hand where neither
    that nor an index has the version."""
    if not version or os.environ.get("TRAINCOMPUTE_INDEX"):
        return None
    found = [local_release(Path(folder)) for folder in (processed_folder(), EMBEDDED) if holds_dataset(folder)]
    indexed = Path(BUILT_IN).is_file() or Path(own_releases()).is_file()
    same = [release for release in found if release.about and release.version == version.removeprefix("v")]
    if found and not same and not indexed and version != "latest":
        listed = ", ".join(f"{one.version} ({'a release' if one.about else 'a build'})" for one in found)
        raise ReleaseError(
            f"no release {version}; at hand is {listed}, which is read without a version; for others set "
            "TRAINCOMPUTE_INDEX=https://…/releases.json to the address of an index",
            2,
        )
    return next(iter(same), None)


def version_line(package: str) -> str:
    """The version of the data at hand and the days that the facts reach to; before it that of the package, where it is another."""
    folder = default_folder()
    if not folder or not holds_dataset(folder):
        return package
    manifest = read_json(Path(folder) / MANIFEST)
    version = version_of(manifest) or manifest.get("version")
    days = both_days(facts_until(manifest), entered_until(manifest))
    shown = version if str(version).startswith(package) else f"{package}, data {version}"
    return f"{shown}, {days}"


def database(version: str | None) -> Path:
    """The DuckDB file of a release, verified. Raises ReleaseError."""
    return verified(choose(version), DUCKDB_NAME)
