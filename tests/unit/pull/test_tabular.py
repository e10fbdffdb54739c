"""Reading upstream tables strictly."""

from __future__ import annotations

import pytest
from plain_source import replace, source

from pipeline.errors import DataError
from pipeline.pull.ledger import Fact
from pipeline.pull.tabular import (
    name_records,
    plain_facts,
    read_plain,
    read_table,
)

SOURCE = source(
    fields={"name": ("Model", "System"), "parameters": ("Parameters",)},
    required=frozenset({"name"}),
    ignored=frozenset({"Abstract"}),
)
PLAIN = b'Model,Parameters,Abstract\nGPT-3 175B (davinci),174600000000.0,"a,\nb"\nAlexNet,60000000.0,\n'


@pytest.mark.parametrize(
    "variant",
    [b"\xef\xbb\xbf" + PLAIN, PLAIN.replace(b"\n", b"\r\n"), PLAIN[:-1], PLAIN.replace(b"Model", b"System")],
    ids=["BOM", "CRLF", "no last newline", "an alias"],
)
def test_a_plain_table_is_read_however_it_is_written(variant: bytes) -> None:
    reading = read_plain(variant, SOURCE, "x.csv")
    assert reading.facts == [
        Fact("GPT-3 175B (davinci)", "name", "GPT-3 175B (davinci)"),
        Fact("GPT-3 175B (davinci)", "parameters", "174600000000.0"),
        Fact("AlexNet", "name", "AlexNet"),
        Fact("AlexNet", "parameters", "60000000.0"),
    ]
    assert (reading.rows, reading.unnamed, reading.unknown_columns) == (2, 0, ())


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PLAIN[: PLAIN.index(b'b"')], r"^x.csv:2: not well-formed CSV"),
        (PLAIN[: PLAIN.index(b",60000000")], "row 3: 1 cells under 3 columns"),
        (b"Model,Parameters,Parameters\nA,1,2\n", "'Parameters' stands twice"),
        (b"Name,Parameters\nA,1\n", r"required column is missing.*Model, System.*data/raw/acme/source\.yml"),
        (b"Model,System\nA,A\n", "both stand for name"),
        (b"Model\n" + b"x" * 10_001 + b"\n", r"^x.csv: row 2: Model .*: 10001 characters in one cell"),
    ],
    ids=["cut in quotes", "cut in a row", "doubled", "missing", "two for one field", "too long"],
)
def test_a_table_of_another_form_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_table(content, SOURCE, "x.csv")


def test_a_doubled_name_is_told_apart_by_link_or_by_content() -> None:
    # the full file of 2026-03-30 has GemNet-OC with a paper and as a stub, and OpenAudio-S1-mini twice with one link
    rows = [
        {"Model": "GemNet-OC", "Link": "https://arxiv.org/abs/2204.02782"},
        {"Model": "GemNet-OC", "Link": ""},
        {"Model": "Oryx 7B", "Link": "https://arxiv.org/abs/2409.12961v1"},
    ]
    names = [record for record, _ in name_records(rows, "Model", "Link")]
    assert names == ["GemNet-OC @ https://arxiv.org/abs/2204.02782", "GemNet-OC @ #1", "Oryx 7B"]
    links = {"2": "b and more", "x": "a", "1": "b", "0": " ", "y": "c"}  # the first word of a cell is its link
    rows = [{"Model": "OpenAudio-S1-mini", "Link": link, "Note": note} for note, link in links.items()]
    named = [(record.partition(" @ ")[2], row["Note"]) for record, row in name_records(rows, "Model", "Link")]
    assert named == [("a", "x"), ("c", "y"), ("#1", "0"), ("#2", "1"), ("#3", "2")]


def test_the_unit_that_a_header_states_is_that_of_its_cells() -> None:
    columns = {"power_w": "Power (MW)", "cost_usd": "Cost (2025 USD billions)", "energy": "Energy (MWh)", "area": "MW"}
    row = {"Power (MW)": "276.0", "Cost (2025 USD billions)": "8.8", "Energy (MWh)": "7", "MW": ""}
    assert [fact.value_text for fact in plain_facts("A", row, columns)] == ["276.0 MW", "8.8 billion USD", "7"]


@pytest.mark.parametrize(
    ("cell", "links"),
    [  # rows of 2026-03-30 have "(LINK BROKEN)", "training code:" and whole remarks beside their links
        ("https://a.org/1, training code: www.b.org/x (LINK BROKEN)", ["https://a.org/1 www.b.org/x"]),
        ("Duplicate entry", []),
    ],
)
def test_of_a_cell_with_links_only_the_links_are_facts(cell: str, links: list[str]) -> None:
    assert [fact.value_text for fact in plain_facts("A", {"Link": cell}, {"reference_url": "Link"})] == links


def test_source_yml_makes_up_names_and_leaves_out_zeros_and_long_links() -> None:
    fields = {name: (name,) for name in ("series", "date", "place", "other", "value", "reference_url")}
    one = source(fields=fields, record="{series} {date:7} {place|other}", constants={"series": "P"}, first_link=True)
    long = "https://example.org/".ljust(201, "x")
    text = f"date,place,other,value,reference_url\n2026-01-01,,B,0.0,{long}\n,A,,1,\n2026-01-01,A,B,2,{long[:-1]} x\n"
    reading = read_plain(text.encode(), one, "x.csv?id=P")
    assert (reading.rows, reading.unnamed) == (3, 1)
    assert {fact.record for fact in reading.facts} == {"P 2026-01 B", "P 2026-01 A"}
    assert [fact.value_text for fact in reading.facts if fact.field in ("value", "reference_url")] == [
        "0.0",
        "2",
        long[:-1],
    ]
    empty = read_plain(text.encode(), replace(one, zero_is_empty=True), "x.csv")
    assert [fact.value_text for fact in empty.facts if fact.field == "value"] == ["2"]


def test_a_document_is_one_record_whose_keys_may_be_paths() -> None:
    fields = {"name": ("name",), "parameters": ("size",), "huggingface_id": ("weights.0.url",)}
    one = source(fields=fields, makes_models=False)
    facts = [Fact("A", "parameters", "7"), Fact("A", "huggingface_id", "https://a.org")]
    toml = b'name = "A"\nsize = 7\nx = 1\n[[weights]]\nurl = "https://a.org"\n'
    reading = read_plain(toml, one, "a.toml")
    assert (reading.facts, reading.unknown_columns) == (facts, ("x",))
    json = b'{"name": "A", "size": 0, "weights": []}'
    assert read_plain(json, replace(one, zero_is_empty=True), "a.json").facts == []
    with pytest.raises(DataError, match=r"parameters .*: not one value"):
        read_plain(json.replace(b"0", b"[1]"), one, "a.json")
