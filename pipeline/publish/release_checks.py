"""What a release must pass: version, key and commit before the build, the release before it afterwards."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pipeline.errors import DataError, Problem
from pipeline.paths import CHECKOUT, Paths, git
from traincompute import __version__
from traincompute.base.manifest import read_json
from traincompute.base.places import INDEX_NAME, MANIFEST
from traincompute.index import VINTAGE, Release, folder_name, parse_index, version_key
from traincompute.verification import known_signers, verify_folder

Index = dict[str, Any]  # the content of releases.json
CALVER = re.compile(r"20[0-9]{2}\.([1-9]|1[0-2])\.(0|[1-9][0-9]*)")  # year.month.number
DECLARED_IN = "SCHEMA_VERSION in pipeline/config.py"


def check_request(index: Index, version: str, key: Path | None) -> None:
    """A version is the one that the package announces, later than the latest release and released only once. A release
    is signed if it is known who may sign, and only then. Raises DataError."""
    signers, is_vintage = known_signers(), version.startswith(VINTAGE)
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


def check_folder(folder: Path, listed: Release | None = None) -> None:
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
        remedy = f"set {DECLARED_IN} to {proposal}, or revert the change"
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
