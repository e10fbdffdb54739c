"""Declared fixes: what each action does to the claim it names, that it is compared by value, and how it goes on when
the cell changes."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.config import load_sources
from pipeline.curated import load_corrections
from pipeline.errors import DataError
from pipeline.normalize import corrections
from pipeline.normalize.tables import make_model_hardware
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_schemas
from pipeline.vocabularies import load_vocabularies
from traincompute.units.grammar import parse_quantity

FLOP = "training_compute_flop"
ENTRY = """- id: stylegan
  source: epoch_all
  record: StyleGAN
  field: training_compute_flop
  value_text: 3.93e+16
  since: 2026-03-30
  entered: 2026-11-21
  action: {action}
  upstream: not reported
  reason: ten times its note
"""


def claims(**changed: Any) -> pd.DataFrame:
    """The FLOP value of StyleGAN upstream, a fragment of its note with the same text, and a text field."""
    usual = {
        "source_id": "epoch_all",
        "record": "StyleGAN",
        "field": FLOP,
        "value_text": "3.93e+16",
        "locator": "",
        "snapshot": pd.Timestamp("2026-07-19"),
        "file": "data/raw/epoch_all/facts.csv",
        "line": 7,
        "value": 3.93e16,
        "low": float("nan"),
        "high": float("nan"),
        "unit": "FLOP",
        "code": "",
        "note": "",
        "reason_code": "",
        "reason": "",
        "reference": "",
        "correction": "",
        "publisher": "Epoch AI",
        "voice": "Epoch AI",
        "rank": 1,
        "changed": 0,
        "place": 0,
        "evidence": "",
        "since": pd.Timestamp("2026-03-30"),
        "until": pd.NaT,
        "hash": np.uint64(1),
        "claim_id": "0000000000000001",
    }
    noted = usual | {"locator": "Training compute notes", "hash": np.uint64(2), "claim_id": "0000000000000002"}
    base = usual | {
        "hash": np.uint64(3),
        "claim_id": "0000000000000003",
        "field": "base_model",
        "value_text": "GAN",
        "value": float("nan"),
        "unit": "",
        "code": "GAN",
    }
    return pd.DataFrame([usual | changed, noted, base])


@pytest.fixture
def checkout(tmp_path: Path) -> Paths:
    paths = Paths(tmp_path)
    paths.curated.mkdir(parents=True)
    return paths


def corrected(paths: Paths, text: str, table: pd.DataFrame, as_of: date | None = None) -> pd.DataFrame:
    (paths.curated / "corrections.yml").write_text("# declared fixes\n\n" + text)
    return corrections.apply(paths, load_corrections(paths), table, as_of, load_sources(Paths(CHECKOUT)))


def entries(paths: Paths, text: str) -> list[dict[str, Any]]:
    (paths.curated / "corrections.yml").write_text(text)
    return load_corrections(paths)


def changed(made: pd.DataFrame) -> list[tuple[str, ...]]:
    """What is listed of the entry `stylegan` as it stands in the table `corrections`."""
    field = made["field"].iloc[0]
    text = "2018-12-12" if field == "publication_date" else "Style\u00e9GAN 2" if field == "base_model" else "3.93e16"
    text = "2019-06-05" if made["value_text"].iloc[0].startswith("05/") else text
    cell = {"correction_id": "stylegan", "source_id": "epoch_all", "record": "StyleGAN", "field": field}
    table = pd.DataFrame([{**cell, "value_text": text, "locator": None, "until": pd.NaT}])
    return [(row["correction_id"], row["value_text"], row["now"]) for row in corrections.lapsed(table, made)]


def ours(made: pd.DataFrame) -> pd.Series:
    """The one claim of this project."""
    own = made[made["source_id"] == "curated"]
    assert len(own) == 1
    return own.iloc[0]


def test_a_value_can_be_set_with_its_unit_and_says_so(checkout: Paths) -> None:
    entry = ENTRY.format(action="set") + '  new_value: "3.93 petaFLOP"\n  reference: https://example.org/stylegan\n'
    made = corrected(checkout, entry, claims())
    printed = made[made["source_id"] == "epoch_all"]
    assert printed["value"].tolist()[:2] == [3.93e16, 3.93e16]  # what the source printed stays
    assert printed["reason_code"].tolist() == ["replaced", "", ""]
    assert printed["reason"].tolist() == ["corrected (stylegan): ten times its note", "", ""]
    assert printed["correction"].tolist() == ["stylegan", "", ""]
    row = ours(made)
    assert (row["value"], row["value_text"], row["publisher"]) == (3.93e15, "3.93 petaFLOP", "traincompute")
    assert (row["reason_code"], row["correction"], row["since"]) == ("", "stylegan", pd.Timestamp("2026-11-21"))
    assert row["note"] == "in the place of 3.93e+16 by Epoch AI: ten times its note"
    assert row["reference"] == "https://example.org/stylegan"
    assert made["claim_id"].is_monotonic_increasing
    assert list(made) == list(claims())
    assert (row["hash"], made["claim_id"].nunique()) == (1, 4), "ties are decided as by the source's own"


def test_of_two_files_of_a_publisher_we_say_the_same_once(checkout: Paths) -> None:
    entry = ENTRY.format(action="set") + '  new_value: "3.93 petaFLOP"\n  reference: https://example.org/stylegan\n'
    both = entry + entry.replace("stylegan\n  source: epoch_all", "notable\n  source: epoch_notable", 1)
    notable = claims(source_id="epoch_notable", rank=0).iloc[:1].assign(hash=np.uint64(4), claim_id="0000000000000004")
    made = corrected(checkout, both, pd.concat([claims(), notable], ignore_index=True))
    assert sorted(made["correction"]) == ["", "", "notable", "notable", "stylegan"]
    assert (ours(made)["correction"], ours(made)["rank"]) == ("notable", 0), "that of the file with the last word"
    assert made.index.tolist() == list(range(len(made)))
    for changed, last in ((1, "notable"), (-1, "stylegan")):
        beside = notable.assign(rank=1, changed=changed)
        made = corrected(checkout, both, pd.concat([claims(), beside], ignore_index=True))
        assert ours(made)["correction"] == last, "of two files of one rank that which last changed the cell"


def test_a_day_can_be_set_with_its_precision(checkout: Paths) -> None:
    entry = ENTRY.format(action="set").replace(FLOP, "publication_date").replace("3.93e+16", "2018-12-12")
    dated = claims(field="publication_date", value_text="2018-12-12", code="2018-12-12", value=float("nan"), unit="")
    row = ours(corrected(checkout, entry + '  new_value: "2018-11"\n  reference: https://example.org\n', dated))
    assert (row["value_text"], row["code"], row["note"]) == ("2018-11", "2018-11-01", "month")


@pytest.mark.parametrize(
    ("field", "unit", "old", "new", "now", "read"),
    [
        ("publication_date", "", "2021-09-10", "2021-05", "10/9/2021", ("code", "2021-05-01")),  # which order is that?
        (FLOP, "FLOP", "1.4e20", "1.2e20", "1,2e20", ("value", 1.2e20)),  # or two values?
    ],
)
def test_a_value_is_set_too_where_the_cell_cannot_be_read_any_more(
    checkout: Paths, field: str, unit: str, old: str, new: str, now: str, read: tuple[str, object]
) -> None:
    cell = claims(field=field, value_text=now, code="", value=float("nan"), unit=unit, reason_code="ambiguous").iloc[:1]
    entry = ENTRY.format(action="set").replace(FLOP, field).replace("3.93e+16", old)
    row = ours(corrected(checkout, f'{entry}  new_value: "{new}"\n  reference: https://example.org\n', cell))
    assert (row[read[0]], row["reason_code"]) == (read[1], "")


SPELLINGS = [
    "3.93E+16", "3.93e16", "39.3e+15", "0.393e17", "03.93e+16", "39300000000000000", "39300000000000000.0",
    "39,300,000,000,000,000", "3.93e+16 FLOP", "39.3 petaFLOP", "39300 teraFLOP", "3.93 × 10^16", "3.93 x 10**16",
    "+3.93e16", "$3.93e16"[1:] + " ", "3.930000000000e+016",
]  # fmt: skip


@pytest.mark.parametrize("text", SPELLINGS)
def test_an_entry_is_about_a_value_however_it_is_spelled(checkout: Paths, text: str) -> None:
    spelled = claims(value_text=text, value=parse_quantity(text, "FLOP").value, since=pd.Timestamp("2026-11-28"))
    made = corrected(checkout, ENTRY.format(action="drop"), spelled)
    assert made["correction"].tolist() == ["stylegan", "", ""]
    assert changed(made) == []
    looked_at = corrections.acknowledged(spelled, entries(checkout, ENTRY.format(action="acknowledge")))
    assert looked_at.tolist() == [True, False, False]


def test_digits_that_only_order_equal_values_are_no_other_value() -> None:
    [spelled] = claims(value_text="3.00001E+21", value=3e21).iloc[:1].to_dict("records")  # as it is read
    assert [corrections.same(text, spelled) for text in ("3.00001e+21", "3.1e+21")] == [True, False]


@pytest.mark.parametrize(
    ("field", "text", "code", "entry"),
    [
        ("publication_date", "Dec 12, 2018", "2018-12-12", "2018-12-12"),
        ("publication_date", "2018-12-12T00:00:00", "2018-12-12", "12 December 2018"),
        ("publication_date", "05/06/2019", "2019-06-05", "2019-06-05"),  # of a file with the day first
        ("base_model", " Style\u0065\u0301GAN  2 ", "Style\u00e9GAN 2", "Style\u00e9GAN 2"),
    ],
)
def test_an_entry_is_about_a_day_or_a_text_however_it_is_spelled(
    checkout: Paths, field: str, text: str, code: str, entry: str
) -> None:
    cell = claims(field=field, value_text=text, code=code, value=float("nan"), unit="").iloc[:1]
    drop = ENTRY.format(action="drop").replace(FLOP, field).replace("3.93e+16", f'"{entry}"')
    assert changed(corrected(checkout, drop, cell)) == []


# what the cell has today, with its value, and how the entry that was made for 3.93e+16 goes on
ANOTHER = {"value_text": "3.93e+15", "value": 3.93e15, "since": pd.Timestamp("2026-08-19")}


@pytest.mark.parametrize(
    ("action", "kept"),
    [("drop", {}), ("set", {"value": 1e15}), ("lower_bound", {"low": 3.93e16}), ("upper_bound", {"high": 3.93e16})],
)
def test_an_entry_whose_cell_has_changed_keeps_its_effect_and_is_listed(
    checkout: Paths, action: str, kept: dict[str, float]
) -> None:
    new = '  new_value: "1e15"\n  reference: https://example.org\n' if action == "set" else ""
    for snapshot in ("2026-08-19", "2026-11-28"):  # before and after the day of the entry
        later = claims(**ANOTHER, snapshot=pd.Timestamp(snapshot))
        made = corrected(checkout, ENTRY.format(action=action) + new, later.copy())
        theirs = made[(made["source_id"] == "epoch_all") & (made["field"] == FLOP) & (made["locator"] == "")].iloc[0]
        assert (theirs["correction"], theirs["reason_code"] != "") == ("stylegan", True)
        assert {name: ours(made)[name] for name in kept} == kept if kept else (made["source_id"] != "curated").all()
        assert changed(made) == [("stylegan", "3.93e16", "3.93e+15")]
        over = corrected(checkout, ENTRY.format(action=action) + new + "  until: 2026-08-19\n", later)
        assert set(over["correction"]) == {""}, "`until` ends it"


def test_of_several_values_of_a_note_those_that_came_after_the_entry_take_its_effect(checkout: Paths) -> None:
    noted = claims(locator="Training compute notes", value_text="1e15", value=1e15)
    new = noted.iloc[:1].assign(value_text="2e15", value=2e15, since=pd.Timestamp("2026-08-19"), hash=np.uint64(9))
    both = pd.concat([noted.iloc[:1], new], ignore_index=True)
    made = corrected(checkout, ENTRY.format(action="drop") + "  locator: Training compute notes\n", both)
    assert made["correction"].tolist() == ["", "stylegan"]


def test_a_cell_that_was_emptied_is_listed(checkout: Paths) -> None:
    made = corrected(checkout, ENTRY.format(action="drop"), claims().iloc[1:])
    assert changed(made) == [("stylegan", "3.93e16", "nothing")]


def test_a_text_can_be_set_too(checkout: Paths) -> None:
    entry = ENTRY.format(action="set").replace(FLOP, "base_model").replace("3.93e+16", "GAN")
    made = corrected(checkout, entry + "  new_value: ProGAN\n  reference: https://example.org\n", claims())
    assert (ours(made)["code"], ours(made)["value_text"]) == ("ProGAN", "ProGAN")


def test_a_bound_can_be_set_to_a_value(checkout: Paths) -> None:
    entry = ENTRY.format(action="set") + '  new_value: "3.93 petaFLOP"\n  reference: https://example.org/stylegan\n'
    for end in ("low", "high"):
        row = ours(corrected(checkout, entry, claims(value=float("nan"), **{end: 3.93e16})))
        assert (row["value"], row["code"]) == (3.93e15, "")
        assert row[["low", "high"]].isna().all()


def test_a_checkout_without_the_file_is_refused(checkout: Paths) -> None:
    with pytest.raises(DataError, match=r"corrections\.yml: the file is missing; `git diff`"):
        load_corrections(checkout)


@pytest.mark.parametrize(("action", "end"), [("lower_bound", "low"), ("upper_bound", "high")])
def test_a_value_can_become_a_bound(checkout: Paths, action: str, end: str) -> None:
    row = ours(corrected(checkout, ENTRY.format(action=action), claims()))
    assert pd.isna(row["value"])
    assert row[end] == 3.93e16
    assert row[["low", "high"]].isna().sum() == 1
    assert row["value_text"] == {"low": "at least 3.93e+16", "high": "at most 3.93e+16"}[end]
    assert (row["correction"], row["reason_code"]) == ("stylegan", "")


def test_a_dropped_value_has_the_reason_and_an_acknowledged_one_stays(checkout: Paths) -> None:
    dropped = corrected(checkout, ENTRY.format(action="drop"), claims())
    assert dropped["reason"].tolist() == ["corrected (stylegan): ten times its note", "", ""]
    assert dropped["reason_code"].tolist() == ["corrected", "", ""]
    assert dropped["correction"].tolist() == ["stylegan", "", ""]
    kept = corrected(checkout, ENTRY.format(action="acknowledge"), claims())
    pd.testing.assert_frame_equal(kept, claims())


def test_what_was_read_from_a_note_is_dropped_where_the_entry_names_the_note(checkout: Paths) -> None:
    entry = ENTRY.format(action="drop") + "  locator: Training compute notes\n"
    assert list(corrected(checkout, entry, claims())["correction"]) == ["", "stylegan", ""]
    with pytest.raises(DataError, match=r"it has none; .*, add `locator: \"Training compute notes\"`$"):
        check(checkout, entry.replace("compute notes", "time notes"), claims().iloc[1:])


def test_a_line_that_a_person_entered_is_acknowledged_wherever_it_was_read(checkout: Paths) -> None:
    entry = ENTRY.format(action="acknowledge").replace("epoch_all", "curated")
    entered = claims(source_id="curated", locator="table 1")
    pd.testing.assert_frame_equal(corrected(checkout, entry, entered.copy()), entered)


def check(paths: Paths, text: str, facts: pd.DataFrame) -> None:
    """Checks an entry against a ledger."""
    texts = facts.index.to_numpy()
    readings = facts[["value", "low", "high", "unit", "code"]]
    ledger = facts.drop(columns=list(readings)).assign(text=texts).reset_index(drop=True)
    corrections.check_cells(paths, entries(paths, "# declared fixes\n\n" + text), ledger, readings.sort_index())


@pytest.mark.parametrize(
    ("slip", "found"),
    [
        ({"value_text": "3.93e+15"}, "it has 3.93e+16 (data/raw/epoch_all/facts.csv:7)"),
        ({"record": "StyleGAN 1"}, "it has none"),
        ({"field": "parameters"}, "it has none"),
        ({"since": "2026-08-20"}, "it has 3.93e+16 (data/raw/epoch_all/facts.csv:7)"),
        ({"since": "2022-01-01\n  until: 2026-03-30"}, "it has 3.93e+16 (data/raw/epoch_all/facts.csv:7)"),
    ],
)
def test_an_entry_whose_cell_never_had_the_value_is_an_error(checkout: Paths, slip: dict[str, str], found: str) -> None:
    entry, facts = ENTRY.format(action="drop"), claims(until=pd.Timestamp("2026-08-20")).iloc[:1]
    facts = facts.reset_index(drop=True)
    check(checkout, entry, facts)  # it had it once, which is enough
    check(checkout, entry.replace("epoch_all", "epoch_notable"), facts)  # of which this ledger has nothing
    usual = {"value_text": "3.93e+16", "record": "StyleGAN", "field": FLOP, "since": "2026-03-30"}
    for name, text in slip.items():
        entry = entry.replace(f"{name}: {usual[name]}", f"{name}: {text}")
    with pytest.raises(DataError, match=r"corrections\.yml:3 \(stylegan\).*copy the value") as raised:
        check(checkout, entry, facts)
    assert found in str(raised.value)


def test_it_holds_for_its_snapshots_and_from_the_day_of_its_entry(checkout: Paths) -> None:
    entry, plain = ENTRY.format(action="drop"), claims()
    for text, as_of in (
        (entry, date(2026, 11, 20)),  # not yet entered
        (entry.replace("since: 2026-03-30", "since: 2026-08-01"), None),
        (entry + "  until: 2026-07-19\n", None),
        (entry.replace("source: epoch_all", "source: epoch_notable"), None),  # which this vintage does not hold
    ):
        pd.testing.assert_frame_equal(corrected(checkout, text, claims(), as_of), plain)
    for text, as_of in (
        (entry, date(2026, 11, 21)),  # the day on which it was entered
        (entry.replace("since: 2026-03-30", "since: 2026-07-19"), None),  # the day of the snapshot
        (entry + "  until: 2026-07-20\n", None),
    ):
        assert corrected(checkout, text, claims(), as_of)["correction"].tolist() == ["stylegan", "", ""]


def test_a_chip_is_known_by_its_name() -> None:
    chips = ["NVIDIA Quadro P600", "NVIDIA Quadro P6000"]
    hardware = pd.DataFrame({"name": chips, "hardware_id": ["p600", "p6000"]}).astype("str")
    said = pd.DataFrame({
        "model_id": ["gpt", "other"],
        "field": "hardware",
        "value_text": ["NVIDIA Quadro P6000", "NVIDIA Quadro P600, Abacus"],
    }).astype("str")  # fmt: skip
    checkout = Paths(CHECKOUT)
    table = load_schemas(checkout)["model_hardware"]
    made = make_model_hardware(said, hardware, load_vocabularies(checkout), table)
    assert made["mention"].tolist() == ["NVIDIA Quadro P6000", "NVIDIA Quadro P600", "Abacus"]
    assert made["hardware_id"].fillna("").tolist() == ["p6000", "p600", ""]
