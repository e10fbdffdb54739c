"""What a pull says of a snapshot that it entered."""

from __future__ import annotations

from datetime import date

import pytest

from pipeline.base.paths import CHECKOUT
from pipeline.pull.report import report, warn
from pipeline.pull.tabular import Fact, Reading
from pipeline.registry.sources import Source, read_source

DAY = date(2026, 11, 21)
NAMES = [Fact(name, "name", name) for name in ("GPT-2", "BERT-Large", "AlexNet")]


@pytest.fixture(scope="module")
def source() -> Source:
    return read_source(CHECKOUT / "data" / "raw" / "epoch_notable" / "source.yml", "source.yml")


def said(source: Source, reading: Reading, before: list[Fact]) -> tuple[list[str], list[str]]:
    """What is reported, and what is warned of."""
    reported: list[str] = []
    warned: list[str] = []
    report(source, reading, DAY, before, reported.append)
    warn(source, reading, before, [], warned.append)
    return reported, warned


def test_records_and_changes_are_counted_and_what_was_left_out_is_told(source: Source) -> None:
    before = [*NAMES, Fact("GPT-2", "parameters", "1.5e9"), Fact("GPT-2", "domain", "Text")]
    after = [
        *NAMES,
        Fact("GPT-2", "parameters", "1542000000"),
        Fact("GPT-2", "domain", "Language"),
        Fact("AlexNet", "domain", "Vision"),
    ]
    assert said(source, Reading(after, 5, unnamed=2, unknown_columns=("Context", "Mood")), before) == (
        [
            "epoch_notable: snapshot 2026-11-21: 3 records, 6 facts (3 new, 2 gone since the latest)",
            "epoch_notable: rows left out because they have no usable name: 2",
            "epoch_notable: columns not known: Context, Mood; add them to data/raw/epoch_notable/source.yml",
        ],
        [],
    )


def test_of_what_nothing_was_left_out_nothing_is_told(source: Source) -> None:
    assert said(source, Reading(NAMES, 3), NAMES) == (
        ["epoch_notable: snapshot 2026-11-21: 3 records, 3 facts (0 new, 0 gone since the latest)"],
        [],
    )


def test_a_field_that_nothing_states_any_more_is_warned_of_unless_only_notes_had_it(source: Source) -> None:
    before = [
        *NAMES,
        *(Fact(name, "epochs", "90") for name in ("GPT-2", "AlexNet")),
        Fact("GPT-2", "hours", "7", "Notes"),
    ]
    assert said(source, Reading(NAMES, 3), before)[1] == [
        "warning: epoch_notable: nothing states epochs any more (2 facts in the latest snapshot)"
    ]


@pytest.mark.parametrize(
    ("before", "after", "warned"),
    [
        # GPT-2 was published on 14 February 2019, BERT on 11 October 2018
        (
            {"GPT-2": "2019-05-03", "BERT-Large": "2018-10-11"},
            {"GPT-2": "2019-03-05", "BERT-Large": "2018-11-10"},
            "2 records: BERT-Large, GPT-2",
        ),
        ({"GPT-2": "2019-05-03"}, {"GPT-2": "2019-03-06"}, ""),
        ({"GPT-2": "2019-05-03"}, {"BERT-Large": "2019-03-05"}, ""),
        ({"GPT-2": "2019-02"}, {"GPT-2": "2019-03"}, ""),
    ],
)
def test_dates_of_which_day_and_month_changed_places_are_warned_of(
    source: Source, before: dict[str, str], after: dict[str, str], warned: str
) -> None:
    old, new = ([Fact(name, "publication_date", day) for name, day in days.items()] for days in (before, after))
    warning = f"warning: epoch_notable: day and month changed places in the dates of {warned}"
    assert said(source, Reading(new, 2), old)[1] == [warning] * bool(warned)
    noted = [fact._replace(locator="Notes") for fact in new]
    assert said(source, Reading([*old, *noted], 2), old)[1] == []
