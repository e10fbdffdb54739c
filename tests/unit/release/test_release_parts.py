"""What a release is named, what its schema version must be, how its tables are described, and what the index says."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import DataError
from pipeline.registry.schema import Column, TableSchema
from pipeline.release.describe.card import _size
from pipeline.release.describe.croissant import croissant
from pipeline.release.describe.datapackage import datapackage
from pipeline.release.describe.schema_changes import WORDS, Change, check_schema_version, propose, schema_changes
from pipeline.release.index import check_version, find, previous, read_index, with_entry, write_index
from traincompute.index import folder_name, version_key

Package = dict[str, Any]


@pytest.mark.parametrize(
    ("version", "channel", "folder"),
    [
        ("2026.11.0", "release", "v2026.11.0"),
        ("2027.1.12", "release", "v2027.1.12"),
        ("vintage-2025-05-06", "vintage", "vintage-2025-05-06"),
    ],
)
def test_versions(version: str, channel: str, folder: str) -> None:
    assert (check_version(version), folder_name(version)) == (channel, folder)


@pytest.mark.parametrize(
    "text", ["2026.11", "v2026.11.0", "2026.13.0", "2026.01.0", "1.0.0", "vintage-2025-5-6", "2025-05-06", "../x", ""]
)
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(DataError, match="is not a version"):
        check_version(text)


def test_versions_are_ordered_by_number() -> None:
    assert sorted(["2026.10.0", "2026.9.1", "2026.9.10"], key=version_key) == ["2026.9.1", "2026.9.10", "2026.10.0"]


# --- schema version ---


def package(version: str = "0.3.1", **columns: Package) -> Package:
    """A datapackage.json with one table; each keyword is a column with what its field says beyond the name."""
    fields = [{"name": name, "type": "number", **more} for name, more in columns.items()]
    schema = {"fields": fields, "primaryKey": ["a"]}
    return {"schema_version": version, "resources": [{"name": "models", "schema": schema}]}


BEFORE = package(a={}, b={"unit": "FLOP", "constraints": {"required": True, "enum": ["x"]}})


@pytest.mark.parametrize(
    ("after", "what", "proposal"),
    [
        (package(a={}), "column removed", "0.4.0"),
        (
            package(a={}, b={"unit": "TFLOP", "constraints": {"required": True, "enum": ["x"]}}),
            "unit FLOP is now TFLOP",
            "0.4.0",
        ),
        (
            package(a={}, b={"unit": "FLOP", "type": "string", "constraints": {"required": True, "enum": ["x"]}}),
            "type number is now string",
            "0.4.0",
        ),
        (package(a={}, b={"unit": "FLOP", "constraints": {"enum": ["x"]}}), "may now be null", "0.4.0"),
        (
            package(a={}, b={"unit": "FLOP", "constraints": {"required": True, "enum": ["x", "y"]}}),
            "new codes y",
            "0.3.2",
        ),
        (package(a={}, b=BEFORE["resources"][0]["schema"]["fields"][1], c={}), "column added", "0.3.2"),
        ({**BEFORE, "resources": []}, "table removed", "0.4.0"),
        ({**BEFORE, "resources": [*BEFORE["resources"], {"name": "more", "schema": {}}]}, "table added", "0.3.2"),
    ],
)
def test_a_schema_change_without_its_version_is_refused_with_a_proposal(
    after: Package, what: str, proposal: str
) -> None:
    assert what in [change.what for change in schema_changes(BEFORE, after)]
    with pytest.raises(DataError, match=f"set SCHEMA_VERSION in pipeline/registry/context.py to {proposal}"):
        check_schema_version(BEFORE, after)
    check_schema_version(BEFORE, {**after, "schema_version": proposal})


def test_words_need_no_new_version_and_views_count() -> None:
    described = package(a={"description": "other"}, b=BEFORE["resources"][0]["schema"]["fields"][1])
    assert check_schema_version(BEFORE, described) == [Change("models.a", WORDS, "description changed")]
    with_view = {**BEFORE, "views": {"large": ["a", "b"]}}
    assert propose("0.3.1", schema_changes(BEFORE, with_view)) == "0.3.2"
    assert propose("1.3.1", schema_changes(BEFORE, with_view)) == "1.4.0"
    assert propose("1.3.1", schema_changes(with_view, BEFORE)) == "2.0.0"
    assert propose("1.3.1", schema_changes(with_view, {**BEFORE, "views": {"large": ["a"]}})) == "2.0.0"


# --- descriptions ---

TABLE = TableSchema(
    "models",
    "Models",
    "All.",
    ("id",),
    (
        Column("id", "string", "Key", constraints={"required": True}),
        Column("flop", "number", "FLOP", unit="FLOP", constraints={"exclusiveMinimum": 0}, example=1e25),
        Column("day", "date", "Day", constraints={"minimum": date(1950, 1, 1)}, example=date(2020, 5, 28)),
        Column("tags", "list", "Tags", references="others.id", example="a"),
        Column("base", "string", "Base", references="models.id", example=7),
    ),
)
FILES = {"models.csv": {"bytes": 7, "sha256": "ab"}, "models.parquet": {"bytes": 9, "sha256": "cd"}}
MANIFEST = {
    "release": {"version": "2026.11.0", "date": "2026-11-21"},
    "schema_version": "0.1.0",
    "tables": {"models": {"files": FILES}},
}
ABOUT = {
    **dict.fromkeys(("name", "title", "description", "licence", "licence_title", "licence_url"), "x"),
    "keywords": [],
    "creators": ["we"],
}


def test_the_data_package_of_a_table() -> None:
    sources = [{"title": "A", "url": "https://a.org"}, {"title": "B", "url": None}]
    made = datapackage(ABOUT, MANIFEST, {"models": TABLE}, sources)
    (resource,) = made["resources"]
    by_name = {field["name"]: field for field in resource["schema"]["fields"]}
    assert made["sources"] == [{"title": "A", "path": "https://a.org"}, {"title": "B"}]
    assert resource["hash"] == "sha256:ab"
    assert by_name["flop"]["constraints"] == {"minimum": 0}
    assert by_name["flop"]["unit"] == "FLOP"
    assert (by_name["day"]["constraints"], by_name["day"]["example"]) == ({"minimum": "1950-01-01"}, "2020-05-28")
    assert (by_name["tags"]["type"], by_name["tags"]["delimiter"]) == ("string", ";")
    assert by_name["base"] == {"name": "base", "type": "string", "description": "Base", "example": "7"}
    # the table that the tags point at is not in the release
    itself = {"resource": "models", "fields": ["id"]}
    assert resource["schema"]["foreignKeys"] == [{"fields": ["base"], "reference": itself}]


def test_the_croissant_of_a_table() -> None:
    made = croissant(ABOUT, MANIFEST, {"models": TABLE}, "cite")
    (file,), (records,) = made["distribution"], made["recordSet"]
    assert made["isLiveDataset"] is False
    assert (file["@id"], file["contentSize"], file["sha256"]) == ("models.parquet", "9 B", "cd")
    fields = {field["name"]: field for field in records["field"]}
    assert fields["flop"]["description"] == "FLOP [FLOP]"
    told = {
        name: [field.get(key) for key in ("dataType", "isArray", "arrayShape", "references")]
        for name, field in fields.items()
    }
    assert told == {
        "id": ["sc:Text", None, None, None],
        "flop": ["sc:Float", None, None, None],
        "day": ["sc:Date", None, None, None],
        "tags": ["sc:Text", True, "-1", None],
        "base": ["sc:Text", None, None, {"field": {"@id": "models/id"}}],
    }


# --- index ---


def entry(version: str) -> Package:
    about = {"version": version, "channel": check_version(version), "url": folder_name(version), "bytes": 7}
    return about | {"sums_sha256": "0" * 64}


def test_the_index_is_sorted_and_its_serial_rises(tmp_path: Path) -> None:
    index = read_index(tmp_path)
    assert (index["serial"], index["latest"]) == (0, None)
    for version in ("2026.11.0", "vintage-2025-05-06", "2026.9.0", "2026.12.0"):
        index = with_entry(index, entry(version))
    write_index(tmp_path, index)
    index = read_index(tmp_path)
    assert [e["version"] for e in index["releases"]] == ["2026.9.0", "2026.11.0", "2026.12.0", "vintage-2025-05-06"]
    assert (index["serial"], index["latest"]) == (4, "2026.12.0")
    assert previous(index, "release", "2026.12.0") == entry("2026.11.0")
    assert previous(index, "vintage", "vintage-2022-09-01") is None
    assert find(index, "2026.10.0") is None


@pytest.mark.parametrize(
    ("rows", "size"), [(999, "n<1K"), (1000, "1K<n<10K"), (77392, "10K<n<100K"), (100_000, "100K<n<1M")]
)
def test_sizes_as_hubs_name_them(rows: int, size: str) -> None:
    assert _size(rows) == size
