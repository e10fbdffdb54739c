"""The programs of other projects that the pages run: vendor/, each file as its project publishes it."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path, PurePosixPath

import numpy as np

from pipeline.errors import DataError
from pipeline.files import list_of, load_yaml, mapping
from pipeline.site.site import Site
from traincompute.base.places import DUCKDB_NAME

SHAPE = mapping(files=list_of(mapping(package=str, version=str, licence=str, file=str, sha256=str)))
VENDOR = Path(__file__).resolve().parent / "vendor"
# a page from disk may not read what is no script: the engine of the SQL page and its tables go into scripts
PACKED = {"duckdb-browser-eh.worker.js": "worker", "duckdb-eh.wasm": "engine"}
NO_LITERAL = '\n\r"\\'  # what a text of JavaScript may not hold


def write_libraries(site: Site) -> None:
    """vendor/: the libraries and their licences; data/worker.js, engine.js and database.js: what the SQL page runs.

    Raises DataError for a vendored file whose sha256 is not the one in vendor.yml."""
    for name, content in read_vendored().items():
        if name in PACKED:
            site.write(f"data/{PACKED[name]}.js", packed_script(PACKED[name], (VENDOR / f"{name}.gz").read_bytes()))
        else:
            site.write(f"vendor/{name.replace('.cjs', '.js')}", content)
    for licence in sorted(VENDOR.glob("*.txt")):
        site.write(f"vendor/{licence.name}", licence.read_bytes())
    database = gzip.compress((site.folder / DUCKDB_NAME).read_bytes(), 8, mtime=0)
    site.write("data/database.js", packed_script("database", database))


def read_vendored() -> dict[str, bytes]:
    """The content of each vendored file by its name."""
    declared = load_yaml(VENDOR / "vendor.yml", "pipeline/site/vendor/vendor.yml", SHAPE)["files"]
    contents = {}
    for entry in declared:
        name = PurePosixPath(entry["file"]).name
        contents[name] = gzip.decompress((VENDOR / f"{name}.gz").read_bytes())
        sha256 = hashlib.sha256(contents[name]).hexdigest()
        if sha256 != entry["sha256"]:
            remedy = "`git diff` shows whether it differs from the committed one"
            raise DataError.of("pipeline/site/vendor/vendor.yml", f"its sha256 is {sha256}", remedy, record=name)
    return contents


def packed_script(name: str, packed: bytes) -> bytes:
    """A script that gives the pages what was packed by gzip as traincompute.NAME: seven bits in each character of
    ASCII, an eighth less than base64 takes. engine.js reads it."""
    bits = np.unpackbits(np.frombuffer(packed, np.uint8))
    sevens = np.pad(bits, (0, -len(bits) % 7)).reshape(-1, 7)
    text = (np.packbits(sevens, axis=1) >> 1).tobytes()
    for sign in NO_LITERAL:
        text = text.replace(sign.encode(), chr(ord(sign) + 0xB0).encode())
    return b'(window.traincompute ??= {}).%s = "%s";\n' % (name.encode(), text)
