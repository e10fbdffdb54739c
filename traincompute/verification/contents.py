"""What is wrong with a release's folder: its files, manifest, tables, database and zip. Runs in a bounded process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from traincompute.base.places import MANIFEST, ReleaseError
from traincompute.verification.database import BATCH_ROWS, check_database
from traincompute.verification.manifest import check_manifest, read_json, read_tables, version_of
from traincompute.verification.rendering import csv_digests
from traincompute.verification.statistics import parquet_fault
from traincompute.verification.sums import SUMS, check_files, parse_sums
from traincompute.verification.zipped import check_zips

MOST_PROBLEMS = 40
DESCRIPTION = "datapackage.json"
# datapackage.json → Arrow
TYPES = {
    "string": "string",
    "number": "double",
    "integer": "int64",
    "boolean": "bool",
    "date": "date32[day]",
    "list": "list<element: string>",
}


def problems_of(folder: bytes) -> list[str]:
    """Every problem (at most 40) of the release in the folder, each in one line that names the file."""
    try:
        found = list(islice(_problems(Path(os.fsdecode(folder))), MOST_PROBLEMS + 1))
    except ReleaseError as error:
        found = [str(error)]
    return found[:MOST_PROBLEMS] + (["there is more"] if len(found) > MOST_PROBLEMS else [])


def _problems(folder: Path) -> Iterator[str]:
    """The files first: contents of files that are not the right ones say nothing."""
    if not (folder / MANIFEST).is_file() or not (folder / SUMS).is_file():
        yield f"no release can be read there: it has no {MANIFEST}, or no {SUMS}"
        return
    sums = _sums(folder)
    manifest = read_json(folder / MANIFEST)
    tables = read_tables(manifest)
    problems = [*check_files(folder, sums, tables), *check_manifest(manifest, sums, folder)]
    yield from problems
    if not problems:
        yield from _check_tables(folder, tables)
        yield from check_database(folder, tables)
        yield from check_zips(folder, sums, version_of(manifest))


def _sums(folder: Path) -> dict[str, str]:
    try:
        return parse_sums((folder / SUMS).read_bytes().decode("ascii"))
    except UnicodeDecodeError as error:
        raise ReleaseError(f"{SUMS}: byte {error.start} is not ASCII") from error


def _check_tables(folder: Path, tables: Mapping[str, Any]) -> Iterator[str]:
    """Rows, columns, types and contents of the Parquet files, and that the CSV files hold the same."""
    described = _described(folder)
    for name, entry in tables.items():
        try:
            yield from _check_table(folder, name, entry, described)
        except (pa.ArrowException, OSError, ValueError) as error:
            yield f"{name}.parquet: cannot be read: {(str(error).splitlines() or [''])[0][:300]}"


def _check_table(
    folder: Path, name: str, entry: Mapping[str, Any], described: Mapping[str, Mapping[str, str]]
) -> Iterator[str]:
    with parquet.ParquetFile(folder / f"{name}.parquet", memory_map=False) as file:
        rows, columns, schema = file.metadata.num_rows, file.metadata.num_columns, file.schema_arrow
        if (rows, len(schema)) != (entry["rows"], entry["columns"]):
            wanted = f"{entry['rows']} rows and {entry['columns']} columns"
            yield f"{name}.parquet: has {rows} rows and {columns} columns, but {wanted} in {MANIFEST}"
        elif described and (fault := _schema_fault(schema, described.get(name))):
            yield f"{name}.parquet: {fault}"
        else:
            found = csv_digests(schema, file.iter_batches(BATCH_ROWS, use_threads=False))
            if found.rows != rows or found.content != entry["content_sha256"]:
                yield f"{name}.parquet: its contents are not those that {MANIFEST} describes"
            elif fault := parquet_fault(folder / f"{name}.parquet", file):
                yield f"{name}.parquet: {fault}"


def _described(folder: Path) -> dict[str, dict[str, str]]:
    """{table: {column: type}} of the datapackage.json, where there is one. Raises ReleaseError where it is malformed."""
    if not (folder / DESCRIPTION).is_file():
        return {}
    package, found = read_json(folder / DESCRIPTION), {}
    try:
        for resource in package["resources"]:
            if fields := (resource.get("schema") or {}).get("fields"):
                found[Path(resource["path"]).stem] = {str(field["name"]): _type(field) for field in fields}
    except (KeyError, TypeError, AttributeError) as error:
        raise ReleaseError(f"{DESCRIPTION}: cannot be used: {error!r}") from error
    return found


def _type(field: Mapping[str, Any]) -> str:
    """The described type; a list is text with a delimiter, as the CSV file has it."""
    return "list" if "delimiter" in field else str(field["type"])


def _schema_fault(schema: pa.Schema, described: Mapping[str, str] | None) -> str | None:
    if described is None:
        return f"is not described in {DESCRIPTION}"
    if schema.names != list(described):
        return f"has other columns than {DESCRIPTION} says"
    for field in schema:
        wanted = TYPES.get(described[field.name], described[field.name])
        if str(field.type) != wanted:
            return f"column {field.name} is {field.type}, but {described[field.name][:100]!a} in {DESCRIPTION}"
    return None
