"""Makes releases: build, describe, sum up, sign, verify, put in place, and only then enter each in the index.

A release is made in a folder beside the others; what a killed run left of one is removed by the next. It gets its name
in one step, and releases.json is written last: whatever it names is complete."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from pyarrow import parquet

from pipeline import build
from pipeline.base.errors import DataError, Problem, SourceError
from pipeline.base.paths import Paths
from pipeline.release.commit import Commit, read_commit
from pipeline.release.describe.description import describe
from pipeline.release.index import Entry, check_version, find, previous, read_index, with_entry, write_index
from traincompute.base.disk import file_sha256, sync
from traincompute.base.locks import held, sweep_litter
from traincompute.base.places import DUCKDB_NAME, MANIFEST, SIGNATURE, SUMS
from traincompute.base.staging import staging
from traincompute.index import VINTAGE, folder_name, version_key
from traincompute.verification import NAMESPACE, known_signers, verify_folder

Say = Callable[[str], None]


@dataclass(frozen=True)
class Request:
    """What to release: a version, with its day if it is a vintage; whether from files that are not committed; the key
    to sign with; and the address below which the index says that the folders are ("" = beside the index)."""

    version: str
    as_of: date | None = None
    allow_dirty: bool = False
    key: Path | None = None
    url: str = ""


def make_releases(paths: Paths, requests: Sequence[Request], say: Say) -> Iterator[Path]:
    """Makes releases, the first one first, and enters each in the index before it yields its folder.

    Raises DataError if a check fails, SourceError while another run makes releases, OSError if the disk does not allow
    it; the releases that are in the index by then stay as they are."""
    with _locked(paths.releases), staging(paths.releases / "making") as making:
        for request in requests:
            _check_key(request.key)
            _check_new(read_index(paths.releases), request.version, check_version(request.version))
        ground, commit = None, None
        for request in requests:
            if read_commit(paths, request.allow_dirty) != commit or ground is None:
                commit = read_commit(paths, request.allow_dirty)
                ground = build.lay_ground(paths, making / "empty.duckdb")
            say(f"building {request.version} from {(commit.sha or 'files without a commit')[:12]}")
            work = making / folder_name(request.version)
            build_into(paths, request.as_of, work, ground)
            if read_commit(paths, request.allow_dirty) != commit:
                raise DataError.of("release", "files changed during the build", "run it again")
            complete(paths, request, work, commit)
            folder = place(work, paths.releases / work.name)
            write_index(paths.releases, with_entry(read_index(paths.releases), entry_of(folder, request.url)))
            yield folder


@contextlib.contextmanager
def _locked(releases: Path) -> Iterator[None]:
    """Locks the folder for one writer. Raises SourceError while another one has it."""
    releases.mkdir(parents=True, exist_ok=True)
    sweep_litter(releases)
    with held(releases, without_locks=True) as ours:
        if not ours:
            raise SourceError(f"{releases}: another release is being made; wait until it is done")
        yield


def _check_key(key: Path | None) -> None:
    """A release is signed if it is known who may sign, and only then."""
    signers = known_signers()
    if key and not signers:
        remedy = "enter the public key in traincompute/allowed_signers first, so that readers know it"
        raise DataError.of("release", "nobody is known who may sign", remedy, field="--key", value=str(key))
    if signers and not key:
        remedy = "give the private key that belongs to one of its lines"
        raise DataError.of("release", f"{signers} says that releases are signed", remedy, field="--key", value="")


def _check_new(index: dict[str, Any], version: str, channel: str) -> None:
    """A version is released only once, and a new one in the channel release comes after the existing ones."""
    reason = ""
    if find(index, version):
        reason = "has already been released, and a release never changes"
    elif channel == "release" and index["latest"] and version_key(version) < version_key(index["latest"]):
        reason = f"is older than the latest release {index['latest']}"
    if reason:
        raise DataError.of("release", reason, "take the next number", value=version)


def build_into(paths: Paths, as_of: date | None, work: Path, ground: build.Ground | None = None) -> None:
    """Runs a separate build and puts its files into `work`; data/processed/ is left as it is."""
    output = work.with_name("build")
    build.build(replace(paths, output=output), as_of, ground)
    (output / ".current").resolve().rename(work)
    shutil.rmtree(output)
    for note in work.glob(".*"):  # what a build keeps for the next one is of no use in a release
        note.unlink()


def complete(paths: Paths, request: Request, work: Path, commit: Commit) -> None:
    """Adds to a build all that a release has besides, verifies it and syncs it to disk."""
    channel = check_version(request.version)
    before = previous(read_index(paths.releases), channel, request.version)
    release = {"version": request.version, "channel": channel, "date": commit.date, "commit": commit.sha}
    older = _folder_of(paths, before) if before else None
    if older and _contents(older) == _contents(work):
        raise DataError.of("release", f"nothing differs from {older.name}", "release when facts have changed")
    describe(paths, work, older, release)
    write_sums(work)
    if request.key:
        sign_sums(work, request.key)
    for file in sorted(work.iterdir()):
        file.chmod(0o444)
        sync(file)
    check(work)


def _folder_of(paths: Paths, entry: Entry) -> Path:
    """The folder of the previous release, with whose schema the new one is compared. Raises DataError if it is
    missing."""
    folder = paths.releases / folder_name(entry["version"])
    if not (folder / MANIFEST).exists():
        reason = "the previous release is not here, so the schemas cannot be compared"
        raise DataError.of("release", reason, f"fetch it into {folder}", value=entry["version"])
    check(folder)
    return folder


def _contents(folder: Path) -> dict[str, str]:
    """{table: hash of its contents}."""
    tables = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["tables"]
    return {name: entry["content_sha256"] for name, entry in tables.items()}


def write_sums(folder: Path) -> None:
    """SHA256SUMS: a line per file in the folder, sorted by name, in the format of `sha256sum -c`."""
    names = sorted(file.name for file in folder.iterdir() if not file.name.startswith(SUMS))
    lines = [f"{file_sha256(folder / name)}  {name}\n" for name in names]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")


def sign_sums(folder: Path, key: Path) -> None:
    """SHA256SUMS.sig, made by ssh-keygen. Raises DataError if it cannot sign with the key."""
    command = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(folder / SUMS)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        reason = (done.stderr.strip().splitlines() or ["ssh-keygen failed"])[-1] if done.returncode else ""
    except OSError:
        reason = "ssh-keygen is not installed"
    if reason:
        remedy = "give an SSH key without a passphrase, or one that ssh-agent holds"
        raise DataError.of("release", reason, remedy, field="--key", value=str(key))


def check(folder: Path) -> None:
    """Raises DataError with everything that is wrong with a release's folder."""
    if problems := verify_folder(folder).problems:
        remedy = "fetch it again, restore it from a copy, or enter the key in traincompute/allowed_signers"
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
    """{name: hash} of the files that are the same in every run."""
    left = (DUCKDB_NAME, SUMS, SIGNATURE)
    return {file.name: file_sha256(file) for file in folder.iterdir() if file.name not in left}


def entry_of(folder: Path, url: str) -> Entry:
    """The entry of a release's folder in the index."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    notable = parquet.read_table(folder / "models.parquet", columns=["is_notable"])["is_notable"]
    return {
        **{key: manifest["release"][key] for key in ("version", "channel", "date", "commit")},
        "schema_version": manifest["schema_version"],
        "as_of": manifest["as_of"],
        "models": manifest["tables"]["models"]["rows"],
        "notable": int(pc.sum(notable).as_py() or 0),
        "bytes": sum(file.stat().st_size for file in folder.iterdir()),
        "sums_sha256": file_sha256(folder / SUMS),
        "signed": (folder / SIGNATURE).exists(),
        "url": f"{url.rstrip('/')}/{folder.name}" if url else folder.name,
    }


def vintage(day: date) -> str:
    """The version of a vintage."""
    return f"{VINTAGE}{day.isoformat()}"
