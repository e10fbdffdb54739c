"""CSV files that people keep: damaged ones are refused with their name."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.csvfile import read_rows
from pipeline.base.errors import DataError


@pytest.mark.parametrize("content", [b"a,b\n\xff,2\n", b'a,b\n"1,2\n'])
def test_what_is_no_csv_in_utf_8_is_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"a\.csv: .*; restore it with `git checkout`"):
        read_rows(file, "a.csv", ["a", "b"])
