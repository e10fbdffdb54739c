"""duplicates: the pairs it offers, and the line for each."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import pytest
from checkouts import copy_checkout
from click.testing import CliRunner

from pipeline.paths import Paths
from traincompute.base.places import DUCKDB_NAME
from traincompute.cli import group

# the check that offers two records → the facts of each: developer, links, date, parameters
LINK = "https://arxiv.org/abs/2205.01068"
PAIRS: list[tuple[str, tuple[str, dict[str, Any]], tuple[str, dict[str, Any]]]] = [
    ("1_similar_names", ("Falcon 180B", {"organization": "TII"}), ("Falcon-180B", {"organization": "TII"})),
    ("3_confusable_names", ("CALM", {"organization": "NVIDIA"}), ("CaLM", {"organization": "Oxford"})),
    ("3_confusable_names", ("Tulu 3 (Tülu 3) 70B", {}), ("Tülu-3 70B", {})),
    ("2_same_facts", ("ViLT", {"reference_url": LINK, "publication_date": "2021-02-05", "parameters": 1.1e8}),
        ("Vision Transformer", {"reference_url": LINK, "publication_date": "2021-02-05", "parameters": 1.1e8})),
    ("1_similar_names", ("A\x1b[2J Large", {"organization": "M"}), ("A\x1b[2J-Large", {"organization": "M"})),
    ("", ("Gemini 2.5 Flash", {"organization": "Google"}), ("Gemini 2.5 Flash-Lite", {"organization": "Google"})),
    ("", ("OPT-13B", {"organization": "Meta"}), ("OPT-1.3B", {"organization": "Meta"})),  # other digits
    ("", ("Mistral Large", {"organization": "A", "parameters": 1e9}),
        ("Mistral Largo", {"organization": "A", "parameters": 2e9})),  # another size
]  # fmt: skip
# HELM and LLMStats name the form, the size and the month of a version: record, size → model, its size, if it is offered
SPOKEN: list[tuple[str, float | None, str, float | None, bool]] = [
    ("Qwen3.5 397B A17B @ qwen/qwen3.5-397b-a17b", 403e9, "Qwen3.5 397B-A17B", 397e9, True),
    ("DALL-E 2 (3.5B)", 3.5e9, "DALL·E 2", 3.5e9, True),
    ("Mistral Medium 3 (2505)", None, "Mistral Medium 3", None, True),
    ("Falcon3-1B-Instruct", 1.67e9, "Falcon3-7B", 7e9, False),  # another size
    ("OpenThaiGPT v1.0.0 (70B)", 70e9, "OpenThaiGPT 1.6 / OTG-1.6 (72B)", 72e9, False),  # another version
    ("MPT-Storywriter (7B)", 7e9, "MPT-7B", 7e9, False),  # another word
]
HEADER = "record,field,value_text,locator,since,until\n"


def speak(paths: Paths, *lines: tuple[str, str, Any]) -> None:
    rows = [f'"{record}",{field},{text},,2026-06-05,\n' for record, field, text in lines if text is not None]
    (paths.raw / "helm" / "facts.csv").write_text(HEADER + "".join(rows), encoding="utf-8")


@pytest.fixture(scope="module")
def template(built: Paths, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """The small checkout with PAIRS and SPOKEN alone."""
    paths = copy_checkout(built, tmp_path_factory.mktemp("duplicates") / "checkout")
    records = [(name, facts) for _, *pair in PAIRS for name, facts in pair]
    records += [(name, {"parameters": size}) for _, _, name, size, _ in SPOKEN]
    with duckdb.connect(str(paths.processed / DUCKDB_NAME)) as connection:
        for table in ("claims", "revisions", "models"):
            connection.execute(f"CREATE OR REPLACE TABLE {table} AS FROM {table} LIMIT 0")
        for number, (name, facts) in enumerate(records):
            connection.execute("INSERT INTO models (model_id, name) VALUES (?, ?)", [f"id-{number:02}", name])
            for field, value in {"name": name, **facts}.items():
                size = value if isinstance(value, float) else None
                claim = (name, f"id-{number:02}", "epoch_all", field, "2026-03-30", str(value), str(value), size)
                columns = "record, model_id, source_id, field, since, code, value_text, value"
                connection.execute(f"INSERT INTO claims ({columns}) VALUES ({', '.join('?' * 8)})", claim)
    lines = [f'"{name}",name,"{name}",,2026-03-30,\n' for name, _ in records]
    (paths.raw / "epoch_all" / "facts.csv").write_text(HEADER + "".join(lines), encoding="utf-8")
    speak(paths, *((record, "parameters", size) for record, size, *_ in SPOKEN),
          *((record, "license", "MIT") for record, *_ in SPOKEN), *((r, "name", "x") for r, *_ in SPOKEN))  # fmt: skip
    return paths


@pytest.fixture
def checkout(template: Paths, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Paths:
    paths = copy_checkout(template, tmp_path / "checkout")
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    monkeypatch.delenv("TRAINCOMPUTE_DATA", raising=False)
    return paths


def offered() -> dict[frozenset[str], dict[str, str]]:
    """{pair: row} of what the command offers."""
    sections = json.loads(CliRunner().invoke(group, ["curate", "duplicates", "--json"]).stdout)
    rows = [(name, row) for name, section in sections.items() for row in section["rows"]]
    return {frozenset((row["record"], row["other"])): {**row, "check": name} for name, row in rows}


def test_records_that_may_be_one_model_are_offered_once(checkout: Paths) -> None:
    wanted = {frozenset((one, other)): check for check, (one, _), (other, _) in PAIRS if check}
    wanted |= {frozenset((record, name)): "4_spoken_of" for record, _, name, _, is_offered in SPOKEN if is_offered}
    assert {pair: row["check"] for pair, row in offered().items()} == wanted


@pytest.mark.parametrize("pair", [("CALM", "CaLM"), ("Mistral Medium 3", "Mistral Medium 3 (2505)")])
def test_a_pasted_line_settles_its_pair(checkout: Paths, pair: tuple[str, str]) -> None:
    before = offered()
    row = before[frozenset(pair)]
    assert row["same"].split(",")[2] == "same"
    with checkout.identities.open("a", encoding="utf-8") as file:
        file.write(row["distinct"] + "two models\n")
    assert offered().keys() == before.keys() - {frozenset(pair)}
    shown = CliRunner().invoke(group, ["curate", "duplicates"])
    assert shown.exit_code == 1
    assert "distinct: " in shown.output
    assert "\x1b" not in shown.output
    assert "A\\x1b[2J Large" in shown.output


def test_a_record_that_replaces_another_is_offered_as_its_new_name(checkout: Paths) -> None:
    lines = ["AlphaFold 2,reference_url,{},,2022-09-01,2026-03-30", "Folding,reference_url,{},,2026-03-30,"]
    text = "".join(line.format(LINK) + "\n" for line in lines)
    (checkout.raw / "epoch_notable" / "facts.csv").write_text(HEADER + text, encoding="utf-8")
    with duckdb.connect(str(checkout.processed / DUCKDB_NAME)) as connection:
        for record, model_id, kind in (("AlphaFold 2", "alphafold-2", "removed"), ("Folding", "folding", "added")):
            columns, cells = "source_id, record, model_id, kind, to_snapshot", (record, model_id, f"record_{kind}")
            row = ["epoch_notable", *cells, "2026-03-30"]
            connection.execute(f"INSERT INTO revisions ({columns}) VALUES (?, ?, ?, ?, ?)", row)
    (row,) = [row for row in offered().values() if row["check"] == "5_renamed"]
    assert row["same"].startswith("Folding,,renamed,alphafold-2,2026-03-30,same arXiv:2205.01068")
