"""Identity: same name, same model; everything else is a line in identities.csv. Which model a name stands for: a
model's own name first, nothing where two could be meant."""

from __future__ import annotations

from datetime import date
from functools import cache

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.config import load_sources
from pipeline.curated import Decision
from pipeline.errors import DataError
from pipeline.normalize.identify import default_ids, ids_by_name, make_aliases, names_used, resolve_models
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import load_views


def records(*rows: tuple[str, str, str]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["source_id", "record", "since"])
    return frame.assign(since=pd.to_datetime(frame["since"]))


def decision(alias: str, relation: str, model_id: str, source: str = "") -> Decision:
    return Decision(alias, source, relation, model_id, "", "because", 2)


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


FIRST, LATER = "2022-09-01", "2024-07-16"
GPT_3, SPOKEN = ("n", "GPT-3", FIRST), ("s", "gpt 3", "2021-01-01")  # s only speaks of models
RESOLVED: list[tuple[list[tuple[str, str, str]], list[Decision], list[str]]] = [
    ([("n", "Seq2Seq", FIRST), ("n", "Seq2Seq LSTM", LATER)], [decision("Seq2Seq LSTM", "renamed", "seq2seq")],
     ["seq2seq", "seq2seq"]),
    ([("n", "A 1", FIRST), ("n", "A-1 x", FIRST), ("n", "stub", FIRST)],
     [decision("A-1 x", "distinct", "a-1"), decision("stub", "dropped", "")], ["a-1", "a-1-x", ""]),
    ([GPT_3], [decision("gpt-3-api", "called", "gpt-3"), decision("open/GPT-3", "distinct", "gpt-3")], ["gpt-3"]),
    # one name, one model; another spelling is nobody's
    ([GPT_3, ("s", "GPT-3", "2021-01-01"), SPOKEN], [], ["gpt-3", "gpt-3", ""]),
    ([GPT_3, SPOKEN], [decision("gpt 3", "same", "gpt-3", "s")], ["gpt-3", "gpt-3"]),
    # a line may name a duplicate by its bare name, and a split makes an id
    ([("n", "GPT-3 small", LATER), ("n", "Davinci", LATER), ("n", "GPT-3 @ a.org/1", FIRST)],
     [decision("GPT-3 small", "same", "gpt-3"), decision("Davinci", "split", "davinci-002")],
     ["gpt-3", "davinci-002", "gpt-3-a.org-1"]),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "decisions", "ids"), RESOLVED)
def test_a_record_gets_the_id_of_its_name_or_of_a_decision(
    rows: list[tuple[str, str, str]], decisions: list[Decision], ids: list[str]
) -> None:
    assert resolve_models(records(*rows), decisions, "f", speaking=["s"]).tolist() == ids


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (decision("GPT-33", "same", "gpt-3"), r"f:2 \[GPT-33\]: no source has a record of this name"),
        (decision("gpt-3-api", "called", "gpt-33"), 'no model has the id "gpt-33"'),
        (decision("gpt 3", "same", "gpt-3-s", "s"), 'no model has the id "gpt-3-s"'),  # a speaking source makes none
    ],
)
def test_a_decision_about_nothing_is_an_error(line: Decision, fault: str) -> None:
    with pytest.raises(DataError, match=fault):
        resolve_models(records(GPT_3, SPOKEN), [line], "f", speaking=["s"])


MODELS = pd.DataFrame(
    [
        ("gpt-4", "GPT-4 (Mar 2023)", True),
        ("gpt-4-jun-2023", "GPT-4 (Jun 2023)", True),
        ("palm-540b", "PaLM (540B)", True),
        ("palm-8b", "PaLM (8B)", False),
        ("palm-2", "PaLM 2", True),
        ("llama-2-7b", "Llama 2-7B", True),
        ("llama-2-70b", "Llama 2-70B", True),
        ("stable-diffusion-ldm", "Stable Diffusion (LDM)", True),
        ("stable-diffusion-1.5", "Stable Diffusion 1.5", False),
        ("calm", "CALM", False),
        ("calm-2", "CaLM", False),
        ("pi-0-pi-zero", "π0 (pi-zero)", False),
    ],
    columns=["model_id", "name", "is_notable"],
).assign(huggingface_id=None)
NAMED = pd.DataFrame(
    [
        ("llmstats", "Another", "GPT-4", "gpt-4-jun-2023"),
        ("fmti", "Third", "Llama 2", "llama-2-70b"),
        ("helm", "Fourth", "LLaMA2 (7 billion)", "llama-2-7b"),
        ("helm", "Fourth", "Claude", "claude"),
    ],
    columns=["source_id", "publisher", "record", "model_id"],
).assign(since=pd.Timestamp("2026-01-01"), until=pd.NaT)
OTHER = Decision("PaLM 2 (Bison)", "helm", "distinct", "palm-2", "", "another size", 2)
IN_USE = [Decision(name, "", "called", "palm-2", "", "a service's", 3) for name in ("text-unicorn", "gpt-4")]


