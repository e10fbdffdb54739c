"""Identity proposals: what is proposed, what is not, and what a line of identities.csv decides."""

import json
import re
import sys

import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.names import slug
from pipeline.base.paths import Paths
from pipeline.commands.propose import propose
from pipeline.curate.entries import Entry
from pipeline.curate.propose import (
    is_decided,
    open_candidates,
    renamed_pairs,
    shared_facts,
    similar_pairs,
)
from pipeline.registry.identities import Decision
from traincompute.cli import main


def entry(record: str, model_id: str, **known: object) -> Entry:
    sets = {name: frozenset(value) for name, value in known.items()}  # type: ignore[call-overload]
    return Entry(record, model_id, frozenset(["epoch_all"]), "2026-03-30", **sets)


def decision(alias: str, relation: str, model_id: str) -> Decision:
    return Decision(alias, "", relation, model_id, "", "because", 2)


def rules(*entries: Entry) -> list[str]:
    return [rule for rule, *_ in similar_pairs(list(entries))]


def standing(*rows: tuple[str, str, str, str, str]) -> pd.DataFrame:
    """source, record, link, since, until → a ledger of names and links; the id is the record in lower case."""
    lines = [
        (source, record, field, text, since, until)
        for source, record, link, since, until in rows
        for field, text in (("name", record), ("reference_url", link))
    ]
    frame = pd.DataFrame(lines, columns=["source_id", "record", "field", "value_text", "since", "until"])
    days = {name: pd.to_datetime(frame[name], format="%Y-%m-%d").astype("datetime64[s]") for name in ("since", "until")}
    return frame.assign(model_id=frame["record"].str.lower(), code=frame["value_text"], value=float("nan"), **days)


def test_a_respelling_by_the_same_developer_is_proposed() -> None:
    # upstream until 2023-12-14 and since 2024-07-16
    old = entry("Falcon 180B", "falcon-180b", organizations=["Technology Innovation Institute"], parameters=[1.8e11])
    new = entry("Falcon-180B", "falcon-180b-x", organizations=["Technology Innovation Institute"], parameters=[1.8e11])
    assert "P1" in rules(old, new)
    assert rules(old, new._replace(organizations=frozenset(["Meta AI"]))) == ["P3"]  # confusable all the same


def test_sizes_of_one_family_are_not_proposed() -> None:
    # Llama 2 (arXiv:2307.09288): 7B and 70B; OPT (arXiv:2205.01068): 1.3B and 13B, whose names differ in a dot alone
    meta = {"organizations": ["Meta AI"], "links": ["arXiv:2307.09288"], "dates": ["2023-07-18"]}
    assert rules(entry("Llama 2-7B", "a", **meta), entry("Llama 2-70B", "b", **meta)) == []
    assert rules(entry("OPT-1.3B", "a", **meta), entry("OPT-13B", "b", **meta)) == []
    small, large = (
        entry("BERT base", "a", **meta, parameters=[1.1e8]),
        entry("BERT-base", "b", **meta, parameters=[3.4e8]),
    )
    assert "P1" not in rules(small, large)  # 110M and 340M parameters (arXiv:1810.04805)


def test_one_paper_date_and_size_is_proposed_until_a_line_says_that_they_are_two() -> None:
    # NVLM-D and NVLM-H are two architectures of arXiv:2409.11402, both of 72B parameters
    paper = {"links": ["arXiv:2409.11402"], "dates": ["2024-09-17"], "parameters": [7.2e10]}
    pairs = list(
        similar_pairs([entry("NVLM-D 72B", "nvlm-d-72b", **paper), entry("NVLM-H 72B", "nvlm-h-72b", **paper)])
    )
    (found,) = open_candidates(pairs, [])
    assert (found.rule, found.evidence) == ("P2", "same arXiv id, date, 7.2e+10 parameters")
    assert found.distinct == "NVLM-H 72B,,distinct,nvlm-d-72b,,"
    assert open_candidates(pairs, [decision("NVLM-D 72B", "distinct", "nvlm-h-72b")]) == []
    assert open_candidates(pairs, [decision("NVLM-D 72B", "distinct", "nvlm-x-72b")]) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("GPT-4", "GРT-4"),
        ("DImensionality Reduction", "Dimensionality Reduction"),
        ("Tulu 3 (Tülu 3) 70B", "Tülu-3 70B"),
    ],
)
def test_confusable_names_are_flagged_whoever_made_them(one: str, other: str) -> None:
    assert "P3" in rules(entry(one, "a"), entry(other, "b"))  # the second GPT has a Cyrillic Er


def test_a_record_that_goes_while_one_of_its_link_comes_is_a_rename() -> None:
    link = "https://www.nature.com/articles/s41586-021-03819-2"  # AlphaFold2 until 2022-09-01, AlphaFold 2 since
    ledger = standing(
        ("n", "AlphaFold2", link, "2022-09-01", "2024-07-16"), ("n", "AlphaFold 2", link, "2024-07-16", "")
    )
    days = {"n": ["2022-09-01", "2024-07-16"]}
    (found,) = open_candidates(renamed_pairs(ledger, days), [])
    assert found.same == "AlphaFold 2,,renamed,alphafold2,2024-07-16,same link"
    assert open_candidates(renamed_pairs(ledger, days), [decision("AlphaFold 2", "split", "alphafold 2")]) == []


