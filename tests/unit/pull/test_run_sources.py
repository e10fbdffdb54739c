"""Sources of many files, logs that end early, and tables on Markdown pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.pull.adapters.mlperf_training import read
from pipeline.pull.markdown import table_rows
from pipeline.registry.sources import Source, read_source

SOURCE_YML = """
id: runs
title: T
publisher: P
licence: L
redistribute: true
attribution: A
adapter: mlperf_training
subject: measured_runs
priority: 20
file_list: {file: files.txt, url: "https://host/{0}/main/{1}", mirror: "here/{0}/{1}"}
"""
ROUND = "training_results_v4.0"
LINES = [
    f"{ROUND} Us/results/big/gpt3/result_0.txt",
    f"{ROUND} Us/results/big/gpt3/result_1.txt",
    f"{ROUND} Us/results/small/gpt3/result_0.txt",
]


@pytest.fixture
def source(tmp_path: Path) -> Source:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / "source.yml").write_text(SOURCE_YML)
    (folder / "files.txt").write_text("".join(f"{line}\n" for line in LINES))
    return read_source(folder / "source.yml", "source.yml")


def test_many_files_are_listed_in_a_file_of_their_own(source: Source) -> None:
    assert source.url == "https://host/training_results_v4.0/main/Us/results/big/gpt3/result_0.txt"
    assert source.mirror_paths[2] == "here/training_results_v4.0/Us/results/small/gpt3/result_0.txt"
    assert len(source.urls) == len(source.mirror_paths) == 3


@pytest.mark.parametrize("branch", ["", "/main"])  # on a mirror, and at its address
def test_a_system_speaks_of_its_own_runs(source: Source, branch: str) -> None:
    about = b'{"accelerator_model_name": "H", "number_of_nodes": "4", "accelerators_per_node": 8}'
    reading = read(about, source, f"x/{ROUND}{branch}/Us/systems/big.json")
    assert {fact.record for fact in reading.facts} == {"MLPerf 4.0 Us big gpt3 0", "MLPerf 4.0 Us big gpt3 1"}
    assert {(fact.field, fact.value_text) for fact in reading.facts} == {
        ("chip", "H"),
        ("nodes", "4"),
        ("chips_per_node", "8"),
    }
    assert reading.rows == 0  # the logs are the records


def test_a_log_without_an_end_is_refused(source: Source) -> None:
    log = b':::MLLOG {"time_ms": 1, "key": "run_start", "value": null, "metadata": {}}\n'
    with pytest.raises(DataError, match="did not reach its end; leave it out of files"):
        read(log, source, f"x/{ROUND}/Us/results/big/gpt3/result_0.txt")


def test_the_last_evaluation_of_a_whole_log_counts(source: Source) -> None:
    events = [
        {"key": "run_start", "time_ms": 1000},
        {"key": "eval_accuracy", "time_ms": 2000, "metadata": {"epoch_num": 10}},
        {"key": "eval_accuracy", "time_ms": 4000, "metadata": {"epoch_num": 20}},
        {"key": "run_stop", "time_ms": 4600},
    ]
    lines = [f"0: :::MLLOG {json.dumps(event)}" for event in events]
    text = "\n".join(["some other output", *lines])
    reading = read(text.encode(), source, f"x/{ROUND}/Us/results/big/gpt3/result_0.txt")
    cells = {fact.field: fact.value_text for fact in reading.facts}
    assert (cells["training_tokens"], cells["training_hours"]) == ("20", "3.600 seconds")


def test_rows_of_a_page_know_their_headings() -> None:
    page = (
        "# Top\n| a | b |\n|---|--:|\n| 1 | 2[^note] |\n\ntext\n## One\n### Deep\n| a |\n| --- |\n| 3 |\n## Two\n| a"
        " |\n|-|\n| 4 |\n"
    )
    rows = list(table_rows(page))
    assert [row.cells for row in rows] == [{"a": "1", "b": "2"}, {"a": "3"}, {"a": "4"}]
    assert [row.headings for row in rows] == [{1: "Top"}, {1: "Top", 2: "One", 3: "Deep"}, {1: "Top", 2: "Two"}]
