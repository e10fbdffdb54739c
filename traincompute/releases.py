"""Releases and builds on this machine: which one a version stands for, its files, and getting one that is not here.

A release is downloaded whole: every file is checked against its hash, and the folder appears complete or not at all."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from traincompute.base.errors import ReleaseError
from traincompute.base.files import file_sha256, locked, private_folder, staging
from traincompute.base.manifest import check_file, entered_until, facts_until, read_json, read_sums, table_hashes
from traincompute.base.places import (
    DUCKDB_NAME,
    MANIFEST,
    SIGNATURE,
    SUMS,
    built_in_index,
    default_folder,
    holds_dataset,
    in_checkout,
    is_path,
    is_remote,
    own_releases,
    processed_folder,
)
from traincompute.index import Release, find_release, folder_name, read_index
from traincompute.verification import verify_folder

LONGEST_S = 3600  # for all files of a release


class Dataset:
    """A folder with the Parquet files of a release or a build; `url` is where it is published, "" where that is not
    known."""

    def __init__(self, folder: str | Path, url: str = "") -> None:
        self.folder = Path(folder)
        self.url = url or (built_in_index() if self.release else "")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        return read_json(self.folder / MANIFEST)

    @property
    def release(self) -> dict[str, Any]:
        """What the manifest says of the release; nothing of a build."""
        found = self.manifest.get("release")
        return found if isinstance(found, dict) else {}

    @property
    def version(self) -> str:
        return str(self.release.get("version") or self.manifest.get("version") or self.folder.name)

    @property
    def manifest_sha256(self) -> str:
        return file_sha256(self.folder / MANIFEST)

    def file(self, name: str) -> Path:
        """A file of the dataset, or the Parquet file of a table; of a table it is checked. Raises ReleaseError with the
        nearest name where there is none, and for a file that is missing or was altered."""
        hashes = table_hashes(self.manifest)
        if name not in hashes and not (self.folder / name).is_file():
            tables = [file.removesuffix(".parquet") for file in hashes if file.endswith(".parquet")]
            if name not in tables:
                raise ReleaseError(f"release {self.version} has no table or file {name}{nearest(name, tables)}", 2)
            name = f"{name}.parquet"
        return check_file(self.folder / name, hashes.get(name))

    def edition(self) -> dict[str, Any]:
        """version, date (None where it was not released), facts_until, entered_until, manifest_sha256 and url (None
        where none is known)."""
        return {
            "version": self.version,
            "date": self.release.get("date"),
            "facts_until": facts_until(self.manifest),
            "entered_until": entered_until(self.manifest),
            "manifest_sha256": self.manifest_sha256,
            "url": self.url or None,
        }

    def sources(self) -> list[dict[str, Any]]:
        """The rows of its table `sources`."""
        from pyarrow import parquet  # only citations need it

        rows: list[dict[str, Any]] = parquet.read_table(self.file("sources.parquet")).to_pylist()
        return rows


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

        return database_file(dataset.folder)
    return dataset.file(name)


def download(version: str | None = "latest", to: str | Path | None = None) -> Path:
    """The folder of a whole release below `to`, else in the cache: downloaded where it is not there yet, and verified.

    Raises ReleaseError for a release that cannot be had or written.

    >>> (t.download("latest", to="data") / "manifest.json").exists()
    True
    """
    return install(find_release(read_index(fresh=version in (None, "latest")), version), to)


def resolve_version(version: str | None) -> Dataset:
    """The dataset that a version or a folder stands for, installed where it must be; None is the dataset at hand,
    "latest" the newest release of the index.

    Raises ReleaseError where there is none."""
    if version and (Path(version).is_dir() or is_path(version)):
        if not holds_dataset(version):
            what = f"holds no {MANIFEST}" if Path(version).is_dir() else "is no folder"
            raise ReleaseError(f"{version} {what}; name a version, or the folder of a release or build", 2)
        return Dataset(version)
    at_hand = Dataset(folder) if (folder := default_folder()) else None
    if at_hand and (not version or version.removeprefix("v") == at_hand.release.get("version")):
        return at_hand
    has_index = os.environ.get("TRAINCOMPUTE_INDEX") or Path(own_releases()).is_file() or built_in_index()
    if at_hand and version != "latest" and not has_index:
        what = f"{at_hand.version} ({'a release' if at_hand.release else 'a build'})"
        remedy = "for others set TRAINCOMPUTE_INDEX=https://…/releases.json to the address of an index"
        raise ReleaseError(f"no release {version}; at hand is {what}, read without a version; {remedy}", 2)
    if not version and in_checkout() and not has_index:
        raise ReleaseError(f"{processed_folder()} holds no dataset; run `traincompute build` first")
    release = find_release(read_index(fresh=version == "latest"), version)
    try:  # of one that is here, the tables are checked when they are read
        is_here = file_sha256(release.place / SUMS) == release.sums_sha256
        check_file(release.place / MANIFEST, read_sums(release.place).get(MANIFEST))
    except (OSError, ReleaseError):
        is_here = False
    return Dataset(release.place if is_here else install(release), release.url if is_remote(release.url) else "")


def install(release: Release, to: str | Path | None = None, show: Callable[[int], object] = lambda _: None) -> Path:
    """The folder of the whole release, verified: `to`/v2026.11.0, else where it is on this machine or one in the cache.

    `show` gets the number of bytes so far. Raises ReleaseError, and leaves nothing, where a file cannot be had or is
    not what index and SHA256SUMS say."""
    if not to and not is_remote(release.url):
        return _checked(release, release.place)
    target = Path(to).expanduser().absolute() / folder_name(release.version) if to else release.place
    try:
        if not to:
            private_folder("releases")
        with locked(target):
            if target.exists():
                if not verify_folder(target, release).problems:
                    return target
                if to:
                    remedy = "move it away, or choose another folder"
                    raise ReleaseError(f"{target} is not release {release.version}; {remedy}")
                shutil.rmtree(target)
            with staging(target) as work:
                _bring(release, work, show)
                return _checked(release, work).rename(target)
    except OSError as error:
        raise ReleaseError(f"{error.filename or target}: {error.strerror}; check space and permissions") from error


def _checked(release: Release, folder: Path) -> Path:
    if problems := verify_folder(folder, release).problems:
        raise ReleaseError(f"release {release.version}: {problems[0]} ({len(problems)} in all)")
    return folder


def _bring(release: Release, work: Path, show: Callable[[int], object]) -> None:
    """Downloads or copies SHA256SUMS, the signature and the files that are listed, which together may be as large as
    the index says."""
    ends, left = time.monotonic() + LONGEST_S, release.bytes

    def bring(name: str) -> None:
        nonlocal left
        if is_remote(release.url):
            from traincompute.web import Limits, fetch  # requests: only for what is on the network

            with (work / name).open("xb") as out:
                fetch(f"{release.url.rstrip('/')}/{name}", out, Limits(ends - time.monotonic(), left))
        else:
            shutil.copyfile(Path(release.url) / name, work / name)
        left -= (work / name).stat().st_size
        show(release.bytes - left)

    for name in (SUMS, SIGNATURE)[: 1 + release.is_signed]:
        bring(name)
    if (digest := file_sha256(work / SUMS)) != release.sums_sha256:
        raise ReleaseError(f"{release.url}/{SUMS}: sha256 is {digest}, but {release.sums_sha256} in the index")
    for name in read_sums(work):
        bring(name)


def nearest(name: str, names: Sequence[str]) -> str:
    """The nearest of the names as the end of a message, or all of them."""
    from traincompute.query.errors import did_you_mean  # nothing but a slip needs it

    return did_you_mean(name, names) or f"; there are: {', '.join(names)}"
