"""A build that would produce what is already there is skipped; any other is made."""

from __future__ import annotations

from datetime import date

import pytest

from pipeline.base.paths import Paths
from pipeline.publish.fingerprint import is_current


def test_a_build_is_current_until_an_input_changes(small_template: Paths, built_copy: Paths) -> None:
    assert not is_current(small_template, None)
    assert is_current(built_copy, None)
    assert not is_current(built_copy, date(2026, 3, 30))
    schema = built_copy.schemas / "models.yml"
    schema.write_text(schema.read_text() + "# one more line\n")
    assert not is_current(built_copy, None)


@pytest.mark.parametrize("name", ["models.csv", "claims.parquet", "traincompute.duckdb", "manifest.json"])
def test_a_published_file_that_was_touched_is_built_anew(built_copy: Paths, name: str) -> None:
    file = built_copy.processed / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    if name == "manifest.json":
        file.unlink()
    assert not is_current(built_copy, None)


def test_a_published_file_that_is_missing_is_built_anew(built_copy: Paths) -> None:
    (built_copy.processed / "models.csv").resolve().unlink()
    assert not is_current(built_copy, None)


def test_compiled_code_and_declined_models_are_no_inputs(built_copy: Paths) -> None:
    compiled = built_copy.schemas / "__pycache__" / "models.pyc"
    compiled.parent.mkdir()
    compiled.write_bytes(b"")
    built_copy.declined.write_text("anything\n")
    assert is_current(built_copy, None)
    (built_copy.schemas / "vocab" / "new" / "deeper").mkdir(parents=True)
    assert is_current(built_copy, None)
    (built_copy.schemas / "vocab" / "new" / "deeper" / "codes.yml").write_text("")
    assert not is_current(built_copy, None)
