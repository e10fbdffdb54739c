"""Makes a release: check, build, compare with the one before, describe, seal with checksums and signature, put in
place, and enter in the index; and makes one again.

It is made in a folder beside the others; what a killed run left of one is removed by the next. It gets its name in one
step, and releases.json is written last: whatever that names is complete."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from pyarrow import parquet

from pipeline.config import load_config
from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.publish.describe import describe
from pipeline.publish.release_checks import Index, check_changes, check_folder, check_request, predecessor, read_commit
from pipeline.released import write_baseline
from pipeline.validate.gate import check_listed, stated_cells
from traincompute.base.files import file_sha256, sole_writer, staging, write_whole
from traincompute.base.manifest import read_json, read_sums
from traincompute.base.places import DUCKDB_NAME, INDEX_NAME, MANIFEST, SIGNATURE, SUMS, ReleaseError
from traincompute.index import FORMAT, VINTAGE, folder_name, parse_index, version_key
from traincompute.verification import NAMESPACE

TIMEOUT_S = 1800
COMMIT = re.compile(r"[0-9a-f]{40,64}")  # neither marked as dirty nor an option of git
Build = Callable[[Paths, date | None], Any]  # pipeline.build.build, and what it returns


def make_release(
    paths: Paths, version: str, build: Build, key: Path | None = None, url: str = "", allow_dirty: bool = False
) -> Path:
    """Makes release VERSION, or a vintage-DATE, and returns its folder. `key` signs it; `url` is the address that the
    index gives for the folders ("" = beside it); `allow_dirty` also takes files that are not committed.

    Raises DataError if a check fails, OSError if the disk does not allow it: index and releases stay as they are."""
    paths.releases.mkdir(parents=True, exist_ok=True)
    as_of = date.fromisoformat(version.removeprefix(VINTAGE)) if version.startswith(VINTAGE) else None
    with sole_writer(paths.releases), staging(paths.releases / "making") as making:
        index = read_index(paths.releases)
        check_request(index, version, key)
        before = predecessor(paths.releases, index, version)
        commit, day = read_commit(paths, allow_dirty)
        work = making / folder_name(version)
        built = build_into(paths, as_of, work, build)
        check_listed(built.verdict.findings)
        if read_commit(paths, allow_dirty) != (commit, day):
            raise DataError.of("release", "files changed during the build", "run it again")
        channel = "vintage" if as_of else "release"
        describe(paths, work, {"version": version, "channel": channel, "date": day, "commit": commit})
        if before:
            check_changes(before, work)
        seal(work, key)
        check_folder(work)
        folder = place(work, paths.releases / work.name)
        write_index(paths.releases, index, folder, url)
        if not (as_of or allow_dirty):  # what the next builds are compared with
            config = load_config(paths)
            stated = stated_cells(config, built.verdict.tables)
            write_baseline(config, stated, built.tables["predictions"], date.fromisoformat(day))
    return folder


def build_into(paths: Paths, as_of: date | None, work: Path, build: Build) -> Any:
    """Runs a separate build and puts its files into `work`; data/processed/ is left as it is. Returns what `build`
    does."""
    output = work.with_name("build")
    built = build(replace(paths, output=output), as_of)
    (output / ".current").resolve().rename(work)
    shutil.rmtree(output)
    for note in work.glob(".*"):  # what a build keeps for the next one is of no use in a release
        note.unlink()
    return built


def seal(folder: Path, key: Path | None) -> None:
    """Writes SHA256SUMS, in the format of `sha256sum -c`, signs it if there is a key, and makes all files read-only."""
    lines = [f"{file_sha256(file)}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")
    if key:
        _sign(folder / SUMS, key)
    for file in sorted(folder.iterdir()):
        file.chmod(0o444)
        sync(file)


def sync(path: Path) -> None:
    """Forces the contents of a file, or the names in a folder, to disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sign(sums: Path, key: Path) -> None:
    """SHA256SUMS.sig, made by ssh-keygen. Raises DataError if it cannot sign with the key."""
    command = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", NAMESPACE, str(sums)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
        reason = (done.stderr.strip().splitlines() or ["ssh-keygen failed"])[-1] if done.returncode else ""
    except OSError:
        reason = "ssh-keygen is not installed"
    if reason:
        remedy = "give an SSH key without a passphrase, or one that ssh-agent holds"
        raise DataError.of("release", reason, remedy, field="--key", value=str(key))


