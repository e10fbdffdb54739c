"""What was published: the index of releases (`releases.json`), and whether a folder is the release that it says it is.

An index on the network is remembered in the cache: a later one may add releases; it may neither go back nor change one.
A folder is a release if every file is listed in SHA256SUMS and has its hash, nothing else is there, tables have the
rows of the manifest, and SHA256SUMS is the one of the index or is signed by a known signer."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from traincompute.base.errors import ReleaseError
from traincompute.base.files import cache_folder, file_sha256, private_folder, read_json, write_whole
from traincompute.base.places import MANIFEST, PACKAGE, SIGNATURE, SUMS, index_address, is_remote

FORMAT = 2
VINTAGE = "vintage-"
# what becomes part of a path, or bounds a download, and what it has to be
RULES = {
    "version": (rf"[0-9]{{4}}\.[0-9]{{1,2}}\.[0-9]{{1,6}}|{VINTAGE}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}", "a version"),
    "url": (r"https?://\S+|\w[\w.-]*(/\w[\w.-]*)*", "an address, or a path below the folder of the index"),
    "bytes": (r"[0-9]{1,10}", "a number below ten billion"),
    "sums_sha256": (r"[0-9a-f]{64}", "a sha256"),
}
NO_INDEX = (
    "no index of releases is known: set TRAINCOMPUTE_INDEX=https://…/releases.json, or use --index; in a checkout"
    " `traincompute build` makes a dataset and `traincompute dev release VERSION` a release"
)
LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9][A-Za-z0-9._-]{0,99})")  # of SHA256SUMS
NAMESPACE = "traincompute"  # of the signature, as `traincompute dev release` gives it to ssh-keygen
SIGNERS = Path(PACKAGE) / "allowed_signers"
INTEGRITY_ONLY = "integrity only: neither an index nor a signature says who published it"


class Release(NamedTuple):
    """One release as its index describes it (`about`): `url` is the address or path of its folder, `place` its folder
    on this machine. `may_be_unsigned` accepts one that is listed as unsigned although it is known who signs."""

    version: str
    url: str
    bytes: int
    sums_sha256: str
    is_signed: bool
    place: Path
    about: Mapping[str, Any]
    may_be_unsigned: bool = False

    def is_here(self) -> bool:
        """Whether it is there, as far as its manifest; its tables are checked when they are read."""
        try:
            manifest = read_json(check_file(self.place / MANIFEST, read_sums(self.place).get(MANIFEST)))
            return (file_sha256(self.place / SUMS), manifest["release"]["version"]) == (self.sums_sha256, self.version)
        except (OSError, ReleaseError, LookupError, TypeError):
            return False


class Index(NamedTuple):
    """A checked index; `releases` by version, in the order of the file."""

    address: str
    serial: int
    latest: str | None
    releases: dict[str, Release]


class Verdict(NamedTuple):
    """What is wrong with a release, one line each, and who vouches for it where nothing is."""

    problems: list[str]
    vouched: str


def find_release(version: str | None, given: str | None = None, fresh: bool = True) -> Release:
    """The release of that version in the index, or the latest. Raises ReleaseError that lists what there is."""
    index = read_index(given, fresh)
    wanted = (index.latest if version in (None, "latest") else version) or ""
    if release := index.releases.get(wanted.removeprefix("v")) or index.releases.get(wanted):
        return release
    missing = f"no release {version}" if wanted else "no release is marked as the latest yet"
    raise ReleaseError(f"{index.address}: {missing}; there are: {', '.join(index.releases) or 'none'}", 2)


def read_index(given: str | None = None, fresh: bool = True) -> Index:
    """The index in use (`index_address`); if it need not be `fresh`, one on the network as this machine last saw it.
    Raises ReleaseError for one that cannot be had or used, or that goes back on what was seen before."""
    if not (address := index_address(given)):
        raise ReleaseError(NO_INDEX, 2)
    if not is_remote(address):
        try:
            return parse_index(Path(address).read_bytes(), address)
        except OSError as error:
            raise ReleaseError(f"{address}: no index can be read there: {error.strerror}", 2) from error
    memory = private_folder("indexes") / f"{sha256(address.encode()).hexdigest()[:16]}.json"
    seen = parse_index(memory.read_bytes(), address) if memory.is_file() else None
    if seen and not fresh:
        return seen
    from traincompute.web import fetch  # requests: only for what is on the network

    fetch(address, body := io.BytesIO(), deadline=90)
    index = parse_index(body.getvalue(), address)
    if seen and (fault := _going_back(seen, index)):
        remedy = f"if its publisher has really started over, remove {memory}"
        raise ReleaseError(f"{address}: {fault}, since this index was last read; {remedy}")
    write_whole(memory, body.getvalue())
    return index


def _going_back(seen: Index, index: Index) -> str:
    for before in seen.releases.values():
        now = index.releases.get(before.version, before)
        if now.sums_sha256 != before.sums_sha256 or now.is_signed < before.is_signed:
            return f"release {now.version} was changed, or its signature removed"
    return f"serial {index.serial} is older than {seen.serial}" if index.serial < seen.serial else ""


def parse_index(content: bytes, address: str) -> Index:
    """The checked index. Raises ReleaseError that says what is wrong with it."""
    try:
        raw, releases = json.loads(content), dict[str, Release]()
        if raw["name"] != "traincompute" or raw["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT} of traincompute; update the package to read it")
        for entry in raw["releases"]:
            for name, (pattern, what) in RULES.items():
                if not re.fullmatch(pattern, str(entry[name])):
                    raise ValueError(f"{name} of a release is {entry[name]!r}, not {what}")
            version, url, digest = entry["version"], entry["url"], entry["sums_sha256"]
            if is_remote(address) or is_remote(url):
                url, place = urljoin(address, url), cache_folder() / "releases" / digest[:16] / folder_name(version)
            else:
                url = place = Path(address).parent / url
            is_signed = entry.get("signed") is True
            releases[version] = Release(version, str(url), int(entry["bytes"]), digest, is_signed, place, entry)
        if len(releases) != len(raw["releases"]) or raw["latest"] not in (None, *releases):
            raise ValueError("it lists a version twice, or its latest release not at all")
        return Index(address, int(raw["serial"]), raw["latest"], releases)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ReleaseError(f"{address}: the index cannot be used: {reason}") from error


def folder_name(version: str) -> str:
    """The folder of a version, beside the index."""
    return version if version.startswith(VINTAGE) else f"v{version}"


def read_sums(folder: Path) -> dict[str, str]:
    """{file: sha256} of SHA256SUMS. Raises ReleaseError for a line that is none, or a name that is not plain or new."""
    if not (folder / SUMS).is_file():
        raise ReleaseError(f"{SUMS} is missing, so this is not a release")
    sums: dict[str, str] = {}
    lines = (folder / SUMS).read_bytes().decode("ascii", "replace").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, 1):
        match = LINE.fullmatch(line)
        if not match or match[2] in sums:
            raise ReleaseError(f"{SUMS}:{number}: {line[:150]!a} is not a sha256, two spaces and a new plain file name")
        sums[match[2]] = match[1]
    return sums


def table_hashes(manifest: Mapping[str, Any]) -> dict[str, str]:
    """{file: sha256} of the Parquet and CSV files of the tables. Raises ReleaseError where the manifest lacks them."""
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
            or [f"{SIGNATURE}: {fault}" for fault in [signature_problem(folder, release, signers)] if fault]
        )
    except (ReleaseError, OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        reason = str(error) if isinstance(error, ReleaseError) else f"cannot be verified: {error!r}"
        problems = [f"{folder}: {' '.join(reason.split())[:300]}"]
    is_signed = (folder / SIGNATURE).exists()
    said = {"listed in the index": release, "signed by a known signer": signers and is_signed}
    vouched = " and ".join(words for words, is_so in said.items() if is_so) or INTEGRITY_ONLY
    unchecked = "; its signature was not checked: set TRAINCOMPUTE_SIGNERS" if is_signed and not signers else ""
    return Verdict(problems, vouched + unchecked)


def build_problems(folder: Path) -> list[str]:
    """Which tables of a build are not those of its manifest; the dataset in a package carries no CSV files."""
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
    """Tables with other numbers of rows than the manifest says; a SHA256SUMS that is not the release's."""
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


