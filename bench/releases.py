"""Measures the reader on a release of the current build: listing, downloading and loading against plain floors."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import shutil
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.case import Case
from bench.measure import PROCESSED, compare_all
from bench.row import Row

VERSION = "2026.1.0"


def rows(quick: bool, runs: int) -> list[Row]:
    """Download, load and list against plain floors."""
    with release_cases(PROCESSED) as cases:
        return compare_all(cases, runs)


@contextmanager
def release_cases(processed: Path) -> Iterator[list[Case]]:
    """The cases, to be measured while the context lasts: a release of the build, a server on loopback, a warm cache."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        folder = make_release(processed, root / "releases")
        handler = functools.partial(Quiet, directory=str(root / "releases"))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_address[1]}/"
            yield [
                *downloads(root, folder, address),
                load_case(root, folder, address),
                Case(
                    "releases ÷ import click",
                    python(
                        root / "warm", str(root / "releases"), "from traincompute.cli import group; group(['releases'])"
                    ),
                    [sys.executable, "-c", "import click"],
                    1.5,
                ),
            ]
            server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and logs nothing."""

    def log_message(self, format: str, *args: object) -> None:
        """Writes nothing to standard error."""


def make_release(processed: Path, releases: Path) -> Path:
    """A release of the build as an index describes it, with its zip but without the small files that only describe
    it."""
    folder = releases / f"v{VERSION}"
    folder.mkdir(parents=True)
    for path in processed.iterdir():
        if path.suffix in (".parquet", ".csv", ".duckdb"):
            shutil.copyfile(path, folder / path.name)
    manifest = json.loads((processed / "manifest.json").read_bytes())
    manifest["release"] = {"version": VERSION, "channel": "release", "date": "2026-01-01", "commit": None}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with zipfile.ZipFile(folder / f"traincompute-{VERSION}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.iterdir()):
            if path.suffix in (".parquet", ".csv"):
                archive.write(path, path.name)
    files = {
        path.name: {
            "url": f"{folder.name}/{path.name}",
            "bytes": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in folder.iterdir()
    }
    entry = {"version": VERSION, "channel": "release", "date": "2026-01-01", "bytes": 0, "files": files}
    entry["manifest_sha256"] = files["manifest.json"]["sha256"]
    index = {"name": "traincompute", "format": 1, "serial": 1, "latest": VERSION, "releases": [entry]}
    (releases / "releases.json").write_text(json.dumps(index))
    return folder


def python(cache: Path, index: str, code: str) -> list[str]:
    """A command that runs the code with this cache and index."""
    settings = {"TRAINCOMPUTE_CACHE": str(cache), "TRAINCOMPUTE_INDEX": index}
    return [sys.executable, "-c", f"import os; os.environ.update({settings!r}); {code}"]


def downloads(root: Path, folder: Path, address: str) -> list[Case]:
    """Verified downloads into an empty cache: from a folder, against copying it and hashing the copy; and from
    loopback, against fetching the same files one by one and hashing them."""
    cache, plain = root / "cache", root / "plain"
    ours = f"import shutil; shutil.rmtree({str(cache)!r}, True); import traincompute; traincompute.download()"
    empty = f"import shutil, hashlib, os; from pathlib import Path; shutil.rmtree({str(plain)!r}, True); "
    check = f"[hashlib.file_digest(p.open('rb'), 'sha256').hexdigest() for p in Path({str(plain)!r}).iterdir()]"
    copy = f"shutil.copytree({str(folder)!r}, {str(plain)!r}); "
    names = sorted(path.name for path in folder.iterdir())
    fetch = (
        f"import urllib.request; os.mkdir({str(plain)!r}); "
        f"[urllib.request.urlretrieve('{address}{folder.name}/' + n, {str(plain)!r} + '/' + n) for n in {names!r}]; "
    )
    return [
        Case("download of a folder ÷ copy, sha256", python(cache, str(folder.parent), ours), [sys.executable, "-c", empty + copy + check], 1.3),
        Case("download from loopback ÷ fetch, sha256", python(cache, address, ours), [sys.executable, "-c", empty + fetch + check], 1.3),
    ]  # fmt: skip


def load_case(root: Path, folder: Path, address: str) -> Case:
    """A cached load of models against pandas alone on the same file."""
    plain = f"import pandas; pandas.read_parquet({str(folder / 'models.parquet')!r})"
    ours = python(root / "warm", address, "import traincompute as t; t.load('models')")
    return Case("cached load ÷ pandas.read_parquet", ours, [sys.executable, "-c", plain], 1.3)
