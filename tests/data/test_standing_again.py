"""What stands is open in the files of facts: `until` of claims and corrections read again from there, without the pipeline."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.base.paths import CHECKOUT
from pipeline.registry.frames import Tables

RAW = CHECKOUT / "data" / "raw"
LINE = ["source_id", "record", "field", "value_text", "locator", "since"]
Line = tuple[str, ...]


def lines(folder: Path) -> Iterator[tuple[Line, str]]:
    """Each line of a source's files of facts, with its `until`."""
    for file in folder.glob("facts*.csv"):
        with file.open(encoding="utf-8", newline="") as opened:
            for row in csv.DictReader(opened):
                yield (folder.name, *(row[name] for name in LINE[1:])), row["until"]


@pytest.fixture(scope="module")
def ends() -> dict[Line, set[str]]:
    found: dict[Line, set[str]] = {}
    for folder in RAW.iterdir():
        for line, until in lines(folder) if folder.is_dir() else ():
            found.setdefault(line, set()).add(until)
    return found


def test_a_claim_stands_in_the_file_of_its_source(tables: Tables, ends: dict[Line, set[str]]) -> None:
    """Its line has no `until`, and so the claim has none. Only what we put in the place of a source's claim stands in no
    file: the value of a correction, and the date of a paper in the place of a later one."""
    claims = tables["claims"].fillna({"locator": ""})
    dates = claims["field"].eq("publication_date") & claims["source_id"].eq("curated") & claims["locator"].eq("")
    by_paper = dates & claims["reference"].str.contains("^(?:arXiv|doi):", regex=True).fillna(False)
    printed = claims[claims["correction"].isna() & ~by_paper]
    texts = printed[LINE].assign(since=printed["since"].dt.strftime("%Y-%m-%d")).astype("str")
    stood = [ends.get(line) for line in texts.itertuples(index=False, name=None)]
    assert [line for line, until in zip(texts.to_numpy().tolist(), stood, strict=True) if until != {""}] == []
    assert len(stood) > 80000
    assert claims["until"].isna().all()
