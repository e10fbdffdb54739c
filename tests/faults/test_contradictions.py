"""Rows 86 and 102 of the fault list: what a source says against itself, another row or the calendar is set aside and listed,
and the rest is published; what a person entered stops the build."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest

from pipeline import build
from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.registry.frames import Tables

CURATED = "record,field,value_text,locator,since,until,reference,evidence,accessed\n"
ACKNOWLEDGED = (
    "- {{id: a, source: epoch_all, record: AlexNet, field: parameters, value_text: {0}, since: 2022-01-01, "
    "entered: 2026-11-21, action: acknowledge, upstream: not reported, reason: test, rule: {1}}}\n"
)
DAY = "2026-03-30"


def say(paths: Paths, field: str, text: str, source: str = "epoch_all") -> None:
    """A line of a source about AlexNet, in the place of what it said of that field."""
    file = paths.raw / source / "facts.csv"
    lines = [line for line in file.read_text().splitlines() if not line.startswith(f"AlexNet,{field},")]
    file.write_text("\n".join([*lines, f"AlexNet,{field},{text},,{DAY},"]) + "\n")


def enter(paths: Paths, *lines: str) -> None:
    """Lines about AlexNet, entered by hand."""
    full = [f"AlexNet,{line},,arXiv:1404.5997,seen,2026-11-21\n" for line in lines]
    (paths.curated / "facts.csv").write_text(CURATED + "".join(full), encoding="utf-8")


def alexnet(made: Tables) -> pd.Series:
    return made["models"].set_index("model_id").loc["alexnet"]


def listed(made: Tables) -> list[tuple[str, str, str]]:
    """What is in quarantine about AlexNet."""
    rows = made["quarantine"].query("record == 'AlexNet'")
    return sorted(rows[["source_id", "field", "reason_code"]].itertuples(index=False, name=None))


def test_fault_102_a_row_that_contradicts_itself_loses_the_claim_alone(small: Paths) -> None:
    for source in ("epoch_all", "epoch_notable"):
        say(small, "parameters_active", "9e+9", source)
    made = build.build(small)
    assert pd.isna(alexnet(made)["parameters_active"])
    assert alexnet(made)["parameters"] > 1e7
    assert listed(made) == [(f"epoch_{name}", "parameters_active", "breaks_rule") for name in ("all", "notable")]
    reasons = set(made["quarantine"].query("reason_code == 'breaks_rule'")["reason"])
    assert reasons == {"breaks active_parameters_are_a_part: a token uses some or all of the parameters"}
    assert (small.processed / "models.parquet").exists()


@pytest.mark.parametrize(
    ("field", "text", "column"),
    [
        ("base_model", "GPT-4 (Mar 2023)", "base_model_id"),  # a base dated later
        ("knowledge_cutoff", "2020-01-01", "knowledge_cutoff"),
    ],
)
def test_fault_102_one_claim_of_a_source_stops_no_other(small: Paths, field: str, text: str, column: str) -> None:
    say(small, field, text)
    made = build.build(small)
    assert pd.isna(alexnet(made)[column])
    assert alexnet(made)["publication_date"].year == 2012
    assert listed(made) == [("epoch_all", field, "breaks_rule")]
    assert len(made["models"]) > 10


def test_fault_102_a_number_that_its_column_refuses_is_set_aside(small: Paths) -> None:
    say(small, "parameters", "5e+15")
    made = build.build(small)
    assert 1e7 < alexnet(made)["parameters"] < 1e8  # as the other file says
    (reason,) = made["quarantine"].query("reason_code == 'breaks_rule'")["reason"]
    assert reason == "parameters is above 1000000000000000.0"


def test_fault_102_what_a_person_entered_later_stops_the_build(small: Paths) -> None:
    enter(small, "parameters_active,9e+9,table 1,2026-11-21")
    with pytest.raises(DataError, match="parameters_active: breaks active_parameters_are_a_part"):
        build.build(small)
    assert not list(small.processed.glob("*.parquet"))


def test_fault_102_a_source_that_contradicts_what_a_person_had_entered_is_set_aside(small: Paths) -> None:
    enter(small, "parameters_active,50e+6,table 1,2026-01-21")
    for source in ("epoch_all", "epoch_notable"):
        say(small, "parameters", "1e+6", source)
    made = build.build(small)
    assert alexnet(made)["parameters_active"] == 50e6
    assert listed(made) == [(f"epoch_{name}", "parameters", "breaks_rule") for name in ("all", "notable")]


def test_fault_102_an_acknowledged_row_may_contradict_itself(small: Paths) -> None:
    facts = small.raw / "epoch_all" / "facts.csv"
    (size,) = [line.split(",")[2] for line in facts.read_text().splitlines() if line.startswith("AlexNet,parameters,")]
    file = small.curated / "corrections.yml"
    file.write_text(ACKNOWLEDGED.format(size, "active_parameters_are_a_part"))
    with pytest.raises(
        DataError, match=r"models \[alexnet\].*keeps active_parameters_are_a_part, though the exception is acknowledged"
    ):
        build.build(small)
    say(small, "parameters_active", "9e+9")
    assert alexnet(build.build(small))["parameters_active"] == 9e9
    file.write_text(ACKNOWLEDGED.format(size, "active_parts"))
    with pytest.raises(DataError, match=r"corrections\.yml: rule \"active_parts\": no rule of this name"):
        build.build(small)
    file.write_text("[]\n")
    assert alexnet(build.build(small, date(2026, 3, 30)))["parameters_active"] == 9e9  # a vintage says what was said


def test_fault_86_a_date_after_its_snapshot_is_quarantined(small: Paths) -> None:
    say(small, "publication_date", "2099-01-01")
    made = build.build(small)
    assert alexnet(made)["publication_date"].year == 2012  # as the other file says
    assert listed(made) == [("epoch_all", "publication_date", "after_snapshot")]
    (reason,) = made["quarantine"].query("reason_code == 'after_snapshot'")["reason"]
    assert reason == f"later than the snapshot of {DAY}"


def test_fault_86_the_day_of_the_snapshot_is_no_future(small: Paths) -> None:
    for source in ("epoch_all", "epoch_notable"):
        say(small, "publication_date", DAY, source)
    assert alexnet(build.build(small))["publication_date"] == pd.Timestamp(DAY)


def test_fault_86_a_date_in_the_future_that_a_person_entered_stops_the_build(small: Paths) -> None:
    enter(small, "publication_date,2099-01-01,title,2026-11-21")
    with pytest.raises(DataError, match=r'publication_date "2099-01-01": later than the snapshot of 2026-11-21'):
        build.build(small)
