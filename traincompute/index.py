"""The index of releases (`releases.json`): which releases there are, where, and the hash of each one's SHA256SUMS.

It is remembered in the cache: a later index at the same address may add releases; it may neither go back nor change
one."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin

from traincompute.base.errors import ReleaseError
from traincompute.base.files import private_folder, write_whole
from traincompute.base.places import cache_folder, index_address, is_remote, own_releases

FORMAT = 2
LARGEST_INDEX, LARGEST_RELEASE = 20_000_000, 10_000_000_000  # bytes
VINTAGE = "vintage-"
VERSION = re.compile(rf"[0-9]{{4}}\.[0-9]{{1,2}}\.[0-9]{{1,6}}|{VINTAGE}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}")
HEX = re.compile(r"[0-9a-f]{64}")


class Release(NamedTuple):
    """One release as its index describes it; `url` is the address or path of its folder, `about` holds the plain
    figures. `may_be_unsigned` accepts a release that the index lists as unsigned, although it is known who signs."""

    version: str
    url: str
    bytes: int
    sums_sha256: str
    is_signed: bool
    about: dict[str, Any]
    may_be_unsigned: bool = False

    @property
    def place(self) -> Path:
        """Where it is on this machine, or will be: where a local index says, or in the cache."""
        if not is_remote(self.url):
            return Path(self.url)
        return cache_folder() / "releases" / self.sums_sha256[:16] / folder_name(self.version)


class Index(NamedTuple):
    """A checked index; `releases` by version, in the order of the file."""

    address: str
    serial: int
    latest: str | None
    releases: dict[str, Release]


def read_index(given: str | None = None, fresh: bool = True) -> Index:
    """The index in use (`index_address`); if it need not be `fresh`, one on the network as this machine last saw it.

    Raises ReleaseError for one that cannot be had or used, or that goes back on what was seen before."""
    address = index_address(given)
    try:
        memory = private_folder("indexes") / f"{sha256(address.encode()).hexdigest()[:16]}.json"
        seen = memory.read_bytes() if memory.is_file() else b""
        if seen and not fresh and is_remote(address):
            return parse_index(seen, address)
        content = _content(address)
        index = parse_index(content, address)
        if content == seen or address == own_releases():  # a checkout may delete its own releases and start over
            return index
        if seen and (fault := _contradiction(index, parse_index(seen, address))):
            remedy = f"what was downloaded is unaffected. If its publisher has really started over, remove {memory}"
            raise ReleaseError(f"{address}: {fault}; {remedy}")
        write_whole(memory, content)
    except OSError as error:
        raise ReleaseError(f"{error.filename or address}: {error.strerror}; check space and permissions") from error
    return index


def _content(address: str) -> bytes:
    if is_remote(address):
        from traincompute.web import Limits, fetch  # requests: only for what is on the network

        fetch(address, body := io.BytesIO(), Limits(deadline=90, max_bytes=LARGEST_INDEX))
        return body.getvalue()
    try:
        return Path(address).read_bytes()
    except OSError as error:
        raise ReleaseError(f"{address}: no index can be read there: {error.strerror}", 2) from error


def parse_index(content: bytes, address: str) -> Index:
    """The checked index. Raises ReleaseError that says what is wrong with it."""
    try:
        raw = json.loads(content)
        if raw["name"] != "traincompute" or raw["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT} of traincompute; update the package to read it")
        releases = {item["version"]: _release(item, address) for item in raw["releases"]}
        if len(releases) != len(raw["releases"]):
            raise ValueError("it lists a version twice")
        if raw["latest"] not in (None, *releases):
            raise ValueError(f"it does not list its latest release, {raw['latest']}")
        return Index(address, int(raw["serial"]), raw["latest"], releases)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ReleaseError(f"{address}: the index cannot be used: {reason}") from error


def _release(raw: Mapping[str, Any], address: str) -> Release:
    """A release whose version and hash can be parts of a path."""
    version, url, digest, size = raw["version"], raw["url"], raw["sums_sha256"], int(raw["bytes"])
    if not VERSION.fullmatch(version):
        raise ValueError(f"expected a version, got {version!r}")
    if not HEX.fullmatch(digest):
        raise ValueError(f"release {version} has no sha256 of its SHA256SUMS, but {digest!r}")
    if size > LARGEST_RELEASE:
        raise ValueError(f"expected at most {LARGEST_RELEASE} bytes, got {size}")
    if not is_remote(address) and not is_remote(url):
        if Path(url).is_absolute() or ".." in Path(url).parts:
            raise ValueError(f"{url!r} lies outside the folder of the index")
        url = str(Path(address).parent / url)
    return Release(version, urljoin(address, url), size, digest, raw.get("signed") is True, {**raw, "index": address})


def _contradiction(index: Index, seen: Index) -> str:
    """How the index contradicts what was seen of it before; "" where it does not."""
    if index.serial < seen.serial:
        return f"this index (serial {index.serial}) is older than one seen before (serial {seen.serial})"
    if index.serial == seen.serial:
        return f"this index is not the one that was seen before under the same serial {index.serial}"
    for version, before in seen.releases.items():
        release = index.releases.get(version, before)
        if release.sums_sha256 != before.sums_sha256 or (before.is_signed and not release.is_signed):
            return f"release {version} was changed, or its signature removed, since it was seen before"
    return ""


def find_release(index: Index, version: str | None) -> Release:
    """That release; None or "latest" is the latest. Raises ReleaseError that lists the versions there are."""
    wanted = (index.latest if version in (None, "latest") else version) or ""
    if release := index.releases.get(wanted.removeprefix("v")) or index.releases.get(wanted):
        return release
    missing = f"no release {version}" if wanted else "no release is marked as the latest yet"
    raise ReleaseError(f"{index.address}: {missing}; there are: {', '.join(index.releases) or 'none'}", 2)


def folder_name(version: str) -> str:
    """The folder of a version, beside the index."""
    return version if version.startswith(VINTAGE) else f"v{version}"


def version_key(version: str) -> tuple[int, ...]:
    """The sort key of versions within one channel: 2026.9.0 comes before 2026.11.0."""
    return tuple(int(part) for part in re.findall(r"[0-9]+", version))
