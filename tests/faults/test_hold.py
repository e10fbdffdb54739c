"""Rows 29, 44 and 45 of the fault list: a value that jumps by more than a factor of ten in a live pull is held until it
is acknowledged, whatever became of the cell in between."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pandas as pd
import pytest
from checkouts import normalized

from pipeline.config import load_config, load_sources
from pipeline.curated import load_corrections
from pipeline.normalize.quarantine import hold
from pipeline.normalize.stage import load_ledger, read_ledger, read_vintage
from pipeline.paths import Paths
from pipeline.pull.snapshot import Request, pull_source

GOLDEN = Path(__file__).parent.parent / "golden" / "epoch_models.csv"


@pytest.fixture
def jumped(small: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A live pull in which the FLOP value of Megatron-LM (1.2B) falls to less than a tenth, as it did upstream."""
    file = tmp_path / "notable_ai_models.csv"
    text = GOLDEN.read_text(encoding="utf-8")
    assert text.count("1.13e+22") == 1
    file.write_text(text.replace("1.13e+22", "1.1e+21"), encoding="utf-8")
    source = load_sources(small)["epoch_notable"]
    monkeypatch.setattr(
        "pipeline.pull.snapshot.check_against", lambda *_: []
    )  # sixteen rows are fewer than the minimum for the real file
    assert pull_source(small, source, Request(files=(file,), update=True), lambda _: None)
    return small


def test_fault_29_a_jump_is_held_at_the_old_value(jumped: Paths) -> None:
    made = normalized(jumped)
    assert made["models"].set_index("model_id").loc["megatron-lm-1.2b", "training_compute_flop"] == 1.13e22
    held = made["quarantine"].query("reason_code == 'held'")
    assert held["reason"].str.startswith("held: ×").all()
    assert held[["record", "value_text"]].to_numpy().tolist() == [["Megatron-LM (1.2B)", "1.1e+21"]]
    assert "corrections.yml" in held["remedy"].iloc[0]


def test_fault_29_an_acknowledged_jump_is_taken(jumped: Paths) -> None:
    (jumped.curated / "corrections.yml").write_text(
        "- {id: megatron, source: epoch_notable, record: Megatron-LM (1.2B), field: training_compute_flop, value_text:"
        " 1.1e+21, since: 2026-03-30, entered: 2026-11-21, action: acknowledge, upstream: mended, reason: its note says"
        " so}\n"
    )
    assert held(jumped) == (1.1e21, [])


def test_fault_29_history_is_taken_as_it_was(jumped: Paths) -> None:
    lock = json.loads(jumped.lock.read_text())
    newest = max(lock["epoch_notable"]["snapshots"])
    lock["epoch_notable"]["snapshots"][newest]["live"] = False
    jumped.lock.write_text(json.dumps(lock))
    assert held(jumped) == (1.1e21, [])


DAYS = ("2026-03-30", "2026-04-01", "2026-04-02", "2026-04-03")
MEGATRON = "Megatron-LM (1.2B),training_compute_flop"


def history(paths: Paths, values: list[str], live: tuple[str, ...] = DAYS[1:]) -> None:
    """The cell as it stood in one snapshot after another; an empty text is an empty cell."""
    lock, file = json.loads(paths.lock.read_text()), paths.raw / "epoch_notable" / "facts.csv"
    spans = [(text, *days) for text, days in zip(values, pairwise((*DAYS[: len(values)], "")), strict=True) if text]
    lines = [f"{MEGATRON},{text},,{since},{until}\n" for text, since, until in spans]
    old = f"{MEGATRON},1.13e+22,,{DAYS[0]},\n"
    content = file.read_text(encoding="utf-8")
    assert content.count(old) == 1
    file.write_text(content.replace(old, "".join(lines)), encoding="utf-8")
    entry = lock["epoch_notable"]
    for day in DAYS[1 : len(values)]:
        entry["snapshots"][day] = {**entry["snapshots"][DAYS[0]], "live": day in live}
    entry["lines"] += len(lines) - 1
    paths.lock.write_text(json.dumps(lock))


def judged(paths: Paths) -> pd.DataFrame:
    """What the hold alone makes of the cell, by whether it is held."""
    context = load_config(paths).of_sources(["epoch_notable"])
    read = read_ledger(context, load_ledger(context))
    kept = hold(read_vintage(context, read, None), read.ledger, read.readings, context.lock, load_corrections(paths))
    cell = kept[(kept["record"] == "Megatron-LM (1.2B)") & (kept["field"] == "training_compute_flop")]
    return cell.set_index(cell["reason_code"] == "held")


def held(paths: Paths) -> tuple[float, list[str]]:
    """The value of the cell that is left, and the texts that are held."""
    cell = judged(paths)
    [value] = cell["value"][~cell.index]
    return float(value), cell["value_text"][cell.index].to_list()


@pytest.mark.parametrize(
    ("values", "value", "texts"),
    [
        (["1.13e+22", "1.13e+25", "1.14e+25"], 1.13e22, ["1.14e+25"]),
        (["1.13e+22", "1.13e+25", "1.14e+25", "9e+24"], 1.13e22, ["9e+24"]),
        (["1.13e+22", "2e+22", "2e+25", "2.1e+25"], 2e22, ["2.1e+25"]),
        (["1.13e+22", "1.13e+25", "1.2e+22"], 1.2e22, []),
    ],
    ids=["by 1 % the next day", "on and on", "against the last accepted", "back again"],
)
def test_fault_44_a_held_value_that_changes_once_more_stays_held(
    small: Paths, values: list[str], value: float, texts: list[str]
) -> None:
    history(small, values)
    assert held(small) == (value, texts)


def test_fault_44_the_last_accepted_value_stays(small: Paths) -> None:
    history(small, ["1.13e+22", "1.13e+25", "1.14e+25"])
    cell = judged(small)
    assert cell["value"][~cell.index].to_list() == [1.13e22]
    assert cell["reason"][cell.index].to_list() == ["held: ×1.01e+03 against the last accepted value"]


def test_fault_44_what_follows_an_acknowledged_value_is_taken(small: Paths) -> None:
    history(small, ["1.13e+22", "1.13e+25", "1.14e+25"])
    (small.curated / "corrections.yml").write_text(
        "- {id: megatron, source: epoch_notable, record: Megatron-LM (1.2B), field: training_compute_flop, "
        f"value_text: 1.13e+25, since: {DAYS[1]}, until: {DAYS[2]}, entered: {DAYS[1]}, action: acknowledge, "
        "upstream: mended, reason: its note says so}\n"
    )
    assert held(small) == (1.14e25, [])


@pytest.mark.parametrize("gap", [[""], ["", ""]])
def test_fault_45_a_value_that_comes_back_after_an_empty_cell_is_held(small: Paths, gap: list[str]) -> None:
    history(small, ["1.13e+22", *gap, "1.13e+25"])
    assert held(small) == (1.13e22, ["1.13e+25"])


def test_fault_45_history_is_accepted_as_it_was(small: Paths) -> None:
    history(small, ["1.13e+22", "", "1.13e+25", "1.14e+25"], live=(DAYS[3],))
    assert held(small) == (1.14e25, [])
