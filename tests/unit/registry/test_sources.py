"""What is known of a source where its source.yml says nothing, and from the lock of its files."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.sources import last_look, load_lock, load_sources, read_source


def test_a_source_makes_models_unless_it_says_otherwise() -> None:
    sources = load_sources(Paths(CHECKOUT))
    assert sources["epoch_all"].makes_models
    assert not sources["fmti"].makes_models


def test_the_first_file_is_where_to_get_a_source() -> None:
    source = load_sources(Paths(CHECKOUT))["epoch_all"]
    parts = ("https://example.org/1.csv", "https://example.org/2.csv", "https://example.org/3.csv")
    assert replace(source, urls=parts).url == parts[0]
    assert replace(source, urls=()).url is None


def test_the_last_look_at_a_source_is_the_day_of_the_last_pull_whether_or_not_its_files_had_changed() -> None:
    first = {"retrieved_at": "2026-03-30T08:15:00Z", "looked_at": "2026-05-10T23:59:59Z"}
    second = {"retrieved_at": "2026-05-09T08:15:00Z"}
    assert last_look({"acme": {"snapshots": {"2026-03-30": first}}}, "acme") == date(2026, 5, 10)
    assert last_look({"acme": {"snapshots": {"2026-05-09": second}}}, "acme") == date(2026, 5, 9)
    assert last_look({"acme": {"snapshots": {"2026-03-30": first, "2026-05-09": second}}}, "acme") == date(2026, 5, 10)
    assert last_look({}, "acme") is None


def test_a_list_of_files_fills_the_patterns_and_a_line_that_does_not_is_named(tmp_path: Path) -> None:
    original = next(
        file for file in sorted(Paths(CHECKOUT).raw.glob("*/source.yml")) if "file_list" in file.read_text()
    )
    file = tmp_path / original.parent.name / "source.yml"
    file.parent.mkdir()
    for beside in original.parent.glob("[!f]*"):
        if beside.is_file():
            (file.parent / beside.name).write_bytes(beside.read_bytes())
    listed = next(line for line in file.read_text().splitlines() if line.strip().startswith("file: ")).split()[-1]
    words = (original.parent / listed).read_text().splitlines()[0]
    (file.parent / listed).write_text(f"{words}\n{words}\n")
    source = read_source(file, "acme/source.yml")
    assert len(source.urls) == len(source.mirror_paths) == 2
    assert all(word in source.urls[0] for word in words.split()[:1])
    (file.parent / listed).write_text(f"{words}\n\n")
    with pytest.raises(DataError, match=rf"^acme/{listed}:2: does not fit "):
        read_source(file, "acme/source.yml")


SNAPSHOT = {"retrieved_at": "2026-03-30T08:15:00Z", "files": {}}


@pytest.mark.parametrize(
    ("day", "changed", "fault"),
    [
        ("2026-03-30", {}, ""),
        ("2026-13-30", {}, "2026-13-30"),
        ("2026-03-30", {"retrieved_at": "30 March 2026"}, "30 March 2026"),
        ("2026-03-30", {"looked_at": "soon"}, "soon"),
    ],
)
def test_each_day_of_the_lock_is_one(tmp_path: Path, day: str, changed: dict[str, str], fault: str) -> None:
    paths = Paths(tmp_path)
    assert load_lock(paths) == {}
    paths.lock.parent.mkdir(parents=True)
    lock = {"acme": {"lines": 1, "snapshots": {day: SNAPSHOT | changed}}}
    paths.lock.write_text(json.dumps(lock))
    if not fault:
        assert load_lock(paths) == lock
        return
    with pytest.raises(DataError, match=rf"lock\.json.*{fault}.*: does not begin with a day"):
        load_lock(paths)
