"""Rows 70 to 72, 77, 88 and 93 of the fault list: live pulls, one after another, that bring a value beyond what is
known in small steps, under a name that looks like a known one, in a second row of a name, or in a new row; or that
exchange day and month."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from checkouts import copy_checkout, normalized

from pipeline.config import load_sources
from pipeline.frames import Tables
from pipeline.names import skeleton
from pipeline.normalize.newcomers import _reason
from pipeline.paths import Paths
from pipeline.pull import snapshot
from pipeline.pull.snapshot import Request, pull_source

GOLDEN = Path(__file__).parent.parent / "golden" / "epoch_models.csv"
SOURCE, GPT, TWICE, FLOP = "epoch_notable", "GPT-4 (Mar 2023)", "DeepSeek-V3", "Training compute (FLOP)"

Row = dict[str, str]


class Clock(datetime):
    """Noon of a day of November 2026."""

    today = 1

    @classmethod
    def now(cls, tz: object = None) -> datetime:
        return datetime(2026, 11, cls.today, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def pull() -> Iterator[Callable[..., list[str]]]:
    """Enters rows as the live snapshot of a day; both files of models print them. Returns what is said."""

    def enter(paths: Paths, day: int, rows: list[Row]) -> list[str]:
        Clock.today = day
        buffer, said = io.StringIO(newline=""), list[str]()
        writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        file = paths.root / "pulled.csv"
        file.write_text(buffer.getvalue(), encoding="utf-8")
        for name in ("epoch_all", SOURCE):
            pull_source(paths, load_sources(paths)[name], Request(files=(file,), update=True), said.append)
        return said

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(snapshot, "check_against", lambda *_: [])  # sixteen rows are fewer than the real minimum
        patched.setattr(snapshot, "datetime", Clock)
        yield enter


def rows(changed: Mapping[str, Row]) -> list[Row]:
    """The golden rows, with cells of these models changed."""
    golden = list(csv.DictReader(io.StringIO(GOLDEN.read_text(encoding="utf-8"))))
    assert changed.keys() <= {row["Model"] for row in golden}
    return [row | changed.get(row["Model"], {}) for row in golden]


DATE, WRONG = "2012-03-05", "2012-05-03"
CONFUSABLE = {"bloom-176b": "BLOOM-176B", "LL\u0430MA-7B": "LLaMA-7B"}  # by case, and with a Cyrillic letter
LINKS = ["https://example.org/1", "https://example.org/2"]
FIRST_DAY = {
    GPT: {FLOP: "1.9e+26"},
    "AlexNet": {"Publication date": DATE},
    "Goat-7B": {"Publication date": "2023-03-05"},
}
SECOND_DAY = {
    GPT: {FLOP: "1.7e+27"},
    "GPT-3 175B (davinci)": {"Epochs": "600"},
    "AlexNet": {"Publication date": WRONG},
    "Goat-7B": {"Publication date": "2023-05-04"},
    "BLOOM-176B": {"Model": "bloom-176b", FLOP: "3.65664e+26"},
    "LLaMA-7B": {"Model": "LL\u0430MA-7B", FLOP: "4e+25"},
}


class Followed(NamedTuple):
    """What is said on each of two days, and what is made after the second."""

    first: str
    second: str
    made: Tables


@pytest.fixture(scope="module")
def followed(
    small_template: Paths, tmp_path_factory: pytest.TempPathFactory, pull: Callable[..., list[str]]
) -> Followed:
    """Two days of all that is watched, each in a model of its own."""
    paths = copy_checkout(small_template, tmp_path_factory.mktemp("followed") / "checkout")
    golden = {row["Model"]: row for row in rows({})}
    others = [golden[TWICE] | {"Link": link, FLOP: "3.3e+27"} for link in LINKS]
    new = golden["AlexNet"] | {"Link": "https://example.org/c"}
    came = [new | {"Model": "Colossus", FLOP: "5e+27"}, new | {"Model": "Small", FLOP: "1.9e+25"}]
    first = pull(paths, 1, [*rows(FIRST_DAY), others[0]])
    second = pull(paths, 2, [others[0], *rows(SECOND_DAY), others[1], *came])
    return Followed("\n".join(first), "\n".join(second), normalized(paths))


def flop_of(made: Tables) -> dict[str, float]:
    models = made["models"][made["models"]["training_compute_source"].isin(["reported", "third_party"])]
    return dict(zip(models["name"], models["training_compute_flop"], strict=True))


def held(made: Tables, field: str) -> dict[str, str]:
    """The records of which that field is held, and why."""
    found = made["quarantine"].query(f"reason_code == 'held' and source_id == '{SOURCE}' and field == '{field}'")
    return dict(zip(found["record"], found["reason"], strict=True))


def test_fault_70_a_value_that_grows_in_steps_is_held(followed: Followed) -> None:
    assert flop_of(followed.made)[GPT] == 1.9e26
    assert held(followed.made, "training_compute_flop")[GPT] == "held: ×81 against the last accepted value"


@pytest.mark.parametrize("name", CONFUSABLE, ids=["case", "Cyrillic"])
def test_fault_71_a_name_that_is_confusable_inherits_the_hold(followed: Followed, name: str) -> None:
    reason = f"held: ×1e+03 against {CONFUSABLE[name]}, whose name is easily confused with this one"
    assert held(followed.made, "training_compute_flop")[name] == reason
    assert flop_of(followed.made).get(name, 0) < 1e24


def test_fault_70_71_72_77_nothing_that_is_held_is_published_and_nothing_else_is_held(followed: Followed) -> None:
    assert max(flop for name, flop in flop_of(followed.made).items() if name != GPT) < 1e26
    names = {GPT, *CONFUSABLE, *(f"{TWICE} @ {link}" for link in LINKS), "Colossus"}
    assert held(followed.made, "training_compute_flop").keys() == names


def test_the_same_name_in_another_source_is_not_called_confusable() -> None:
    known = {(skeleton(GPT), "training_compute_flop"): [(2.1e25, GPT)]}
    assert _reason(GPT, "training_compute_flop", 2.1e22, known, {}) == "held: ×0.001 against another source"
    assert _reason(GPT, "training_compute_flop", 2e25, known, {}) == ""


def test_fault_72_the_id_stays_with_the_known_link_and_the_newcomer_is_held(followed: Followed) -> None:
    model = followed.made["models"].set_index("model_id").loc["deepseek-v3"]
    assert model["training_compute_flop"] == 3.3e24
    assert model["is_notable"]
    assert {f"{TWICE} @ {link}" for link in LINKS} <= held(followed.made, "training_compute_flop").keys()


def test_fault_77_a_new_model_above_all_that_are_known_is_held(followed: Followed) -> None:
    found = followed.made["models"].set_index("name")["training_compute_flop"]
    assert pd.isna(found["Colossus"])
    assert found["Small"] == 1.9e25
    reason = "held: above all known values, of which the largest is 3.8e+25"
    assert held(followed.made, "training_compute_flop")["Colossus"] == reason


def test_fault_77_an_acknowledged_model_is_published(small: Paths, pull: Callable[..., list[str]]) -> None:
    golden = rows({})
    pull(small, 1, [*golden, {**golden[0], "Model": "Colossus", "Link": "https://example.org/c", FLOP: "1e+27"}])
    entries = [
        f"- {{id: {name}, source: {name}, record: Colossus, field: training_compute_flop, value_text: 1e+27, "
        "since: 2026-11-01, entered: 2026-11-01, action: acknowledge, upstream: mended, reason: its paper says so}\n"
        for name in ("epoch_all", SOURCE)
    ]
    (small.curated / "corrections.yml").write_text("".join(entries))
    made = normalized(small)
    assert flop_of(made)["Colossus"] == 1e27
    assert "held" not in set(made["quarantine"]["reason_code"])


def test_fault_93_epochs_are_watched(followed: Followed) -> None:
    assert followed.made["models"].set_index("name").loc["GPT-3 175B (davinci)", "epochs"] == 0.6
    reason = "held: ×1e+03 against the last accepted value"
    assert held(followed.made, "epochs") == {"GPT-3 175B (davinci)": reason}


def test_fault_88_a_date_of_which_day_and_month_change_places_is_held(followed: Followed) -> None:
    dates = followed.made["models"].set_index("name")["publication_date"]
    assert dates["AlexNet"] == pd.Timestamp(DATE)
    assert dates["Goat-7B"] == pd.Timestamp("2023-05-04"), "another day is no exchange"
    found = followed.made["quarantine"].query("reason_code == 'exchanged'")
    assert sorted(found["source_id"]) == ["epoch_all", SOURCE]
    assert set(found["value_text"]) == {WRONG}
