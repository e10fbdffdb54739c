"""What `import traincompute` makes of a file's columns, of names and of a result that is too large."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

import traincompute as t
from traincompute import reader
from traincompute.base.errors import InputError, QueryError, ReleaseError
from traincompute.names.resolve import NOTHING

FIELDS = [pa.field("b", pa.list_(pa.string())), pa.field("a", pa.int64(), metadata={"unit": "FLOP", "more": "x"})]


@pytest.fixture(autouse=True)
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A release of the table models, which has two columns."""
    parquet.write_table(
        pa.table({"b": [["x", "y"], None], "a": [1, None]}, pa.schema(FIELDS)), tmp_path / "models.parquet"
    )
    found = SimpleNamespace(version="1.0", manifest_sha256="0f", files=["models.parquet"])
    monkeypatch.setattr(reader, "choose", lambda version: found)
    monkeypatch.setattr(reader, "verified", lambda _, name: tmp_path / name)


def test_a_table_has_its_columns_and_their_units() -> None:
    whole = t.load("models")
    assert (list(whole), whole["b"].to_list(), whole["a"].to_list()) == (["b", "a"], [["x", "y"], None], [1, pd.NA])
    assert whole.attrs == {"units": {"a": "FLOP"}, "table": "models", "version": "1.0", "manifest_sha256": "0f"}
    assert list(t.load("models", columns=("a", "b"))) == ["a", "b"]
    assert t.load("models", lists="joined")["b"].to_list()[0] == "x;y"
    for words, error, said, code in (
        ({"columns": ["a", "bb"]}, ReleaseError, "models has no column bb; did you mean b?", 2),
        ({"lists": "x"}, InputError, 'lists is \'x\'; it may be "list" or "joined"', 2),
    ):
        with pytest.raises(error) as caught:
            t.load("models", **words)  # type: ignore[arg-type]
        assert (str(caught.value), caught.value.exit_code) == (said, code)


def test_a_style_of_citation_is_one_of_four(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("edition_of", "sources_of"):
        monkeypatch.setattr(reader, name, lambda release, name=name: f"{name} {release.version}")
    monkeypatch.setattr(reader, "cite_as", lambda *given: given)
    assert t.cite(style="apa") == ("apa", "edition_of 1.0", "sources_of 1.0")
    with pytest.raises(InputError, match=r"^no style 'mla'; there are: text, apa, bibtex, csl$"):
        t.cite(style="mla")


def test_names_keep_their_order_and_index(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "path", lambda version: version)
    monkeypatch.setattr(reader, "open_sealed", nullcontext)
    monkeypatch.setattr(reader, "resolve", lambda _, names: [NOTHING | {"asked": name} for name in names])
    for names, asked, index in (
        ("x", ["x"], [0]),
        (iter(["x", None]), ["x", ""], [0, 1]),
        (pd.Series(["x", None], index=[7, 5]), ["x", ""], [7, 5]),
    ):
        found = t.match(names)
        assert (found["asked"].to_list(), found.index.to_list()) == (asked, index)
    assert list(found) == ["asked", "model_id", "name", "how", "candidates", "base_model_id", "taken_off"]


def test_a_query_takes_a_minute_and_its_result_a_gigabyte_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allowed: list[float] = []
    monkeypatch.setattr(reader, "path", lambda version: ":memory:")
    limited = reader.limit_time
    monkeypatch.setattr(reader, "limit_time", lambda given, seconds: allowed.append(seconds) or limited(given, seconds))
    assert t.sql("select $a as a", parameters={"a": 3})["a"].to_list() == [3]
    assert (allowed, reader.LARGEST_RESULT) == ([60.0], 10**9)
    batches: Any = [SimpleNamespace(nbytes=4), SimpleNamespace(nbytes=6)]
    assert list(reader._within(batches, 10)) == batches
    with pytest.raises(QueryError, match=r"^the result is larger than 1 GB; select fewer rows or columns$"):
        list(reader._within(batches, 9))
