"""Reading upstream tables strictly (rows 16-20 and 28 of the fault list)."""

import pytest

from pipeline.base.errors import DataError
from pipeline.pull.tabular import (
    Fact,
    Reading,
    join_readings,
    match_columns,
    name_records,
    plain_facts,
    read_rows,
    read_table,
)
from pipeline.registry.sources import Source

SOURCE = Source(
    id="s", title="S", publisher="P", licence="L", redistribute=True, attribution="A", adapter="plain_table",
    subject="models", priority=1, fields={"name": ("Model", "System"), "parameters": ("Parameters",)},
    required=frozenset({"name"}), ignored=frozenset({"Abstract"}),
)  # fmt: skip
PLAIN = b'Model,Parameters,Abstract\nGPT-3 175B (davinci),174600000000.0,"a,\nb"\nAlexNet,60000000.0,\n'


def facts_of(content: bytes) -> list[tuple[str, ...]]:
    table = read_table(content, SOURCE, "x.csv")
    return [
        tuple(f)
        for record, row in name_records(table.rows, "Model", None)
        for f in plain_facts(record, row, table.columns)
    ]


@pytest.mark.parametrize(
    "variant",
    [b"\xef\xbb\xbf" + PLAIN, PLAIN.replace(b"\n", b"\r\n"), PLAIN[:-1]],
    ids=["BOM", "CRLF", "no last newline"],
)
def test_fault_19_byte_order_mark_and_line_ends_make_no_difference(variant: bytes) -> None:
    assert facts_of(variant) == facts_of(PLAIN)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PLAIN.decode().encode("utf-16"), "UTF-16 .* offset 0"),
        ("Model\nTülu".encode("latin-1"), "not UTF-8 at offset 7"),
        (b"Model\nA\0B\n", "NUL byte at offset 7"),
        (b"\0Model\n", "NUL byte at offset 0"),
    ],
    ids=["utf-16", "latin-1", "nul", "nul first"],
)
def test_fault_20_other_encodings_are_refused_with_the_offset(content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_rows(content, "x.csv")


def test_fault_17_a_file_cut_inside_quotes_is_refused() -> None:
    with pytest.raises(DataError, match=r"^x.csv:2: not well-formed CSV"):
        read_rows(PLAIN[: PLAIN.index(b'b"')], "x.csv")


def test_fault_16_a_row_cut_in_the_middle_is_refused() -> None:
    with pytest.raises(DataError, match="row 3: 1 cells under 3 columns"):
        read_rows(PLAIN[: PLAIN.index(b",60000000")], "x.csv")


def test_fault_18_a_missing_column_names_its_aliases_and_the_file_to_edit() -> None:
    with pytest.raises(DataError, match=r"required column is missing.*Model, System.*data/raw/s/source\.yml"):
        match_columns(["Name", "Parameters"], SOURCE, "x.csv")


def test_fault_18_a_renamed_column_is_read_by_its_alias() -> None:
    assert match_columns(["System", "Parameters"], SOURCE, "x.csv")[0] == {"name": "System", "parameters": "Parameters"}


def test_fault_18_a_doubled_column_is_refused() -> None:
    with pytest.raises(DataError, match="'Parameters' stands twice"):
        read_rows(b"Model,Parameters,Parameters,Link,Link\nA,1,2,3,4\n", "x.csv")


NAMED = "Model,Parameters,Link\nTulu 3 (Tülu 3) 70B,7e10,https://arxiv.org/abs/2411.15124\nPanGu-Σ,1.085e12,\n"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (NAMED.encode().decode("latin-1").encode(), r"decoded twice: it has \"Ã¼\" for \"ü\"; get the file"),
        (NAMED.replace("Σ", "–").encode().decode("cp1252").encode(), 'decoded twice: it has "Ã¼" for "ü"'),
        (b"\xef\xbb\xbf" + NAMED.encode().decode("mac_roman").encode(), 'decoded twice: it has "Œ£" for "Σ"'),
        (NAMED.replace(",", ";").encode(), "x.csv:1: the columns are separated by semicolons; save it with commas"),
        (NAMED.replace(",", '";"').encode(), "x.csv:1: the columns are separated by semicolons"),
        (NAMED.replace(",", "\t").encode(), "x.csv:1: the columns are separated by tabs"),
        (f"sep=,\n{NAMED}".encode(), 'x.csv:1: Excel\'s line "sep=," stands above the header; remove the line'),
        (f'"sep=,"\n{NAMED}'.encode(), "x.csv:1: Excel's line"),
        (f"sep=;\n{NAMED.replace(',', ';')}".encode(), 'x.csv:1: Excel\'s line "sep=;"'),
        (f"{NAMED}{NAMED}".encode(), "x.csv: row 4: the header stands again; look whether two files were joined"),
        (f"{NAMED}Total,1.155e12,\n".encode(), 'x.csv: row 4: "Total": a row of totals; remove the row'),
        (f"{NAMED}Grand total (2 models),,\n".encode(), 'row 4: "Grand total .2 models.": a row of totals'),
        (f"{NAMED},Total,\n".encode(), 'row 4: "Total": a row of totals'),
        (f"{NAMED}Sum: 2,,\n".encode(), 'row 4: "Sum: 2": a row of totals'),
    ],
)
def test_fault_125_what_a_spreadsheet_made_of_a_file_is_refused_by_its_name(content: bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        read_table(content, SOURCE, "x.csv")


@pytest.mark.parametrize(
    "name",
    ["Mean Teacher", "Total-Text detector", "Average Joe 7B", "CountGD", "Mythos; Opus; Haiku", "Model", "Ã", "São"],
)
def test_names_that_only_look_like_it_are_read(name: str) -> None:
    assert facts_of(f"{NAMED}{name},7e9,\n".encode())[-2] == (name, "name", name, "")


def test_columns_without_a_name_and_empty_lines_are_nothing() -> None:
    assert read_rows(b"Model,,\n\nA,1,2\n", "x.csv") == (["Model", "", ""], [["A", "1", "2"]])


def test_fault_18_a_new_column_is_reported() -> None:
    assert match_columns(["Model", "Abstract", "Colour"], SOURCE, "x.csv")[1] == ("Colour",)


def test_fault_18_two_columns_for_one_field_are_refused() -> None:
    with pytest.raises(DataError, match="both stand for name"):
        match_columns(["Model", "System"], SOURCE, "x.csv")


def test_fault_28_a_doubled_name_is_told_apart_by_link_or_by_content() -> None:
    # the full file of 2026-03-30 has GemNet-OC with a paper and as a stub, and OpenAudio-S1-mini twice with one link
    rows = [
        {"Model": "GemNet-OC", "Link": "https://arxiv.org/abs/2204.02782"},
        {"Model": "GemNet-OC", "Link": ""},
        {"Model": "Oryx 7B", "Link": "https://arxiv.org/abs/2409.12961v1"},
    ]
    names = [record for record, _ in name_records(rows, "Model", "Link")]
    assert names == ["GemNet-OC @ https://arxiv.org/abs/2204.02782", "GemNet-OC @ #1", "Oryx 7B"]
    assert [r for r, _ in name_records(rows[::-1], "Model", "Link")][1:] == names[:2]


def test_what_a_link_does_not_tell_apart_is_numbered_by_content() -> None:
    links = {"2": "b and more", "x": "a", "1": "b", "0": " ", "y": "c"}  # the first word of a cell is its link
    rows = [{"Model": "OpenAudio-S1-mini", "Link": link, "Note": note} for note, link in links.items()]
    named = [(record.partition(" @ ")[2], row["Note"]) for record, row in name_records(rows, "Model", "Link")]
    assert named == [("a", "x"), ("c", "y"), ("#1", "0"), ("#2", "1"), ("#3", "2")]


def test_rows_without_a_usable_name_are_left_out() -> None:
    rows = [{"Model": " \n"}, {"Model": "x" * 201}, {"Model": "x" * 200}, {"Model": "I"}]
    assert [record for record, _ in name_records(rows, "Model", None)] == ["x" * 200, "I"]


def test_a_cell_that_no_fact_can_fill_is_refused() -> None:
    assert read_table(b"Model\n" + b"x" * 10_000, SOURCE, "x.csv").rows == [{"Model": "x" * 10_000}]
    with pytest.raises(DataError, match=r"^x.csv: row 3: Model .*: 10001 characters in one cell"):
        read_table(b"Model,Abstract\nA," + b"x" * 10_001 + b"\n" + b"x" * 10_001 + b",\n", SOURCE, "x.csv")


def test_the_unit_that_a_header_states_is_that_of_its_cells() -> None:
    columns = {"power_w": "Power (MW)", "cost_usd": "Cost (2025 USD billions)", "energy": "Energy (MWh)", "area": "MW"}
    facts = plain_facts(
        "A", {"Power (MW)": "276.0", "Cost (2025 USD billions)": "8.8", "Energy (MWh)": "7", "MW": ""}, columns
    )
    assert [fact.value_text for fact in facts] == ["276.0 MW", "8.8 billion USD", "7"]


def test_the_files_of_a_snapshot_are_one_reading() -> None:
    one, two = Fact("A", "parameters", "1"), Fact("A", "parameters", "2")
    parts = [Reading([two, one], 3, 1, ("b",)), Reading([one], 5), Reading([], 1, 1, ("a", "b"))]
    assert join_readings(parts) == Reading([two, one], 9, 2, ("a", "b"))


def test_of_a_cell_with_links_only_the_links_are_facts() -> None:
    # rows of 2026-03-30 have "(LINK BROKEN)", "training code:" and whole remarks beside their links
    row = {"Link": "https://arxiv.org/abs/2208.03188, training code: www.example.org/x (LINK BROKEN)"}
    facts = plain_facts("A", row, {"reference_url": "Link"})
    assert [fact.value_text for fact in facts] == ["https://arxiv.org/abs/2208.03188 www.example.org/x"]
    assert plain_facts("A", {"Link": "Duplicate entry"}, {"reference_url": "Link"}) == []
