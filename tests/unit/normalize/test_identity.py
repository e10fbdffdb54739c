"""Identity: same name, same model; everything else is a line in identities.csv."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.curated import Decision, load_decisions
from pipeline.errors import DataError
from pipeline.normalize.identity import default_ids, resolve_models


def records(*rows: tuple[str, str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["source_id", "record", "since"])
    return frame.assign(since=pd.to_datetime(frame["since"]))


def decision(alias: str, relation: str, model_id: str, source: str = "") -> Decision:
    return Decision(alias, source, relation, model_id, "", "because", 2)


def test_names_that_differ_in_case_alone_are_two_models() -> None:
    # CALM (confident adaptive language modeling) and CaLM (codon language model) are both upstream
    ids = default_ids({"CALM": "2022-09-01", "CaLM": "2026-03-30"})
    assert ids["CALM"] == "calm"
    assert ids["CaLM"].startswith("calm-")


def test_the_record_that_was_seen_first_keeps_the_id_whatever_the_alphabet_says() -> None:
    ids = default_ids({"Zeta": "2026-03-30", "ZETA": "2026-07-19", "zeta": "2022-09-01"})
    assert ids["zeta"] == "zeta"
    assert ids["Zeta"].startswith("zeta-")
    assert len(set(ids.values())) == 3


NAMES = st.text("aA-b 1", min_size=1, max_size=3).filter(lambda name: any(letter.isalnum() for letter in name))
DAYS = st.sampled_from(["2022-09-01", "2024-07-16", "2026-03-30"])


@given(st.dictionaries(NAMES, DAYS, min_size=1, max_size=12), st.data())
def test_an_id_depends_neither_on_the_order_of_names_nor_on_what_comes_later(
    seen: dict[str, str], data: st.DataObject
) -> None:
    ids = default_ids(seen)
    assert len(set(ids.values())) == len(seen)
    assert default_ids(dict(data.draw(st.permutations(list(seen.items()))))) == ids
    early = {name: day for name, day in seen.items() if day <= "2024-07-16"}
    assert default_ids(early) == {name: ids[name] for name in early}


ROWS = st.lists(st.tuples(st.sampled_from(["n", "m", "s"]), NAMES, DAYS), min_size=1, max_size=12)


@given(ROWS, st.data())
def test_the_order_of_rows_and_of_decisions_is_irrelevant(
    rows: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    making = sorted({record for source, record, _ in rows if source != "s"})
    ids = default_ids({name: min(day for s, record, day in rows if record == name and s != "s") for name in making})
    decided = [decision(name, "same", ids[making[0]]) for name in making[1:4]]
    decided += [decision(name, "dropped", "", rows[0][0]) for name in making[:1]]
    found = resolve_models(records(*rows), decided, "f", speaking=["s"])
    order = data.draw(st.permutations(range(len(rows))))
    again = resolve_models(
        records(*(rows[at] for at in order)), data.draw(st.permutations(decided)), "f", speaking=["s"]
    )
    assert again["model_id"].tolist() == [found["model_id"][at] for at in order]


def test_a_renamed_record_keeps_the_id_of_its_first_name() -> None:
    rows = records(("n", "Seq2Seq", "2022-09-01"), ("n", "Seq2Seq LSTM", "2024-07-16"))
    found = resolve_models(rows, [decision("Seq2Seq LSTM", "renamed", "seq2seq")], "identities.csv")
    assert set(found["model_id"]) == {"seq2seq"}


def test_distinct_records_stay_two_and_dropped_ones_go() -> None:
    rows = records(("n", "A 1", "2022-09-01"), ("n", "A-1 x", "2022-09-01"), ("n", "stub", "2022-09-01"))
    found = resolve_models(rows, [decision("A-1 x", "distinct", "a-1"), decision("stub", "dropped", "")], "f")
    assert sorted(found["model_id"]) == ["", "a-1", "a-1-x"]


def test_a_name_in_use_and_an_address_on_a_hub_need_no_record() -> None:
    lines = [decision("gpt-3-api", "called", "gpt-3"), decision("open/GPT-3", "distinct", "gpt-3")]
    assert resolve_models(records(("n", "GPT-3", "2022-09-01")), lines, "f")["model_id"].tolist() == ["gpt-3"]
    with pytest.raises(DataError, match='no model has the id "gpt-33"'):
        resolve_models(records(("n", "GPT-3", "2022-09-01")), [decision("gpt-3-api", "called", "gpt-33")], "f")


def test_a_line_about_a_record_that_no_source_has_is_an_error() -> None:
    with pytest.raises(DataError, match=r"f:2 \[GPT-33\]: no source has a record of this name"):
        resolve_models(records(("n", "GPT-3", "2022-09-01")), [decision("GPT-33", "same", "gpt-3")], "f")


def test_a_doubled_alias_names_both_lines(tmp_path: Path) -> None:
    file = tmp_path / "identities.csv"
    head = "alias,source_id,relation,model_id,since,reason\n"
    file.write_text(head + "A,,same,b,,x\nA,,renamed,c,,y\n")
    with pytest.raises(DataError, match=r"identities.csv:3 \[A\]: the alias is also on line 2"):
        load_decisions(file, "identities.csv")


def test_a_speaking_source_makes_no_model_and_takes_no_id() -> None:
    rows = records(("n", "GPT-3", "2022-09-01"), ("s", "GPT-3", "2021-01-01"), ("s", "gpt 3", "2021-01-01"))
    alone = resolve_models(rows, [], "f", speaking=["s"])
    assert alone["model_id"].tolist() == ["gpt-3", "gpt-3", ""]  # one name, one model; another spelling is nobody's
    told = resolve_models(rows, [decision("gpt 3", "same", "gpt-3", "s")], "f", speaking=["s"])
    assert told["model_id"].tolist() == ["gpt-3"] * 3


def test_a_line_cannot_name_a_model_that_only_a_speaking_source_has() -> None:
    rows = records(("n", "GPT-3", "2022-09-01"), ("s", "QwQ", "2025-03-05"))
    with pytest.raises(DataError, match='no model has the id "qwq"'):
        resolve_models(rows, [decision("QwQ", "same", "qwq", "s")], "f", speaking=["s"])


def test_a_line_may_name_a_duplicate_by_its_bare_name_and_a_split_makes_an_id() -> None:
    rows = records(
        ("n", "GPT-3 @ a.org/1", "2022-09-01"), ("n", "GPT-3 small", "2024-07-16"), ("n", "Davinci", "2024-07-16")
    )
    decided = [decision("GPT-3 small", "same", "gpt-3"), decision("Davinci", "split", "davinci-002")]
    found = resolve_models(rows, decided, "f").set_index("record")["model_id"]
    assert found[["GPT-3 small", "Davinci"]].tolist() == ["gpt-3", "davinci-002"]
