"""Rows 70 to 72, 77, 88 and 93 of the fault list: live pulls, one after another, that bring a value beyond what is known in small
steps, under a name that looks like a known one, in a second row of a name, or in a new row; or that exchange
day and month."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from checkouts import normalized

from pipeline.base.names import skeleton
from pipeline.base.paths import Paths
from pipeline.normalize.newcomers import _reason
from pipeline.pull import snapshot
from pipeline.pull.snapshot import Request, pull_source
from pipeline.registry.frames import Tables
from pipeline.registry.sources import load_sources

GOLDEN = Path(__file__).parent.parent / "golden" / "epoch_models.csv"
SOURCE, GPT, FLOP = "epoch_notable", "GPT-4 (Mar 2023)", "Training compute (FLOP)"

Row = dict[str, str]


@pytest.fixture
def pull(small: Paths, monkeypatch: pytest.MonkeyPatch) -> object:
    """Enters rows as the live snapshot of the next day; both files of models print them."""
    monkeypatch.setattr(snapshot, "check_gates", lambda *_: [])  # sixteen rows are fewer than the real minimum
    days = iter(range(1, 30))

    def enter(rows: list[Row], say: Callable[[str], None] = lambda _: None) -> Paths:
        day = next(days)

        class Clock(datetime):
            @classmethod
            def now(cls, tz: object = None) -> datetime:
                return datetime(2026, 11, day, 12, tzinfo=UTC)

        monkeypatch.setattr(snapshot, "datetime", Clock)
        buffer = io.StringIO(newline="")
        writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        file = small.root / "pulled.csv"
        file.write_text(buffer.getvalue(), encoding="utf-8")
        for name in ("epoch_all", SOURCE):
            pull_source(small, load_sources(small)[name], Request(files=(file,), update=True), say)
        return small

    return enter


def rows(**changed: str) -> list[Row]:
    """The golden rows, with cells of GPT-4 changed."""
    golden = list(csv.DictReader(io.StringIO(GOLDEN.read_text(encoding="utf-8"))))
    return [row | (changed if row["Model"] == GPT else {}) for row in golden]


def flop_of(made: Tables) -> dict[str, float]:
    models = made["models"][made["models"]["training_compute_source"].isin(["reported", "third_party"])]
    return dict(zip(models["name"], models["training_compute_flop"], strict=True))


def held(made: Tables) -> set[tuple[str, str, str]]:
    found = made["quarantine"].query(f"reason_code == 'held' and source_id == '{SOURCE}'")
    return set(found[["record", "field", "reason"]].itertuples(index=False, name=None))


def test_fault_70_a_value_that_grows_in_steps_is_held(pull) -> None:  # type: ignore[no-untyped-def]
    for flop in ("1.9e+26", "1.7e+27"):
        paths = pull(rows(**{FLOP: flop}))
    made = normalized(paths)
    assert flop_of(made)[GPT] == 1.9e26
    assert held(made) == {(GPT, "training_compute_flop", "held: ×81 against the last accepted value")}


@pytest.mark.parametrize("name", ["gpt-4 (mar 2023)", "GРT-4 (Mar 2023)"], ids=["case", "Cyrillic"])
def test_fault_71_a_name_that_is_confusable_inherits_the_hold(pull, name: str) -> None:  # type: ignore[no-untyped-def]
    made = normalized(pull(rows(**{"Model": name, FLOP: "2.1e+28"})))
    assert max(flop_of(made).values()) < 1e26
    reason = f"held: ×1e+03 against {GPT}, whose name is easily confused with this one"
    assert (name, "training_compute_flop", reason) in held(made)


def test_the_same_name_in_another_source_is_not_called_confusable() -> None:
    known = {(skeleton(GPT), "training_compute_flop"): [(2.1e25, GPT)]}
    assert _reason(GPT, "training_compute_flop", 2.1e22, known, {}) == "held: ×0.001 against another source"
    assert _reason(GPT, "training_compute_flop", 2e25, known, {}) == ""


def test_fault_72_the_id_stays_with_the_known_link_and_the_newcomer_is_held(pull) -> None:  # type: ignore[no-untyped-def]
    golden = rows()
    (known,) = [row for row in golden if row["Model"] == GPT]
    other = known | {"Link": "https://example.org/gpt", FLOP: "2.1e+28"}
    pull([*golden, other])
    made = normalized(pull([other, *golden, known | {"Link": "https://example.org/gpt-2", FLOP: "2.1e+28"}]))
    models = made["models"].set_index("model_id")
    assert models.loc["gpt-4-mar-2023", "training_compute_flop"] == 2.1e25
    assert models.loc["gpt-4-mar-2023", "is_notable"]
    assert max(flop_of(made).values()) < 1e26
    records = {f"{GPT} @ https://example.org/gpt", f"{GPT} @ https://example.org/gpt-2"}
    assert {record for record, field, _ in held(made) if field == "training_compute_flop"} == records


def test_fault_77_a_new_model_above_all_that_are_known_is_held(pull) -> None:  # type: ignore[no-untyped-def]
    golden = rows()
    new = {**golden[0], "Model": "Colossus", "Link": "https://example.org/c"}
    most = max(float(row[FLOP]) for row in golden if row[FLOP])
    made = normalized(pull([*golden, new | {FLOP: "1e+27"}, new | {"Model": "Small", FLOP: f"{most / 2:g}"}]))
    found = made["models"].set_index("name")["training_compute_flop"]
    assert pd.isna(found["Colossus"]) or found["Colossus"] < most
    assert found["Small"] == most / 2
    reason = f"held: above all known values, of which the largest is {most:.3g}"
    assert ("Colossus", "training_compute_flop", reason) in held(made)


def test_fault_77_an_acknowledged_model_is_published(pull) -> None:  # type: ignore[no-untyped-def]
    golden = rows()
    paths = pull([*golden, {**golden[0], "Model": "Colossus", "Link": "https://example.org/c", FLOP: "1e+27"}])
    entries = [
        f"- {{id: {name}, source: {name}, record: Colossus, field: training_compute_flop, value_text: 1e+27, "
        "since: 2026-11-01, entered: 2026-11-01, action: acknowledge, upstream: mended, reason: its paper says so}\n"
        for name in ("epoch_all", SOURCE)
    ]
    (paths.curated / "corrections.yml").write_text("".join(entries))
    made = normalized(paths)
    assert flop_of(made)["Colossus"] == 1e27
    assert held(made) == set()


def test_fault_93_epochs_are_watched(pull) -> None:  # type: ignore[no-untyped-def]
    pull(rows(Epochs="2"))
    made = normalized(pull(rows(Epochs="2000")))
    assert made["models"].set_index("model_id").loc["gpt-4-mar-2023", "epochs"] == 2
    assert (GPT, "epochs", "held: ×1e+03 against the last accepted value") in held(made)


DATE, WRONG = "2023-03-05", "2023-05-03"


def test_fault_88_a_date_of_which_day_and_month_change_places_is_told_and_held(  # type: ignore[no-untyped-def]
    pull, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    pull(rows(**{"Publication date": DATE}), said.append)
    assert "warning" not in "".join(said)
    made = normalized(pull(rows(**{"Publication date": WRONG}), said.append))
    assert f"warning: {SOURCE}: day and month changed places in the dates of 1 records: {GPT}" in said
    assert made["models"].set_index("model_id").loc["gpt-4-mar-2023", "publication_date"] == pd.Timestamp(DATE)
    found = made["quarantine"].query("reason_code == 'exchanged'")
    assert set(found["source_id"]) == {"epoch_all", SOURCE}
    assert set(found["value_text"]) == {WRONG}


def test_fault_88_another_day_is_no_exchange(pull) -> None:  # type: ignore[no-untyped-def]
    pull(rows(**{"Publication date": DATE}))
    made = normalized(pull(rows(**{"Publication date": "2023-05-04"})))
    assert made["models"].set_index("model_id").loc["gpt-4-mar-2023", "publication_date"] == pd.Timestamp("2023-05-04")
