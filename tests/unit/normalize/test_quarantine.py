"""What is set aside: bounds that contradict what stands beside them, and values that jump; nothing else is."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd
import pytest

from pipeline.normalize.quarantine import (
    CONTRADICTED,
    FARTHEST,
    HIGH,
    LOW,
    REMEDY,
    VALUE,
    drop_utilizations,
    hold,
    quarantine_bounds,
    quarantine_dates,
    set_aside,
)


def reasons(cells: dict[str, float], locator: str = "") -> dict[str, str]:
    """{field: reason_code} of the cells of one record."""
    usual = {"source_id": "epoch_all", "record": "M", "locator": locator, "reason_code": "", "reason": "", "remedy": ""}
    typed = pd.DataFrame([usual | {"field": field, "value": value} for field, value in cells.items()])
    found: dict[str, str] = quarantine_bounds(typed).set_index("field")["reason_code"].to_dict()
    return found


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({VALUE: 1e24, LOW: 5e23, HIGH: 2e24}, {}),
        ({VALUE: 1e24, LOW: 2e24, HIGH: 3e24}, {LOW: "bound_excludes_value"}),
        ({VALUE: 1e24, LOW: 5e23, HIGH: 9e23}, {HIGH: "bound_excludes_value"}),
        ({LOW: 2e24, HIGH: 1e24}, {LOW: "bound_excludes_value"}),  # nobody states a value
        ({LOW: 1e24, HIGH: 1e24}, {}),
        ({VALUE: 1e24, LOW: 1e24}, {LOW: "no_bound"}),
        ({VALUE: 1e24, HIGH: 1e24}, {HIGH: "no_bound"}),
        ({VALUE: 1e24, LOW: 1e24 / FARTHEST, HIGH: 1e24 * FARTHEST}, {}),
        ({VALUE: 1e24, LOW: 0.9e24 / FARTHEST}, {LOW: "no_bound"}),
        ({VALUE: 1e24, HIGH: 1.1e24 * FARTHEST}, {HIGH: "no_bound"}),
    ],
)
def test_a_bound_that_cannot_be_one_is_set_aside(cells: dict[str, float], told: dict[str, str]) -> None:
    assert reasons(cells) == dict.fromkeys(cells, "") | told


def test_a_figure_in_a_note_is_not_judged_as_a_bound() -> None:
    assert set(reasons({VALUE: 1e24, LOW: 2e24}, locator="Training compute notes").values()) == {""}


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({VALUE: 1e24, LOW: 2e24}, "the bound contradicts the value of its record"),
        ({VALUE: 1e24, LOW: 1e24}, "the value itself, or ×100 away from it: no bound"),
        ({VALUE: 1e24, HIGH: 1e25, LOW: 1e24, "parameters": 1e9}, "the value itself, or ×100 away from it: no bound"),
    ],
)
def test_a_bound_that_is_set_aside_has_words_and_a_remedy(cells: dict[str, float], reason: str) -> None:
    usual = {"source_id": "epoch_all", "record": "M", "locator": "", "reason_code": "", "reason": "", "remedy": ""}
    found = quarantine_bounds(pd.DataFrame([usual | {"field": field, "value": v} for field, v in cells.items()]))
    told = found.set_index("field")[["reason", "remedy"]]
    assert told.loc[LOW].tolist() == [reason, REMEDY]
    assert set(told.drop(LOW).to_numpy().ravel()) == {""}


@pytest.mark.parametrize(
    ("field", "code", "is_ahead"),
    [
        ("publication_date", "2026-04-02", True),
        ("price_date", "2027-01-01", True),
        ("publication_date", "2026-04-01", False),  # the day of the snapshot itself
        ("publication_date", "2025-12-31", False),
        ("publication_date", "", False),
        ("end_date", "2027-01-01", False),  # which may be planned
    ],
)
def test_a_date_after_the_snapshot_that_has_it_is_set_aside(field: str, code: str, is_ahead: bool) -> None:
    usual = {"snapshot": pd.Timestamp("2026-04-01"), "reason_code": "", "reason": "", "remedy": ""}
    other = usual | {"field": "publication_date", "code": "2020-01-01"}
    typed = pd.DataFrame([usual | {"field": field, "code": code}, other], index=[3, 7])
    found = quarantine_dates(typed)[["reason_code", "reason", "remedy"]]
    remedy = "look at the source; if the date is known, enter it in data/raw/curated/"
    told = ["after_snapshot", "later than the snapshot of 2026-04-01", remedy]
    assert found.loc[3].tolist() == (told if is_ahead else ["", "", ""])
    assert found.loc[7].tolist() == ["", "", ""]


def test_claims_that_break_a_rule_get_its_reason() -> None:
    claims = pd.DataFrame({"claim_id": ["a", "b", "c"], "reason_code": "", "reason": "", "remedy": ""})
    assert set_aside(claims.copy(), {}).equals(claims)
    found = set_aside(claims, {"b": "more than the whole"})
    assert found.to_numpy().tolist() == [
        ["a", "", "", ""],
        ["b", "breaks_rule", "more than the whole", CONTRADICTED],
        ["c", "", "", ""],
    ]


DAYS = ("2026-03-30", "2026-04-01", "2026-04-02", "2026-04-03")
USUAL = {"source_id": "acme", "record": "M", "field": "parameters", "locator": ""}


def held(
    values: list[float | None],
    live: tuple[str, ...] = DAYS[1:],
    action: str = "",
    notes: tuple[float | None, ...] = (),
    **changed: str,
) -> tuple[list[float], list[str]]:
    """The values of one cell that count after the hold, and the reasons of those that are held. The cell stood like
    this on one day after another, its notes like those; `action` is that of a correction of its second value."""
    of = USUAL | changed
    ends = dict(pairwise(DAYS[: len(values)]))
    cells = [(of, day, value) for day, value in zip(DAYS, values, strict=False)]
    cells += [(of | {"locator": "Notes"}, day, value) for day, value in zip(DAYS, notes, strict=False)]
    lines = [
        cell | {"since": day, "until": ends.get(day), "value_text": f"{value:g}", "value": value}
        for cell, day, value in reversed(cells)
        if value is not None
    ]
    readings = pd.DataFrame([{"value": line.pop("value")} for line in lines])
    ends_of_it = dict.fromkeys(("low", "high"), float("nan"))
    readings = readings.assign(reason_code="", reason="", remedy="", unit="parameter", code="", **ends_of_it)
    ledger = pd.DataFrame(lines).assign(text=range(len(lines)))
    ledger = ledger.astype({"since": "datetime64[s]", "until": "datetime64[s]"})
    present = ledger.join(readings)[ledger["until"].isna()].reset_index(drop=True)
    present = present.assign(snapshot=pd.Timestamp(DAYS[len(values) - 1]))
    lock = {"acme": {"snapshots": {day: {"live": True} if day in live else {} for day in DAYS}}, "entered": {}}
    entry = {"source": "acme", "record": "M", "field": "parameters", "value_text": f"{values[1]}", "action": action}
    kept = hold(present, ledger, readings, lock, [entry])
    assert list(kept) == list(present)
    assert kept.index.is_unique
    assert set(kept["snapshot"]) == set(present["snapshot"])
    is_held = kept["reason_code"] == "held"
    assert kept.loc[is_held, "remedy"].eq("acknowledge it in data/raw/curated/corrections.yml if it is right").all()
    return kept.loc[~is_held, "value"].tolist(), kept.loc[is_held, "reason"].tolist()


@pytest.mark.parametrize(
    ("values", "counts", "times"),
    [
        ([10, 100], 100, ""),  # exactly ten times as much
        ([10, 101], 10, "×10.1"),
        ([10, 1], 1, ""),
        ([20, 1], 20, "×0.05"),
        ([1, 20], 1, "×20"),
        ([10, 20, 150], 20, "×15"),  # against the one that is sure, which is not the last
        ([10, 20, 90], 90, ""),
        ([10, 1000, 900], 10, "×90"),  # against the last that was accepted
        ([10, 1000, 11], 11, ""),
        ([10, None, 900], 10, "×90"),
        ([10, 50, 300, 1000], 50, "×100"),
    ],
)
def test_a_jump_by_more_than_ten_is_held(values: list[float | None], counts: float, times: str) -> None:
    reason = [f"held: {times} against the last accepted value"] if times else []
    assert held(values) == ([counts], reason)


def test_what_is_seen_for_the_first_time_or_was_emptied_is_not_held() -> None:
    assert held([None, 900]) == ([900], [])
    assert held([10, None]) == ([], [])


def test_a_jump_in_history_is_accepted_and_the_next_is_held_against_it() -> None:
    assert held([10, 900], live=()) == ([900], [])
    assert held([10, 900, 20000], live=DAYS[2:]) == ([900], ["held: ×22.2 against the last accepted value"])


def test_only_an_acknowledged_jump_is_taken() -> None:
    assert held([10, 900], action="acknowledge") == ([900], [])
    assert held([10, 900, 950], action="acknowledge") == ([950], [])
    assert held([10, 900], action="drop")[0] == [10]
    assert held([10, 900], action="acknowledge", record="N")[0] == [10]


def test_only_cells_of_the_watched_fields_are_held() -> None:
    assert held([10, 900], field="training_cost") == ([900], [])
    assert held([10, 900], locator="Parameters notes") == ([900], [])
    assert held([10, 900], source_id="entered") == ([900], [])


def test_what_a_note_says_is_held_against_nothing_and_nothing_is_held_against_it() -> None:
    assert held([10, 11], notes=(10, 900)) == ([900, 11], [])
    assert held([10, None, 20], live=DAYS[2:], notes=(None, 1000, None)) == ([20], [])


def test_a_dataset_of_no_items_is_held_against_nothing_and_nothing_is_held_against_it() -> None:
    assert held([10, 0], field="dataset_size") == ([0], [])
    assert held([0, 5], field="dataset_size") == ([5], [])


@pytest.mark.parametrize(
    ("field", "code", "action", "record", "stays"),
    [
        ("training_hours", "corrected", "", "M", False),  # Falcon-180B: 18.92 % of half a year of the calendar
        ("chip_hours", "replaced", "", "M", False),
        ("hardware_quantity", "corrected", "", "M", False),
        ("training_hours", "corrected", "acknowledge", "M", True),  # MegaScale: 54.3 % do not follow from its hours
        ("training_hours", "corrected", "", "N", True),  # another record
        ("training_hours", "older_snapshot", "", "M", True),
        ("parameters", "corrected", "", "M", True),
    ],
)
def test_a_utilisation_falls_with_the_hours_it_was_worked_out_from(
    field: str, code: str, action: str, record: str, stays: bool
) -> None:
    share = {"field": "hardware_utilization", "record": "M", "value_text": "18.92 %", "reason_code": ""}
    hours = {"field": field, "record": record, "value_text": "4320", "reason_code": code, "correction": "hours"}
    read = {"locator": "", "unit": "1", "code": "", "low": float("nan"), "high": float("nan")}
    claims = pd.DataFrame([share | {"value": 0.1892}, hours | {"value": 4320}]).assign(
        source_id="acme", reason="", **read
    )
    claims = claims.fillna({"correction": ""})
    entry = {"source": "acme", "record": "M", "field": "hardware_utilization", "value_text": 0.1892, "action": action}
    made = drop_utilizations(claims, [entry])
    assert made["reason_code"].tolist() == ["" if stays else "corrected", code]
    assert ("hours" in made.loc[0, "reason"]) is not stays
