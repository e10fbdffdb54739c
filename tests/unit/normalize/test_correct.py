"""Declared fixes: what each action does to the claim it names, that it is compared by value, and how it goes on when
the cell changes."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.config import load_sources
from pipeline.errors import DataError
from pipeline.normalize.correct import check_cells, correct, lapsed, waived
from pipeline.normalize.facts import Vintage
from pipeline.paths import CHECKOUT, Paths
from traincompute.units import parse_quantity

FLOP, NOTE = "training_compute_flop", "Training compute notes"
CONTEXT: Any = SimpleNamespace(paths=Paths(), sources=load_sources(Paths(CHECKOUT)))
NAN = float("nan")
ENTRY: dict[str, Any] = {
    "id": "stylegan",
    "source": "epoch_all",
    "record": "StyleGAN",
    "field": FLOP,
    "value_text": "3.93e+16",
    "since": date(2026, 3, 30),
    "entered": date(2026, 11, 21),
    "action": "drop",
    "reason": "ten times its note",
}
SET = ENTRY | {"action": "set", "new_value": "3.93 petaFLOP", "reference": "https://example.org/stylegan"}
USUAL: dict[str, Any] = {
    "source_id": "epoch_all",
    "record": "StyleGAN",
    "field": FLOP,
    "value_text": "3.93e+16",
    "value": 3.93e16,
    "unit": "FLOP",
    "file": "data/raw/epoch_all/facts.csv",
    "line": 7,
    "rank": 1,
    "changed": 0,
    "place": 0,
    **dict.fromkeys(("publisher", "voice"), "Epoch AI"),
    **dict.fromkeys(("locator", "code", "note", "reason_code", "reason", "reference", "correction", "evidence"), ""),
    "low": NAN,
    "high": NAN,
    "snapshot": pd.Timestamp("2026-07-19"),
    "since": pd.Timestamp("2026-03-30"),
    "until": pd.NaT,
}
DAY = {"field": "publication_date", "value": NAN, "unit": ""}


def claims(*others: dict[str, Any], **changed: Any) -> pd.DataFrame:
    """The FLOP of StyleGAN upstream, a note and other claims."""
    base = {"field": "base_model", "value_text": "GAN", "value": NAN, "unit": "", "code": "GAN"}
    rows = enumerate((changed, {"locator": NOTE}, base, *others), start=1)
    return pd.DataFrame([USUAL | row | {"hash": np.uint64(n), "claim_id": f"{n:016x}"} for n, row in rows])


def corrected(table: pd.DataFrame, *entries: dict[str, Any], as_of: date | None = None) -> pd.DataFrame:
    return correct(table.copy(), Vintage(CONTEXT, as_of, fixes=entries))


def listed(made: pd.DataFrame, entry: dict[str, Any] = ENTRY) -> list[str]:
    """What `status` lists of the entry as changed."""
    row = {name: entry[name] for name in ("record", "field", "value_text")}
    row |= {"correction_id": entry["id"], "source_id": entry["source"], "locator": None, "until": pd.NaT}
    return [lost["now"] for lost in lapsed(pd.DataFrame([row]), made)]


def ours(made: pd.DataFrame) -> pd.Series:
    """The one claim of this project."""
    own = made[made["source_id"] == "curated"]
    assert len(own) == 1
    return own.iloc[0]


def test_a_value_can_be_set_with_its_unit_and_says_so() -> None:
    made = corrected(claims(), SET)
    printed = made[made["source_id"] == "epoch_all"]
    assert printed["value"].tolist()[:2] == [3.93e16, 3.93e16], "what the source printed stays"
    assert printed["reason_code"].tolist() == ["replaced", "", ""]
    assert printed["reason"].tolist() == ["corrected (stylegan): ten times its note", "", ""]
    assert printed["correction"].tolist() == ["stylegan", "", ""]
    row = ours(made)
    assert (row["value"], row["value_text"], row["publisher"]) == (3.93e15, "3.93 petaFLOP", "traincompute")
    assert (row["reason_code"], row["correction"], row["since"]) == ("", "stylegan", pd.Timestamp("2026-11-21"))
    assert row["note"] == "in the place of 3.93e+16 by Epoch AI: ten times its note"
    assert row["reference"] == "https://example.org/stylegan"
    assert made["claim_id"].is_monotonic_increasing
    assert (row["hash"], made["claim_id"].nunique()) == (1, 4), "ties are decided as by the source's own"


@pytest.mark.parametrize(
    ("cell", "new", "result"),
    [
        (DAY | {"value_text": "2018-12-12", "code": "2018-12-12"}, "2018-11", {"code": "2018-11-01", "note": "month"}),
        ({"value": NAN, "low": 3.93e16}, "3.93 petaFLOP", {"value": 3.93e15, "code": ""}),
        ({"field": "base_model", "value": NAN, "unit": "", "code": "GAN"}, "ProGAN", {"code": "ProGAN"}),
        # today's cell cannot be read: which order is that? or two values?
        (DAY | {"value_text": "10/9/2021", "reason_code": "ambiguous"}, "2021-05", {"code": "2021-05-01"}),
        ({"value_text": "1,2e20", "value": NAN, "reason_code": "ambiguous"}, "1.2e20", {"value": 1.2e20}),
    ],
)
def test_a_value_can_be_set_whatever_the_cell_has(cell: dict[str, Any], new: str, result: dict[str, Any]) -> None:
    entry = SET | {"new_value": new, "field": cell.get("field", FLOP), "value_text": cell.get("value_text", "3.93e16")}
    row = ours(corrected(claims(**cell).iloc[:1], entry))
    assert row[list(result)].to_dict() == result
    assert row["reason_code"] == ""
    assert row[["low", "high"]].isna().all()


def test_of_two_files_of_a_publisher_we_say_the_same_once() -> None:
    both = (SET, SET | {"id": "notable", "source": "epoch_notable"})
    for rank, changed, last in ((0, 0, "notable"), (1, 1, "notable"), (1, -1, "stylegan")):
        notable = {"source_id": "epoch_notable", "rank": rank, "changed": changed}
        made = corrected(claims(notable), *both)
        assert sorted(made["correction"]) == sorted(["", "", "notable", "stylegan", last])
        assert ours(made)["correction"] == last, "that of the first rank, or which last changed the cell"


SPELLINGS = [
    "3.93E+16", "39.3e+15", "39300000000000000.0", "39,300,000,000,000,000", "3.93e+16 FLOP", "39.3 petaFLOP",
    "3.93 × 10^16", "3.930000000000e+016",
]  # fmt: skip


@pytest.mark.parametrize("text", SPELLINGS)
def test_an_entry_is_about_a_value_however_it_is_spelled(text: str) -> None:
    spelled = claims(value_text=text, value=parse_quantity(text, "FLOP").value, since=pd.Timestamp("2026-11-28"))
    made = corrected(spelled, ENTRY)
    assert made["correction"].tolist() == ["stylegan", "", ""]
    assert listed(made) == []
    assert waived(spelled, [ENTRY, ENTRY | {"action": "acknowledge"}]).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("cell", "text", "is_same"),
    [
        (DAY | {"value_text": "Dec 12, 2018", "code": "2018-12-12"}, "2018-12-12", True),
        (DAY | {"value_text": "2018-12-12T00:00:00", "code": "2018-12-12"}, "12 December 2018", True),
        (DAY | {"value_text": "05/06/2019", "code": "2019-06-05"}, "2019-06-05", True),  # a file with the day first
        (
            DAY | {"field": "base_model", "value_text": " Style\u0065\u0301GAN  2 ", "code": "Style\u00e9GAN 2"},
            "Style\u00e9GAN 2",
            True,
        ),
        ({"value_text": "3.00001E+21", "value": 3e21}, "3.00001e+21", True),  # whose last digits are not read
        ({"value_text": "3.00001E+21", "value": 3e21}, "3.1e+21", False),
        ({"value": NAN, "value_text": "many"}, "few", False),
    ],
)
def test_an_entry_is_about_a_day_or_a_text_however_it_is_spelled(cell: Any, text: str, is_same: bool) -> None:
    entry = ENTRY | {"field": cell.get("field", FLOP), "value_text": text}
    made = corrected(claims(**cell).iloc[:1], entry)
    assert listed(made, entry) == ([] if is_same else [cell["value_text"]])


@pytest.mark.parametrize(
    ("action", "kept"),
    [("drop", {}), ("set", {"value": 3.93e15}), ("lower_bound", {"low": 3.93e16}), ("upper_bound", {"high": 3.93e16})],
)
def test_an_entry_whose_cell_has_changed_keeps_its_effect_and_is_listed(action: str, kept: dict[str, float]) -> None:
    entry = SET | {"action": action}
    for snapshot in ("2026-08-19", "2026-11-28"):  # before and after the day of the entry
        days = {"since": pd.Timestamp("2026-08-19"), "snapshot": pd.Timestamp(snapshot)}
        later = claims(value_text="9.1e+15", value=9.1e15, **days)
        made = corrected(later, entry)
        theirs = made[(made["source_id"] == "epoch_all") & (made["field"] == FLOP) & (made["locator"] == "")].iloc[0]
        assert (theirs["correction"], theirs["reason_code"] != "") == ("stylegan", True)
        assert {name: ours(made)[name] for name in kept} == kept if kept else (made["source_id"] != "curated").all()
        assert listed(made) == ["9.1e+15"]
        assert set(corrected(later, entry | {"until": date(2026, 8, 19)})["correction"]) == {""}, "`until` ends it"
    assert listed(corrected(claims().iloc[1:], ENTRY)) == ["nothing"], "a cell that was emptied"


def test_a_dropped_value_has_the_reason_and_an_acknowledged_or_held_one_stays() -> None:
    dropped = corrected(claims(), ENTRY)
    assert dropped["reason"].tolist() == ["corrected (stylegan): ten times its note", "", ""]
    assert dropped["reason_code"].tolist() == ["corrected", "", ""]
    assert dropped["correction"].tolist() == ["stylegan", "", ""]
    pd.testing.assert_frame_equal(corrected(claims(), ENTRY | {"action": "acknowledge"}), claims())
    assert corrected(claims(reason_code="held"), SET)["reason_code"].tolist() == ["held", "", ""]
    for day, reason in ((date(2026, 4, 1), "corrected"), (date(2026, 3, 29), "")):  # in its span, and before
        made = correct(claims(), Vintage(CONTEXT, fixes=[ENTRY], held={("epoch_all", "StyleGAN"): day}))
        assert made["reason_code"].tolist() == [reason, "", ""]


def test_it_holds_for_its_snapshots_and_from_the_day_of_its_entry() -> None:
    for change, as_of in (
        ({}, date(2026, 11, 20)),  # not yet entered
        ({"since": date(2026, 8, 1)}, None),
        ({"until": date(2026, 7, 19)}, None),
        ({"source": "epoch_notable"}, None),  # which this vintage does not hold
    ):
        pd.testing.assert_frame_equal(corrected(claims(), ENTRY | change, as_of=as_of), claims())
    for change, as_of in (
        ({}, date(2026, 11, 21)),  # the day on which it was entered
        ({"since": date(2026, 7, 19)}, None),  # the day of the snapshot
        ({"until": date(2026, 7, 20)}, None),
    ):
        made = corrected(claims(), ENTRY | change, as_of=as_of)
        assert made["correction"].tolist() == ["stylegan", "", ""]


def test_a_new_value_that_cannot_be_read_is_an_error() -> None:
    with pytest.raises(DataError, match=r'corrections\.yml \(stylegan\).*new_value "3\.9 zorks": unknown unit'):
        corrected(claims(), SET | {"new_value": "3.9 zorks"})


@pytest.mark.parametrize(
    ("slip", "told"),
    [
        ({"value_text": "3.93e+15"}, "it has 3.93e+16 (data/raw/epoch_all/facts.csv:7)"),
        ({"record": "StyleGAN 1"}, "it has none"),
        ({"field": "parameters"}, "it has none"),
        ({"since": date(2026, 8, 20)}, "it has 3.93e+16 (data/raw/epoch_all/facts.csv:7)"),
        ({"since": date(2022, 1, 1), "until": date(2026, 3, 30)}, "it has 3.93e+16"),
        ({"locator": "Training time notes"}, "it has none; copy the value, the record and the day"),
    ],
)
def test_an_entry_whose_cell_never_had_the_value_is_an_error(slip: dict[str, Any], told: str) -> None:
    facts = claims(until=pd.Timestamp("2026-08-20")).assign(text=range(3))
    values = facts[["value", "low", "high", "unit", "code"]]
    ledger = facts.drop(columns=list(values))
    check_cells(Paths(), [ENTRY], ledger, values)  # it had it once, which is enough
    check_cells(Paths(), [ENTRY | {"source": "epoch_notable"}], ledger, values)  # of which this ledger has nothing
    with pytest.raises(DataError, match=r"corrections\.yml \(stylegan\).*copy the value") as raised:
        check_cells(Paths(), [ENTRY | slip], ledger, values)
    assert told in str(raised.value)
