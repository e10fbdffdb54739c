"""Vendored programs are those that were published."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from pipeline.site import libraries
from pipeline.site.site import HERE


def test_the_vendored_files_are_those_of_the_list() -> None:
    listed = yaml.safe_load((libraries.VENDOR / "vendor.yml").read_text(encoding="utf-8"))["files"]
    wanted = {f"{Path(entry['file']).name}.gz": entry["sha256"] for entry in listed}
    files = libraries.VENDOR.glob("*.gz")
    assert {file.name: hashlib.sha256(gzip.decompress(file.read_bytes())).hexdigest() for file in files} == wanted


@pytest.mark.skipif(not shutil.which("node"), reason="there is no node")
def test_the_page_unpacks_what_was_packed() -> None:
    engine = (HERE / "static" / "engine.js").read_text(encoding="utf-8")
    unpack = engine[engine.index("function bytesOf") : engine.index("const inflated")]
    for length in (*range(16), 5000):
        packed = bytes(place * 37 % 256 for place in range(length))
        script = f"globalThis.window = globalThis; {libraries.packed_script('x', packed).decode()}{unpack}"
        shown = "console.log(Buffer.from(bytesOf(traincompute.x)).toString('hex'))"
        done = subprocess.run(["node", "-"], input=script + shown, capture_output=True, text=True, check=True)
        assert done.stdout.strip() == packed.hex()
