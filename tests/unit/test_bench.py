"""The bench: its sections are there, the made-up ledger is what it says, and the page keeps its prose."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest
from pyarrow import parquet

from bench import growth, ledger, page
from bench.__main__ import SECTIONS, main
from bench.row import Row
from pipeline.base.paths import CHECKOUT


@pytest.mark.parametrize("section", SECTIONS)
def test_each_section_gives_rows(section: str) -> None:
    module = importlib.import_module(SECTIONS[section][0])
    assert [*inspect.signature(module.rows).parameters] == ["quick", "runs"]


def test_the_page_has_a_block_for_each_section_and_keeps_its_prose() -> None:
    text = (CHECKOUT / "docs" / "performance.md").read_text()
    for name in (*SECTIONS, "machine"):
        filled = page.fill(text, name, "figures\n")
        assert f"<!-- bench: {name} -->\nfigures\n<!-- /bench -->" in filled
        assert filled.split("<!--")[0] == text.split("<!--")[0]


def test_a_section_whose_library_is_missing_says_which_extra_has_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.__main__.find_spec", lambda _: None)
    monkeypatch.setattr("sys.argv", ["bench", "--quick", "spark", "engines"])
    main()
    printed = capsys.readouterr().out
    assert "spark needs pyspark, which is not installed" in printed
    assert "engines needs ibis" in printed
    assert printed.count("'.[scale]'") == 2


def test_the_machine_is_described_without_libraries_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "LIBRARIES", ("pandas", "no-such-library"))
    assert "pandas" in page.machine()
    assert "no-such-library" not in page.machine()


def test_a_page_without_a_block_is_refused() -> None:
    with pytest.raises(ValueError, match="no block"):
        page.fill("prose", "growth", "figures\n")


def test_a_figure_is_judged_by_its_target() -> None:
    assert Row("x", 3, target=6).verdict == "met"
    assert Row("x", 7, target=6).verdict == "missed"
    assert Row("x", 7, target=6, at_least=True).verdict == "met"
    assert Row("x", 7).verdict == ""


def test_records_have_fifteen_facts_and_a_name() -> None:
    facts = growth.template()
    now = facts[facts["until"] == ""]
    assert set(now["record"].value_counts()) == {growth.FACTS}
    assert now["record"].nunique() == (now["field"] == "name").groupby(now["record"]).any().sum()
    assert 100 < len(facts) - len(now) < len(now), "what these facts replaced is there, too"


def test_a_made_up_ledger_becomes_models_with_ids_and_numbers_of_their_own(tmp_path: Path) -> None:
    size = growth.template()["record"].nunique() + 400  # into a second copy
    made = growth.run(size, tmp_path)
    read = {
        name: parquet.read_table(tmp_path / "processed" / f"{name}.parquet")
        for name in ("models", "claims", "estimates")
    }
    models, claims, estimates = (read[name].to_pydict() for name in read)
    assert len(models["model_id"]) == len(set(models["model_id"])) == size
    assert claims["claim_id"] == sorted(set(claims["claim_id"]))
    assert len(claims["claim_id"]) == growth.FACTS * size < made["lines"]
    selected = zip(estimates["is_selected"], estimates["value"], strict=True)
    assert sum(taken and value is not None for taken, value in selected) > 100
    elsewhere = zip(models["model_id"], models["base_model_id"], strict=True)
    assert sum(bool(base) and base[-2:] != own[-2:] for own, base in elsewhere) > 5, "bases in another copy"


def test_the_ledger_that_is_loaded_is_as_long_as_its_rows_say() -> None:
    made = ledger.rows(quick=True, runs=1)
    assert [row.name.split(" lines")[0] for row in made] == ["load 25,000", "load 50,000"]
    assert all(row.figure > 0 for row in made)


def test_a_page_is_not_written_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("bench.__main__.RESULTS", tmp_path / "results")
    monkeypatch.setattr("sys.argv", ["bench", "--write", str(tmp_path / "page.md")])
    with pytest.raises(SystemExit):
        main()
    assert "nothing has been measured yet" in capsys.readouterr().err
