"""Files of facts: what is read, and what is refused."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from plain_source import source

from pipeline.errors import DataError
from pipeline.normalize.facts import load_facts, vintage
from pipeline.paths import Paths

HEADER = "record,field,value_text,locator,since,until"
CITED = f"{HEADER},reference,evidence,accessed"
MAY, JULY = date(2026, 5, 3), date(2026, 7, 19)
# what epoch_all said of three models: two values of one, which changed in July, and one that was blanked then
LEDGER = """AlexNet,parameters,6.2e+7,,2026-05-03,
Gopher,parameters,2.8e+11,,2026-05-03,2026-07-19
Gopher,parameters,2.3e+11,,2026-07-19,
LLaMA,parameters,6.7e+9,,2026-05-03,2026-07-19
"""
LOCK: dict[str, Any] = {"epoch_all": {"lines": 4, "snapshots": {"2026-05-03": {}, "2026-07-19": {}}}}
BY_HAND = "GPT-3,parameters,1.75e11,table 2.1,2026-05-10,,arXiv:2005.14165,seen,2026-05-10\n"


EPOCH = {"id": "epoch_all", "vintages": ((date(2026, 1, 1), None),)}
SOURCES = {
    "curated": source(id="curated", always_current=True),
    "epoch_all": source(**EPOCH, urls=("https://example.org/a.csv",), evidence="seen"),
}


def checkout(root: Path, text: str | bytes = f"{HEADER}\n{LEDGER}", by_hand: str = f"{CITED}\n{BY_HAND}") -> Paths:
    """Both files of facts."""
    paths = Paths(root)
    for name in SOURCES:
        (paths.raw / name).mkdir(parents=True, exist_ok=True)
    content = text if isinstance(text, bytes) else text.encode()
    (paths.raw / "epoch_all" / "facts.csv").write_bytes(content)
    (paths.curated / "facts_to_2022.csv").write_text(by_hand)
    return paths


def facts(root: Path) -> pd.DataFrame:
    return load_facts(checkout(root), SOURCES, LOCK)


def standing(found: pd.DataFrame) -> list[tuple[str, str, str]]:
    days = found["snapshot"].dt.strftime("%m-%d")
    return sorted(zip(found["record"], found["value_text"], days, strict=True))


def test_each_line_is_a_span_with_its_source_its_place_and_what_it_cites(tmp_path: Path) -> None:
    found = facts(tmp_path).set_index(["record", "value_text"])
    ours, theirs = found.loc[("GPT-3", "1.75e11")], found.loc[("Gopher", "2.8e+11")]
    columns = ["source_id", "reference", "evidence", "line", "since", "until"]
    assert ours["file"] == "data/raw/curated/facts_to_2022.csv"
    assert ours[columns[:4]].tolist() == ["curated", "arXiv:2005.14165", "seen", 2]
    assert theirs[columns[:4]].tolist() == ["epoch_all", "", "seen", 3]
    assert theirs[columns[4:]].tolist() == [pd.Timestamp(MAY), pd.Timestamp(JULY)]
    assert ours["since"] == pd.Timestamp("2026-05-10")
    assert found["until"].isna().sum() == 3
    assert found["hash"].nunique() == len(found)


GPT_3, ALEXNET = ("GPT-3", "1.75e11", "05-10"), ("AlexNet", "6.2e+7")


@pytest.mark.parametrize(
    ("as_of", "of_gopher_and_llama", "snapshot"),
    [
        (MAY, [("Gopher", "2.8e+11"), ("LLaMA", "6.7e+9")], "05-03"),
        (date(2026, 7, 18), [("Gopher", "2.8e+11"), ("LLaMA", "6.7e+9")], "05-03"),
        (JULY, [("Gopher", "2.3e+11")], "07-19"),
        (None, [("Gopher", "2.3e+11")], "07-19"),
    ],
)
def test_a_fact_stands_from_its_first_day_until_the_day_on_which_it_ends(
    tmp_path: Path, as_of: date | None, of_gopher_and_llama: list[tuple[str, str]], snapshot: str
) -> None:
    read = facts(tmp_path)
    found = vintage(read, SOURCES, LOCK, as_of)
    theirs = [(*cell, snapshot) for cell in [ALEXNET, *of_gopher_and_llama]]
    assert standing(found) == sorted([*theirs, GPT_3])
    assert (found.index.tolist(), found.columns.tolist()) == ([*range(len(found))], [*read.columns, "snapshot"])


def test_a_day_before_all_snapshots_is_refused_with_the_first(tmp_path: Path) -> None:
    read = facts(tmp_path)
    known = read[read["source_id"] == "epoch_all"]
    of_models = {"epoch_all": SOURCES["epoch_all"]}
    with pytest.raises(
        DataError, match=r'^--as-of: "2026-05-02": no source has a snapshot as old; the first is of 2026-05-03$'
    ):
        vintage(known, of_models, LOCK, date(2026, 5, 2))
    chips = {"epoch_all": source(**EPOCH, subject="hardware")}
    assert vintage(known, chips, LOCK, date(2026, 5, 2)).empty, "a checkout without models has no first day"


WHOLE = f"{HEADER}\n{LEDGER}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WHOLE[:-1], ":5: the last line has no line break; end it with one"),
        (WHOLE.replace("Gopher", "Go\0pher", 1), ":3: it contains a NUL byte; `git diff`"),
        (WHOLE[: WHOLE.index("LLaMA")], "3 lines, data/raw/lock.json says 4: the file is cut"),
        (f"{WHOLE}x\n", ':6 [x]: "x": 1 cells, not 6; quote a cell that contains a comma'),
        (f"{HEADER},colour\n", ":1: column 'colour' is not known; the header is"),
        (f"{HEADER.replace('locator,', '')},colour\n", ":1: column 'locator' is missing; the header is"),
        (WHOLE.encode().replace(b"Gopher", b"Go\xffher"), ":3: byte 0xff is not UTF-8; save the file as UTF-8"),
    ],
)
def test_a_file_that_is_not_whole_is_refused(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError) as refused:
        load_facts(checkout(tmp_path, text), SOURCES, LOCK)
    assert str(refused.value).startswith("data/raw/epoch_all/facts.csv:")
    assert message in str(refused.value)


def test_a_ledger_that_the_lock_does_not_know_or_that_is_not_there_is_refused(tmp_path: Path) -> None:
    paths = checkout(tmp_path)
    with pytest.raises(DataError, match=r"epoch_all/facts\.csv: data/raw/lock\.json does not know its snapshots"):
        load_facts(paths, SOURCES, {})
    assert len(load_facts(paths, {**SOURCES, "epoch_all": source(**EPOCH)}, {})) == 5, "no file was ever fetched"
    (paths.raw / "epoch_all" / "facts.csv").write_text(f"{HEADER}\n")
    assert len(load_facts(paths, SOURCES, {})) == 1, "nor of one that has no line yet"
    (paths.raw / "epoch_all" / "facts.csv").unlink()
    empty = {"epoch_all": {"lines": 0, "snapshots": {}}}
    assert len(load_facts(paths, SOURCES, empty)) == 1
    with pytest.raises(DataError, match=r"data/raw/epoch_all/facts\.csv: the file is missing; `git diff`"):
        load_facts(paths, SOURCES, LOCK)
    with pytest.raises(DataError, match=r"data/raw: no facts\.csv in any source"):
        load_facts(paths, {"epoch_all": SOURCES["epoch_all"]}, {})


AT = "table 1,2026-05-03,,arXiv:1"
LINES = {  # a line of curated facts → what is said of it
    f",parameters,1,{AT},seen,": "must be filled", "A,parameters,1,table 1,,,arXiv:1,seen,": "must be filled",
    f"A,parameters,1,section 2, {AT},seen,": "10 cells, not 9", f"A,parameters,1,{AT},seen": "8 cells, not 9",
    f'A,parameters,1,"{AT},seen,': "a quote is not closed",
    # the second quote closes the first: the two lines were read as one, and a fact was gone
    f'A,parameters,1,"{AT},seen,\n",{AT},seen,': "a quote is not closed",
    f"A,parameters,1,{AT},guessed,": 'evidence "guessed" is not known',
    "A,parameters,1,table 1,2026-05-03,,a paper,seen,": '"a paper" is not a reference',
    f"A,reference_url,a paper,{AT},seen,": "is not a reference",
    "A,parameters,1,text,2026-05-03,,arXiv:1,seen,": 'locator "text" leads nowhere',
    "A,parameters,1,table 1,3 May 2026,,arXiv:1,seen,": 'since "3 May 2026" is not a day',
    "A,parameters,1,table 1,2026-05-03,2026-02-30,arXiv:1,seen,": 'until "2026-02-30" is not a day',
}  # fmt: skip


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_says_too_little_or_is_malformed_is_refused(tmp_path: Path, line: str) -> None:
    paths = checkout(tmp_path, by_hand=f"{CITED}\n{BY_HAND}{line}\n")
    with pytest.raises(DataError) as refused:
        load_facts(paths, SOURCES, LOCK)
    problem = refused.value.problems[0]
    assert (problem.where, LINES[line] in str(problem)) == ("data/raw/curated/facts_to_2022.csv:3", True)


def test_a_fact_that_stands_twice_is_refused_at_both_lines(tmp_path: Path) -> None:
    paths = checkout(tmp_path, by_hand=f"{CITED}\n{BY_HAND}{BY_HAND}{BY_HAND.replace('05-10,,', '05-11,,')}")
    with pytest.raises(DataError) as refused:
        load_facts(paths, SOURCES, LOCK)
    assert [problem.where.rpartition(":")[2] for problem in refused.value.problems] == ["2", "3"]
    assert {problem.reason for problem in refused.value.problems} == {"the same fact stands twice"}


def test_a_held_record_is_read_as_of_an_earlier_day_beside_what_it_has_now(tmp_path: Path) -> None:
    read = facts(tmp_path)
    held = {("epoch_all", "Gopher"): MAY, ("epoch_all", "LLaMA"): date(2026, 7, 18), ("curated", "GPT-3"): MAY}
    theirs = [("AlexNet", "6.2e+7"), ("Gopher", "2.3e+11"), ("Gopher", "2.8e+11"), ("LLaMA", "6.7e+9")]
    assert standing(vintage(read, SOURCES, LOCK, None, held)) == sorted([*((*cell, "07-19") for cell in theirs), GPT_3])
    again = read.iloc[[2]].assign(until=pd.NaT, since=pd.Timestamp("2026-07-19"))  # its value of May is back
    both = pd.concat([read[read["value_text"] != "2.3e+11"], again], ignore_index=True)
    gopher = vintage(both, SOURCES, LOCK, None, held).query("record == 'Gopher'")
    assert gopher["since"].tolist() == [pd.Timestamp(MAY)], "a claim_id stands once"
