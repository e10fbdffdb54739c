"""Whether files are those that were published. A folder is the release that it says it is if every file is listed in
SHA256SUMS and has its hash, nothing else is there, tables have the rows of the manifest, and SHA256SUMS is the one of
the index or is signed by a known signer.

What we sign is our word: nobody looks into the DuckDB file, which the reader never opens."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from traincompute.base.errors import ReleaseError
from traincompute.base.files import file_sha256, read_json
from traincompute.base.places import MANIFEST, PACKAGE, SIGNATURE, SUMS
from traincompute.index import Release

NAMESPACE = "traincompute"  # of the signature, as `traincompute dev release` gives it to ssh-keygen
SIGNERS = Path(PACKAGE) / "allowed_signers"
TIMEOUT_S = 10
INTEGRITY_ONLY = "integrity only: neither an index nor a signature says who published it"
UNCHECKED = "; its signature was not checked: TRAINCOMPUTE_SIGNERS may name who signs"
LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._-]{0,99})")


class Verdict(NamedTuple):
    """What is wrong with a release, one line each, and who vouches for it where nothing is."""

    problems: list[str]
    vouched: str


def read_sums(folder: Path) -> dict[str, str]:
    """{file: sha256} of SHA256SUMS, line by line as `sha256sum -c` reads it. Raises ReleaseError for a line that is
    none, a name that is no plain file name, and a name that stands twice."""
    if not (folder / SUMS).is_file():
        raise ReleaseError(f"{SUMS} is missing, so this is not a release")
    sums: dict[str, str] = {}
    lines = (folder / SUMS).read_bytes().decode("ascii", "replace").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, 1):
        match = LINE.fullmatch(line)
        if not match or match[2] in sums:
            reason = "stands twice" if match else "is not a sha256, two spaces and a plain file name"
            raise ReleaseError(f"{SUMS}:{number}: {line[:150]!a} {reason}")
        sums[match[2]] = match[1]
    return sums


def table_hashes(manifest: Mapping[str, Any]) -> dict[str, str]:
    """{file: sha256} of the Parquet and CSV files of the tables. Raises ReleaseError where the manifest is none."""
    try:
        tables = manifest["tables"].values()
        return {name: entry["sha256"] for table in tables for name, entry in table["files"].items()}
    except (KeyError, TypeError, AttributeError) as error:
        raise ReleaseError(f"{MANIFEST} cannot be used: {error!r}") from error


def check_file(path: Path, sha256: str | None) -> Path:
    """The file, where it is there and has that hash. Raises ReleaseError."""
    remedy = "download the release or build the dataset again"
    if not path.is_file():
        raise ReleaseError(f"{path} is missing; {remedy}", 2)
    if sha256 and (digest := file_sha256(path)) != sha256:
        raise ReleaseError(f"{path} has sha256 {digest}, but {sha256} in {MANIFEST}; {remedy}")
    return path


def altered(path: Path, sha256: str, by: str) -> str:
    """What is wrong with a file that has another hash than is listed; "" where it has that."""
    digest = file_sha256(path)
    return "" if digest == sha256 else f"{path.name}: sha256 is {digest}, but {sha256} in {by}"


def verify_folder(folder: Path, release: Release | None = None, signers: Path | None = None) -> Verdict:
    """The verdict on a folder, as `release` of an index or by itself. `signers` may sign, or else `known_signers`."""
    signers = signers or known_signers()
    try:
        there = {path.name for path in folder.iterdir()}
        problems = (
            list(_file_problems(folder, read_sums(folder), SUMS, there))
            or list(_content_problems(folder, release))
            or list(_signature_problems(folder, release, signers))
        )
    except (ReleaseError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, ReleaseError) else f"cannot be verified: {error!r}"
        problems = [f"{folder}: {' '.join(reason.split())[:300]}"]
    is_signed = (folder / SIGNATURE).exists()
    said = {"listed in the index": release, "signed by a known signer": signers and is_signed}
    vouched = " and ".join(words for words, is_so in said.items() if is_so) or INTEGRITY_ONLY
    return Verdict(problems, vouched + (UNCHECKED if is_signed and not signers else ""))


def build_problems(folder: Path) -> list[str]:
    """What is wrong with a build, or with the dataset that a package carries: Parquet and CSV files that are not those
    of the manifest, and missing Parquet files (a package carries no CSV)."""
    there = {path.name for path in folder.iterdir() if path.suffix in (".parquet", ".csv")}
    hashes = table_hashes(read_json(folder / MANIFEST)).items()
    listed = {name: digest for name, digest in hashes if name in there or name.endswith(".parquet")}
    return list(_file_problems(folder, listed, MANIFEST, there))


def _file_problems(folder: Path, listed: Mapping[str, str], by: str, there: set[str]) -> Iterator[str]:
    """Of the files that are there those that are not listed or altered; then those that are missing."""
    for name in sorted(there - {SUMS, SIGNATURE}):
        if name not in listed:
            yield f"{ascii(name)[1:-1]}: is not listed in {by}"
        elif problem := altered(folder / name, listed[name], by):
            yield problem
    yield from (f"{name}: is missing" for name in listed if name not in there)


def _content_problems(folder: Path, release: Release | None) -> Iterator[str]:
    """Tables with another number of rows than the manifest says, and a version or SHA256SUMS that is not that of the
    release."""
    from pyarrow import ArrowException, parquet  # a file that is altered is found without it

    manifest = read_json(folder / MANIFEST)
    for name, entry in manifest["tables"].items():
        try:
            rows = parquet.read_metadata(folder / f"{name}.parquet").num_rows
            if rows != entry["rows"]:
                yield f"{name}.parquet: number of rows is {rows}, but {entry['rows']} in {MANIFEST}"
        except (ArrowException, OSError) as error:
            yield f"{name}.parquet: cannot be read: {str(error).splitlines()[0][:200]}"
    version = manifest["release"]["version"]
    if release and version != release.version:
        yield f"{MANIFEST}: is that of release {version}, not of {release.version}"
    elif release and (problem := altered(folder / SUMS, release.sums_sha256, "the index")):
        yield problem


def _signature_problems(folder: Path, release: Release | None, signers: Path | None) -> Iterator[str]:
    """What is wrong with the signature. Where it is known who signs, a release has to be signed, unless the index lists
    it as unsigned and that is accepted."""
    if (folder / SIGNATURE).exists():
        if signers and (fault := signed_by_nobody(folder, signers)):
            yield f"{SIGNATURE}: {fault}"
        elif not signers and release and not release.is_signed:
            yield f"{SIGNATURE}: is there, but the index lists this release as unsigned"
    elif (release.is_signed or (signers and not release.may_be_unsigned)) if release else signers:
        yield f"{SIGNATURE}: is missing, but this release has to be signed"


def signed_by_nobody(folder: Path, signers: Path) -> str:
    """Why the signature is not one of the signers on SHA256SUMS; "" where it is."""
    command = ["ssh-keygen", "-f", str(signers), "-s", str(folder / SIGNATURE), "-Y"]
    limits: Any = {"input": (folder / SUMS).read_bytes(), "capture_output": True, "timeout": TIMEOUT_S}
    try:
        found = subprocess.run([*command, "find-principals"], **limits).stdout.decode(errors="replace")
        maker = found.partition("\n")[0]
        if not maker:
            return f"nobody in {signers} has made it"
        done = subprocess.run([*command, "verify", "-I", maker, "-n", NAMESPACE], **limits)
    except FileNotFoundError:
        return "cannot be checked without ssh-keygen"
    except subprocess.TimeoutExpired:
        return f"ssh-keygen did not end within {TIMEOUT_S} s"
    return f"does not fit {SUMS}" if done.returncode else ""


def known_signers() -> Path | None:
    """Who may sign, in the format of ssh-keygen: $TRAINCOMPUTE_SIGNERS, else the package's file if it names anybody."""
    if given := os.environ.get("TRAINCOMPUTE_SIGNERS"):
        return Path(given)
    lines = SIGNERS.read_text(encoding="utf-8").splitlines() if SIGNERS.is_file() else []
    return SIGNERS if any(line.strip() and not line.startswith("#") for line in lines) else None
