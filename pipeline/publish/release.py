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
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
from pyarrow import parquet

from pipeline.config import load_config
from pipeline.errors import DataError, Problem
from pipeline.files import sole_writer
from pipeline.paths import CHECKOUT, Paths, git
from pipeline.publish.describe import describe
from pipeline.released import baseline_content
from pipeline.validate.gate import check_listed, stated_cells
from traincompute import __version__, published
from traincompute.base.errors import ReleaseError
from traincompute.base.files import file_sha256, read_json, staging, write_whole
from traincompute.base.places import DUCKDB_NAME, INDEX_NAME, MANIFEST, SIGNATURE, SUMS
from traincompute.published import VINTAGE, folder_name, parse_index, verify_folder

TIMEOUT_S = 1800
COMMIT = re.compile(r"[0-9a-f]{40,64}")  # neither marked as dirty nor an option of git
CALVER = re.compile(r"20[0-9]{2}\.([1-9]|1[0-2])\.(0|[1-9][0-9]*)")  # year.month.number
Index = dict[str, Any]  # the content of releases.json
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
        baseline = making / paths.baseline.name  # what the next builds are compared with
        if not (as_of or allow_dirty):
            config = load_config(paths)
            stated = stated_cells(config, built.verdict.tables)
            baseline.write_bytes(baseline_content(config, stated, built.tables["predictions"], date.fromisoformat(day)))
        folder = place(work, paths.releases / work.name)
        write_index(paths.releases, index, folder, url)
        if baseline.exists():
            shutil.move(baseline, paths.baseline)
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
    """Writes SHA256SUMS, in the format of `sha256sum -c`, signs it if there is a key, and makes all files read-only.
    Raises DataError if ssh-keygen cannot sign with the key."""
    lines = [f"{file_sha256(file)}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")
    if key:
        command = ["ssh-keygen", "-Y", "sign", "-q", "-f", str(key), "-n", published.NAMESPACE, str(folder / SUMS)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
            reason = (done.stderr.strip().splitlines() or ["ssh-keygen failed"])[-1] if done.returncode else ""
        except OSError:
            reason = "ssh-keygen is not installed"
        if reason:
            remedy = "give an SSH key without a passphrase, or one that ssh-agent holds"
            raise DataError.of("release", reason, remedy, field="--key", value=str(key))
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
        return {"name": "traincompute", "format": published.FORMAT, "serial": 0, "latest": None, "releases": []}
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


# --- What a release must pass: version, key and commit before the build, the release before it afterwards


def check_request(index: Index, version: str, key: Path | None) -> None:
    """A version is the one that the package announces, later than the latest release and released only once. A release
    is signed if it is known who may sign, and only then. Raises DataError."""
    signers, is_vintage = published.known_signers(), version.startswith(VINTAGE)
    field, value, reason, remedy = "", version, "", "take the next number"
    if not is_vintage and not CALVER.fullmatch(version):
        reason, remedy = "is not a version", "use year.month.number without leading zeros, such as 2026.11.0"
    elif any(entry["version"] == version for entry in index["releases"]):
        reason = "has already been released, and a release never changes"
    elif not is_vintage and index["latest"] and version_key(version) < version_key(index["latest"]):
        reason = f"is older than the latest release {index['latest']}"
    elif not is_vintage and version != __version__:
        reason = f"is not the version that traincompute/__init__.py announces, {__version__}"
        remedy = f"release {__version__}, or set __version__ there and commit it first"
    elif key and not signers:
        field, value, reason = "--key", str(key), "nobody is known who may sign"
        remedy = "enter the public key in traincompute/allowed_signers first, so that readers know it"
    elif signers and not key:
        field, value, reason = "--key", "", f"{signers} says that releases are signed"
        remedy = "give the private key that belongs to one of its lines"
    if reason:
        raise DataError.of("release", reason, remedy, field=field, value=value)


def read_commit(paths: Paths, allow_dirty: bool) -> tuple[str | None, str]:
    """The commit of the checkout (None outside git; followed by -dirty if files differ from it), and its date. Raises
    DataError if files differ from it, unless `allow_dirty`. SOURCE_DATE_EPOCH sets another date; the clock is never
    read."""
    own = paths.root / "pipeline"
    if (own / "__init__.py").is_file() and own.resolve() != (CHECKOUT / "pipeline").resolve():
        reason = f"the running code is from {CHECKOUT}, but the data is from {paths.root}"
        raise DataError.of("release", reason, f"run the command that is installed from {paths.root}")
    sha = git(paths.root, "rev-parse", "--verify", "HEAD")
    changed = git(paths.root, "status", "--porcelain") if sha else ""
    if changed is None:
        reason = f"git cannot tell which files of {paths.root} differ from the commit"
        raise DataError.of("release", reason, "run `git status` there, and mend what it says")
    if not allow_dirty and (sha is None or changed):
        names = [line[3:] for line in changed.splitlines()]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        reason = f"not as committed: {', '.join(names[:3])}{more}" if names else f"{paths.root} is not a git checkout"
        raise DataError.of("release", reason, "commit first, or use --allow-dirty for a trial")
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or (sha and git(paths.root, "show", "-s", "--format=%ct", "HEAD")) or ""
    if not epoch.isdigit():
        remedy = "set it to seconds since 1970"
        raise DataError.of("release", "gives no date", remedy, field="SOURCE_DATE_EPOCH", value=epoch)
    sha = f"{sha}-dirty" if sha and changed else sha
    return sha, datetime.fromtimestamp(int(epoch), UTC).date().isoformat()


def predecessor(releases: Path, index: Index, version: str) -> Path | None:
    """The folder of the release of the same channel before, checked against the index. Raises DataError if it is
    missing or altered. It may be unsigned if it was made before it was known who signs."""
    listed = parse_index(json.dumps(index).encode(), str(releases / INDEX_NAME)).releases
    key, is_vintage = version_key(version), version.startswith(VINTAGE)
    older = [name for name in listed if name.startswith(VINTAGE) == is_vintage and version_key(name) < key]
    if not older:
        return None
    before = listed[max(older, key=version_key)]
    folder = releases / folder_name(before.version)
    if not (folder / MANIFEST).exists():
        reason = "the previous release is not here, so the schemas cannot be compared"
        raise DataError.of("release", reason, f"fetch it into {folder}", value=before.version)
    check_folder(folder, before._replace(may_be_unsigned=True))
    return folder


def check_folder(folder: Path, listed: published.Release | None = None) -> None:
    """Raises DataError with everything that is wrong with a release's folder."""
    remedy = "fetch it again, restore it from a copy, or enter the key in traincompute/allowed_signers"
    problems = verify_folder(folder, listed).problems
    DataError.raise_any(Problem(folder.name, "", "", "", problem, remedy) for problem in problems)


def check_changes(before: Path, work: Path) -> None:
    """Raises DataError if all tables are those of the release before, or if the schema version is too low for what
    changed: what code may rely on and is gone or another thing raises its first number (the second while the first is
    0), what is new the second (the third)."""
    was, now = (read_json(folder / MANIFEST)["tables"] for folder in (before, work))
    if {name: was[name]["content_sha256"] for name in was} == {name: now[name]["content_sha256"] for name in now}:
        raise DataError.of("release", f"nothing differs from {before.name}", "release when facts have changed")
    old, new = (read_json(folder / "datapackage.json") for folder in (before, work))
    changes, proposal = schema_changes(old, new)
    if version_key(new["schema_version"]) < version_key(proposal):
        remedy = f"set SCHEMA_VERSION in pipeline/config.py to {proposal}, or revert the change"
        raise DataError(Problem("schema", place, "", "", change, remedy) for place, change in changes)


def schema_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[list[tuple[str, str]], str]:
    """The gravest changes between two datapackage.json, each with its place, and the schema version that they need."""
    was, now = _promises(before), _promises(after)
    broken = [
        (place, f"{what} is now {now.get(place, 'gone')}") for place, what in was.items() if now.get(place) != what
    ]
    added = [(place, f"{what} is new") for place, what in now.items() if place not in was]
    major, minor, patch = version_key(before["schema_version"])
    if broken:
        return broken, f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"
    if added:
        return added, f"{major}.{minor + 1}.0" if major else f"0.{minor}.{patch + 1}"
    return [], str(before["schema_version"])


def version_key(version: str) -> tuple[int, ...]:
    """The sort key of versions within one channel: 2026.9.0 comes before 2026.11.0."""
    return tuple(int(part) for part in re.findall(r"[0-9]+", version))


def _promises(package: Mapping[str, Any]) -> dict[str, str]:
    """{place: what code may rely on there}: keys, types and units, what is never null, codes, columns of views."""
    promises: dict[str, str] = {}
    for table in package["resources"]:
        promises[table["name"]] = f"table with the key {', '.join(table['schema']['primaryKey'])}"
        for field in table["schema"]["fields"]:
            place, constraints = f"{table['name']}.{field['name']}", field.get("constraints", {})
            promises[place] = f"list joined by {field['delimiter']}" if "delimiter" in field else field["type"]
            promises[place] += f" in {field['unit']}" if field.get("unit") else ""
            promises |= {f"{place}, never null": "promise"} if constraints.get("required") else {}
            promises |= {f"{place}, code {code}": "code" for code in constraints.get("enum", [])}
    for view, columns in package.get("views", {}).items():
        promises |= {view: "view", **{f"{view}.{column}": "column of a view" for column in columns}}
    return promises


# --- A release made again


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
    old = {name: digest for name, digest in published.read_sums(folder).items() if name.endswith((".parquet", ".csv"))}
    differing = sorted(name for name in {*old, *new} if old.get(name) != new.get(name))
    return [f"{name}: differs from what the release's commit produces" for name in differing]
