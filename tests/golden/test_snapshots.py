"""Five real snapshots: every vintage can be rebuilt."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterable
from datetime import date
from pathlib import Path

import pandas as pd
import pytest
from checkouts import normalized
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.config import load_lock, load_sources
from pipeline.frames import Tables
from pipeline.normalize import facts
from pipeline.paths import Paths
from pipeline.pull.snapshot import Request, pull_source

HISTORY = Path(__file__).parent / "history"
HARDWARE = Path(__file__).parent / "epoch_hardware.csv"
FILES = {date.fromisoformat(file.stem): file for file in sorted(HISTORY.glob("*.csv"))}
DAYS = list(FILES)

# the header under which each snapshot prints a field, as in its file; a field that is not listed has no column
OLD = {"name": "System", "publication_date": "Publication date", "parameters": "Parameters"}
NEW = {**OLD, "name": "Model", "training_compute_flop": "Training compute (FLOP)"}
CHIPS = {"hardware": "Training hardware", "hardware_quantity": "Hardware quantity"}
POINTS = {"dataset_size_datapoints": "Training dataset size (datapoints)"}
UNCLEAR_USE = {"hardware_utilization_unspecified": "Hardware utilization"}
MFU = {"hardware_utilization": "Hardware utilization (MFU)"}
HEADERS = {
    "2022-09-01": {**OLD, **POINTS, "training_compute_flop": "Training compute (FLOPs)"},
    "2024-07-16": {**NEW, **CHIPS, **POINTS, **UNCLEAR_USE, "name": "System"},
    "2025-05-06": {**NEW, **CHIPS, **POINTS, **UNCLEAR_USE},
    "2025-11-01": {**NEW, **CHIPS, **MFU, "dataset_size_gradients": "Training dataset size (gradients)"},
    "2026-07-19": {**NEW, **CHIPS, **MFU, "dataset_size": "Training dataset size (total)"},
}
COMPARED = {field for headers in HEADERS.values() for field in headers}


def printed(day: date) -> set[tuple[str, str, str]]:
    """(record, field, text) of every compared cell."""
    headers = HEADERS[day.isoformat()]
    rows = csv.DictReader(io.StringIO(FILES[day].read_text(encoding="utf-8")))
    cells = (
        (" ".join(row[headers["name"]].split()), field, row[column])
        for row in rows
        for field, column in headers.items()
    )
    return {(name, field, " ".join(text.split())) for name, field, text in cells if name and text.strip()}


def quiet(_: str) -> None:
    """Discards messages."""


def pull_days(paths: Paths, days: Iterable[date], say: Callable[[str], None] = quiet) -> list[bool]:
    source = load_sources(paths)["epoch_notable"]
    anything = dict.fromkeys(source.fields, 1)
    source = source.model_copy(update={"gates": {"max_emptied": anything, "max_changed": anything}})
    return [pull_source(paths, source, Request(files=(FILES[day],), as_of=day), say) for day in days]


def ledger_file(paths: Paths) -> Path:
    return paths.raw / "epoch_notable" / "facts.csv"


def empty(paths: Paths) -> Paths:
    """The checkout without snapshots of models; the reference tables stay."""
    lock = {name: entry for name, entry in load_lock(paths).items() if name == "epoch_hardware"}
    paths.lock.write_text(json.dumps(lock), encoding="utf-8")
    for name in ("epoch_all", "epoch_notable"):
        (paths.raw / name / "facts.csv").unlink(missing_ok=True)
    return paths


@pytest.fixture(scope="module")
def bare(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    root = tmp_path_factory.mktemp("history") / "checkout"
    shutil.copytree(small_template.root, root, ignore=shutil.ignore_patterns("processed"))
    return empty(Paths(root))


@pytest.fixture(scope="module")
def checkout(bare: Paths, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A checkout with all snapshots, entered newest first, so that all of them are history."""
    root = tmp_path_factory.mktemp("whole") / "checkout"
    shutil.copytree(bare.root, root)
    pull_days(Paths(root), DAYS[::-1])
    return Paths(root)


@pytest.fixture(scope="module")
def vintages(checkout: Paths) -> dict[str, Tables]:
    days = ("2022-09-01", "2025-05-06")
    return {**{day: normalized(checkout, date.fromisoformat(day)) for day in days}, "newest": normalized(checkout)}


def entered(paths: Paths) -> tuple[bytes, object]:
    """facts.csv and the lock, without its times of retrieval."""
    lock = load_lock(paths)["epoch_notable"]
    files = {day: entry["files"] for day, entry in lock["snapshots"].items()}
    return ledger_file(paths).read_bytes(), (lock["lines"], files)


@settings(max_examples=4, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.permutations(DAYS))
def test_snapshots_in_any_order_give_the_same_ledger_and_lock(bare: Paths, checkout: Paths, order: list[date]) -> None:
    pull_days(empty(bare), order)
    assert entered(bare) == entered(checkout)
    assert len(entered(bare)[0].splitlines()) > 400


