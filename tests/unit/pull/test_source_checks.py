"""What each check of a source's file refuses."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from plain_source import source

from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.pull.ledger import Fact
from pipeline.pull.source_checks import check_against, check_facts
from pipeline.pull.tabular import read_plain

SOURCE = source(fields={"name": ("Model",), "parameters": ("Parameters",)}, required=frozenset({"name"}))
NAMED = "Model,Parameters,Link\nTulu 3 (Tülu 3) 70B,7e10,https://arxiv.org/abs/2411.15124\nPanGu-Σ,1.085e12,\n"
TEXT = NAMED.encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (NAMED.encode("utf-16"), "UTF-16 .* offset 0"),
        (b"Model\nT\xfclu\n", "not UTF-8 at offset 7"),
        (b"Model\nA\0B\n", "NUL byte at offset 7"),
        (TEXT.decode("latin-1").encode(), r"decoded twice: it has \"Ã¼\" for \"ü\""),
        (b"\xef\xbb\xbf" + TEXT.decode("mac_roman").encode(), 'decoded twice: it has "Œ£" for "Σ"'),
        (TEXT.replace(b",", b";"), "x.csv:1: the columns are separated by semicolons; save it with commas"),
        (b'"sep=,"\n' + TEXT, "x.csv:1: Excel's line"),
        (TEXT + TEXT, "x.csv: row 4: the header stands again"),
        (TEXT + b"Total,1.155e12,\n", 'x.csv: row 4: "Total": a row of totals'),
    ],
)
def test_what_a_program_made_of_a_file_is_refused_by_its_name(content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_plain(content, SOURCE, "x.csv")


@pytest.mark.parametrize(
    "name", ["Mean Teacher", "Total-Text detector", "Average Joe 7B", "CountGD", "Mythos; Opus; Haiku", "Model", "Ã"]
)
def test_names_that_only_look_like_it_are_read(name: str) -> None:
    assert read_plain(TEXT + f"{name},7e9,\n".encode(), SOURCE, "x.csv").facts[-2] == Fact(name, "name", name)


# --- cells ---


@pytest.mark.parametrize(
    ("field", "text", "day", "outcome"),
    [
        ("parameters", "a lot", "2026-01-01", "aside"),
        ("publication_date", "2026-01-02", "2026-01-01", "aside"),  # after the snapshot
        ("publication_date", "25/11/2019", "2022-01-01", ""),  # while the source wrote the day first
        ("publication_date", "25/11/2019", "2026-01-01", "aside"),
        ("accessibility", "Half open", "2026-01-01", "refused"),  # an unknown code of a vocabulary
        ("colour", "blue", "2026-01-01", "refused"),
        ("parameters", "7e9\n8e9", "2026-01-01", "refused"),
    ],
)
def test_cells_are_read_as_the_build_will(field: str, text: str, day: str, outcome: str) -> None:
    early = source(day_first_until=date(2023, 1, 1))
    facts = [Fact("OPT", field, text)]
    if outcome == "refused":
        with pytest.raises(DataError, match=rf"^x.csv \[OPT\]: {field} "):
            check_facts(Paths(), early, facts, date.fromisoformat(day), "x.csv")
    else:
        aside = check_facts(Paths(), early, facts, date.fromisoformat(day), "x.csv")
        assert [(cell.record, cell.field, cell.value) for cell in aside] == [("OPT", field, text)] * (
            outcome == "aside"
        )


# --- against the snapshot before ---


def names(count: int, first: int = 0) -> list[Fact]:
    return [Fact(f"m{number}", "name", f"m{number}") for number in range(first, first + count)]


def reasons(gates: dict[str, Any], after: list[Fact], before: list[Fact]) -> list[str]:
    named = len({fact.record for fact in after})
    return [problem.reason for problem in check_against(source(gates=gates), after, named, before)]


@pytest.mark.parametrize(
    ("gates", "before", "after", "refused"),
    [
        ({}, names(0), names(1), ""),
        ({}, names(0), names(0), "0 named rows, at least 1 expected (0 before)"),
        ({"min_rows": 3, "max_shrink": 0.25}, names(8), names(6), ""),
        ({"min_rows": 3, "max_shrink": 0.25}, names(8), names(5), "5 named rows, at least 6 expected (8 before)"),
        ({"max_names_gone": 0.5}, names(8), names(8, first=5), "5 of 8 names are gone"),
    ],
)
def test_rows_and_names(gates: dict[str, Any], before: list[Fact], after: list[Fact], refused: str) -> None:
    assert reasons(gates, after, before) == [refused] * bool(refused)


def column(field: str, *texts: str) -> list[Fact]:
    cells = [Fact(f"m{number}", field, text) for number, text in enumerate(texts) if text]
    return names(len(texts)) + cells


@pytest.mark.parametrize(
    ("field", "before", "after", "refused"),
    [
        ("parameters", ["1e9"] * 10, ["1e9"] * 6 + [""] * 4, ""),
        (
            "parameters",
            ["1e9"] * 10,
            ["1e9"] * 5 + [""] * 5,
            "5 of 10 cells were emptied, at most 0.4 of them expected",
        ),
        ("parameters", ["1e9"] * 10, ["1000000000.0"] * 10, ""),  # values, not spellings
        ("parameters", ["1e9"] * 10, ["1.1e9"] * 10, ""),  # estimated again
        ("parameters", ["1e9"] * 10, ["1.2e9"] * 10, "10 of 10 cells were changed, at most 0.5 of them expected"),
        ("publication_date", ["25/11/2019"] * 10, ["2019-11-25"] * 10, ""),
        ("organization", ["OpenAI"] * 10, ["Acme"] * 10, "10 of 10 cells were changed, at most 0.5 of them expected"),
    ],
)
def test_columns(field: str, before: list[str], after: list[str], refused: str) -> None:
    assert reasons({}, column(field, *after), column(field, *before)) == [refused] * bool(refused)
    if refused:
        kind = "max_emptied" if "emptied" in refused else "max_changed"
        assert reasons({kind: {field: 1}}, column(field, *after), column(field, *before)) == []
