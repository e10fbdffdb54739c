"""What the bench makes up to measure with, and the plain versions that the build is compared with, on rows that a hand can check."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import runpy
import shutil
import sys
import time
import zipfile
from datetime import date
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import duckdb
import pandas as pd
import pytest
from kept import kept
from stand_ins import just, stand_ins

from bench import estimates, estimation, growth, hub, releases, scripts, spark
from bench.listing import write_listing
from bench.measure import ROOT

NONE = float("nan")
# of a record that has more than fifteen facts, the first that are named in FIRST and LATER stay, and then the first by name
FIELDS = {"name": "Nova", "parameters": "7e9", "training_compute_flop": "about", "publication_date": "2024-01-01",
          "organization": "Lab", "domain": "Language", "dataset_size": "3e11", "hardware": "H100", "epochs": "2",
          "base_model": "Nova", "task": "chat", "batch_size": "1024", "accuracy": "1", "notes": "x", "link": "y",
          "zeal": "too many"}  # fmt: skip


def write_facts(root: Path) -> None:
    """Nova, Comet and Star have fifteen facts each, Dust has fewer; Nova in both sources, and once with other parameters."""
    head = ["record", "field", "value_text", "locator", "since", "until"]
    for source, names in {"epoch_all": ("Nova", "Comet", "Dust"), "epoch_notable": ("Star", "Nova")}.items():
        lines = [(name, field, text, "", "2024-01-01", "") for name in names for field, text in FIELDS.items()]
        lines = [line for line in lines if line[0] != "Dust" or line[1] < "p"]
        lines += [("Nova", "parameters", "6e9", "", "2023-01-01", "2024-01-01")]
        lines += [
            ("Nova", "zeal", "gone", "", "2023-01-01", "2024-01-01"),
            ("Comet", "batch_size", "9", "table 1", "2024-01-01", ""),
        ]
        (root / "data" / "raw" / source).mkdir(parents=True)
        pd.DataFrame(lines, columns=head).to_csv(root / "data" / "raw" / source / "facts.csv", index=False)


def test_a_ledger_has_copies_under_other_names_with_other_numbers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_facts(tmp_path)
    monkeypatch.setattr(growth, "ROOT", tmp_path)
    monkeypatch.setattr(growth, "FILE_COPIES", 2)
    monkeypatch.setattr(growth, "SHARING", 2)
    monkeypatch.setattr(growth, "STEPS", 2)
    files, lines = growth.write_ledger(10, tmp_path / "ledger")
    texts = {str(file.relative_to(tmp_path)): file.read_text() for made in files.values() for file in made}
    assert lines == sum(text.count("\n") - 1 for text in texts.values())
    assert "".join(f"# {name}\n{text}" for name, text in texts.items()) == kept("bench/ledger.txt")


def test_copies_differ_by_up_to_ninety_six_percent_and_ten_share_a_base() -> None:
    facts = pd.DataFrame({"record": ["A", "A"], "field": ["parameters", "base_model"], "value_text": ["100", "B"]})
    made = [growth._copy(facts.assign(locator=""), number, 30) for number in (1, 96, 97, 9, 10)]
    assert [frame["value_text"].tolist() for frame in made] == [
        ["101", "B v3"], ["196", "B v8"], ["100", "B v8"], ["109", "B v3"], ["110", "B v10"]]  # fmt: skip
    assert growth._copy(facts.assign(locator=""), 0, 1)["value_text"].tolist() == ["100", "B v0"]
    assert (growth.FACTS, growth.SHARING, growth.FILE_COPIES) == (15, 10, 8)


def test_a_run_says_how_long_each_step_took(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[Any] = []

    def build(paths: Any, files: Any, target: Path, jobs: int, told: Any) -> None:
        asked.extend([paths.root == ROOT, files, target.name, jobs])
        told("read"), told("publish")

    stand_ins(monkeypatch)("scale.build", build=build)
    monkeypatch.setattr(growth, "alone", lambda function, models, folder: (["file"], 90 * models))
    monkeypatch.setattr(time, "perf_counter", iter((1, 3.5, 10)).__next__)
    monkeypatch.setattr(os, "cpu_count", just(None))
    memory = iter((3, 9, 4))
    monkeypatch.setattr(growth, "_memory_mb", lambda: next(memory))
    seen: list[float] = []

    class Waits(Event):
        """Three times the memory is looked at, however soon the run ends."""

        def wait(self, timeout: float | None = None) -> bool:
            seen.append(timeout or 0)
            return len(seen) > 3 and super().wait()

    monkeypatch.setattr(growth, "Event", Waits)
    made = growth.run(2, tmp_path)
    assert made == {"models": 2, "lines": 180, "steps": {"read": 2.5, "publish": 6.5}, "peak_mb": 9}
    assert asked == [True, ["file"], "processed", 1]
    assert seen == [0.2] * 4


def test_the_memory_is_that_of_the_processes_of_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, kilobytes in {"7": 1500, "8": 2500, "9": 4000}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "smaps_rollup").write_text(f"Rss: 9 kB\nPss: {kilobytes} kB\nPss_Dirty: 1 kB\n")
    (tmp_path / "10").mkdir()
    monkeypatch.setattr(growth, "Path", lambda place: {"/proc": tmp_path}[place])
    monkeypatch.setattr(os, "getpgid", {0: 70, 7: 70, 8: 70, 9: 71, 10: 70}.__getitem__)
    assert growth._memory_mb() == 4


ROW = {"parameters": 2e9, "parameters_active": NONE, "training_tokens": 1e12, "domains": "Language;Vision", "epochs": NONE,
       "dataset_unit": "token", "dataset_size": NONE, "base_model": None, "chip_hours": NONE, "hardware_quantity": 4,
       "training_hours": 5, "peak_tensor_fp16_flops": 1e12, "peak_fp32_flops": 1e11, "numerical_format": "FP16", "batch_size": NONE,
       "hardware_utilization": NONE, "model_id": "a", "finetune_compute_flop": 1e20, "training_compute_flop": 1e22}  # fmt: skip
NO_TOKENS: dict[str, Any] = {"training_tokens": NONE}
CHANGES: list[dict[str, Any]] = [
    {}, {"parameters_active": 1e9}, {"domains": "Vision"}, {"base_model": "b"}, {"model_id": "b"}, {"model_id": "c"},
    NO_TOKENS | {"dataset_size": 1e11}, NO_TOKENS | {"dataset_size": 9e10}, NO_TOKENS | {"dataset_size": 2e11, "epochs": 3},
    NO_TOKENS | {"dataset_size": 1e11, "dataset_unit": "image"}, {"chip_hours": 10, "hardware_utilization": 0.5},
    {"numerical_format": "FP32"}, {"peak_tensor_fp16_flops": NONE}, dict.fromkeys(("training_hours", "batch_size", "epochs"), 1e300)]  # fmt: skip


def test_each_method_is_worked_out_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = pd.DataFrame([ROW | change for change in CHANGES])
    names = ("parameters", "dataset", "epochs", "chips", "hours", "batch")
    near = {
        "": 1.0,
        "domains:Vision": 0.25,
        **dict.fromkeys(names, 0.5),
        **{f"{name} known": 0.125 for name in names},
    }
    free = {
        "": 0.5,
        "domains:Language": 4.0,
        **dict.fromkeys(names, 0.25),
        **{f"{name} known": 2.0 for name in names},
    }
    known, bases = {"a": 1e22, "b": 3e22}, {"a": "b", "b": "unknown"}
    lines = []
    for number, (_, row) in enumerate(rows.iterrows()):
        made = {
            "count": estimates._count(row),
            "clock": estimates._clock(row),
            "add": estimates._add(row, known, bases),
        }
        made["regress"] = estimates._regress(row, near, free)
        lines += [
            f"{number} {name}: {v:.6g} {low:.6g} {high:.6g} {words}" for name, (v, low, high, words) in made.items()
        ]
    assert "\n".join([*lines, ""]) == kept("bench/by_row.txt")
    table = SimpleNamespace(coefficients={"0": pd.Series(near | free, name="x").to_frame().assign(near=1.0, free=0.5)})
    stand_ins(monkeypatch)("impute.flop.calibration_tables", load_calibrated=just(table))
    stand_ins(monkeypatch)("impute.flop.cascade", estimates_of=just(None))
    edges = pd.DataFrame({"model_id": ["a"], "base_id": ["b"]})
    monkeypatch.setattr(time, "perf_counter", iter((1, 3.5, 10, 14)).__next__)
    assert (estimates.naive(rows, edges), estimates.ours(rows, edges)) == (2.5, 4)


def test_rows_are_drawn_from_those_of_the_dataset_with_other_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    real = pd.DataFrame({name: [1.0, 1000.0, NONE] for name in estimates.SCALED} | {"base_model": ["A", None, "B"]})
    asked: list[Any] = []
    stand = stand_ins(monkeypatch)
    stand("registry.context", load_context=lambda paths: paths.root == ROOT)
    stand("normalize.stage", load_ledger=just("ledger"), read_ledger=lambda *given: given)
    stand("impute.calibration.calibrate", gather=lambda *given, curated: asked.extend([*given, curated]) or (real, 0))
    made, edges = estimates.synthetic(12)
    assert asked == [True, (True, "ledger"), date(2026, 8, 23), False]
    assert made.to_csv(float_format="%.6g", index=False) + edges.to_csv(index=False) == kept("bench/drawn.txt")


def test_memory_counts_beyond_that_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    used = iter((1_000, 5_000, 2_000, 2_500))
    monkeypatch.setattr(resource, "getrusage", lambda which: SimpleNamespace(ru_maxrss=next(used)))
    monkeypatch.setattr(estimates, "synthetic", lambda count: (pd.DataFrame({"a": range(count)}), "edges"))
    monkeypatch.setattr(estimates, "ours", lambda rows, edges: len(rows) / 4)
    monkeypatch.setattr(estimates, "naive", lambda rows, edges: len(rows) / 2)
    assert estimates.run(20_000) == {"rows": 20_000, "seconds": 5_000, "added_mb": 4, "naive_s_per_row": 0.5}
    assert estimates.run(19_999) == {"rows": 19_999, "seconds": 19_999 / 4, "added_mb": 0.5}


def test_the_plain_version_finds_what_the_expression_of_the_hub_does(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source, ours, theirs, fewer = (
        tmp_path / name for name in ("rows.csv", "ours.parquet", "theirs.parquet", "fewer.parquet")
    )
    estimation.write_rows(source, 60)
    for words in (("ibis", source, ours), ("pandas", source, theirs)):
        monkeypatch.setattr(sys, "argv", ["", *map(str, words)])
        runpy.run_path(str(ROOT / "bench" / "estimation.py"), run_name="__main__")
    columns = (
        "hub_id, training_compute_method, reason, training_compute_flop, training_compute_low, training_compute_high"
    )
    with duckdb.connect() as connection:
        connection.sql(f"FROM '{theirs}' WHERE hub_id NOT LIKE '%model-3'").write_parquet(str(fewer))
        found = connection.sql(f"SELECT {columns} FROM '{ours}' ORDER BY split_part(hub_id, '-', 2)::INT").fetchall()
    assert [estimation.differing(ours, other) for other in (ours, theirs, fewer)] == [0, 0, 1]
    assert estimation.differing(fewer, ours) == 1
    assert "".join(f"{row}\n" for row in found[:20]) == kept("bench/hub_rows.txt")


def test_a_script_finds_the_frontier_one_row_after_another(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    days, flop = (*range(1, 10), 11, 11, 12, 13), [*["2e25"] * 10, "1e25", "9e24", "3e25"]
    lines = [f"2020-01-{day:02},{most},Lab; Other" for day, most in zip(days, flop, strict=True)]
    lines += ["2020-02-01,,Lab", "unknown,1e26,Lab", "2020-01-06,1e25,"]
    (tmp_path / "models.csv").write_text("\n".join(["publication_date,training_compute_flop,organizations", *lines]))
    monkeypatch.setattr(sys, "argv", ["", str(tmp_path / "models.csv")])
    runpy.run_path(str(ROOT / "bench" / "scripts.py"), run_name="__main__")
    # the ten of 2e25, that of 3e25, and 1e25 of the sixth day; 1e25 and 9e24 have ten ahead of them
    assert json.loads(capsys.readouterr().out) == {"frontier": 12, "large": 13, "known": 14}


def test_a_value_counts_as_near_within_a_factor_of_three(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    flop = [18.0, 2.0, 18.1, 1.5, 20.0, 6.0, 6.0]
    sources = ["reported", "third_party", "reported", "reported", "reported", "imputed", "reported"]
    models = {"model_id": [*"abcdefg"], "training_compute_source": sources, "training_compute_flop": flop}
    models |= {"parameters": [4.0] * 7, "dataset_size": [0.25] * 6 + [NONE]}
    pd.DataFrame(models).to_parquet(tmp_path / "models.parquet")
    counted = {"model_id": [*"afg"], "method": ["operation_counting"] * 2 + ["regression"], "value": 18.0}
    pd.DataFrame(counted).to_parquet(tmp_path / "estimates.parquet")
    monkeypatch.setattr(scripts, "PROCESSED", tmp_path)
    assert [(row.name, row.figure, row.unit, row.note) for row in scripts._accuracy()] == [
        (
            "within a factor 3 of the published value: 6 · N · dataset size, blindly",
            40,
            "%",
            "6 values, 5 beside a published one",
        ),
        (
            "within a factor 3 of the published value: operation counting",
            100,
            "%",
            "2 values, 1 beside a published one",
        ),
    ]


def test_engines_differ_in_rows_and_by_the_largest_gap_of_an_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "which", just(None))
    assert spark.rows(True, 1) == [], "without Java"
    low, high = spark.ENDS
    one = pd.DataFrame({"hub_id": [*"abc"], "likes": [1, 2, 3], low: [1.0, NONE, 8.0], high: [2.0, NONE, 4.0]})
    frames = {"one": one, "near": one.assign(**{high: [2.5, None, 3.0]}), "less": one.assign(likes=[1, 2, 4])}
    frames["gap"] = one.assign(**{low: [1.0, 1.0, 8.0]})
    for name, frame in frames.items():
        frame.to_parquet(tmp_path / f"{name}.parquet")
    found = {name: spark.differences(tmp_path / "one.parquet", tmp_path / f"{name}.parquet") for name in frames}
    assert found == {"one": (0, 0), "near": (0, pytest.approx(1 / 3)), "less": (2, 0), "gap": (0, float("inf"))}


def test_a_listing_is_the_same_for_the_same_count(tmp_path: Path) -> None:
    write_listing(tmp_path / "hub.jsonl", 11)
    assert (tmp_path / "hub.jsonl").read_text() == kept("bench/listing.jsonl")
    hub.as_parquet(tmp_path / "hub.jsonl", tmp_path / "hub.parquet")
    counted = "SELECT count(*), sum(likes), sum(len(tags)), sum(safetensors.total)"
    with duckdb.connect() as connection:
        read = [connection.sql(f"{counted} FROM '{tmp_path}/hub.{form}'").fetchall() for form in ("jsonl", "parquet")]
    assert read[0] == read[1]


def test_a_release_has_the_files_of_the_build_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "built").mkdir()
    for name in ("models.parquet", "models.csv", "traincompute.duckdb", "notes.txt"):
        (tmp_path / "built" / name).write_text(name)
    (tmp_path / "built" / "manifest.json").write_text('{"tables": 1}')
    folder = releases.make_release(tmp_path / "built", tmp_path / "releases")
    index = json.loads((tmp_path / "releases" / "releases.json").read_text())
    (entry,) = index.pop("releases")
    assert index == {"name": "traincompute", "format": 1, "serial": 1, "latest": "2026.1.0"}
    digest = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    assert {name: about["sha256"] for name, about in entry["files"].items()} == digest
    assert entry["files"]["models.csv"] == {"url": "v2026.1.0/models.csv", "bytes": 10, "sha256": digest["models.csv"]}
    with zipfile.ZipFile(folder / "traincompute-2026.1.0.zip") as archive:
        assert archive.namelist() == ["models.csv", "models.parquet"]
    about = {"version": "2026.1.0", "channel": "release", "date": "2026-01-01"}
    del entry["files"]
    assert entry == about | {"bytes": 0, "manifest_sha256": digest["manifest.json"]}
    assert json.loads((folder / "manifest.json").read_text()) == {"tables": 1, "release": about | {"commit": None}}
