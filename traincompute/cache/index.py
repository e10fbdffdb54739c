"""The index of releases (`releases.json`): read, checked, and remembered so that an older one is noticed.

An index is not trusted: names, sizes and addresses are checked here before anything is done with them. A later index at
the same address may add releases; it may neither go back nor change a release that was seen before.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from traincompute.base.disk import disk_errors, write_whole
from traincompute.base.locks import sole_writer
from traincompute.base.places import (
    LARGEST_FILE,
    MANIFEST,
    SIGNATURE,
    ReleaseError,
    cache_folder,
    index_address,
    is_remote,
    own_releases,
)

FORMAT = 1
LARGEST_INDEX = 20_000_000
VINTAGE = "vintage-"
HEX = frozenset("0123456789abcdef")


class Entry(NamedTuple):
    """One file of a release; `source` is its address, or its path if the index is local."""

    name: str
    source: str
    bytes: int
    sha256: str


class Release(NamedTuple):
    """One release as its index describes it; `about` holds the plain figures, such as date, models and bytes."""

    version: str
    channel: str
    manifest_sha256: str
    files: dict[str, Entry]
    about: dict[str, Any]

    @property
    def folder(self) -> str:
        return f"v{self.version}" if self.channel == "release" else self.version

    @property
    def cached(self) -> Path:
        """Where the whole release is in the cache once it has been downloaded."""
        return cache_folder() / "releases" / self.manifest_sha256[:16] / self.folder

    @property
    def is_signed(self) -> bool:
        """Whether the index lists a signature of the release."""
        return SIGNATURE in self.files

    @property
    def is_here(self) -> bool:
        """Whether the release is on this machine: where its index says, or in the cache."""
        manifest = self.files[MANIFEST].source
        return self.cached.is_dir() if is_remote(manifest) else os.path.isfile(manifest)


class Index(NamedTuple):
    """A checked index; `releases` by version, in the order of the file."""

    address: str
    serial: int
    latest: str | None
    releases: dict[str, Release]


def read_index(given: str | None = None, *, fresh: bool = True) -> Index:
    """The index in use (see places.index_address), checked against what was seen of it before.

    Unless `fresh`, a remote index that was read before is taken as it was then, without the network.
    Raises ReleaseError if it cannot be had, is malformed, or is older than or contradicts one seen before."""
    address = index_address(given)
    known = recall(address)
    if not fresh and known and is_remote(address):
        return parse_index(json.dumps(known["index"]).encode(), address)
    content = _content(address)
    index = parse_index(content, address)
    if is_remote(address) or address != own_releases():  # a checkout may delete its own releases and start over
        _remember(index, content)
    return index


def find_release(index: Index, version: str | None) -> Release:
    """That release; None or "latest" is the latest. Raises ReleaseError that lists the versions there are."""
    wanted = index.latest if version in (None, "latest") else version
    for name in (wanted, (wanted or "").removeprefix("v")):
        if name in index.releases:
            return index.releases[name]
    listed = ", ".join(index.releases) or "none"
    missing = f"no release {version}" if wanted else "no release is marked as the latest yet"
    raise ReleaseError(f"{index.address}: {missing}; there are: {listed}", 2)


def version_key(version: str) -> tuple[int, ...]:
    """2026.9.0 comes before 2026.11.0."""
    return tuple(int(part) for part in version.split("."))


def parse_index(content: bytes, address: str) -> Index:
    """The checked index. Raises ReleaseError that says what is wrong with it."""
    try:
        raw = json.loads(content)
        if not isinstance(raw, dict) or raw.get("name") != "traincompute":
            raise ValueError("it is not an index of traincompute releases")
        if raw["format"] != FORMAT:
            raise ValueError(f"its format is {raw['format']!r}; update the package traincompute to read it")
        releases = [_release(item, address) for item in raw["releases"]]
        index = Index(address, _whole(raw["serial"], 10**9), raw["latest"], {r.version: r for r in releases})
        if len(index.releases) != len(releases):
            raise ValueError("it lists a version twice")
        if len({r.manifest_sha256 for r in releases}) != len(releases):
            raise ValueError("it mixes releases: two of them have the same manifest")
        if index.latest is not None and index.releases[index.latest].channel != "release":
            raise ValueError(f"its latest, {index.latest}, is no release")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ReleaseError(f"{address}: the index cannot be used: {reason}") from error
    return index


def _release(raw: Mapping[str, Any], address: str) -> Release:
    version, channel = str(raw["version"]), raw["channel"]
    if not _is_version(version, channel):
        raise ValueError(f"{version!r} is no version of the channel {channel!r}")
    files = {name: _entry(name, item, address) for name, item in raw["files"].items()}
    if files[MANIFEST].sha256 != raw["manifest_sha256"]:
        raise ValueError(
            f"release {version} mixes two releases: its manifest has sha256 {raw['manifest_sha256']}, the file listed {files[MANIFEST].sha256}"
        )
    about = {key: value for key, value in raw.items() if key not in ("files", "manifest_sha256")}
    return Release(version, channel, raw["manifest_sha256"], files, about)


def _entry(name: str, raw: Mapping[str, Any], address: str) -> Entry:
    if not _is_plain(name):
        raise ValueError(f"{name!r} is not a plain file name")
    if not isinstance(raw["sha256"], str) or len(raw["sha256"]) != 64 or not HEX.issuperset(raw["sha256"]):
        raise ValueError(f"{name} has no sha256")
    return Entry(name, _source(str(raw["url"]), address), _whole(raw["bytes"], LARGEST_FILE), raw["sha256"])


def _is_version(text: str, channel: object) -> bool:
    """2026.11.0 in the channel release, vintage-2025-05-06 in the channel vintage. (A regex costs the start 5 ms.)"""
    sizes = {"release": (4, 2, 6), "vintage": (4, 2, 2)}.get(str(channel))
    if not sizes or text.startswith(VINTAGE) != (channel == "vintage"):
        return False
    parts = text.removeprefix(VINTAGE).split("-" if channel == "vintage" else ".")
    return len(parts) == 3 and all(
        part.isascii() and part.isdigit() and len(part) <= size for part, size in zip(parts, sizes, strict=True)
    )


def _is_plain(name: str) -> bool:
    """Letters, digits, full stops, hyphens and underscores; a letter or digit first, or after one full stop."""
    first = name.removeprefix(".")[:1]
    letters = name.replace(".", "").replace("_", "").replace("-", "")
    return first.isalnum() and letters.isalnum() and name.isascii() and len(name) <= 100


def _whole(value: object, largest: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= largest:
        raise ValueError(f"{value!r} is no number from 0 to {largest}")
    return value


def _source(url: str, address: str) -> str:
    """The full address of a file, or its path: below the folder of a local index, or anywhere on the network."""
    if is_remote(address):
        return _remote_source(url, address)
    if is_remote(url):
        return url
    if os.path.isabs(url) or ".." in url.replace(os.sep, "/").split("/"):
        raise ValueError(f"{url!r} lies outside the folder of the index")
    return os.path.join(os.path.dirname(address), url)


def _remote_source(url: str, address: str) -> str:
    """The full address. Raises ReleaseError if an index from outside names something on this machine."""
    source = urljoin(address, url)
    if urlsplit(source)[:2] != urlsplit(address)[:2]:
        from traincompute.network.addresses import check_address  # as below

        check_address(source, address)
    return source


def _content(address: str) -> bytes:
    if is_remote(address):
        from traincompute.network.transport import fetch_small  # requests: only for what is on the network

        return fetch_small(address, LARGEST_INDEX)
    try:
        with open(address, "rb") as file:
            return file.read()
    except OSError as error:
        raise ReleaseError(f"{address}: no index can be read there: {error.strerror}", 2) from error


def memory_file(address: str) -> Path:
    """The file that holds what is remembered of the index at that address."""
    return cache_folder() / "indexes" / f"{_sha256(address.encode())[:16]}.json"


def _sha256(content: bytes) -> str:
    return sha256(content).hexdigest()


def recall(address: str) -> dict[str, Any] | None:
    """What was seen of that index before: serial, latest, manifests (version → sha256), index; None if nothing was.

    A memory that was altered on disk counts as nothing."""
    try:
        check, _, text = memory_file(address).read_bytes().partition(b"\n")
    except OSError:
        return None
    if _sha256(text).encode() != check:
        return None
    known: dict[str, Any] = json.loads(text)
    return known


def _remember(index: Index, content: bytes) -> None:
    """Remembers the index from now on. Raises ReleaseError if it goes back on what is already known."""
    raw, known = json.loads(content), recall(index.address)
    if known and raw == known["index"]:
        return

    file = memory_file(index.address)
    with disk_errors(file), sole_writer(_made(file.parent)):
        known = recall(index.address) or {"serial": 0, "latest": None, "manifests": {}, "index": None}
        if fault := _contradiction(index, raw, known):
            raise ReleaseError(
                f"{index.address}: {fault}; what was downloaded is unaffected. If its publisher has really started over, remove {file}"
            )
        manifests = known["manifests"] | {r.version: r.manifest_sha256 for r in index.releases.values()}
        entry = {"serial": index.serial, "latest": index.latest, "manifests": manifests, "index": raw}
        text = json.dumps({"address": index.address, **entry}).encode()
        write_whole(file, _sha256(text).encode() + b"\n" + text)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _contradiction(index: Index, raw: object, known: Mapping[str, Any]) -> str | None:
    """How the index contradicts what was seen of it before."""
    if index.serial < known["serial"]:
        return f"this index (serial {index.serial}) is older than one seen before (serial {known['serial']})"
    if index.serial == known["serial"] and raw != known["index"]:
        return f"this index is not the one that was seen before under the same serial {index.serial}"
    if known["latest"] and (not index.latest or version_key(index.latest) < version_key(known["latest"])):
        return f"its latest release is {index.latest}, but {known['latest']} was seen before"
    for version, digest in known["manifests"].items():
        release = index.releases.get(version)
        if release and release.manifest_sha256 != digest:
            return f"release {version} was changed: manifest sha256 {release.manifest_sha256}, seen before {digest}"
    for entry in (known["index"] or {"releases": []})["releases"]:
        release = index.releases.get(entry["version"])
        if release and SIGNATURE in entry["files"] and not release.is_signed:
            return f"release {release.version} was signed when it was seen before, and no longer is"
    return None
