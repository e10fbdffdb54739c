"""Releases and builds on this machine: which one a version stands for, its files, and getting one that is not here."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from traincompute import published
from traincompute.base import places
from traincompute.base.errors import ReleaseError, no_table
from traincompute.base.files import file_sha256, locked, private_folder, read_json, staging
from traincompute.base.places import MANIFEST, SIGNATURE, SUMS, is_remote
from traincompute.citation import cite_as, days_known, to_name
from traincompute.published import Release, find_release

LONGEST_S = 3600  # for a file of a release


class Dataset:
    """A folder with the Parquet files of a release or a build. `release` is what its manifest says of the release,
    nothing of a build; `url` is where it is published, None where that is not known. Raises ReleaseError."""

    def __init__(self, folder: str | Path, url: str | None = None) -> None:
        self.folder = Path(folder)
        self.manifest = read_json(self.folder / MANIFEST)
        self.hashes = published.table_hashes(self.manifest)
        self.manifest_sha256 = file_sha256(self.folder / MANIFEST)
        self.release: dict[str, Any] = self.manifest.get("release") or {}
        self.version = str(self.release.get("version") or self.manifest.get("version") or self.folder.name)
        self.url = url or (self.release and places.built_in_index()) or None

    def file(self, name: str) -> Path:
        """A file of the dataset, or the Parquet file of a table; of a table it is checked. Raises ReleaseError with the
        nearest name where there is none, and for a file that is missing or was altered."""
        if name not in self.hashes and not (self.folder / name).is_file():
            tables = [file.removesuffix(".parquet") for file in self.hashes if file.endswith(".parquet")]
            if name not in tables:
                raise ReleaseError(f"release {self.version}: {no_table(name, tables)}; views are read with SQL", 2)
            name = f"{name}.parquet"
        return published.check_file(self.folder / name, self.hashes.get(name))

    def edition(self) -> dict[str, Any]:
        """version, date (None where it was not released), facts_until, entered_until, manifest_sha256 and url."""
        about = {"version": self.version, "date": self.release.get("date"), "manifest_sha256": self.manifest_sha256}
        return about | days_known(self.manifest) | {"url": self.url}

    def sources(self) -> list[Mapping[str, Any]]:
        """The sources that are to be named with it: rows of its table `sources`."""
        from pyarrow import parquet  # only citations need it

        return to_name(parquet.read_table(self.file("sources.parquet")).to_pylist())

    def cite(self, style: str) -> str:
        """How to cite it, with its sources. Raises InputError for a style that there is not."""
        return cite_as(style, self.edition(), self.sources())


def path(name: str = places.DUCKDB_NAME, version: str | None = None) -> Path:
    """A file of a dataset (a table's name stands for its Parquet file), checked; not to be changed. Without a name it
    is the reader's own DuckDB file. Raises ReleaseError for one that cannot be had or was changed.

    >>> t.path("models").name
    'models.parquet'
    """
    dataset = resolve_version(version)
    if name != places.DUCKDB_NAME:
        return dataset.file(name)
    from traincompute.database import database_file  # DuckDB, which nothing else here needs

    return database_file(dataset.folder)


def download(version: str | None = "latest", to: str | Path | None = None) -> Path:
    """The folder of a whole release below `to`, else in the cache: downloaded where it is not there yet, and verified.
    Raises ReleaseError for a release that cannot be had or written.

    >>> (t.download("latest", to="data") / "manifest.json").exists()
    True
    """
    return install(find_release(version, fresh=version in (None, "latest")), to)


def resolve_version(version: str | None) -> Dataset:
    """The dataset that a version or a folder stands for, installed where it must be; None is the dataset at hand,
    "latest" the newest release of the index. Raises ReleaseError where there is none."""
    if version and places.is_folder(version):
        folder = Path(version).expanduser()
        if not places.holds_dataset(str(folder)):
            remedy = "name a version, or the folder of a release or build"
            raise ReleaseError(f"{version} is no folder with a {MANIFEST}; {remedy}", 2)
        return Dataset(folder)
    used = places.default_folder()
    at_hand = Dataset(used) if used else None
    if at_hand and (not version or version.removeprefix("v") == at_hand.version):
        return at_hand
    if at_hand and version != "latest" and not places.index_address():
        remedy = "for others set TRAINCOMPUTE_INDEX=https://…/releases.json"
        raise ReleaseError(f"no release {version}; at hand is {at_hand.version}; {remedy}", 2)
    release = find_release(version, fresh=version == "latest")
    place = release.place if release.is_here() else install(release)
    return Dataset(place, release.url if is_remote(release.url) else None)


def install(release: Release, to: str | Path | None = None) -> Path:
    """The folder of the whole release, verified: `to`/v2026.11.0, else where it is on this machine or one in the cache.
    Raises ReleaseError, and leaves nothing, where a file cannot be had or is not what index and SHA256SUMS say."""
    if not to and not is_remote(release.url):
        return _checked(release, release.place)
    target = Path(to).expanduser().absolute() / published.folder_name(release.version) if to else release.place
    try:
        if not to:
            private_folder("releases")
        with locked(target):
            if target.exists():
                if not published.verify_folder(target, release).problems:
                    return target
                if to:
                    remedy = "move it away, or choose another folder"
                    raise ReleaseError(f"{target} is not release {release.version}; {remedy}")
                shutil.rmtree(target)
            with staging(target) as work:
                _bring(release, work)
                return _checked(release, work).rename(target)
    except OSError as error:
        raise ReleaseError(f"{error.filename or target}: {error.strerror}; check space and permissions") from error


def _checked(release: Release, folder: Path) -> Path:
    if problems := published.verify_folder(folder, release).problems:
        raise ReleaseError(f"release {release.version}: {problems[0]} ({len(problems)} in all)")
    return folder


def _bring(release: Release, work: Path) -> None:
    """Downloads or copies all files, which may be as large as the index says."""
    done, names = 0, [SUMS, SIGNATURE] if release.is_signed else [SUMS]
    for name in names:
        if is_remote(release.url):
            from traincompute.web import fetch  # requests: only for what is on the network

            with (work / name).open("xb") as out:
                fetch(f"{release.url.rstrip('/')}/{name}", out, deadline=LONGEST_S, max_bytes=release.bytes - done)
        else:
            shutil.copyfile(Path(release.url) / name, work / name)
        if name == SUMS:
            if problem := published.altered(work / SUMS, release.sums_sha256, "the index"):
                raise ReleaseError(f"{release.url}/{problem}")
            names += published.read_sums(work)
        done += (work / name).stat().st_size
