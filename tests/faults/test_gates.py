"""Row 51 of the fault list: a column that upstream emptied or replaced closes a gate, with a message about that
column."""

from __future__ import annotations

import math
from datetime import date
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.pull.gates import FEW, check_gates
from pipeline.pull.ledger import Span, at, read_ledger
from pipeline.pull.revisions import learn, write_limits
from pipeline.pull.tabular import Fact, Reading
from pipeline.registry.limits import HEADER, Limit, read_limits
from pipeline.registry.sources import Source, load_lock, load_sources, locked_snapshots

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
        ("training_compute_flop", "950 of 1000 cells were emptied, at most 0.05 of them expected")
    ]


@pytest.mark.parametrize(("field", "text"), [("publication_date", "2025-01-01"), ("organization", "Acme")])
def test_fault_51_a_column_that_was_replaced_closes_a_gate(source: Source, field: str, text: str) -> None:
    assert closed(source, **{field: dict.fromkeys(RECORDS, text)}) == [
        (field, "1000 of 1000 cells were changed, at most 0.1 of them expected")
    ]


def test_fault_51_a_revision_as_large_as_any_honest_one_passes(source: Source) -> None:
    changed = dict.fromkeys(RECORDS[:79], "2e+24")  # the largest of 2024-07 to 2026-08: 7.9 %, on 2024-10-18
    emptied = dict.fromkeys(RECORDS[79:95], "")  # 1.6 %, on 2025-11-01
    assert closed(source, training_compute_flop=changed | emptied) == []


def test_fault_51_the_same_numbers_written_otherwise_pass(source: Source) -> None:
    assert closed(source, training_compute_flop=dict.fromkeys(RECORDS, "1000000000000000000000000.0")) == []


def test_fault_51_new_rows_without_the_column_or_with_one_value_in_it_close_a_gate(source: Source) -> None:
    old = [Fact(name, field, name) for name in RECORDS for field in ("name", "organization")]
    more = [f"new {number}" for number in range(5000)]
    for cells, reason in (({}, "filled cells is 0.17"), (dict.fromkeys(more, "Acme"), "distinct values is 0.17")):
        new = [
            *(Fact(name, "name", name) for name in more),
            *(Fact(name, "organization", c) for name, c in cells.items()),
        ]
        (problem,) = check_gates(source, Reading([*old, *new], len(RECORDS) + len(more)), old, "w")
        assert problem.field == "organization"
        assert f"its share of {reason} of what it was, at least 0.9 expected" in problem.reason


Ledgers = dict[str, tuple[Source, list[date], list[Span]]]


@pytest.fixture(scope="module")
def ledgers() -> Ledgers:
    """The sources that are pulled, with their snapshots and spans."""
    paths, lock = Paths(CHECKOUT), load_lock(Paths(CHECKOUT))
    found = {}
    for name, source in load_sources(paths).items():
        if days := locked_snapshots(lock, name):
            text = (paths.raw / name / "facts.csv").read_text(encoding="utf-8")
            found[name] = (source, days, read_ledger(text))
    return found


def test_fault_51_nine_tenths_of_any_column_emptied_close_its_gate(ledgers: Ledgers) -> None:
    seen = 0
    for source, days, spans in ledgers.values():
        facts = [fact for fact in at(spans, days[-1]) if not fact.locator]
        names = [Fact(record, "", "") for record in sorted({fact.record for fact in facts})]
        of_field = groupby(sorted(facts, key=attrgetter("field")), attrgetter("field"))
        for field, cells in ((field, list(alike)) for field, alike in of_field):
            if len(cells) > FEW:
                left = cells[math.ceil(0.95 * len(cells)) :]
                problems = check_gates(source, Reading([*names, *left], len(names)), [*names, *cells], source.id)
                assert [problem.field for problem in problems if "emptied" in problem.reason] == [field], source.id
                seen += 1
    assert seen > 250


def test_the_newest_state_of_each_source_passes_its_own_gates(ledgers: Ledgers) -> None:
    """Data centres state megawatts, and days in a column that is called date."""
    for name, (source, days, spans) in ledgers.items():
        facts = at(spans, days[-1])
        reading = Reading(facts, len({fact.record for fact in facts}))
        assert check_gates(source, reading, facts, name) == [], name


def test_fault_51_every_organization_replaced_closes_a_gate_of_each_table_of_models(ledgers: Ledgers) -> None:
    for name in ("epoch_all", "epoch_notable", "epoch_large_scale"):
        source, days, spans = ledgers[name]
        facts = at(spans, days[-1])
        other = [fact._replace(value_text="Acme") if fact.field == "organization" else fact for fact in facts]
        problems = check_gates(source, Reading(other, len({f.record for f in facts})), facts, name)
        assert [problem.field for problem in problems] == ["organization"]


def test_limits_are_learned_from_the_ledger_and_a_line_with_a_reason_stays(ledgers: Ledgers) -> None:
    file = Paths(CHECKOUT).raw / "epoch_notable" / "limits.csv"
    source, days, spans = ledgers["epoch_notable"]
    learned = learn(spans, days)
    assert write_limits(learned, read_limits(file, "")) == file.read_text(encoding="utf-8")
    own = (Limit(0.2, 0.3, 0.4, 0.5), "all dates moved to the day of the paper")
    lines = write_limits(learned, {"publication_date": own, "domain": (Limit(1, 1, 0, 0), "")}).splitlines()
    assert "publication_date,0.2,0.3,0.4,0.5,all dates moved to the day of the paper" in lines
    assert "domain,0.05,0.1,0.9,0.9," in lines
    assert set(source.limits) == {line.split(",")[0] for line in lines[1:]}


@pytest.mark.parametrize("text", ["1.5", "-0.1", "5%", "", "nan", "½"])
def test_a_limit_that_is_no_share_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "limits.csv"
    file.write_text(f"{','.join(HEADER)}\norganization,{text},0.1,0.9,0.9,\n")
    with pytest.raises(
        DataError, match=r"l\.csv:2 \[organization\]: max_emptied.*is no share; write a number from 0 to 1"
    ):
        read_limits(file, "l.csv")


def test_figures_in_notes_do_not_count_as_cells_that_can_be_read(source: Source) -> None:
    cells = [Fact(name, "training_compute_flop", "unclear") for name in RECORDS[:20]]
    notes = [Fact(name, "training_compute_flop", "1e24", "Training compute notes") for name in RECORDS]
    names = [Fact(name, "name", name) for name in RECORDS]
    plain, noted = (
        [problem.reason for problem in check_gates(source, Reading([*names, *cells, *more], len(RECORDS)), (), "w")]
        for more in ([], notes)
    )
    assert plain == noted == ["only 0 of 20 cells can be read, 99% expected"]
