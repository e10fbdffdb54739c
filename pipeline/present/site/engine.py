"""The files with which the SQL page runs DuckDB: the vendored engine and the dataset itself, all in the folder.

Pages from disk may read nothing but scripts, so what is not a script goes into one: gzip in base64, inflated in the
page."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from pathlib import Path, PurePosixPath
from typing import Any

from pipeline.errors import DataError, Problem
from pipeline.files import list_of, load_yaml, mapping

VENDOR = Path(__file__).resolve().parents[2] / "site" / "vendor"
DECLARED = "pipeline/site/vendor/vendor.yml"
SHAPE = mapping(files=list_of(mapping(package=str, version=str, licence=str, file=str, sha256=str)))
LIBRARIES = {"vendor/arrow.js": "Arrow.es2015.min.js", "vendor/duckdb.js": "duckdb-browser.cjs"}
PARTS = {"worker": "duckdb-browser-eh.worker.js", "engine": "duckdb-eh.wasm"}


def engine_files(database: Path) -> dict[str, bytes]:
    """{path below the site: content}: libraries, the parts of the engine, the dataset, licences.

    Raises DataError for a vendored file that is not the published one."""
    vendored = read_vendored()
    files = {path: gzip.decompress(vendored[name]) for path, name in LIBRARIES.items()}
    parts = {key: vendored[name] for key, name in PARTS.items()}
    parts["database"] = gzip.compress(database.read_bytes(), 8, mtime=0)
    files |= {f"data/{key}.js": as_script(key, part) for key, part in parts.items()}
    return files | {f"vendor/{file.name}": file.read_bytes() for file in sorted(VENDOR.glob("*.txt"))}


def read_vendored() -> dict[str, bytes]:
    """{name of the file: its gzip}. Raises DataError where the sha256 of its content is not the declared one."""
    held = {}
    for entry in load_yaml(VENDOR / "vendor.yml", DECLARED, SHAPE)["files"]:
        name = PurePosixPath(entry["file"]).name
        held[name] = (VENDOR / f"{name}.gz").read_bytes()
        found = hashlib.sha256(gzip.decompress(held[name])).hexdigest()
        if found != entry["sha256"]:
            reason, remedy = f"its sha256 is {found}", "`git diff` shows whether it differs from the committed one"
            raise DataError([Problem(DECLARED, name, "sha256", entry["sha256"], reason, remedy)])
    return held


def packed(value: Any) -> bytes:
    """What a page inflates and reads as JSON."""
    return gzip.compress(as_json(value), 7, mtime=0)


def as_json(value: Any) -> bytes:
    """JSON in as few bytes as it can be."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def as_script(key: str, content: bytes, function: str = "receivePacked") -> bytes:
    """A script that hands the bytes to the page under that name."""
    return b'traincompute.%s("%s","%s");\n' % (function.encode(), key.encode(), base64.b64encode(content))