def test_a_column_that_is_mapped_later_is_read_from_the_same_file_with_update_and_its_day(small: Paths) -> None:
    file = small.raw / "epoch_hardware" / "source.yml"
    later, ledger = file.read_text(encoding="utf-8"), small.raw / "epoch_hardware" / "facts.csv"
    whole = ledger.read_text(encoding="utf-8")
    mapped = next(line for line in later.splitlines() if line.startswith("  foundry:"))
    file.write_text(later.replace(mapped + "\n", ""), encoding="utf-8")
    ledger.unlink()
    lock = load_lock(small)
    del lock["epoch_hardware"]
    small.lock.write_text(json.dumps(lock), encoding="utf-8")

    def again(**more: bool) -> bool:
        request = Request(files=(HARDWARE,), as_of=date(2026, 3, 30), **more)
        return pull_source(small, load_sources(small)["epoch_hardware"], request, lambda _: None)

    assert again()
    assert ",foundry," not in ledger.read_text(encoding="utf-8")
    file.write_text(later, encoding="utf-8")
    assert not again()
    assert again(update=True)
    assert ledger.read_text(encoding="utf-8") == whole


@pytest.mark.parametrize("day", DAYS, ids=str)
def test_a_vintage_has_what_its_file_printed(checkout: Paths, day: date) -> None:
    sources, lock = load_sources(checkout), load_lock(checkout)
    ledger = facts.load_facts(checkout, sources, lock)
    for as_of in (day, next((later - pd.Timedelta(days=1) for later in DAYS if later > day), date.max)):
        stood = facts.vintage(ledger, sources, lock, as_of).query("source_id == 'epoch_notable' and locator == ''")
        rows = stood[stood["field"].isin(COMPARED)][["record", "field", "value_text"]]
        assert set(rows.itertuples(index=False, name=None)) == printed(day)


@pytest.mark.parametrize(
    "line",
    [
        "AlexNet,dataset_size_gradients,2457600000,,2025-11-01,2026-07-19",
        "Zip CNN,parameters,9760.0,,2025-11-01,",
        "Megatron-LM (8.3B),name,Megatron-LM (8.3B),,2024-07-16,",
        "GPT-4 (Mar 2023),name,GPT-4 (Mar 2023),,2026-07-19,",
        "Maxout Networks,name,Maxout Networks,,2022-09-01,2025-11-01",  # 2022: with a trailing space
        "ALLaM adapted 70B,name,ALLaM adapted 70B,,2025-05-06,",  # NBSP inside, once a trailing space
        "VAETKI,name,VAETKI,,2026-07-19,",  # a trailing line break
    ],
)
def test_drift_stands_in_the_ledger(checkout: Paths, line: str) -> None:
    assert line in ledger_file(checkout).read_text(encoding="utf-8").splitlines()


def value(tables: Tables, model_id: str, column: str) -> object:
    found = tables["models"].set_index("model_id")
    return found.loc[model_id, column] if model_id in found.index else "no such model"


@pytest.mark.parametrize(
    ("model_id", "values"),
    [
        ("gpt-4o", ["no such model", 3.81e25, None]),  # printed as 3.810001e+25, and blanked since
        ("alphago-zero", [3.4e23, 3.41e23, 6.4943991029e20]),
        ("megatron-lm-1.2b", ["no such model", "no such model", 1.1304e21]),
        ("megatron-lm", [9.1e21, "no such model", "no such model"]),
        ("megatron-lm-8.3b", ["no such model", 9.1e21, 9.1e21]),
        ("theseus", [40.0, 40.0, 40.0]),
    ],
)
def test_compute_as_of_each_vintage(vintages: dict[str, Tables], model_id: str, values: list[object]) -> None:
    found = [value(made, model_id, "training_compute_flop") for made in vintages.values()]
    assert [None if pd.isna(cell) else cell for cell in found] == values


def test_dates_of_2022_are_day_first(vintages: dict[str, Tables]) -> None:
    # 02/07/1950 in 2022 and 1950-07-02 since; 19/10/2017 became 2017-10-18
    assert [str(value(made, "theseus", "publication_date"))[:10] for made in vintages.values()] == ["1950-07-02"] * 3
    dates = [str(value(made, "alphago-zero", "publication_date"))[:10] for made in vintages.values()]
    assert dates == ["2017-10-19", "2017-10-18", "2017-10-18"]


def test_a_column_with_another_meaning_is_another_field(vintages: dict[str, Tables]) -> None:
    assert [value(made, "alexnet", "dataset_size") for made in vintages.values()][2] == 2457600000
    assert all(pd.isna(value(vintages[day], "alexnet", "dataset_size")) for day in ("2022-09-01", "2025-05-06"))
    claimed = [
        set(made["claims"].query("model_id == 'alexnet' and field.str.startswith('dataset_size')")["field"])
        for made in vintages.values()
    ]
    assert claimed == [{"dataset_size_datapoints"}, {"dataset_size_datapoints"}, {"dataset_size"}]
    uses = [
        set(made["claims"].query("model_id == 'alexnet' and field.str.startswith('hardware_utilization')")["field"])
        for made in vintages.values()
    ]
    assert uses == [set(), {"hardware_utilization_unspecified"}, {"hardware_utilization"}]
