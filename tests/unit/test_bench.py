"""The bench: its sections are there, the made-up ledger is what it says, and the page keeps its prose."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest
from pyarrow import parquet

from bench import build, growth, page
from bench.__main__ import SECTIONS, main
from bench.row import Row
from pipeline.base.paths import CHECKOUT


@pytest.mark.parametrize("section", SECTIONS)
def test_each_section_gives_rows(section: str) -> None:
    module = importlib.import_module(SECTIONS[section][0])
    assert [*inspect.signature(module.rows).parameters] == ["quick", "runs"]


@pytest.mark.parametrize("function", [path for paths in build.STAGES.values() for path in paths])
def test_each_function_that_a_stage_of_the_build_is_made_of_exists(function: str) -> None:
    place, name = function.rsplit(".", 1)
    assert callable(getattr(build._find(place), name))


def test_what_a_stage_costs_is_added_up_and_its_memory_is_the_highest() -> None:
    once = build.Cost(0.25, peak_mb=300, raised_mb=50)
    twice = once.and_also(build.Cost(0.5, peak_mb=200, raised_mb=70))
    assert twice == (0.75, 300, 70)
    rows = build._stage_rows({"total": 2.0, "stages": {"less": once, "more": twice}})
    assert [(row.name, row.figure) for row in rows] == [
        ("stage: more", 37.5),
        ("stage: less", 12.5),
        ("stage: everything else", 50),
    ]
    assert rows[0].note == "750 ms, up 70 MB to 300 MB"
    assert build._stage_rows({"total": 1.0, "stages": {"all": build.Cost(1.0)}})[0].note == ""  # no system tells


@pytest.mark.skipif(not build.STATUS.exists(), reason="only Linux tells the memory of a process in a file")
def test_the_peak_of_the_memory_begins_anew() -> None:
    large = bytearray(200_000_000)
    large[:] = b"x" * len(large)
    del large
    before = build._forget_peak()
    assert build._resident_mb("VmHWM") < before + 100


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
    monkeypatch.setattr("sys.argv", ["bench", "--quick", "spark", "hub"])
    main()
    printed = capsys.readouterr().out
    assert "spark needs pyspark, which is not installed" in printed
    assert "hub needs ibis" in printed
    assert "'.[scale]'" in printed
    assert "'.[hub]'" in printed


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


@pytest.mark.thorough
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


def test_a_page_is_not_written_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("bench.__main__.RESULTS", tmp_path / "results")
    monkeypatch.setattr("sys.argv", ["bench", "--write", str(tmp_path / "page.md")])
    with pytest.raises(SystemExit):
        main()
    assert "nothing has been measured yet" in capsys.readouterr().err
