"""What is said of a release of which one thing is not what its manifest or its description says."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from pyarrow import parquet

from traincompute.verification import contents
from traincompute.verification.contents import problems_of

Json = dict[str, Any]
TYPES = {
    "model_id": "string",
    "name": "string",
    "training_compute_flop": "number",
    "parameters": "integer",
    "publication_date": "date",
}


def problems(folder: Path) -> list[str]:
    """All but what test_database.py looks at, and what takes most of the time."""
    with mock.patch.object(contents, "check_database", return_value=[]):
        return problems_of(os.fsencode(folder))


def refit(folder: Path, change: Callable[[Json], object] = lambda _: None) -> None:
    """Changes the manifest and makes hashes and sizes those of the files again."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    for table in manifest["tables"].values():
        for name, entry in table["files"].items():
            content = (folder / name).read_bytes()
            entry.update(bytes=len(content), sha256=hashlib.sha256(content).hexdigest())
    change(manifest)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    for file in folder.glob("*.zip"):  # it has a manifest of its own
        file.unlink()
    files = sorted(path for path in folder.iterdir() if path.name != "SHA256SUMS")
    sums = (f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files)
    (folder / "SHA256SUMS").write_text("".join(sums))


def described(types: dict[str, str]) -> Json:
    fields: list[Json] = [{"name": name, "type": of} for name, of in types.items()]
    return {"fields": [*fields, {"name": "organization", "type": "string", "delimiter": ";"}]}


def describe(folder: Path, models: Json | None, sources: Json | None = None) -> None:
    """Writes the datapackage.json: a resource for each table that has a schema."""
    sources = sources or {
        "fields": [{"name": "source_id", "type": "string"}, {"name": "redistribute", "type": "boolean"}]
    }
    tables = {"models": models, "sources": sources}
    resources = [{"path": f"{name}.csv", "schema": schema} for name, schema in tables.items()]
    (folder / "datapackage.json").write_text(json.dumps({"resources": [*resources, {"path": "README.md"}]}))
    refit(folder)


def test_a_sound_release_with_and_without_a_description(tiny_release: Path) -> None:
    assert problems_of(os.fsencode(tiny_release)) == []
    describe(tiny_release, described(TYPES))
    assert problems(tiny_release) == []


@pytest.mark.parametrize("name", ["manifest.json", "SHA256SUMS"])
def test_a_folder_that_is_no_release(tiny_release: Path, name: str) -> None:
    (tiny_release / name).unlink()
    assert problems(tiny_release) == ["no release can be read there: it has no manifest.json, or no SHA256SUMS"]


def test_sums_that_are_not_ascii(tiny_release: Path) -> None:
    (tiny_release / "SHA256SUMS").write_bytes("12é".encode())
    assert problems(tiny_release) == ["SHA256SUMS: byte 2 is not ASCII"]


@pytest.mark.parametrize(("many", "more"), [(40, []), (41, ["there is more"]), (60, ["there is more"])])
def test_forty_problems_are_told(tiny_release: Path, many: int, more: list[str]) -> None:
    for number in range(many):
        (tiny_release / f"{number}.txt").touch()
    told = problems(tiny_release)
    assert all("is not listed in SHA256SUMS" in line for line in told[:40])
    assert told[40:] == more


@pytest.mark.parametrize(
    ("key", "said"), [("rows", "4 rows and 6 columns"), ("columns", "3 rows and 7 columns"), ("content_sha256", "")]
)
def test_a_table_with_other_rows_columns_or_contents_than_the_manifest_says(
    tiny_release: Path, key: str, said: str
) -> None:
    def change(manifest: Json) -> None:
        table = manifest["tables"]["models"]
        table[key] = "0" * 64 if key == "content_sha256" else table[key] + 1

    refit(tiny_release, change)
    wanted = f"has 3 rows and 6 columns, but {said} in manifest.json" if said else "its contents are not those that"
    assert problems(tiny_release)[0].startswith(f"models.parquet: {wanted}")


def test_what_is_wrong_with_the_database_is_told(tiny_release: Path) -> None:
    with mock.patch.object(contents, "check_database", return_value=["traincompute.duckdb: wrong"]):
        assert problems_of(os.fsencode(tiny_release)) == ["traincompute.duckdb: wrong"]


def test_a_parquet_file_that_cannot_be_read(tiny_release: Path) -> None:
    (tiny_release / "models.parquet").write_bytes(b"PAR1")
    refit(tiny_release)
    assert [line.split(": ")[:2] for line in problems(tiny_release)[:1]] == [["models.parquet", "cannot be read"]]


def test_a_table_that_is_not_described(tiny_release: Path) -> None:
    describe(tiny_release, None)
    assert problems(tiny_release) == ["models.parquet: is not described in datapackage.json"]


@pytest.mark.parametrize(
    ("types", "fault"),
    [
        (TYPES | {"cost": "number"}, "has other columns than datapackage.json says"),
        (dict(reversed(TYPES.items())), "has other columns than datapackage.json says"),
        (TYPES | {"parameters": "number"}, "column parameters is int64, but 'number' in datapackage.json"),
        (TYPES | {"parameters": "x" * 101}, f"column parameters is int64, but '{'x' * 100}' in datapackage.json"),
    ],
)
def test_columns_that_are_described_otherwise(tiny_release: Path, types: dict[str, str], fault: str) -> None:
    describe(tiny_release, described(types))
    assert problems(tiny_release) == [f"models.parquet: {fault}"]


@pytest.mark.parametrize("package", [{}, {"resources": 1}, {"resources": [{"schema": {"fields": [{"name": "a"}]}}]}])
def test_a_description_that_cannot_be_used(tiny_release: Path, package: Json) -> None:
    (tiny_release / "datapackage.json").write_text(json.dumps(package))
    refit(tiny_release)
    (told,) = problems(tiny_release)
    assert told.startswith("datapackage.json: cannot be used: ")


def test_a_message_of_the_reader_is_told_in_one_line_of_at_most_300_characters(
    tiny_release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise pa.ArrowInvalid("x" * 301 + "\nmore")

    monkeypatch.setattr(parquet, "ParquetFile", refuse)
    assert problems(tiny_release)[0] == f"models.parquet: cannot be read: {'x' * 300}"
