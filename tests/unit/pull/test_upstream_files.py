"""Sources that are no plain tables: what their modules make of files that are cut, odd, or something else. Real rows
are in tests/golden."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from workbooks import packed, spreadsheet

from pipeline.config import load_sources
from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.pull.snapshot import read_upstream
from traincompute.units import parse_quantity

SOURCES = load_sources(Paths())


def cells(name: str, content: bytes, where: str) -> dict[str, str]:
    return {fact.field: fact.value_text for fact in read_upstream(SOURCES[name], content, where).facts}


# --- TOP500 ---


def listed(first: float, last: float, *, unit: str = "", name: str = "X", systems: int = 500) -> list[list[object]]:
    """A list whose Rmax falls from the first to the last."""
    header: list[object] = ["Rank", "Name", "Computer", f"Rmax{unit}", f"Rpeak{unit}"]
    rates = [first, *[last] * (systems - 1)]
    return [header, *([rank, name, "K computer, SPARC64", rate, 2 * rate] for rank, rate in enumerate(rates, 1))]


# Rmax of the first and the last system: top500.org, lists of November 2011, 2016, 2017 and 2019
@pytest.mark.parametrize(
    ("month", "unit", "first", "last", "flops"),
    [
        ("201111", "", 10510000, 50941.4, (1.051e16, 5.09414e13)),
        ("201711", "", 93014.59388, 548.672, (9.301459388e16, 5.48672e14)),
        ("202611", " [PFlop/s]", 1.7, 0.5, (1.7e15, 5e14)),
    ],
)
def test_a_list_is_in_the_unit_of_its_header_or_of_its_time(
    month: str, unit: str, first: float, last: float, flops: tuple[float, float]
) -> None:
    rows = [["TOP500 List"], *listed(first, last, unit=unit, name="")]
    facts = cells("top500", spreadsheet(rows), f"TOP500_{month}.xlsx")
    assert tuple(parse_quantity(facts[f"rmax_{end}"], "FLOP/s").value for end in ("first", "last")) == flops
    assert parse_quantity(facts["rpeak_first"], "FLOP/s").value == pytest.approx(2 * flops[0])
    assert (facts["number_one_name"], facts["systems"]) == ("K computer", "500")
    assert set(facts) <= {f"{rate}_{what}" for rate in ("rmax", "rpeak") for what in ("first", "last", "sum")} | {
        "name", "list_date", "number_one_name", "systems",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "where", "message"),
    [
        (listed(2, 1, systems=499), "TOP500_199411.xls", "499 rows, ranks 1 to 500 expected"),
        (listed(1, 2), "TOP500_199411.xls", "not stand in the order of rmax"),
        ([["Name"], ["X"]], "TOP500_199411.xls", "no column Rank"),
        (listed(2, 1), "list.xls", "does not say which list"),
    ],
)
def test_a_file_that_is_no_whole_list_is_refused(rows: list[list[object]], where: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        cells("top500", spreadsheet(rows), where)


CORNERS = packed('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>')
SOUND = spreadsheet([["Rank", "Name"], *([rank, f"system {rank}"] for rank in range(1, 30))])


def damaged(seed: int) -> bytes:
    chance, content = random.Random(seed), bytearray(SOUND)
    for place in chance.sample(range(len(content)), 5):
        content[place] ^= chance.randrange(1, 256)
    return bytes(content)


def refusal(name: str, content: bytes, where: str) -> str:
    """Why a file is not read, "" where it is."""
    try:
        assert all(isinstance(text, str) for text in cells(name, content, where).values())
    except DataError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("content", [CORNERS, b"<html></html>", damaged(1), damaged(3)])
def test_a_workbook_that_asks_for_all_memory_or_is_damaged_is_one_line(content: bytes) -> None:
    said = refusal("top500", content, "TOP500_199411.xlsx")
    assert said.startswith("TOP500_199411.xlsx: ")
    assert "\n" not in said


# --- MLPerf, Markdown ---

RUN = next(path for path in SOURCES["mlperf_training"].mirror_paths if "/gpt3/" in path)
EVENTS = [
    {"key": "run_start", "time_ms": 1000},
    {"key": "eval_accuracy", "time_ms": 2000, "metadata": {"epoch_num": 10}},
    {"key": "eval_accuracy", "time_ms": 4000, "metadata": {"epoch_num": 20}},
    {"key": "run_stop", "time_ms": 4600},
]


def log(events: list[dict[str, Any]]) -> bytes:
    return "\n".join(["some other output", *(f"0: :::MLLOG {json.dumps(event)}" for event in events)]).encode()


def test_the_last_evaluation_of_a_whole_log_counts() -> None:
    facts = cells("mlperf_training", log(EVENTS), RUN)
    assert (facts["training_tokens"], facts["training_hours"]) == ("20", "3.600 seconds")
    with pytest.raises(DataError, match="did not reach its end"):
        cells("mlperf_training", log(EVENTS[:-1]), RUN)


# --- files of another form ---


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("helm", b"{}", "not of the form that helm reads"),
        ("helm", b"models: [{name: a/b, display_name: [B]}]", "display_name \"['B']\": not one value"),
        ("helm", b"models: !!python/object/apply:os.system [ls]", "cannot be read"),
        ("llmstats", b"[1, 2]", "not of the form that plain_table reads"),
        ("llmstats", b"[" * 100_000, "cannot be read"),
    ],
)
def test_a_document_of_another_form_is_refused_by_name(name: str, content: bytes, said: str) -> None:
    with pytest.raises(DataError) as refused:
        read_upstream(SOURCES[name], content, "served")
    assert said in str(refused.value)
    assert str(refused.value).startswith("served")


KEYS = st.sampled_from(["models", "name", "display_name", "model_id", "release_date", "key"]) | st.text(max_size=3)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(KEYS, part, max_size=4),
    max_leaves=12,
)
OF_ADAPTER = {one.adapter: name for name, one in SOURCES.items() if one.urls and one.adapter != "top500"}


@pytest.mark.parametrize("name", OF_ADAPTER.values(), ids=OF_ADAPTER)
@settings(max_examples=8)
@given(document=VALUES)
def test_a_file_of_whatever_form_is_read_or_refused(name: str, document: Any) -> None:
    where = (SOURCES[name].mirror_paths or SOURCES[name].urls)[0]
    header = ",".join(columns[0] for columns in SOURCES[name].fields.values())
    for text in (
        json.dumps(document),
        yaml.safe_dump(document),
        f"{header}\n{header.lower()}\n",
        "| System |\n|-|\n| A |\n",
    ):
        said = refusal(name, text.encode(errors="replace"), where)
        assert all(line.startswith((where, "... and")) for line in said.splitlines())
