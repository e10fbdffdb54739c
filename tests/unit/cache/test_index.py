"""What an index of releases must be, which release of it is meant, and that a later one goes back on nothing."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from traincompute.base.places import ReleaseError
from traincompute.cache import index as index_of
from traincompute.cache.index import (
    Index,
    Release,
    find_release,
    memory_file,
    parse_index,
    read_index,
    recall,
    version_key,
)
from traincompute.network import transport

OLD, NEW, VINTAGE = "2026.9.0", "2026.11.0", "vintage-2025-05-06"
AT = "https://example.org/data/releases.json"
Json = dict[str, Any]


def listed(version: str, digest: str, **files: Json) -> Json:
    manifest = {"url": f"{version}/manifest.json", "bytes": 7, "sha256": digest * 64}
    channel = "vintage" if version.startswith("vintage") else "release"
    about = {"version": version, "channel": channel, "manifest_sha256": digest * 64, "date": "2026-11-21"}
    return {**about, "files": {"manifest.json": manifest, **files}}


def index(**changes: Any) -> Json:
    """An index of three releases, of which the second is the latest."""
    releases = [listed(OLD, "a"), listed(NEW, "b"), listed(VINTAGE, "c")]
    return {"name": "traincompute", "format": 1, "serial": 5, "latest": NEW, "releases": releases} | changes


def parsed(raw: object, address: str = "/data/releases.json") -> Index:
    return parse_index(json.dumps(raw).encode(), address)


def fault(raw: object, address: str = "/data/releases.json") -> str:
    with pytest.raises(ReleaseError) as refused:
        parsed(raw, address)
    return str(refused.value).removeprefix(f"{address}: the index cannot be used: ")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_an_index_lists_releases_in_its_order_with_what_it_says_of_each() -> None:
    found = parsed(index(serial=10**9))
    assert (found.serial, found.latest, list(found.releases)) == (10**9, NEW, [OLD, NEW, VINTAGE])
    assert found.releases[OLD].files["manifest.json"] == ("manifest.json", f"/data/{OLD}/manifest.json", 7, "a" * 64)
    assert found.releases[OLD].about == {"version": OLD, "channel": "release", "date": "2026-11-21"}
    assert parsed(index(latest=None)).latest is None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "other"}, "it is not an index of traincompute releases"),
        ({"format": 2}, "its format is 2; update the package traincompute to read it"),
        ({"format": 0}, "its format is 0; update the package traincompute to read it"),
        ({"serial": 10**9 + 1}, "1000000001 is no number from 0 to 1000000000"),
        ({"serial": -1}, "-1 is no number from 0 to 1000000000"),
        ({"serial": True}, "True is no number from 0 to 1000000000"),
        ({"serial": "1"}, "'1' is no number from 0 to 1000000000"),
        ({"latest": "2030.1.0"}, "it lacks '2030.1.0'"),
        ({"latest": VINTAGE}, f"its latest, {VINTAGE}, is no release"),
        ({"releases": [listed(NEW, "a"), listed(NEW, "b")]}, "it lists a version twice"),
        (
            {"releases": [listed(OLD, "a"), listed(NEW, "a")]},
            "it mixes releases: two of them have the same manifest",
        ),
        (
            {"releases": [listed(NEW, "a") | {"manifest_sha256": "b" * 64}]},
            f"release {NEW} mixes two releases: its manifest has sha256 {'b' * 64}, the file listed {'a' * 64}",
        ),
        ({"releases": [listed(NEW, "g")]}, "manifest.json has no sha256"),
        ({"releases": [listed(NEW, "A")]}, "manifest.json has no sha256"),
        ({"releases": [listed(NEW, "ab")]}, "manifest.json has no sha256"),
        ({"releases": [listed(NEW, "b") | {"files": {"manifest.json": {"sha256": 1}}}]}, "manifest.json has no sha256"),
        ({"releases": [listed(NEW, "b", **{"../a": {}})]}, "'../a' is not a plain file name"),
    ],
)
def test_an_index_that_cannot_be_used_is_refused_with_the_reason(changes: Json, said: str) -> None:
    assert fault(index(**changes)) == said


@pytest.mark.parametrize(
    ("version", "channel", "is_one"),
    [
        ("2026.11.0", "release", True),
        ("2026.11.123456", "release", True),
        ("2026.11.1234567", "release", False),
        ("20260.1.0", "release", False),
        ("2026.111.0", "release", False),
        ("2026.11", "release", False),
        ("2026.11.0.1", "release", False),
        ("2026.11.²", "release", False),
        ("2026.11.x", "release", False),
        ("2026.11.0", "vintage", False),
        ("2026.11.0", "other", False),
        ("vintage-2025-05-06", "vintage", True),
        ("vintage-2025-05-06", "release", False),
        ("vintage-20250-05-06", "vintage", False),
        ("vintage-2025-051-06", "vintage", False),
        ("vintage-2025-05-061", "vintage", False),
    ],
)
def test_versions_of_each_channel(version: str, channel: str, is_one: bool) -> None:
    raw = index(latest=None, releases=[listed(NEW, "a") | {"version": version, "channel": channel}])
    if is_one:
        assert list(parsed(raw).releases) == [version]
    else:
        assert fault(raw) == f"{version!r} is no version of the channel {channel!r}"


@pytest.mark.parametrize("name", ["a" * 100, ".zenodo.json", "models_2.csv", "9"])
def test_plain_names_of_files(name: str) -> None:
    about = {"url": "a", "bytes": 0, "sha256": "d" * 64}
    assert name in parsed(index(releases=[listed(NEW, "a", **{name: about})])).releases[NEW].files


@pytest.mark.parametrize("name", ["", ".", "..a", "-a", "_a", "a b", "a/b", "ä", "a" * 101])
def test_names_that_no_file_of_a_release_has(name: str) -> None:
    assert fault(index(releases=[listed(NEW, "a", **{name: {}})])) == f"{name!r} is not a plain file name"


@pytest.mark.parametrize(
    ("url", "address", "source"),
    [
        ("v1/a.csv", "/data/releases.json", "/data/v1/a.csv"),
        ("https://example.org/a.csv", "/data/releases.json", "https://example.org/a.csv"),
        ("v1/a.csv", AT, "https://example.org/data/v1/a.csv"),
        ("/a.csv", AT, "https://example.org/a.csv"),
    ],
)
def test_a_file_lies_where_the_index_says_or_beside_it(url: str, address: str, source: str) -> None:
    about = {"url": url, "bytes": 0, "sha256": "d" * 64}
    assert parsed(index(releases=[listed(NEW, "a", a=about)]), address).releases[NEW].files["a"].source == source


@pytest.mark.parametrize(
    ("url", "address", "said"),
    [
        ("../a.csv", "/data/releases.json", "'../a.csv' lies outside the folder of the index"),
        ("/etc/hostname", "/data/releases.json", "'/etc/hostname' lies outside the folder of the index"),
        ("http://127.0.0.1/a.csv", AT, "refused address"),
        ("file:///etc/hostname", AT, "refused address"),
    ],
)
def test_an_index_names_nothing_that_it_may_not_reach(url: str, address: str, said: str) -> None:
    about = {"url": url, "bytes": 0, "sha256": "d" * 64}
    assert said in fault(index(releases=[listed(NEW, "a", a=about)]), address)


def test_a_release_knows_its_folder_and_whether_it_is_here(cache: Path, tmp_path: Path) -> None:
    found = parsed(index(), str(tmp_path / "releases.json")).releases
    assert [release.folder for release in found.values()] == [f"v{OLD}", f"v{NEW}", VINTAGE]
    assert found[NEW].cached == cache / "releases" / ("b" * 16) / f"v{NEW}"
    assert not found[NEW].is_here
    (tmp_path / NEW).mkdir()
    (tmp_path / NEW / "manifest.json").touch()
    assert found[NEW].is_here
    remote = parsed(index(), AT).releases[NEW]
    assert not remote.is_here
    remote.cached.mkdir(parents=True)
    assert remote.is_here


@pytest.mark.parametrize(
    ("asked", "found"), [(None, NEW), ("latest", NEW), (OLD, OLD), (f"v{OLD}", OLD), (VINTAGE, VINTAGE)]
)
def test_a_release_is_found_by_its_version(asked: str | None, found: str) -> None:
    assert find_release(parsed(index()), asked).version == found


@pytest.mark.parametrize(
    ("raw", "asked", "said"),
    [
        (index(), "2025.1.0", f"no release 2025.1.0; there are: {OLD}, {NEW}, {VINTAGE}"),
        (index(latest=None), None, f"no release is marked as the latest yet; there are: {OLD}, {NEW}, {VINTAGE}"),
        (index(latest=None, releases=[]), "latest", "no release is marked as the latest yet; there are: none"),
    ],
)
def test_where_there_is_no_such_release_those_that_there_are_are_named(raw: Json, asked: str | None, said: str) -> None:
    with pytest.raises(ReleaseError) as refused:
        find_release(parsed(raw), asked)
    assert (str(refused.value), refused.value.exit_code) == (f"/data/releases.json: {said}", 2)


def test_versions_are_ordered_by_number() -> None:
    assert version_key("2026.9.0") < version_key("2026.11.0")


def write(folder: Path, raw: Json) -> str:
    (folder / "releases.json").write_text(json.dumps(raw))
    return str(folder / "releases.json")


def test_an_index_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match="no index can be read there: No such file or directory") as refused:
        read_index(str(tmp_path / "none.json"))
    assert refused.value.exit_code == 2


def test_what_was_seen_of_an_index_is_remembered(tmp_path: Path, cache: Path) -> None:
    address = write(tmp_path, index())
    assert recall(address) is None
    assert read_index(address).serial == 5
    file = memory_file(address)
    assert file == cache / "indexes" / f"{hashlib.sha256(address.encode()).hexdigest()[:16]}.json"
    assert recall(address) == {
        "address": address,
        "serial": 5,
        "latest": NEW,
        "manifests": {OLD: "a" * 64, NEW: "b" * 64, VINTAGE: "c" * 64},
        "index": index(),
    }
    before = file.stat().st_mtime_ns, file.stat().st_ino
    read_index(address)
    assert (file.stat().st_mtime_ns, file.stat().st_ino) == before, "the same index is not written again"


def test_a_memory_that_was_altered_counts_as_nothing(tmp_path: Path) -> None:
    address = write(tmp_path, index())
    read_index(address)
    file = memory_file(address)
    file.write_bytes(file.read_bytes().replace(b'"serial": 5', b'"serial": 9'))
    assert recall(address) is None
    assert read_index(address).serial == 5


SIGNED = listed(NEW, "b", **{"SHA256SUMS.sig": {"url": "a", "bytes": 1, "sha256": "d" * 64}})


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (index(), index(serial=4), "this index (serial 4) is older than one seen before (serial 5)"),
        (
            index(),
            index(releases=[listed(NEW, "b")]),
            "this index is not the one that was seen before under the same serial 5",
        ),
        (index(), index(serial=6, latest=OLD), f"its latest release is {OLD}, but {NEW} was seen before"),
        (index(), index(serial=6, latest=None), f"its latest release is None, but {NEW} was seen before"),
        (
            index(),
            index(serial=6, releases=[listed(NEW, "d")]),
            f"release {NEW} was changed: manifest sha256 {'d' * 64}, seen before {'b' * 64}",
        ),
        (
            index(releases=[SIGNED]),
            index(serial=6),
            f"release {NEW} was signed when it was seen before, and no longer is",
        ),
    ],
)
def test_a_later_index_that_goes_back_on_an_earlier_one_is_refused(
    tmp_path: Path, before: Json, after: Json, said: str
) -> None:
    address = write(tmp_path, before)
    read_index(address)
    write(tmp_path, after)
    for _ in range(2):
        with pytest.raises(ReleaseError) as refused:
            read_index(address)
        assert str(refused.value).startswith(f"{address}: {said}; what was downloaded is unaffected. ")
    assert str(memory_file(address)) in str(refused.value)


@pytest.mark.parametrize(
    "after",
    [
        index(serial=6, releases=[*index()["releases"], listed("2026.12.0", "d")], latest="2026.12.0"),
        index(serial=6, releases=[listed(NEW, "b")]),  # an older release may be withdrawn
        index(serial=6, releases=[listed(OLD, "a"), SIGNED]),  # and a signature added
    ],
)
def test_a_later_index_may_add_and_withdraw_releases(tmp_path: Path, after: Json) -> None:
    address = write(tmp_path, index(latest=NEW))
    read_index(address)
    write(tmp_path, after)
    assert read_index(address).serial == 6
    known = recall(address)
    assert known is not None
    assert known["manifests"].items() >= {OLD: "a" * 64, NEW: "b" * 64}.items(), "what was withdrawn is not forgotten"


def test_an_index_without_a_latest_may_get_one(tmp_path: Path) -> None:
    address = write(tmp_path, index(latest=None))
    read_index(address)
    write(tmp_path, index(serial=6, latest=OLD))
    assert read_index(address).latest == OLD


def test_a_checkout_may_begin_its_own_releases_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = write(tmp_path, index())
    monkeypatch.setattr(index_of, "own_releases", lambda: address)
    read_index(address)
    assert recall(address) is None


def test_an_index_on_the_net_is_asked_for_again_only_where_it_must_be_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, int]] = []

    def fetch(address: str, largest: int) -> bytes:
        asked.append((address, largest))
        return json.dumps(index()).encode()

    monkeypatch.setattr(transport, "fetch_small", fetch)
    assert read_index(AT, fresh=False) == read_index(AT, fresh=False)
    assert asked == [(AT, 20_000_000)]
    found: Release = read_index(AT).releases[NEW]
    assert found.files["manifest.json"].source == f"https://example.org/data/{NEW}/manifest.json"
    assert len(asked) == 2


def test_an_index_on_this_machine_is_always_read(tmp_path: Path) -> None:
    address = write(tmp_path, index())
    read_index(address, fresh=False)
    write(tmp_path, index(serial=6))
    assert read_index(address, fresh=False).serial == 6
