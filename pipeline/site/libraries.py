"""The programs of other projects that the pages run: vendor/, each file as its project publishes it."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np

from pipeline.site.site import Site
from traincompute.base.places import DUCKDB_NAME

VENDOR = Path(__file__).resolve().parent / "vendor"
# a page from disk may not read what is no script: the engine of the SQL page and its tables go into scripts
PACKED = {"duckdb-browser-eh.worker.js": "worker", "duckdb-eh.wasm": "engine"}
NO_LITERAL = '\n\r"\\'  # what a text of JavaScript may not hold


def write_libraries(site: Site) -> None:
    """vendor/: the libraries and their licences; data/worker.js, engine.js and database.js: what the SQL page runs."""
    for file in sorted(VENDOR.glob("*.gz")):
        content, name = file.read_bytes(), file.stem
        if name in PACKED:
            site.write(f"data/{PACKED[name]}.js", packed_script(PACKED[name], content))
        else:
            site.write(f"vendor/{name.replace('.cjs', '.js')}", gzip.decompress(content))
    for licence in sorted(VENDOR.glob("*.txt")):
        site.write(f"vendor/{licence.name}", licence.read_bytes())
    database = gzip.compress((site.folder / DUCKDB_NAME).read_bytes(), 8, mtime=0)
    site.write("data/database.js", packed_script("database", database))


def packed_script(name: str, packed: bytes) -> bytes:
    """A script that gives the pages what was packed by gzip as traincompute.NAME: seven bits in each character of
    ASCII, an eighth less than base64 takes. engine.js reads it."""
    bits = np.unpackbits(np.frombuffer(packed, np.uint8))
    sevens = np.pad(bits, (0, -len(bits) % 7)).reshape(-1, 7)
    text = (np.packbits(sevens, axis=1) >> 1).tobytes()
    for sign in NO_LITERAL:
        text = text.replace(sign.encode(), chr(ord(sign) + 0xB0).encode())
    return b'(window.traincompute ??= {}).%s = "%s";\n' % (name.encode(), text)
