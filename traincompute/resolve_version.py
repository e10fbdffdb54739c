"""Which dataset is read: the release that is asked for, else the dataset at hand; its files, and what a citation says
of it."""

from __future__ import annotations

import os
from functools import cached_property
from pathlib import Path
from typing import Any

from traincompute.base.disk import file_sha256
from traincompute.base.places import (
    BUILT_IN,
    EMBEDDED,
    MANIFEST,
    SUMS,
    ReleaseError,
    default_folder,
    holds_dataset,
    in_checkout,
    is_remote,
    named_folder,
    own_releases,
    processed_folder,
)
from traincompute.base.sources import both_days
from traincompute.index import Release, find_release, read_index
from traincompute.install import install
from traincompute.verification import entered_until, facts_until, read_json, read_sums, table_hashes


class Dataset:
    """A folder with the Parquet files of a release or a build; `url` is where it is published, "" where that is not
    known."""

    def __init__(self, folder: Path, url: str = "") -> None:
        self.folder, self.url = folder, url

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

    @property
    def tables(self) -> list[str]:
        return [name.removesuffix(".parquet") for name in table_hashes(self.manifest) if name.endswith(".parquet")]

    def file(self, name: str) -> Path:
        """A file of the dataset; of a table it is checked. Raises ReleaseError where it is missing or was altered."""
        path, wanted = self.folder / name, table_hashes(self.manifest).get(name)
        if not path.is_file():
            raise ReleaseError(f"{path} is missing; download the release or build the dataset again", 2)
        if wanted and (digest := file_sha256(path)) != wanted:
            raise ReleaseError(
                f"{path} has sha256 {digest}, but {wanted} in {MANIFEST}; download the release or build again"
            )
        return path

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


def resolve_version(version: str | None) -> Dataset:
    """The dataset that a version or a folder stands for, installed where it must be; None is the dataset at hand,
    "latest" the newest release of the index.

    Raises ReleaseError where there is none."""
    if folder := named_folder(version) if version else default_folder():
        return _at_hand(Path(folder))
    is_named = bool(os.environ.get("TRAINCOMPUTE_INDEX"))
    if not (version or is_named) and in_checkout() and not Path(own_releases()).exists():
        raise ReleaseError(f"{processed_folder()} holds no dataset; run `traincompute build` first")
    if version and not is_named:  # what was only built has no version to ask for: the next build replaces it
        here = [_at_hand(Path(folder)) for folder in (processed_folder(), EMBEDDED) if holds_dataset(folder)]
        for dataset in here:
            if dataset.release and version in (dataset.version, f"v{dataset.version}"):
                return dataset
        if here and version != "latest" and not (Path(BUILT_IN).is_file() or Path(own_releases()).is_file()):
            listed = ", ".join(f"{one.version} ({'a release' if one.release else 'a build'})" for one in here)
            raise ReleaseError(
                f"no release {version}; at hand is {listed}, which is read without a version; for others set "
                "TRAINCOMPUTE_INDEX=https://…/releases.json to the address of an index",
                2,
            )
    return published(find_release(read_index(fresh=version == "latest"), version))


def published(release: Release) -> Dataset:
    """A release of an index as a dataset. Of one that is here, SHA256SUMS and manifest are checked; a table when it is
    read."""
    place = release.place
    try:
        listed = read_sums(place)[MANIFEST]
        found = file_sha256(place / SUMS), file_sha256(place / MANIFEST)
        is_here = found == (release.sums_sha256, listed) and not place.is_symlink()
    except (OSError, ReleaseError, KeyError):
        is_here = False
    return Dataset(place if is_here else install(release), release.url if is_remote(release.url) else "")


def _at_hand(folder: Path) -> Dataset:
    found = Dataset(folder)
    if found.release and Path(BUILT_IN).is_file():
        found.url = Path(BUILT_IN).read_text(encoding="utf-8").strip()
    return found


def version_line(package: str) -> str:
    """The version of the data at hand and the days that the facts reach to; before it that of the package, where it is
    another."""
    folder = default_folder()
    if not folder or not holds_dataset(folder):
        return package
    found = Dataset(Path(folder))
    shown = found.version if found.version.startswith(package) else f"{package}, data {found.version}"
    return f"{shown}, {both_days(facts_until(found.manifest), entered_until(found.manifest))}"
