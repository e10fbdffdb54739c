"""Declared fixes: what each action does to the claim it names, and that a fix that no longer matches stops the build."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.base.errors import DataError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.normalize import corrections
from pipeline.normalize.tables import make_model_hardware
from pipeline.registry.schema import load_schemas
from pipeline.registry.sources import load_sources
from pipeline.registry.vocabularies import load_vocabularies

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
        "evidence": "",
        "since": pd.Timestamp("2026-03-30"),
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
    return corrections.apply(paths, corrections.load_corrections(paths), table, as_of, load_sources(Paths(CHECKOUT)))


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
    for day, last in (("2026-08-19", "notable"), ("2026-06-19", "stylegan")):
        beside = notable.assign(rank=1, snapshot=pd.Timestamp(day))
        made = corrected(checkout, both, pd.concat([claims(), beside], ignore_index=True))
        assert ours(made)["correction"] == last, "of two files of one rank that of the newer snapshot"


def test_a_day_can_be_set_with_its_precision(checkout: Paths) -> None:
    entry = ENTRY.format(action="set").replace(FLOP, "publication_date").replace("3.93e+16", "2018-12-12")
    dated = claims(field="publication_date", value_text="2018-12-12", code="2018-12-12", value=float("nan"), unit="")
    row = ours(corrected(checkout, entry + '  new_value: "2018-11"\n  reference: https://example.org\n', dated))
    assert (row["value_text"], row["code"], row["note"]) == ("2018-11", "2018-11-01", "month")


def test_upstream_may_change_the_value_after_the_day_of_the_entry(checkout: Paths) -> None:
    entry = ENTRY.format(action="drop")
    later = claims(value_text="3.93e+15", snapshot=pd.Timestamp("2026-11-22"))
    assert corrected(checkout, entry, later)["correction"].tolist() == ["", "", ""]
    with pytest.raises(DataError, match=r"it is now 3\.93e\+15"):
        corrected(checkout, entry, claims(value_text="3.93e+15", snapshot=pd.Timestamp("2026-11-21")))


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
    with pytest.raises(DataError, match=r"corrections\.yml: the file is missing; restore it"):
        corrections.load_corrections(checkout)


def test_an_entry_that_is_not_written_on_a_line_of_its_own_is_named_without_one(checkout: Paths) -> None:
    entry = "[{id: stylegan, source: epoch_all, record: StyleGAN, field: parameters, action: drop}]\n"
    with pytest.raises(DataError, match=r"corrections\.yml \(stylegan\) \[StyleGAN\]: parameters.*since is missing"):
        corrected(checkout, entry, claims())


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
    with pytest.raises(DataError, match=r'it is gone; .*, add `locator: "Training compute notes"`$'):
        corrected(checkout, entry.replace("compute notes", "time notes"), claims())
    only_noted = claims(record="StyleGAN 1")
    with pytest.raises(
        DataError, match=r'`upstream: mended`; if you mean .*, add `locator: "Training compute notes"`$'
    ):
        corrected(checkout, ENTRY.format(action="drop"), only_noted)


def test_a_line_that_a_person_entered_is_acknowledged_wherever_it_was_read(checkout: Paths) -> None:
    entry = ENTRY.format(action="acknowledge").replace("epoch_all", "curated")
    entered = claims(source_id="curated", locator="table 1")
    pd.testing.assert_frame_equal(corrected(checkout, entry, entered.copy()), entered)


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"value_text": "3.93e+15"}, r"it is now 3\.93e\+15 \(data/raw/epoch_all/facts\.csv:7\)"),
        ({"record": "StyleGAN 1"}, "it is gone"),
    ],
)
def test_one_that_no_longer_matches_stops_the_build_with_its_line(
    checkout: Paths, changed: dict[str, Any], found: str
) -> None:
    with pytest.raises(DataError, match=r"corrections\.yml:3 \(stylegan\).*has changed: " + found):
        corrected(checkout, ENTRY.format(action="drop"), claims(**changed))


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


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (ENTRY.format(action="mend"), "action mend is none of drop, set, lower_bound"),
        (ENTRY.format(action="set"), "new_value is missing"),
        (ENTRY.format(action="set") + "  new_value: 1\n", "reference is missing"),
        (ENTRY.format(action="drop") + "  colour: red\n", "unknown key colour"),
        (ENTRY.format(action="drop") + "  new_value: 1\n", "new_value has no meaning"),
        (ENTRY.format(action="drop").replace("not reported", "told"), "upstream told is none of not reported"),
        (ENTRY.format(action="drop").replace("  upstream: not reported\n", ""), "upstream is missing"),
        (
            ENTRY.format(action="set") + "  new_value: 3.9 zorks\n  reference: arXiv:1404.5997\n",
            'new_value "3.9 zorks": unknown unit',
        ),
    ],
)
def test_a_slip_in_an_entry_is_explained(checkout: Paths, text: str, fault: str) -> None:
    with pytest.raises(DataError, match=r"corrections\.yml:3 \(stylegan\)") as raised:
        corrected(checkout, text, claims())
    assert fault in str(raised.value)


def test_the_shipped_ones_are_well_formed_and_have_lines() -> None:
    entries = corrections.load_corrections(Paths(CHECKOUT))
    lines = (Paths(CHECKOUT).curated / "corrections.yml").read_text(encoding="utf-8").splitlines()
    assert len({entry["id"] for entry in entries}) == len(entries) >= 60
    assert all(lines[entry["line"] - 1] == f"- id: {entry['id']}" for entry in entries)
    assert {entry["action"] for entry in entries} == set(corrections.ACTIONS)


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
