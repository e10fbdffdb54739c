"""Makes releases: build, describe, compare, bundle, verify, put in place, and only then enter each in the index.

A release is made in a folder beside the others; what a killed run left of one is removed by the next. It gets its name in
one step, and releases.json is written last: whatever it names is complete. A thread builds the next release while the
last one is compared, packed and verified, most of which needs no interpreter lock.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.compute as pc
from pyarrow import parquet

from pipeline import build
from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.release import bundle
from pipeline.release.commit import Commit, read_commit
from pipeline.release.describe.description import describe
from pipeline.release.index import Entry, find, locked, previous, read_index, with_entry, write_index
from pipeline.release.version import VINTAGE, check_version, folder_name, order
from traincompute.base.disk import file_sha256, sync
from traincompute.base.staging import staging
from traincompute.verification.contents import problems_of

Say = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What to release: a version, with its day if it is a vintage; whether from files that are not committed; the key
    to sign with; the addresses that the index gives (a template with {folder} and {name}, "" = beside the index)."""

    version: str
    as_of: date | None = None
    allow_dirty: bool = False
    key: Path | None = None
    url: str = ""


@dataclass
class Run:
    """What one build leaves to the next of the same run: what all vintages share, at the commit that it was read from."""

    commit: Commit | None = None
    ground: build.Ground | None = None


class Built(NamedTuple):
    """The files of a build that is to become a release, and the commit that they were made from."""

    work: Path
    commit: Commit


def make_releases(paths: Paths, requests: Sequence[Request], say: Say) -> Iterator[Path]:
    """Makes releases, the first one first, and enters each in the index before it yields its folder.

    Raises DataError if a check fails, SourceError while another run makes releases, OSError if the disk does not allow
    it; the releases that are in the index by then stay as they are."""
    run, checked = Run(), None
    workplace = staging(paths.releases / "making")
    with locked(paths.releases), workplace as making, ThreadPoolExecutor(max_workers=1) as thread:
        for request in requests:
            _check_new(read_index(paths.releases), request.version, check_version(request.version))
        builds = _one_ahead(thread, lambda request: _build(paths, request, making, say, run), requests)
        for request, built in zip(requests, builds, strict=True):
            index, channel = read_index(paths.releases), check_version(request.version)
            before = _folder_of(paths, previous(index, channel, request.version), checked)
            work = _complete(paths, request, channel, before, built, say)
            checked = folder = place(work, paths.releases / work.name)
            write_index(paths.releases, with_entry(index, entry_of(folder, request.url)))
            yield folder


def _one_ahead(
    thread: ThreadPoolExecutor, make: Callable[[Request], Built], requests: Iterable[Request]
) -> Iterator[Built]:
    """The builds in order: while one is in use, the thread makes the next. None is begun after one that failed."""
    built = None
    for request in requests:
        following = thread.submit(make, request)
        if built:
            yield built
        built = following.result()
    if built:
        yield built


def _check_new(index: dict[str, Any], version: str, channel: str) -> None:
    """A version is released only once, and a new one in the channel release comes after the existing ones."""
    reason = ""
    if find(index, version):
        reason = "has already been released, and a release never changes"
    elif channel == "release" and index["latest"] and order(version) < order(index["latest"]):
        reason = f"is older than the latest release {index['latest']}"
    if reason:
        raise DataError.of("release", reason, "take the next number", value=version)


def _folder_of(paths: Paths, entry: Entry | None, checked: Path | None) -> Path | None:
    """The folder of the previous release, verified unless it was `checked` just now. Raises DataError if it is missing or
    damaged: no diff, no release."""
    if entry is None:
        return None
    folder = paths.releases / folder_name(entry["version"])
    if not (folder / "manifest.json").exists():
        reason = "the previous release is not here, so the differences cannot be shown"
        remedy = f"fetch it into {folder}"
        raise DataError.of("release", reason, remedy, value=entry["version"])
    if folder != checked:
        check(folder)
    return folder


def _build(paths: Paths, request: Request, making: Path, say: Say, run: Run) -> Built:
    """Builds what is to be released."""
    work, commit = making / folder_name(request.version), read_commit(paths, request.allow_dirty)
    say(f"building {request.version} from {(commit.sha or 'files without a commit')[:12]}")
    build_into(paths, request.as_of, work, _ground(paths, commit, making, run))
    if read_commit(paths, request.allow_dirty) != commit:
        raise DataError.of("release", "files changed during the build", "run it again")
    return Built(work, commit)


