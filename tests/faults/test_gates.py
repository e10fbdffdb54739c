"""Row 51 of the fault list: a column that upstream emptied or replaced closes a gate, with a message about that column."""

from __future__ import annotations

import pytest

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.pull.gates import check_gates
from pipeline.pull.tabular import Fact, Reading
from pipeline.registry.sources import Source, load_sources

RECORDS = [f"model {number}" for number in range(1000)]
BEFORE = {"organization": "NVIDIA", "publication_date": "2024-03-01", "training_compute_flop": "1e+24"}


@pytest.fixture(scope="module")
def source() -> Source:
    return load_sources(Paths(CHECKOUT))["epoch_notable"]


def facts(**changed: dict[str, str]) -> list[Fact]:
    """The cells of all records; `changed` has those of some, "" for an empty one."""
    cells = {(record, field): text for field, text in BEFORE.items() for record in RECORDS}
    cells |= {(record, field): text for field, texts in changed.items() for record, text in texts.items()}
    return [Fact(record, field, text) for (record, field), text in cells.items() if text]


def closed(source: Source, **changed: dict[str, str]) -> list[tuple[str, str]]:
    """Field and reason of every gate that closes."""
    reading = Reading([*(Fact(name, "name", name) for name in RECORDS), *facts(**changed)], len(RECORDS))
    return [(problem.field, problem.reason) for problem in check_gates(source, reading, facts(), "epoch_notable")]


def test_fault_51_flop_that_was_emptied_closes_a_gate(source: Source) -> None:
    emptied = dict.fromkeys(RECORDS[:950], "")
    assert closed(source, training_compute_flop=emptied) == [
        ("training_compute_flop", "950 of 1000 cells were emptied, at most 5% expected")
    ]


@pytest.mark.parametrize(("field", "text"), [("publication_date", "2025-01-01"), ("organization", "Acme")])
def test_fault_51_a_column_that_was_replaced_closes_a_gate(source: Source, field: str, text: str) -> None:
    assert closed(source, **{field: dict.fromkeys(RECORDS, text)}) == [
        (field, "1000 of 1000 cells were changed, at most 10% expected")
    ]


def test_fault_51_a_revision_as_large_as_any_honest_one_passes(source: Source) -> None:
    changed = dict.fromkeys(RECORDS[:79], "2e+24")  # the largest of 2024-07 to 2026-08: 7.9 %, on 2024-10-18
    emptied = dict.fromkeys(RECORDS[79:95], "")  # 1.6 %, on 2025-11-01
    assert closed(source, training_compute_flop=changed | emptied) == []


def test_fault_51_the_same_numbers_written_otherwise_pass(source: Source) -> None:
    assert closed(source, training_compute_flop=dict.fromkeys(RECORDS, "1000000000000000000000000.0")) == []


def test_figures_in_notes_do_not_count_as_cells_that_can_be_read(source: Source) -> None:
    cells = [Fact(name, "training_compute_flop", "unclear") for name in RECORDS[:20]]
    notes = [Fact(name, "training_compute_flop", "1e24", "Training compute notes") for name in RECORDS]
    names = [Fact(name, "name", name) for name in RECORDS]
    plain, noted = (
        [problem.reason for problem in check_gates(source, Reading([*names, *cells, *more], len(RECORDS)), (), "w")]
        for more in ([], notes)
    )
    assert plain == noted == ["only 0 of 20 cells can be read, 99% expected"]


def test_fault_51_every_source_of_epoch_models_has_these_gates() -> None:
    for source in load_sources(Paths(CHECKOUT)).values():
        if source.adapter == "epoch_models":
            assert {"organization", "publication_date", "training_compute_flop"} <= set(source.gates["max_emptied"])
            assert set(source.gates["max_changed"]) == set(source.gates["max_emptied"]) <= set(source.fields)