def signature_problem(folder: Path, release: Release | None, signers: Path | None) -> str:
    """What is wrong with the signature. Where it is known who signs, there has to be one, unless that is accepted."""
    if not (folder / SIGNATURE).exists():
        is_needed = (release.is_signed or (signers and not release.may_be_unsigned)) if release else signers
        return "is missing, but this release has to be signed" if is_needed else ""
    if not signers:
        is_unknown = release and not release.is_signed
        return "is there, but the index lists this release as unsigned" if is_unknown else ""
    command = ["ssh-keygen", "-f", str(signers), "-s", str(folder / SIGNATURE), "-Y"]
    limits: Any = {"input": (folder / SUMS).read_bytes(), "capture_output": True}
    try:
        found = subprocess.run([*command, "find-principals"], **limits).stdout.decode(errors="replace")
        if not (maker := found.partition("\n")[0]):
            return f"nobody in {signers} has made it"
        done = subprocess.run([*command, "verify", "-I", maker, "-n", NAMESPACE], **limits)
    except FileNotFoundError:
        return "cannot be checked without ssh-keygen"
    return f"does not fit {SUMS}" if done.returncode else ""


def known_signers() -> Path | None:
    """Who may sign, in the format of ssh-keygen: $TRAINCOMPUTE_SIGNERS, else the package's file if it names anybody."""
    if given := os.environ.get("TRAINCOMPUTE_SIGNERS"):
        return Path(given)
    lines = SIGNERS.read_text(encoding="utf-8").splitlines() if SIGNERS.is_file() else []
    return SIGNERS if any(line.strip() and not line.startswith("#") for line in lines) else None