def table_of_names(named: pd.DataFrame) -> pd.DataFrame:
    lines = iter([OTHER, *IN_USE])
    return make_aliases(named, MODELS, lines, load_views(Paths(CHECKOUT)))


@cache
def usual() -> dict[str, str]:
    return decided(NAMED)


def decided(named: pd.DataFrame) -> dict[str, str]:
    """{key: the model that it stands for}."""
    made = table_of_names(named)
    sure = made[made["is_decisive"].astype(bool)]
    assert (sure.groupby("key")["model_id"].nunique() == 1).all()
    return dict(zip(sure["key"], sure["model_id"], strict=True))


@pytest.mark.parametrize(
    ("key", "model"),
    [
        ("gpt4", "gpt-4"),  # its id, although one other publisher uses the name for another state
        ("palm", "palm-540b"),  # three share the name without brackets, one of them is notable
        ("palm2", "palm-2"),
        ("llama2", None),  # one source's name for one of a family
        ("llama2_7b", "llama-2-7b"),
        ("stablediffusion", None),  # a name without brackets that is the beginning of another model's name
        ("calm", None),  # two models, told apart by case alone
        ("pi0", "pi-0-pi-zero"),
        ("palm2bison", None),  # somebody decided that this is another model
        ("claude", None),  # no such model here
        ("textunicorn", "palm-2"),  # no source's name, but one in use
    ],
)
def test_a_key_stands_for_one_model_or_none(key: str, model: str | None) -> None:
    assert usual().get(key) == model


def test_two_publishers_who_mean_another_model_make_a_name_ambiguous() -> None:
    second = NAMED.iloc[:1].assign(source_id="helm", publisher="Fourth")
    assert "gpt4" not in decided(pd.concat([NAMED, second]))
    former = second.assign(until=pd.Timestamp("2026-02-01"))
    assert decided(pd.concat([NAMED, former]))["gpt4"] == "gpt-4", "what they do no longer does not count"


def test_a_name_is_listed_from_the_first_snapshot_to_the_last() -> None:
    first, second = map(pd.Timestamp, ("2025-01-01", "2025-02-01"))
    rows = [("Ankh", "ankh", first, second), ("Ankh", "ankh", second, pd.NaT), ("Old", "ankh", first, second)]
    rows += [("Nobody's", None, first, pd.NaT), ("Dropped", "", first, pd.NaT)]
    ledger = pd.DataFrame(rows, columns=["record", "model_id", "since", "until"]).assign(source_id="epoch_all")
    sources = load_sources(Paths(CHECKOUT))
    now = names_used(ledger, sources, None).set_index("record")
    assert now["until"].isna().to_dict() == {"Ankh": True, "Old": False}
    assert (now["publisher"].tolist(), set(now["since"])) == (["Epoch AI"] * 2, {first})
    for day, ended in ((date(2025, 1, 31), False), (date(2025, 2, 1), True)):
        then = names_used(ledger, sources, day).set_index("record")["until"]
        assert then.notna().to_dict() == {"Ankh": False, "Old": ended}, "both stood until that day"
    assert names_used(ledger, sources, date(2024, 12, 31)).empty


def test_a_record_names_its_model_and_a_duplicate_where_nothing_else_has_its_name() -> None:
    of = {"A": "a", "A @ one": "a-2", "B @ one": "b", "C @ one": "c", "C @ two": "c-2", "D @ x": "d", "D @ y": "d"}
    claims = pd.DataFrame([{"record": record, "model_id": key} for record, key in (*of.items(), ("A", "z"))])
    assert ids_by_name(claims).to_dict() == of | {"B": "b", "D": "d"}
