"""Whether a release folder is what it says it is: from the hashes of its files down to the rows of its database."""

from __future__ import annotations

import hashlib
import json
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

from traincompute.releases.disk import file_sha256
from traincompute.releases.folders import SUMS, parse_sums
from traincompute.releases.index import MANIFEST
from traincompute.releases.places import DUCKDB_NAME

SIGNATURE = f"{SUMS}.sig"
NAMESPACE = "traincompute"  # of the signature, as `traincompute release` gives it to ssh-keygen
# datapackage.json → Arrow
TYPES = {
    "string": "string",
    "number": "double",
    "integer": "int64",
    "boolean": "bool",
    "date": "date32[day]",
    "list": "list<element: string>",
}


def verify_release(folder: Path, allowed_signers: Path | None = None) -> list[str]:
    """Every problem of the release in the folder, each in one line that names the file; none where all is well.

    Checks SHA256SUMS against the files, the manifest against both, rows, columns, schema and contents of each table as
    Parquet and in DuckDB, and the zip; with `allowed_signers` the signature of SHA256SUMS, too."""
    try:
        sums = parse_sums((folder / SUMS).read_text(encoding="utf-8"))
        manifest = json.loads((folder / MANIFEST).read_bytes())
        tables = dict(manifest["tables"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{folder}: no release can be read there: {error}"]
    problems = [*_check_files(folder, sums), *_check_manifest(manifest, sums, folder)]
    if not problems:  # contents of files that are not the right ones say nothing
        problems = [*_check_tables(folder, tables), *_check_database(folder, tables), *_check_zips(folder, sums)]
    if allowed_signers:
        problems += _check_signature(folder, allowed_signers)
    return problems


def _check_files(folder: Path, sums: Mapping[str, str]) -> Iterator[str]:
    present = {path.name for path in folder.iterdir()} - {SUMS, SIGNATURE}
    for name in sorted({*sums, *present}):
        if name not in sums:
            yield f"{name}: is not listed in {SUMS}"
        elif name not in present:
            yield f"{name}: is missing"
        elif (digest := file_sha256(folder / name)) != sums[name]:
            yield f"{name}: sha256 is {digest}, but {sums[name]} in {SUMS}"


def _check_manifest(manifest: Mapping[str, Any], sums: Mapping[str, str], folder: Path) -> Iterator[str]:
    version = (manifest.get("release") or {}).get("version")
    if folder.name not in (version, f"v{version}"):
        yield f"{MANIFEST}: is of release {version}, in a folder named {folder.name}"
    for table in manifest["tables"].values():
        for name, entry in table["files"].items():
            if sums.get(name) != entry["sha256"]:
                yield f"{name}: sha256 is {entry['sha256']} in {MANIFEST}, but {sums.get(name, 'none')} in {SUMS}"
            elif (folder / name).is_file() and (folder / name).stat().st_size != entry["bytes"]:
                yield f"{name}: has {(folder / name).stat().st_size} bytes, but {entry['bytes']} in {MANIFEST}"


def _check_tables(folder: Path, tables: Mapping[str, Any]) -> Iterator[str]:
    """Rows, columns, types and contents of the Parquet files."""
    described = _described(folder)
    for name, entry in tables.items():
        data = parquet.ParquetFile(folder / f"{name}.parquet").read()
        if (data.num_rows, data.num_columns) != (entry["rows"], entry["columns"]):
            wanted = f"{entry['rows']} rows and {entry['columns']} columns"
            yield f"{name}.parquet: has {data.num_rows} rows and {data.num_columns} columns, but {wanted} in {MANIFEST}"
        elif content_sha256(data) != entry["content_sha256"]:
            yield f"{name}.parquet: its contents are not those that {MANIFEST} describes"
        if described and (fault := _schema_fault(data.schema, described.get(name))):
            yield f"{name}.parquet: {fault}"


def _described(folder: Path) -> dict[str, dict[str, str]]:
    """{table: {column: type}} of the datapackage.json, where there is one."""
    if not (folder / "datapackage.json").is_file():
        return {}
    package = json.loads((folder / "datapackage.json").read_bytes())
    found = {}
    for resource in package["resources"]:
        if fields := (resource.get("schema") or {}).get("fields"):
            found[Path(resource["path"]).stem] = {field["name"]: _type(field) for field in fields}
    return found


def _type(field: Mapping[str, Any]) -> str:
    """The described type; a list is text with a delimiter, as the CSV file has it."""
    return "list" if "delimiter" in field else str(field["type"])


def _schema_fault(schema: pa.Schema, described: Mapping[str, str] | None) -> str | None:
    if described is None:
        return "is not described in datapackage.json"
    if schema.names != list(described):
        return "has other columns than datapackage.json says"
    for field in schema:
        wanted = TYPES.get(described[field.name], described[field.name])
        if str(field.type) != wanted:
            return f"column {field.name} is {field.type}, but {described[field.name]} in datapackage.json"
    return None


def content_sha256(data: pa.Table) -> str:
    """The hash of a table's contents that manifests state: of its rows as CSV, lists joined by `;`."""
    for number, field in enumerate(data.schema):
        if pa.types.is_list(field.type):
            data = data.set_column(number, field.name, pc.binary_join(data[number].combine_chunks(), ";"))
    sink = pa.BufferOutputStream()
    csv.write_csv(data, sink)
    return hashlib.sha256(sink.getvalue()).hexdigest()


def _check_database(folder: Path, tables: Mapping[str, Any]) -> Iterator[str]:
    """The tables of the DuckDB file hold the same rows in the same order."""
    try:
        with duckdb.connect(str(folder / DUCKDB_NAME), read_only=True, config={"threads": 1}) as connection:
            for name, entry in tables.items():
                schema = parquet.read_schema(folder / f"{name}.parquet")
                found = connection.sql(f'select * from "{name}" order by rowid').to_arrow_table()
                if content_sha256(found.cast(schema)) != entry["content_sha256"]:
                    yield f"{DUCKDB_NAME}: the contents of {name} are not those that {MANIFEST} describes"
    except (duckdb.Error, ValueError) as error:
        yield f"{DUCKDB_NAME}: {str(error).splitlines()[0]}"


def _check_zips(folder: Path, sums: Mapping[str, str]) -> Iterator[str]:
    """Every member of a zip is a file of the release, byte for byte."""
    for path in sorted(folder.glob("*.zip")):
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                name = member.filename.rsplit("/", 1)[-1]
                with archive.open(member) as handle:
                    if name and hashlib.file_digest(handle, "sha256").hexdigest() != sums.get(name):  # type: ignore[arg-type]
                        yield f"{path.name}: its {name} is not that of the release"


def _check_signature(folder: Path, allowed_signers: Path) -> list[str]:
    """What ssh-keygen says against the signature; who signed is looked up among those who may."""
    signature = folder / SIGNATURE
    if not signature.is_file():
        return [f"{SIGNATURE}: is missing"]
    with_signature = ["-s", str(signature)]
    finding = ["ssh-keygen", "-Y", "find-principals", "-f", str(allowed_signers), *with_signature]
    try:
        found = subprocess.run(finding, capture_output=True, text=True, check=False)
        signer = found.stdout.splitlines()[0] if found.returncode == 0 and found.stdout else ""
        if not signer:
            return [f"{SIGNATURE}: nobody in {allowed_signers} has made it"]
        checking = [
            "ssh-keygen",
            "-Y",
            "verify",
            "-f",
            str(allowed_signers),
            "-I",
            signer,
            "-n",
            NAMESPACE,
            *with_signature,
        ]
        with (folder / SUMS).open("rb") as handle:
            checked = subprocess.run(checking, stdin=handle, capture_output=True, check=False)
    except FileNotFoundError:
        return [f"{SIGNATURE}: cannot be checked without ssh-keygen"]
    return [] if checked.returncode == 0 else [f"{SIGNATURE}: does not fit {SUMS}"]
