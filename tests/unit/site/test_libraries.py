"""The programs of other projects are those that were published."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from pipeline.errors import DataError
from pipeline.site import libraries


def test_a_vendored_file_that_differs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"d3.min.js", "plot.umd.min.js", "codemirror.js", "duckdb-eh.wasm"} <= set(libraries.read_vendored())
    shutil.copytree(libraries.VENDOR, tmp_path / "vendor")
    monkeypatch.setattr(libraries, "VENDOR", tmp_path / "vendor")
    (tmp_path / "vendor" / "d3.min.js.gz").write_bytes(gzip.compress(b"another program"))
    with pytest.raises(DataError, match=r"d3\.min\.js"):
        libraries.read_vendored()
