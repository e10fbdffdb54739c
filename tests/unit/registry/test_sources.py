"""What is known of a source where its source.yml says nothing, and from the lock of its files."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.sources import last_look, load_sources


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
