"""The programs of other projects are those that were published."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from pathlib import Path

import pytest

from pipeline.errors import DataError
from pipeline.site import libraries
from pipeline.site.site import HERE


def test_a_vendored_file_that_differs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"d3.min.js", "plot.umd.min.js", "codemirror.js", "duckdb-eh.wasm"} <= set(libraries.read_vendored())
    shutil.copytree(libraries.VENDOR, tmp_path / "vendor")
    monkeypatch.setattr(libraries, "VENDOR", tmp_path / "vendor")
    (tmp_path / "vendor" / "d3.min.js.gz").write_bytes(gzip.compress(b"another program"))
    with pytest.raises(DataError, match=r"d3\.min\.js"):
        libraries.read_vendored()


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
