"""The aggregates of TOP500 lists: which unit a list is in, and which files are refused."""

import pytest
from workbooks import spreadsheet

from pipeline.base.errors import DataError
from pipeline.pull.adapters.top500 import read
from pipeline.registry.sources import Source
from traincompute.units.grammar import parse_quantity

SOURCE = Source(
    id="top500", title="T", publisher="P", licence="not stated", redistribute=False, attribution="A",
    adapter="top500", subject="supercomputers", priority=20,
)  # fmt: skip


def listed(
    first: float, last: float, *, unit: str = "", name: str = "", computer: str = "PC", systems: int = 500
) -> list[list[object]]:
    """A list whose Rmax falls from the first system to the last; all those in between have the Rmax of the last."""
    header: list[object] = ["Rank", "Name", "Computer", f"Rmax{unit}", f"Rpeak{unit}"]
    rates = [first, *[last] * (systems - 1)]
    names = [(name, computer), *[("Other", "PC")] * (systems - 1)]
    return [header, *([rank, *names[rank - 1], rate, 2 * rate] for rank, rate in enumerate(rates, 1))]


def facts_of(rows: list[list[object]], month: str) -> dict[str, str]:
    reading = read(spreadsheet(rows), SOURCE, f"https://top500.org/TOP500_{month}.xlsx")
    assert {fact.record for fact in reading.facts} == {f"{month[:4]}-{month[4:]}"}
    return {fact.field: fact.value_text for fact in reading.facts}


# Rmax of the first and the last system: top500.org, lists of November 2011, 2016, 2017 and 2019
@pytest.mark.parametrize(
    ("month", "unit", "first", "last", "flops"),
    [
        ("201111", "", 10510000, 50941.4, (1.051e16, 5.09414e13)),
        ("201611", "", 93014593.88, 349333, (9.301459388e16, 3.49333e14)),
        ("201711", "", 93014.59388, 548.672, (9.301459388e16, 5.48672e14)),
        ("201911", " [TFlop/s]", 148600, 1142, (1.486e17, 1.142e15)),
    ],
    ids=["K, GFlop/s", "TaihuLight, GFlop/s", "TaihuLight, TFlop/s by its date", "Summit, TFlop/s by its header"],
)
def test_rates_of_all_times_are_in_one_unit(
    month: str, unit: str, first: float, last: float, flops: tuple[float, float]
) -> None:
    found = facts_of(listed(first, last, unit=unit, name="X"), month)
    assert parse_quantity(found["rmax_first"], "FLOP/s").value == flops[0]
    assert parse_quantity(found["rmax_last"], "FLOP/s").value == flops[1]
    assert parse_quantity(found["rpeak_first"], "FLOP/s").value == pytest.approx(2 * flops[0])


def test_the_list_of_june_2017_is_the_first_in_teraflops() -> None:
    found = [facts_of(listed(2, 1), month)["rmax_first"] for month in ("201611", "201705", "201706")]
    assert found == ["2 GFLOP/s", "2 GFLOP/s", "2 TFLOP/s"]


def test_the_last_system_is_the_500th_and_a_list_is_one_record() -> None:
    rows = listed(3, 1)
    rows[500][3] = 0.5
    reading = read(spreadsheet(rows), SOURCE, "https://top500.org/TOP500_201706.xlsx")
    assert {fact.field: fact.value_text for fact in reading.facts}["rmax_last"] == "0.5 TFLOP/s"
    assert reading.rows == 1


def test_only_rmax_must_fall() -> None:
    rows = listed(3, 1)
    rows[300][4] = 1000.0
    assert facts_of(rows, "199411")["rpeak_first"] == "6 GFLOP/s"


def test_the_header_is_believed_before_the_date() -> None:
    assert facts_of(listed(1.7, 0.5, unit=" [PFlop/s]"), "202611")["rmax_first"] == "1.7 PFLOP/s"


def test_only_aggregates_of_a_list_become_facts() -> None:
    found = facts_of(listed(148600, 1142, unit=" [TFlop/s]", name="Summit"), "201911")
    assert set(found) == {
        "name", "list_date", "number_one_name", "systems", "rmax_first", "rpeak_first", "rmax_last", "rmax_sum",
        "rpeak_sum",
    }  # fmt: skip
    assert (found["number_one_name"], found["systems"], found["list_date"]) == ("Summit", "500", "2019-11")


def test_sums_are_exact() -> None:
    assert facts_of(listed(0.1, 0.1), "199411")["rmax_sum"] == "50 GFLOP/s"  # adding up one by one: 50.00000000000044


def test_a_first_system_without_a_name_goes_by_its_model() -> None:
    rows = listed(2, 1, computer="K computer, SPARC64 VIIIfx 2.0GHz, Tofu interconnect")  # list of November 2011
    assert facts_of(rows, "201111")["number_one_name"] == "K computer"


def test_a_title_above_the_header_is_passed_over() -> None:
    rows = listed(2, 1, name="X")
    for lines in (1, 4):
        assert facts_of([["TOP500 List"]] * lines + rows, "199411") == facts_of(rows, "199411")


@pytest.mark.parametrize(
    ("content", "where", "message"),
    [
        (spreadsheet(listed(2, 1, systems=499)), "TOP500_199411.xls", "499 rows, ranks 1 to 500 expected"),
        (spreadsheet(listed(1, 2)), "TOP500_199411.xls", "not stand in the order of rmax"),
        (spreadsheet(listed(2, 0)), "TOP500_199411.xls", "1 of 500 systems have rmax"),
        (spreadsheet([["Name"], ["X"]]), "TOP500_199411.xls", "no column Rank"),
        (spreadsheet(listed(2, 1)), "list.xls", "does not say which list"),
        (b"<html></html>", "TOP500_199411.xls", "not a spreadsheet that can be read"),
    ],
    ids=["cut", "out of order", "empty cells", "another table", "another name", "a web page"],
)
def test_a_file_that_is_no_whole_list_is_refused(content: bytes, where: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(content, SOURCE, where)
