"""The index of releases (`releases.json`): which releases there are, where, and the hash of each one's SHA256SUMS.

One on the network is remembered in the cache: a later one there may add releases; it may neither go back nor change
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
from traincompute.base.files import cache_folder, private_folder, write_whole
from traincompute.base.places import index_address, is_remote

FORMAT = 2
LARGEST_INDEX = 20_000_000  # bytes
VINTAGE = "vintage-"
# what becomes part of a path, or bounds a download, and what it has to be
RULES = {
    "version": (rf"[0-9]{{4}}\.[0-9]{{1,2}}\.[0-9]{{1,6}}|{VINTAGE}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}", "a version"),
    "url": (r"https?://\S+|\w[\w.-]*(/\w[\w.-]*)*", "an address, or a path below the folder of the index"),
    "bytes": (r"[0-9]{1,10}", "a number below ten billion"),
    "sums_sha256": (r"[0-9a-f]{64}", "a sha256"),
}


class Release(NamedTuple):
    """One release as its index describes it; `url` is the address or path of its folder, `about` holds the plain
    figures. `may_be_unsigned` accepts a release that the index lists as unsigned, although it is known who signs."""

    version: str
    url: str
    bytes: int
    sums_sha256: str
    is_signed: bool
    about: Mapping[str, Any]
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


def find_release(version: str | None, given: str | None = None, fresh: bool = True) -> Release:
    """The release of that version in the index (`read_index`); None and "latest" stand for the latest. Raises
    ReleaseError that lists the versions there are."""
    index = read_index(given, fresh)
    wanted = (index.latest if version in (None, "latest") else version) or ""
    if release := index.releases.get(wanted.removeprefix("v")) or index.releases.get(wanted):
        return release
    missing = f"no release {version}" if wanted else "no release is marked as the latest yet"
    raise ReleaseError(f"{index.address}: {missing}; there are: {', '.join(index.releases) or 'none'}", 2)


def read_index(given: str | None = None, fresh: bool = True) -> Index:
    """The index in use (`index_address`); if it need not be `fresh`, one on the network as this machine last saw it.

    Raises ReleaseError for one that cannot be had or used, or that goes back on what was seen before."""
    address = index_address(given)
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

    fetch(address, body := io.BytesIO(), deadline=90, max_bytes=LARGEST_INDEX)
    index = parse_index(body.getvalue(), address)
    if seen and (fault := _contradiction(index, seen)):
        remedy = f"what was downloaded is unaffected. If its publisher has really started over, remove {memory}"
        raise ReleaseError(f"{address}: {fault}; {remedy}")
    write_whole(memory, body.getvalue())
    return index


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
            version, url = entry["version"], entry["url"]
            url = urljoin(address, url) if is_remote(address + url) else str(Path(address).parent / url)
            facts = int(entry["bytes"]), entry["sums_sha256"], entry.get("signed") is True, entry
            releases[version] = Release(version, url, *facts)
        if len(releases) != len(raw["releases"]) or raw["latest"] not in (None, *releases):
            raise ValueError("it lists a version twice, or its latest release not at all")
        return Index(address, int(raw["serial"]), raw["latest"], releases)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = f"it lacks {error}" if isinstance(error, KeyError) else str(error)
        raise ReleaseError(f"{address}: the index cannot be used: {reason}") from error


def _contradiction(index: Index, seen: Index) -> str:
    """How the index contradicts what was seen of it before; "" where it does not."""
    if index.serial < seen.serial:
        return f"this index (serial {index.serial}) is older than one seen before (serial {seen.serial})"
    if index.serial == seen.serial and index != seen:
        return f"this index is not the one that was seen before under the same serial {index.serial}"
    for version, before in seen.releases.items():
        release = index.releases.get(version, before)
        if release.sums_sha256 != before.sums_sha256 or release.is_signed < before.is_signed:
            return f"release {version} was changed, or its signature removed, since it was seen before"
    return ""


def folder_name(version: str) -> str:
    """The folder of a version, beside the index."""
    return version if version.startswith(VINTAGE) else f"v{version}"


def version_key(version: str) -> tuple[int, ...]:
    """The sort key of versions within one channel: 2026.9.0 comes before 2026.11.0."""
    return tuple(int(part) for part in re.findall(r"[0-9]+", version))