def place(work: Path, folder: Path) -> Path:
    """Gives the folder its name. A folder of that name without an entry is from a killed run, and must be the same in
    what is equal in every run."""
    if folder.exists():
        left = (DUCKDB_NAME, SUMS, SIGNATURE)
        here, new = ({f.name: file_sha256(f) for f in each.iterdir() if f.name not in left} for each in (folder, work))
        if here != new:
            reason = "already exists, is not in releases.json, and differs"
            raise DataError.of(str(folder), reason, "remove it if it was never published")
        check_folder(folder)
        return folder
    sync(work)
    work.rename(folder)
    sync(folder.parent)
    return folder


def read_index(releases: Path) -> Index:
    """releases.json of a folder, without releases if there is none. Raises DataError if it cannot be used."""
    file = releases / INDEX_NAME
    if not file.exists():
        return {"name": "traincompute", "format": FORMAT, "serial": 0, "latest": None, "releases": []}
    try:
        content = file.read_bytes()
        parse_index(content, str(file))
    except ReleaseError as error:
        raise DataError.of(str(file), str(error), "fetch it again from where it is published") from error
    index: Index = json.loads(content)
    return index


def write_index(releases: Path, index: Index, folder: Path, url: str) -> None:
    """Enters a release in `index`, whose serial rises, and which is replaced in one step; `latest` is the newest in
    the channel release. Raises OSError, which leaves the old index in place."""
    manifest = read_json(folder / MANIFEST)
    notable = parquet.read_table(folder / "models.parquet", columns=["is_notable"])["is_notable"]
    entry = {
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
    entries = sorted([*index["releases"], entry], key=lambda e: (e["channel"], version_key(e["version"])))
    latest = [e["version"] for e in entries if e["channel"] == "release"][-1:]
    index = index | {"serial": index["serial"] + 1, "latest": latest[0] if latest else None, "releases": entries}
    write_whole(releases / INDEX_NAME, (json.dumps(index, indent=1, ensure_ascii=False) + "\n").encode())
    sync(releases)


def rebuild_problems(paths: Paths, folder: Path) -> list[str]:
    """The Parquet and CSV files of a release that its commit, built again in this checkout, does not give; none where
    all are equal. The DuckDB file, which has other bytes in every build, is not compared."""
    manifest = read_json(folder / MANIFEST)
    sha, as_of = str(manifest["release"]["commit"]), manifest["as_of"]
    if not COMMIT.fullmatch(sha):
        return [f"{MANIFEST}: the release was made from files that were not committed, so it cannot be rebuilt"]
    with tempfile.TemporaryDirectory(prefix="traincompute-rebuild-") as temporary:
        root = Path(temporary) / "checkout"
        environment = os.environ | {"PYTHONPATH": str(root), "TRAINCOMPUTE_ROOT": str(root)}
        build = "from traincompute.cli import main; main()"
        steps = [
            ("cannot clone", None, ["git", "clone", "-q", "--shared", "--no-checkout", str(paths.root), str(root)]),
            (f"cannot check out {sha}", None, ["git", "-C", str(root), "checkout", "-q", "--detach", sha]),
            ("cannot build", root, [sys.executable, "-c", build, "build", *(["--as-of", as_of] if as_of else [])]),
        ]
        for fault, place, command in steps:
            done = subprocess.run(
                command, cwd=place, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S
            )
            if done.returncode:
                return [f"{fault}: {(done.stderr.strip().splitlines() or ['no message'])[-1]}"]
        again = Paths(root).of(date.fromisoformat(as_of) if as_of else None).processed
        new = {file.name: file_sha256(file) for file in again.iterdir() if file.suffix in (".parquet", ".csv")}
    old = {name: digest for name, digest in read_sums(folder).items() if name.endswith((".parquet", ".csv"))}
    differing = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return [f"{name}: differs from what the release's commit produces" for name in differing]
