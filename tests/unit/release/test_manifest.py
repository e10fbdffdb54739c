"""What a manifest that may be hostile must have, and what is said of one that is another release's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from traincompute.base.places import ReleaseError
from traincompute.base.sources import both_days
from traincompute.verification import manifest as manifest_of
from traincompute.verification.manifest import (
    check_manifest,
    entered_until,
    facts_until,
    read_json,
    read_tables,
    version_of,
)

FILE = {"bytes": 0, "sha256": "0" * 64}
FILES = {"models.csv": FILE, "models.parquet": FILE}
ENTRY = {"rows": 0, "columns": 6, "content_sha256": "f" * 64, "files": FILES}


def manifest(**changes: Any) -> dict[str, Any]:
    return {"release": {"version": "2026.11.0"}, "tables": {"models": ENTRY | changes}}


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b'["a"]', "is no JSON object"),
        (b'{"a": {"b": 1, "b": 2}}', "cannot be read: a name stands twice in it"),
        (b"{", "cannot be read: Expecting property name"),
        (b"[" * 100_000, "cannot be read: maximum recursion depth exceeded"),
    ],
)
def test_what_is_no_json_object_is_refused(tmp_path: Path, content: bytes, fault: str) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(ReleaseError) as refused:
        read_json(tmp_path / "manifest.json")
    assert str(refused.value).startswith(f"{tmp_path / 'manifest.json'}: {fault}")


def test_a_text_of_at_most_20_mb_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "manifest.json"
    with file.open("wb") as long:
        long.truncate(20_000_001)
    with pytest.raises(ReleaseError, match="is larger than 20 MB"):
        read_json(file)
    file.write_bytes(b'{"a": 1}')
    monkeypatch.setattr(manifest_of, "LARGEST_TEXT", 8)  # as long as this one
    assert read_json(file) == {"a": 1}
    with pytest.raises(ReleaseError, match="cannot be read"):
        read_json(tmp_path / "none.json")


@pytest.mark.parametrize("tables", [None, {}, [], ["models"], 1])
def test_a_manifest_without_tables_is_refused(tables: object) -> None:
    with pytest.raises(ReleaseError, match=r"^manifest\.json: it describes no tables"):
        read_tables({"tables": tables})


@pytest.mark.parametrize("name", ["Models", "", "a-b", "x" * 64, "../models"])
def test_a_table_has_a_plain_name(name: str) -> None:
    with pytest.raises(ReleaseError, match=f"{name!r} is not the name of a table"):
        read_tables({"tables": {name: ENTRY}})


def test_a_hundred_letters_of_a_name_are_shown() -> None:
    with pytest.raises(ReleaseError, match=r": 'x{100}' is not the name of a table, of letters a to z and _"):
        read_tables({"tables": {"x" * 101: ENTRY}})


@pytest.mark.parametrize(
    "changes",
    [{}, {"rows": 500_000_000, "columns": 1}, {"files": {name: FILE | {"more": 1} for name in FILES}}],
)
def test_a_complete_entry_is_taken(changes: dict[str, Any]) -> None:
    found = manifest(**changes)
    assert read_tables(found) == found["tables"]


@pytest.mark.parametrize(
    "changes",
    [
        {"rows": "3"},
        {"rows": True},
        {"rows": -1},
        {"columns": None},
        {"rows": 500_000_001, "columns": 1},
        {"rows": 250_000_001, "columns": 2},
        {"content_sha256": "f" * 63},
        {"content_sha256": None},
        {"files": None},
        {"files": {"models.csv": FILE}},
        {"files": FILES | {"more.csv": FILE}},
        {"files": FILES | {"models.csv": None}},
        {"files": FILES | {"models.csv": FILE | {"bytes": -1}}},
        {"files": FILES | {"models.csv": FILE | {"sha256": "F" * 64}}},
        {"files": FILES | {"models.csv": FILE | {"sha256": 1}}},
    ],
)
def test_an_entry_that_lacks_something_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ReleaseError, match="its entry of models is not rows, columns, content_sha256 and two files"):
        read_tables(manifest(**changes))


def test_an_entry_is_an_object() -> None:
    with pytest.raises(ReleaseError, match="its entry of models is not"):
        read_tables({"tables": {"models": [ENTRY]}})


def test_the_manifest_is_that_of_the_folder_and_of_the_sums(tmp_path: Path) -> None:
    sums = dict.fromkeys(FILES, "0" * 64)
    for name in ("2026.11.0", "v2026.11.0"):
        assert list(check_manifest(manifest(), sums, tmp_path / name)) == []
    (tmp_path / "models.csv").touch()
    (tmp_path / "models.parquet").write_bytes(b"PAR1")
    assert list(check_manifest(manifest(), sums, tmp_path)) == [
        f"manifest.json: is of release '2026.11.0', in a folder named {tmp_path.name!r}",
        "models.parquet: has 4 bytes, but 0 in manifest.json",
    ]
    assert list(check_manifest(manifest(), {"models.csv": "1" * 64}, tmp_path))[1:] == [
        f"models.csv: sha256 is {'0' * 64} in manifest.json, but {'1' * 64} in SHA256SUMS",
        f"models.parquet: sha256 is {'0' * 64} in manifest.json, but none in SHA256SUMS",
    ]


@pytest.mark.parametrize(
    ("about", "day"),
    [
        ({"as_of": "2025-05-06", "snapshots": {"epoch_all": "2026-11-01"}}, "2025-05-06"),
        ({"snapshots": {"epoch_all": "2026-11-01", "arena": "2026-10-30", "curated": "2026-11-20"}}, "2026-11-01"),
        ({"snapshots": {"curated": "2026-11-20"}}, ""),
        ({"snapshots": None}, ""),
    ],
)
def test_facts_reach_to_the_vintage_or_to_the_newest_snapshot_of_others(about: dict[str, Any], day: str) -> None:
    assert facts_until(about) == day


def test_the_days_of_what_was_entered_by_hand_are_said_apart() -> None:
    about = {"snapshots": {"epoch_notable": "2026-08-19", "curated": "2026-11-28", "curated_epoch_copy": "2026-11-25"}}
    assert both_days(facts_until(about), entered_until(about)) == "facts to 2026-08-19, entered by hand to 2026-11-28"


@pytest.mark.parametrize(
    ("release", "version"), [({"version": "2026.11.0"}, "2026.11.0"), ({"version": 1}, None), ("2026.11.0", None)]
)
def test_a_version_is_a_text(release: object, version: str | None) -> None:
    assert version_of({"release": release}) == version
