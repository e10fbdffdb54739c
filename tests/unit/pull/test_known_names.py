"""A record keeps its name where upstream adds another of the same name."""

from __future__ import annotations

from pipeline.pull.known_names import keep_names
from pipeline.pull.tabular import Fact

# the links of A.X K1 in the files of Epoch AI; that of the newcomer is made up
FIRST, SECOND, OTHER = "https://arxiv.org/abs/2601.09200", "https://huggingface.co/skt/A.X-K1", "https://example.org/k1"
KNOWN = [
    Fact("A.X K1", "name", "A.X K1"),
    Fact("A.X K1", "reference_url", f"{FIRST} {SECOND}"),
    Fact("A.X K1", "reference_url", OTHER, "Notes"),  # what a note says is no link of the record
]


def named(*records: str, before: list[Fact] = KNOWN) -> list[str]:
    return [fact.record for fact in keep_names([Fact(record, "parameters", "1e9") for record in records], before)]


def test_the_row_with_the_known_link_keeps_the_bare_name_and_the_newcomer_has_its_own() -> None:
    assert named(f"A.X K1 @ {FIRST}", f"A.X K1 @ {OTHER}") == ["A.X K1", f"A.X K1 @ {OTHER}"]


def test_only_the_first_link_tells_a_record() -> None:
    assert named(f"A.X K1 @ {SECOND}") == [f"A.X K1 @ {SECOND}"]


def test_a_bare_name_that_is_taken_is_not_given_twice() -> None:
    assert named("A.X K1", f"A.X K1 @ {FIRST}") == ["A.X K1", f"A.X K1 @ {FIRST}"]


def test_names_that_were_told_apart_already_stay_as_they_are() -> None:
    told = [Fact(f"A.X K1 @ {link}", "reference_url", link) for link in (FIRST, OTHER)]
    assert named(f"A.X K1 @ {FIRST} @ {FIRST}", before=told) == [f"A.X K1 @ {FIRST} @ {FIRST}"]
