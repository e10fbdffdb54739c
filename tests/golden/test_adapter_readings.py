"""Real rows as pull reads them, beside readings.yml."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipeline.config import Source, read_source
from pipeline.paths import CHECKOUT
from pipeline.pull.snapshot import read_upstream
from pipeline.pull.tabular import Reading

GOLDEN = Path(__file__).parent
LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)  # all cells are text
CASES = yaml.load((GOLDEN / "readings.yml").read_text(encoding="utf-8"), Loader=LOADER)


@cache
def source(name: str) -> Source:
    return read_source(CHECKOUT / "data" / "raw" / name / "source.yml", name)


def read(name: str, content: str | bytes, where: str = "file") -> Reading:
    return read_upstream(source(name), content.encode() if isinstance(content, str) else content, where)


def cells(reading: Reading, record: str) -> dict[str, str]:
    return {fact.field: fact.value_text for fact in reading.facts if fact.record == record}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['source']}-{Path(case['file']).stem}")
def test_rows_are_read_cell_by_cell(case: dict[str, Any]) -> None:
    reading = read(case["source"], case.get("text") or (GOLDEN / case["file"]).read_bytes(), case["file"])
    counts = {"rows": reading.rows, "unnamed": reading.unnamed, "facts": len(reading.facts)}
    assert {name: str(count) for name, count in counts.items()} == case["counts"]
    assert {record: cells(reading, record) for record in case["records"]} == case["records"]
    assert reading.unknown_columns == ()


def test_of_the_japanese_list_a_table_of_runs_from_scratch_is_read() -> None:
    row = "| [{} 1B](https://example.org/{}) | **2024** | Llama<br>([**1b(1.4b)**](x)) | (**2T** tokens) | {} | {} |\n"
    header = "|    | Release Year |  Architecture  |  Training Data  |  Developer  | License / Terms of Use |\n"
    of_license = {"A": "MIT<br>Apache 2.0", "B": "x" * 39, "C": "x" * 40, "D": "[MIT](https://example.org)"}
    rows = [row.format(name, name, "Lab<br>University[^2]", text) for name, text in of_license.items()]
    reading = read("awesome_japanese_llm", row.format("Above", "", "Lab", "MIT") + header + "".join(rows))
    assert cells(reading, "B 1B") == {
        "name": "B 1B", "domain": "Language", "task": "Language modeling", "training_tokens": "2T tokens",
        "publication_date": "2024", "organization": "Lab", "license": "x" * 39, "parameters": "1.4B",
        "reference_url": "https://example.org/B",
    }  # fmt: skip
    assert {fact.record for fact in reading.facts} == {"A 1B", "B 1B", "C 1B", "D 1B"}
    assert [fact.record for fact in reading.facts if fact.field == "license"] == ["B 1B"]  # short, and one


ROWS = {  # of a reference
    "epoch_clusters": (
        "Name,Status,Certainty,Country,First Operational Date,Chip type (primary),Chip quantity (primary),"
        "H100 equivalents,Max OP/s,Power Capacity (MW),Source 1\nA,,,,,,,,,,{}\n"
    ),
    "epoch_prices": (
        "Hardware model,Vendor,Location,Number of GPUs,Price date,Price (hardware purchase),Price per chip-hour"
        " (on-demand),Price per chip-hour (1-year CUD),Price per chip-hour (3-year CUD),Price source\nA,,,,,9,,,,{}\n"
    ),
    "mlco2_regions": "provider,providerName,region,regionName,country,impact,source\na,A,r,,,1,{}\n",
}
LONGEST = "https://example.org/".ljust(200, "x")


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize(("text", "link"), [(LONGEST, LONGEST), (LONGEST + "x", None), ("", None)])
def test_a_link_of_more_than_200_characters_is_left_out(name: str, text: str, link: str | None) -> None:
    facts = {fact.field: fact.value_text for fact in read(name, ROWS[name].format(text)).facts}
    assert facts.get("reference_url") == link


@pytest.mark.parametrize(
    ("text", "link"),
    [("https://a.org/1 and https://b.org/2", "https://a.org/1"), ("www.example.org", None)],
)
def test_of_the_references_of_a_cluster_the_first_that_is_a_link_counts(text: str, link: str | None) -> None:
    assert cells(read("epoch_clusters", ROWS["epoch_clusters"].format(text)), "A").get("reference_url") == link
