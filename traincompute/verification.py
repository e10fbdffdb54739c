"""Whether a folder is the release that it says it is: every file is listed in SHA256SUMS and has its hash, nothing else
is there, tables have the rows of the manifest, and SHA256SUMS is the one of the index or is signed by a known signer.

What we sign is our word: nobody looks into the DuckDB file, which the reader never opens.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from traincompute.base.disk import file_sha256
from traincompute.base.places import MANIFEST, PACKAGE, SIGNATURE, SUMS, ReleaseError
from traincompute.base.sources import OWN
from traincompute.index import Release

NAMESPACE = "traincompute"  # of the signature, as `traincompute dev release` gives it to ssh-keygen
SIGNERS = Path(PACKAGE) / "allowed_signers"
TIMEOUT_S = 10
LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._-]{0,99})")
INTEGRITY_ONLY = "integrity only: neither an index nor a signature says who published it"


class Verdict(NamedTuple):
    """What is wrong with a release, one line each, and who vouches for it where nothing is."""

    problems: list[str]
    vouched: str


def verify_folder(folder: Path, release: Release | None = None, signers: Path | None = None) -> Verdict:
    """The verdict on a folder, as `release` of an index or by itself; `signers` are those who may sign
    (`known_signers`)."""
    signers = signers or known_signers()
    try:
        problems = list(_file_problems(folder)) or list(_content_problems(folder, release))
    except (ReleaseError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        known = isinstance(error, ReleaseError)
        reason = str(error) if known else f"cannot be verified: {type(error).__name__}: {error}"
        problems = [f"{folder}: {' '.join(reason.split())[:300]}"]
    if not problems and (fault := _signature_fault(folder, release, signers)):
        problems = [fault]
    is_signed = (folder / SIGNATURE).exists()
    said = ["listed in the index"] if release else []
    said += ["signed by a known signer"] if signers and is_signed else []
    unchecked = "; its signature was not checked: TRAINCOMPUTE_SIGNERS may name who signs"
    return Verdict(problems, (" and ".join(said) or INTEGRITY_ONLY) + (unchecked if is_signed and not signers else ""))


def _file_problems(folder: Path) -> Iterator[str]:
    sums = read_sums(folder)
    for path in sorted(folder.iterdir()):
        if path.name not in {*sums, SUMS, SIGNATURE}:
            yield f"{ascii(path.name)[1:-1]}: is not listed in {SUMS}"
        elif path.is_symlink() or not path.is_file():
            yield f"{path.name}: is not a plain file"
        elif path.name in sums and (digest := file_sha256(path)) != sums[path.name]:
            yield f"{path.name}: sha256 is {digest}, but {sums[path.name]} in {SUMS}"
    yield from (f"{name}: is missing" for name in sums if not (folder / name).exists())


def _content_problems(folder: Path, release: Release | None) -> Iterator[str]:
    """Tables with another number of rows than the manifest says, and a version or SHA256SUMS that is not that of the
    release."""
    from pyarrow import ArrowException, parquet  # a file that is altered is found without it

    manifest = read_json(folder / MANIFEST)
    for name, entry in manifest["tables"].items():
        try:
            rows = parquet.read_metadata(folder / f"{name}.parquet").num_rows
        except (ArrowException, OSError) as error:
            yield f"{name}.parquet: cannot be read: {str(error).splitlines()[0][:200]}"
        else:
            if rows != entry["rows"]:
                yield f"{name}.parquet: number of rows is {rows}, but {entry['rows']} in {MANIFEST}"
    version = manifest["release"]["version"]
    if release and version != release.version:
        yield f"{MANIFEST}: is that of release {version}, not of {release.version}"
    elif release and (digest := file_sha256(folder / SUMS)) != release.sums_sha256:
        yield f"{SUMS}: sha256 is {digest}, but {release.sums_sha256} in the index"


def _signature_fault(folder: Path, release: Release | None, signers: Path | None) -> str:
    """What is wrong with the signature; "" where nothing is. Where it is known who signs, a release has to be signed,
    unless the index lists it as unsigned and that is accepted."""
    if not (folder / SIGNATURE).exists():
        is_accepted = release and not release.is_signed and (release.may_be_unsigned or not signers)
        needed = (signers or release) and not is_accepted
        return f"{SIGNATURE}: is missing, but this release has to be signed" if needed else ""
    if signers:
        return signed_by_nobody(folder / SUMS, folder / SIGNATURE, signers)
    if release and not release.is_signed:
        return f"{SIGNATURE}: is there, but the index lists this release as unsigned"
    return ""


def signed_by_nobody(sums: Path, signature: Path, signers: Path) -> str:
    """Why the signature is not one of the signers on that SHA256SUMS; "" where it is."""
    command = ["ssh-keygen", "-Y", "find-principals", "-f", str(signers), "-s", str(signature)]
    settings: dict[str, Any] = {"capture_output": True, "timeout": TIMEOUT_S}
    try:
        found = subprocess.run(command, **settings)
        makers = found.stdout.decode(errors="replace").splitlines() if found.returncode == 0 else []
        if not makers:
            return f"{SIGNATURE}: nobody in {signers} has made it"
        command[2:3] = ["verify", "-I", makers[0], "-n", NAMESPACE]
        checked = subprocess.run(command, input=sums.read_bytes(), **settings)
    except FileNotFoundError:
        return f"{SIGNATURE}: cannot be checked without ssh-keygen"
    except subprocess.TimeoutExpired:
        return f"{SIGNATURE}: ssh-keygen did not end within {TIMEOUT_S} s"
    return "" if checked.returncode == 0 else f"{SIGNATURE}: does not fit {SUMS}"


def known_signers() -> Path | None:
    """Who may sign, in the format of ssh-keygen: $TRAINCOMPUTE_SIGNERS, else the file of the package if it names
    anybody."""
    if given := os.environ.get("TRAINCOMPUTE_SIGNERS"):
        return Path(given)
    lines = SIGNERS.read_text(encoding="utf-8").splitlines() if SIGNERS.is_file() else []
    return SIGNERS if any(line.strip() and not line.startswith("#") for line in lines) else None


def build_problems(folder: Path) -> list[str]:
    """What is wrong with a build, or with the dataset that a package carries: Parquet and CSV files that are not those
    of the manifest, and missing Parquet files (a package carries no CSV)."""
    listed = table_hashes(read_json(folder / MANIFEST))
    there = {path.name for path in folder.iterdir() if path.suffix in (".parquet", ".csv")}
    wanted = {name for name in listed if name.endswith(".parquet")}
    return [
        *(f"{name}: is not listed in {MANIFEST}" for name in sorted(there - listed.keys())),
        *(f"{name}: is missing" for name in sorted(wanted - there)),
        *(
            f"{name}: sha256 is {digest}, but {listed[name]} in {MANIFEST}"
            for name in sorted(there & listed.keys())
            if (digest := file_sha256(folder / name)) != listed[name]
        ),
    ]


def read_sums(folder: Path) -> dict[str, str]:
    """{file: sha256} of SHA256SUMS, line by line as `sha256sum -c` reads it. Raises ReleaseError for a line that is
    none, a name that is no plain file name, and a name that stands twice."""
    if not (folder / SUMS).is_file():
        raise ReleaseError(f"{SUMS} is missing, so this is not a release")
    *lines, last = (folder / SUMS).read_bytes().decode("ascii", "replace").split("\n")
    sums: dict[str, str] = {}
    for number, line in enumerate([*lines, last] if last or not lines else lines, 1):
        match = LINE.fullmatch(line)
        if not match or match[2] in sums:
            reason = "stands twice" if match else "is not a sha256, two spaces and a plain file name"
            raise ReleaseError(f"{SUMS}:{number}: {line[:150]!a} {reason}")
        sums[match[2]] = match[1]
    return sums


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object. Raises ReleaseError."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise ReleaseError(f"{path}: cannot be read: {' '.join(str(error).split())[:200]}") from error
    if not isinstance(found, dict):
        raise ReleaseError(f"{path}: is not a JSON object")
    return found


def table_hashes(manifest: Mapping[str, Any]) -> dict[str, str]:
    """{file: sha256} of the Parquet and CSV files of the tables. Raises ReleaseError where the manifest is none."""
    try:
        tables = manifest["tables"].values()
        return {name: entry["sha256"] for table in tables for name, entry in table["files"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ReleaseError(f"{MANIFEST} cannot be used: {error!r}") from error


def facts_until(manifest: Mapping[str, Any]) -> str:
    """The day that the facts reach to: the vintage, else the newest snapshot of a source that is not entered by
    hand."""
    days = [day for source, day in (manifest.get("snapshots") or {}).items() if not source.startswith(OWN)]
    return str(manifest.get("as_of") or max(days, default=""))


def entered_until(manifest: Mapping[str, Any]) -> str:
    """The day of the newest fact that was entered by hand."""
    return max((day for source, day in (manifest.get("snapshots") or {}).items() if source.startswith(OWN)), default="")
