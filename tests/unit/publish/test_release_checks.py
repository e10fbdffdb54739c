"""What a release is named, and what it is compared with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from release_folders import write_index

from pipeline.errors import DataError
from pipeline.publish import release
from pipeline.publish.release import check_request, predecessor, read_index, schema_changes

Package = dict[str, Any]


def entry(version: str) -> Package:
    channel = "vintage" if version.startswith("vintage") else "release"
    return {"version": version, "channel": channel, "url": version, "bytes": 7, "sums_sha256": "0" * 64}


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose index lists four versions."""
    monkeypatch.setattr(release, "__version__", "2026.12.0")
    monkeypatch.setattr(release.published, "known_signers", lambda: None)
    write_index(tmp_path, [entry(v) for v in ("vintage-2025-05-06", "2026.9.0", "2026.10.0", "2026.11.0")])
    return tmp_path


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("2026.12.0", ""),
        ("vintage-2026-01-01", ""),
        ("vintage-2025-05-06", "already been released"),
        ("2026.10.1", "older than the latest release 2026.11.0"),
        ("2026.12.1", "announces, 2026.12.0"),
        *((text, "is not a version") for text in ("v2026.12.0", "2026.01.0", "../x")),
    ],
)
def test_a_release_is_the_version_that_the_package_announces(releases: Path, version: str, reason: str) -> None:
    index = read_index(releases)
    if not reason:
        check_request(index, version, None)
        return
    with pytest.raises(DataError, match=f'"{version}".*{reason}'):
        check_request(index, version, None)


def test_the_release_before_is_the_newest_of_its_channel(releases: Path) -> None:
    index = read_index(releases)
    assert predecessor(releases, index, "2026.9.0") is None
    assert predecessor(releases, index, "vintage-2022-09-01") is None
    with pytest.raises(DataError, match=r"v2026\.11\.0"):  # it is not there
        predecessor(releases, index, "2026.12.0")
    (releases / "releases.json").write_text("{}")
    with pytest.raises(DataError, match=r"releases\.json.*fetch it again"):
        read_index(releases)


def package(version: str = "0.3.1", **columns: Package) -> Package:
    """A datapackage.json with one table, by its columns."""
    fields = [{"name": name, "type": "number", **more} for name, more in columns.items()]
    return {"schema_version": version, "resources": [{"name": "m", "schema": {"fields": fields, "primaryKey": ["a"]}}]}


STRICT = {"required": True, "enum": ["x"]}
BEFORE = package(a={}, b={"unit": "FLOP", "constraints": STRICT})


@pytest.mark.parametrize(
    ("after", "places", "proposal"),
    [
        (package(a={"description": "other"}, b={"unit": "FLOP", "constraints": STRICT}), [], "0.3.1"),
        (package(a={}, b={"unit": "TFLOP", "constraints": STRICT}), ["m.b"], "0.4.0"),
        (package(a={}, b={"unit": "FLOP", "constraints": {"enum": ["x"]}}), ["m.b, never null"], "0.4.0"),
        (package(a={}, b={"unit": "FLOP", "constraints": {**STRICT, "enum": ["x", "y"]}}), ["m.b, code y"], "0.3.2"),
        (package(a={}, b={"unit": "FLOP", "constraints": STRICT}, c={}), ["m.c"], "0.3.2"),
        (BEFORE | {"resources": []}, ["m", "m.a", "m.b", "m.b, never null", "m.b, code x"], "0.4.0"),
        (BEFORE | {"views": {"large": ["a"]}}, ["large", "large.a"], "0.3.2"),
    ],
)
def test_a_schema_change_asks_for_its_version(after: Package, places: list[str], proposal: str) -> None:
    changes, version = schema_changes(BEFORE, after)
    assert ([place for place, _ in changes], version) == (places, proposal)


def test_a_release_without_news_or_with_a_schema_version_too_low_is_refused(tmp_path: Path) -> None:
    def folder(name: str, digest: str, content: Package) -> Path:
        (tmp_path / name).mkdir()
        manifest = {"tables": {"m": {"content_sha256": digest}}}
        (tmp_path / name / "manifest.json").write_text(json.dumps(manifest))
        (tmp_path / name / "datapackage.json").write_text(json.dumps(content))
        return tmp_path / name

    before = folder("before", "1", BEFORE)
    with pytest.raises(DataError, match="nothing differs from before"):
        release.check_changes(before, folder("same", "1", BEFORE))
    with pytest.raises(DataError, match=r"schema \[m.b\].*SCHEMA_VERSION .* to 0\.4\.0"):
        release.check_changes(before, folder("low", "2", package(a={})))
    release.check_changes(before, folder("high", "3", package("0.4.0", a={})))