def test_two_records_that_stand_side_by_side_somewhere_are_no_rename() -> None:
    link = "https://arxiv.org/abs/2205.01068"
    both = [("a", name, link, "2023-12-14", "") for name in ("OPT-13B", "OPT-30B")]
    moved = [("n", "OPT-13B", link, "2022-09-01", "2024-07-16"), ("n", "OPT-30B", link, "2024-07-16", "")]
    days = {"n": ["2022-09-01", "2024-07-16"], "a": ["2023-12-14"]}
    assert list(renamed_pairs(standing(*moved, *both), days)) == []
    assert len(list(renamed_pairs(standing(*moved), days))) == 1


def test_two_records_without_a_link_date_and_size_in_common_are_no_rename() -> None:
    one, other = ("https://arxiv.org/abs/2205.01068", "https://arxiv.org/abs/2302.13971")
    moved = standing(("n", "OPT-13B", one, "2022-09-01", "2024-07-16"), ("n", "LLaMA-13B", other, "2024-07-16", ""))
    assert list(renamed_pairs(moved, {"n": ["2022-09-01", "2024-07-16"]})) == []


def test_a_pair_is_listed_once_under_the_first_rule_that_found_it() -> None:
    one, other = entry("Falcon 180B", "a"), entry("Falcon-180B", "b")
    (found,) = open_candidates([("P1", 92.3077, one, other), ("P3", 100.0, one, other)], [])
    assert (found.rule, found.score) == ("P1", 92.3)


def test_the_newer_record_is_the_alias_unless_a_line_decides_it() -> None:
    old, new = entry("OPT", "opt"), entry("O,P,T", "o-p-t")._replace(since="2026-05-03")
    (found,) = open_candidates([("P3", 100.0, old, new)], [])
    assert (found.same, found.distinct) == ('"O,P,T",,same,opt,,no shared facts', '"O,P,T",,distinct,opt,,')
    (found,) = open_candidates([("P3", 100.0, old, new)], [decision("O,P,T", "same", "o-p-t")])
    assert found.same == "OPT,,same,o-p-t,,no shared facts"


def test_a_record_that_was_split_is_decided_against_what_came_of_it_alone() -> None:
    whole, part, other = entry("OPT", "opt"), entry("OPT-13B", "opt-13b"), entry("OPT 13B", "opt-13-b")
    lines = {"OPT": [decision("OPT", "renamed", "opt")], "OPT-13B": [decision("OPT-13B", "split", "opt")]}
    assert is_decided("P1", whole, part, lines)
    assert is_decided("rename", other, part, lines)
    assert not is_decided("P1", other, part, lines)
    assert is_decided("P1", part, part._replace(model_id="opt-13b-meta"), {})  # a record with two ids


def test_a_record_that_is_told_from_another_of_its_name_is_decided_by_a_line() -> None:
    one, other = entry("CALM", "calm"), entry("CALM @ arXiv:2305.02195", "calm-2")
    assert is_decided("P3", one, other, {other.record: [decision(other.record, "same", "calm-2")]})
    assert not is_decided("P3", one, other, {one.record: [decision(one.record, "same", "calm")]})


def test_the_shared_facts_are_a_link_or_else_one_organisation() -> None:
    about = {"organizations": ["Meta AI", "New York University"], "parameters": [7e9, 1.3e10]}
    one, other = entry("A", "a", **about, links=["x.ai/a"]), entry("B", "b", **about, links=["x.ai/a", "x.ai/b"])
    assert shared_facts(one, other) == "same link, 7e+09 parameters"
    assert shared_facts(one, other._replace(links=frozenset())) == "same 7e+09 parameters, Meta AI"


NAMES = st.text("ab1 ", min_size=1, max_size=9).filter(str.strip)  # a record without a name is refused before


@given(NAMES, NAMES)
def test_the_score_of_a_pair_is_twice_the_longest_common_subsequence_over_both_lengths(one: str, other: str) -> None:
    scores = [
        score
        for rule, score, *_ in similar_pairs([entry(one, "a", links=["x.ai"]), entry(other, "b", links=["x.ai"])])
        if rule == "P1"
    ]
    digits = [re.findall(r"\d+", name) for name in (one, other)]
    expected = max(_share_in_common(*(form(name) for name in (one, other))) for form in (_sorted_words, slug))
    assert scores == ([pytest.approx(expected)] if expected >= 92 and digits[0] == digits[1] else [])


def _sorted_words(name: str) -> str:
    return " ".join(sorted(name.split()))


def _share_in_common(one: str, other: str) -> float:
    """200 × longest common subsequence / sum of lengths, by the textbook's table."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    return 200 * table[-1][-1] / (len(one) + len(other)) if one or other else 0


def test_the_command_names_open_pairs_until_the_line_is_pasted(small: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(small.root))
    shown = CliRunner().invoke(propose, ["--json"])
    assert shown.exit_code == 1
    (found,) = json.loads(shown.output)
    assert found["records"] == ["CALM", "CaLM"]  # motion control (NVIDIA) and codon model (Oxford)
    with (small.curated / "identities.csv").open("a") as file:
        file.write(found["distinct"] + "two models\n")
    shown = CliRunner().invoke(propose)
    assert (shown.exit_code, shown.output) == (0, "0 open\n")


def test_the_missing_extra_is_named_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["traincompute", "curate", "propose"])
    monkeypatch.setattr("traincompute.needs.is_installed", lambda extra: extra != "curate")
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert capsys.readouterr().err == "Error: `propose` needs the extra curate: pip install -e '.[curate]'\n"