def _ground(paths: Paths, commit: Commit, making: Path, run: Run) -> build.Ground:
    """What all vintages share at the commit, made once in a run."""
    if run.ground is None or run.commit != commit:
        run.commit, run.ground = commit, build.lay_ground(paths, making / "empty.duckdb")
    return run.ground


def _complete(paths: Paths, request: Request, channel: str, before: Path | None, built: Built, say: Say) -> Path:
    """Adds to a build all that a release has besides; returns its folder, verified and synced to disk."""
    work = built.work
    describe(paths, work, before, _release(request, channel, built.commit, before))
    bundle.write_zip(work, request.version)
    bundle.write_sums(work)
    if request.key:
        bundle.sign_sums(work, request.key)
    for file in sorted(work.iterdir()):
        file.chmod(0o444)
        sync(file)
    say(f"verifying {len(list(work.iterdir()))} files")
    check(work)
    return work


def _release(request: Request, channel: str, commit: Commit, before: Path | None) -> dict[str, Any]:
    """What the manifest says about the release itself."""
    compared = before.name.removeprefix("v" if channel == "release" else "") if before else None
    names = {"version": request.version, "channel": channel, "date": commit.date, "commit": commit.sha}
    return {**names, "previous": compared}


def build_into(paths: Paths, as_of: date | None, work: Path, ground: build.Ground | None = None) -> None:
    """Runs a separate build and puts its files into `work`; data/processed/ is left as it is."""
    output = work.with_name("build")
    build.build(replace(paths, output=output), as_of, ground)
    (output / ".current").resolve().rename(work)
    shutil.rmtree(output)
    for note in work.glob(".*"):  # what a build keeps for the next one is of no use in a release
        note.unlink()


def check(folder: Path) -> None:
    """Raises DataError with everything that is wrong with a release's folder."""
    if problems := problems_of(os.fsencode(folder)):  # in this process: the folder is our own
        remedy = "fetch it again, or restore it from a copy"
        raise DataError(Problem(folder.name, "", "", "", problem, remedy) for problem in problems)


def place(work: Path, folder: Path) -> Path:
    """Gives the folder its name. A folder of that name without an entry is from a killed run, and must be the same."""
    if folder.exists():
        if _reproducible(folder) != _reproducible(work):
            reason = "already exists, is not in releases.json, and differs"
            raise DataError.of(str(folder), reason, "remove it if it was never published")
        check(folder)
        return folder
    sync(work)
    work.rename(folder)
    sync(folder.parent)
    return folder


def _reproducible(folder: Path) -> dict[str, str]:
    """{name: hash} of the files that are the same in every run; SHA256SUMS and its signature name the others."""
    left = (*bundle.NOT_REPRODUCIBLE, bundle.SUMS, f"{bundle.SUMS}.sig")
    return {file.name: file_sha256(file) for file in folder.iterdir() if file.name not in left}


def entry_of(folder: Path, url: str) -> Entry:
    """The entry of a release's folder in the index."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    release, template = manifest["release"], url or "{folder}/{name}"
    files = {
        file.name: {
            "url": template.format(folder=folder.name, name=file.name, asset=asset_name(file.name)),
            "bytes": file.stat().st_size,
            "sha256": file_sha256(file),
        }
        for file in sorted(folder.iterdir())
    }
    return {
        **{key: release[key] for key in ("version", "channel", "date")},
        "schema_version": manifest["schema_version"],
        "as_of": manifest["as_of"],
        "models": manifest["tables"]["models"]["rows"],
        "notable": _count_notable(folder),
        "bytes": sum(entry["bytes"] for entry in files.values()),
        "manifest_sha256": files["manifest.json"]["sha256"],
        "files": files,
    }


def asset_name(name: str) -> str:
    """The name that GitHub gives to an asset: it does not allow a leading dot."""
    return f"default{name}" if name.startswith(".") else name


def _count_notable(folder: Path) -> int:
    notable = parquet.read_table(folder / "models.parquet", columns=["is_notable"])["is_notable"]
    return int(pc.sum(notable).as_py() or 0)


def vintage(day: date) -> str:
    """The version of a vintage."""
    return f"{VINTAGE}{day.isoformat()}"
