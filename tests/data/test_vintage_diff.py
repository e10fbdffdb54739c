"""The notable models of 2025-05-06 against those of 2025-11-01: what upstream blanked, and how that affects the
counts."""

from __future__ import annotations

import csv
from dataclasses import replace
from datetime import date
from pathlib import Path
from unittest import mock

import pandas as pd
import pytest
from machine import UPSTREAM, needs_upstream

from pipeline import build
from pipeline.base.paths import Paths
from pipeline.impute.trends import table
from traincompute.comparison.compare import Comparison, compare

OLD, NEW = date(2025, 5, 6), date(2025, 11, 1)
FLOP, COLUMN = "training_compute_flop", "Training compute (FLOP)"
pytestmark = pytest.mark.thorough  # two builds of all facts
FILES = [UPSTREAM / "history" / "notable" / f"{day}.csv" for day in (OLD, NEW)]


@pytest.fixture(scope="module")
def built(real: Paths, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Both vintages, without the shapes of trends, which take seconds to draw and are not looked at here."""
    folder = tmp_path_factory.mktemp("vintages")
    ground = build.lay_ground(real, folder / "empty.duckdb")
    with mock.patch.object(table, "SHAPED", set[str]()):
        for day in (OLD, NEW):
            build.build(replace(real, output=folder / str(day)), day, ground)
    return [folder / str(day) for day in (OLD, NEW)]


@pytest.fixture(scope="module")
def found(built: list[Path]) -> Comparison:
    return compare(*built)


@pytest.fixture(scope="module")
def imputed(built: list[Path]) -> set[str]:
    """Names of the models whose value is imputed in one of the vintages."""
    frames = [pd.read_parquet(folder / "models.parquet", columns=["name", f"{FLOP[:-5]}_source"]) for folder in built]
    return {name for frame in frames for name in frame.loc[frame.iloc[:, 1] == "imputed", "name"]}


def names(found: Comparison, kind: str) -> set[str]:
    cells = found.changes[(found.changes["column"] == FLOP) & (found.changes["kind"] == kind)]
    return set(cells["name"])


def test_the_blanked_values_are_upstream_revisions(found: Comparison, imputed: set[str]) -> None:
    """Golden: the FLOP cells that are filled in the file of 2025-05-06 and empty in that of 2025-11-01."""
    blanked = {
        "Claude 3 Opus",
        "GLM-4-Plus",
        "GPT-4 Turbo",
        "GPT-4o",
        "GPT-4o mini",
        "Gemini 1.0 Pro",
        "Gemini 1.5 Pro",
    }
    assert blanked <= names(found, "blanked") | imputed
    assert names(found, "blanked") - imputed == blanked - imputed
    cells = found.changes[found.changes["name"].isin(["GPT-4o", "Claude 3 Opus", "Gemini 1.5 Pro"])]
    flop = cells[cells["column"] == FLOP]
    assert flop["cause"].tolist() == ["upstream revision"] * 3
    assert flop["source_id"].tolist() == ["epoch_notable"] * 3


def test_the_effect_on_the_count_above_1e25(found: Comparison) -> None:
    """Golden: 21 and 19 rows of the two files print at least 1e25 FLOP; 16 of the models in both still do."""
    figures = {entry["figure"]: (entry["old"], entry["new"]) for entry in found.headlines}
    assert figures["notable models, at least 1e25 FLOP"] == (21, 19)
    assert figures["notable models in both, at least 1e25 FLOP"] == (21, 16)
    assert figures["notable models"] == (951, 941)


# --- against the source files themselves, read without any code of the project ---


def printed(file: Path) -> dict[str, str]:
    """{name: FLOP as printed} of one file."""
    with file.open(encoding="utf-8-sig", newline="") as handle:
        return {" ".join(row["Model"].split()): row[COLUMN].strip() for row in csv.DictReader(handle)}


@needs_upstream
def test_sets_of_changed_models_agree_with_the_files(found: Comparison, imputed: set[str]) -> None:
    old, new = (printed(file) for file in FILES)
    both = old.keys() & new.keys()
    expected = {
        "blanked": {name for name in both if old[name] and not new[name]},
        "filled": {name for name in both if new[name] and not old[name]},
        "changed": {
            name
            for name in both
            if old[name] and new[name] and f"{float(old[name]):.12g}" != f"{float(new[name]):.12g}"
        },
    }
    renamed = set(found.changes.loc[found.changes["kind"] == "model_renamed", "name"])
    doubled = {"UnifiedQA"}  # has a second row under a wrong name, see identities.csv
    for kind, models in expected.items():
        assert models - imputed <= names(found, kind), kind
        assert names(found, kind) - models <= imputed | renamed | doubled, kind
    assert sum(map(len, expected.values())) > 40


@needs_upstream
def test_models_that_came_and_went_agree_with_the_files(found: Comparison) -> None:
    old, new = (set(printed(file)) for file in FILES)
    kinds = {kind: set(rows["name"]) for kind, rows in found.changes.groupby("kind")}
    assert kinds["model_removed"] <= old - new
    assert kinds["model_added"] <= new - old
    assert (new - old) - kinds["model_added"] == kinds["model_renamed"]
    assert len((old - new) - kinds["model_removed"]) == len(kinds["model_renamed"]) + 2  # two are duplicates of others


@needs_upstream
def test_the_count_above_1e25_agrees_with_the_files(found: Comparison) -> None:
    figures = {entry["figure"]: [entry["old"], entry["new"]] for entry in found.headlines}
    counts = [sum(1 for flop in printed(file).values() if flop and float(flop) >= 1e25) for file in FILES]
    assert figures["notable models, at least 1e25 FLOP"] == counts
