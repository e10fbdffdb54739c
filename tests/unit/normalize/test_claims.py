"""The selection among claims: which status each gets, and the kind of reason beside the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest

from pipeline.config import Selection, load_selection, load_sources
from pipeline.normalize.claims import ids_by_name, make_claims, select, selected, who_says, winners
from pipeline.paths import CHECKOUT, Paths

USUAL = {
    "model_id": "m",
    "field": "parameters",
    "value": 1e9,
    "low": float("nan"),
    "high": float("nan"),
    "code": "",
    "publisher": "Epoch AI",
    "voice": "Epoch AI",
    "evidence": "",
    "reference": "",
    "source_id": "epoch_all",
    "since": pd.Timestamp("2026-07-19"),
    "begun": pd.Timestamp("2026-07-19"),
    "changed": 20654,
    "place": 0,
    "record": "M",
    "rank": 1,
    "locator": "",
    "reason_code": "",
    "reason": "",
    "correction": "",
}
OTHER = {"place": 1, "source_id": "epoch_notable"}
OLDER = OTHER | {"changed": 20653}
Claim = dict[str, Any]


def judged(*changes: Claim) -> pd.DataFrame:
    """The claims c0, c1 … that differ from the usual one as said, judged in this order and, alike, in the reverse."""
    (made,) = judged_apart(changes)
    return made


def judged_apart(*each: Sequence[Claim]) -> list[pd.DataFrame]:
    """The same for claims about several models."""
    rows = [
        USUAL | {"claim_id": f"c{n}", "hash": n, "about": f"m{place}", "model_id": f"m{place}"} | changed
        for place, changes in enumerate(each)
        for n, changed in enumerate(changes)
    ]
    keys = ["about", "claim_id"]
    made, back = (select(pd.DataFrame(some)).set_index(keys).sort_index() for some in (rows, rows[::-1]))
    pd.testing.assert_frame_equal(made, back)
    return [made.loc[f"m{place}"] for place in range(len(each))]


LOST: list[tuple[Claim, tuple[str, str, str]]] = [
    ({"value": float("nan"), "low": 1e8}, ("superseded", "bound", "a bound, not a value")),
    ({"rank": 2}, ("superseded", "lower_priority", "lower priority than epoch_all")),
    (OLDER, ("superseded", "older_snapshot", "older than the value that epoch_all has since 2026-07-19")),
    (OTHER, ("superseded", "lower_priority", "lower priority than epoch_all")),
    ({"locator": "note"}, ("superseded", "later_locator", "later in the order of locators than c0")),
    (
        {"rank": 2, "value": 9e9, "publisher": "MLCO2", "voice": "MLCO2"},
        ("conflicting", "lower_priority", "lower priority than epoch_all"),
    ),
    ({"reason_code": "states_nothing", "reason": "…"}, ("superseded", "states_nothing", "…")),
    ({"reason_code": "replaced", "reason": "corrected (c)"}, ("superseded", "replaced", "corrected (c)")),
    ({"reason_code": "zero", "reason": "states nothing"}, ("quarantined", "zero", "states nothing")),
]


def test_a_claim_that_lost_says_why() -> None:
    for made, (other, verdict) in zip(judged_apart(*([{}, other] for other, _ in LOST)), LOST, strict=True):
        told = made[["status", "reason_code", "reason"]]
        assert tuple(told.loc["c0"]) == ("selected", "first", "first in the order of selection"), other
        assert tuple(told.loc["c1"]) == verdict, other


def test_what_loses_to_a_correction_names_it() -> None:
    made = judged({"correction": "m-all"}, {"rank": 2})
    assert made.loc["c1", "reason"] == "lower priority than correction m-all"


@pytest.mark.parametrize(
    ("value", "status", "support"), [(1.04e9, "superseded", 2), (0.96e9, "superseded", 2), (1.06e9, "conflicting", 1)]
)
def test_numbers_within_five_percent_support_each_other(value: float, status: str, support: int) -> None:
    made = judged({}, {"value": value, "publisher": "MLCO2", "voice": "MLCO2", "rank": 2})
    assert (made.loc["c1", "status"], made.loc["c0", "supporting_publishers"]) == (status, support)


EVIDENCE = [("seen", "curated"), ("secondary", "epoch_all"), ("recalled", "epoch_all")]


def test_only_what_was_seen_in_the_developers_own_text_comes_before_the_databases() -> None:
    fields, sources = ("parameters", "publication_date", "name"), load_sources(Paths(CHECKOUT))
    facts = [
        USUAL | {"model_id": evidence, "field": field, "hash": place, **said}
        for evidence, _ in EVIDENCE
        for field in fields
        for place, said in enumerate(
            (
                {"source_id": "curated", "evidence": evidence, "code": "2024-05-13"},
                {"source_id": "epoch_all", "code": "2024-05-20"},
            )
        )
    ]
    claims = make_claims(
        pd.DataFrame(facts).assign(value=float("nan")), sources, load_selection(Paths(CHECKOUT), sources.values())
    )
    made = select(claims).set_index(["model_id", "field", "source_id"]).sort_index()
    for evidence, first in EVIDENCE:
        for field in fields:
            one = made.loc[(evidence, field)]
            assert one["status"].eq("selected").to_dict() == {name: name == first for name in ("curated", "epoch_all")}
            assert one["reason"].drop(first).tolist() == [f"lower priority than {first}"], (evidence, field)


ORDER: list[tuple[Claim, Claim]] = [
    ({"value": float("nan"), "low": 1e8}, {"rank": 2}),
    ({"value": float("nan"), "high": 1e8}, {"rank": 2}),
    ({"rank": 2}, OLDER),
    ({"locator": "note"}, OLDER),  # a plain column comes before a newer note
    (OLDER, {"record": "M @ link"}),
    ({"record": "M @ link"}, {"evidence": "seen", "locator": "table 1"}),
    ({"evidence": "seen", "locator": "table 1", **OLDER}, {"evidence": "seen", "locator": "table 2"}),
    ({"locator": "table 2"}, {"locator": "table 1"}),
    ({"hash": 2}, {}),
]


def test_the_order_of_selection_is_total() -> None:
    for made, pair in zip(judged_apart(*ORDER), ORDER, strict=True):
        assert made["status"].tolist() == ["superseded", "selected"], pair


def test_the_winners_alone_are_those_that_are_selected() -> None:
    rows = [{}, {"rank": 0, "reason_code": "held"}, {"rank": 2}, {"model_id": "n", "rank": 3}]
    claims = pd.DataFrame([USUAL | row | {"claim_id": f"c{n}", "hash": n} for n, row in enumerate(rows)])
    assert winners(claims)["claim_id"].tolist() == ["c0", "c3"]
    made = select(claims)
    assert made.loc[made["status"] == "selected", "claim_id"].tolist() == ["c0", "c3"]


def test_a_field_may_have_an_order_of_its_own() -> None:
    facts = [
        USUAL | {"field": field, "source_id": source, "hash": place}
        for field in ("parameters", "name")
        for place, source in enumerate(("epoch_all", "epoch_notable"))
    ]
    ranks = {"epoch_all": 0, "epoch_notable": 1}
    selection = Selection(ranks, {"name": {"epoch_all": 5, "epoch_notable": 4}})
    made = make_claims(pd.DataFrame(facts), load_sources(Paths(CHECKOUT)), selection)
    assert made["rank"].tolist() == [0, 1, 5, 4]


@pytest.mark.parametrize(
    ("said", "stated", "who"),
    [
        ({}, None, "third_party"),
        ({"evidence": "seen"}, None, "reported"),
        ({"evidence": "secondary"}, None, "third_party"),
        ({"reference": "arXiv:1706.03762"}, None, "reported"),
        ({"reference": "doi:10.1038/1"}, None, "reported"),
        ({"reference": "https://example.org/m"}, None, "reported"),
        ({"reference": "arXiv:1706.03763"}, None, "third_party"),
        ({}, True, "reported"),
        ({}, False, "third_party"),
        ({"model_id": "without"}, None, "third_party"),
        ({"evidence": "seen", "correction": "m-1"}, True, "corrected"),
    ],
)
def test_a_value_is_that_of_a_third_party_unless_its_developers_say_it(
    said: Claim, stated: bool | None, who: str
) -> None:
    links = pd.Series({"m": "https://arxiv.org/abs/1706.03762 https://doi.org/10.1038/1 https://example.org/m"})
    claims = pd.DataFrame([USUAL | said])
    found = who_says(claims, links, None if stated is None else pd.Series({"m": stated}))
    assert found.to_dict() == {claims.at[0, "model_id"]: who}


def test_each_field_of_each_model_has_its_own_winner() -> None:
    made = judged({}, {"field": "tokens"}, {"model_id": "n"}, {"model_id": "n", "field": "tokens"}, {"rank": 2})
    assert made["status"].tolist() == [*["selected"] * 4, "superseded"]
    assert made["supporting_publishers"].fillna(0).tolist() == [1, 1, 1, 1, 0]


OTHER = {"publisher": "MLCO2", "voice": "MLCO2", "rank": 2}
TEXT = {"value": float("nan"), "code": "A"}


SUPPORT: list[tuple[Claim, Claim, str, int]] = [
    ({}, OTHER | {"value": 1.05e9}, "superseded", 2),  # exactly 5 %
    ({}, OTHER | {"value": 1.0501e9}, "conflicting", 1),
    ({}, OTHER | {"evidence": "seen"}, "superseded", 2),
    ({}, OTHER | {"voice": ""}, "superseded", 1),  # nobody's own statement
    ({"voice": ""}, OTHER, "superseded", 2),
    ({}, OTHER | {"voice": "Epoch AI"}, "superseded", 1),  # who copied it
    ({}, {"rank": 2, "value": 9e9}, "superseded", 1),  # who said otherwise before
    ({}, {"rank": 2, "value": 9e9, "voice": "MLCO2"}, "superseded", 1),
    (TEXT, OTHER | TEXT, "superseded", 2),
    (TEXT, OTHER | TEXT | {"code": "B"}, "conflicting", 1),
    (TEXT, OTHER, "conflicting", 1),
    ({"code": "A"}, OTHER | {"code": "A", "value": 9e9}, "conflicting", 1),
]


def test_who_supports_and_who_contradicts_a_claim() -> None:
    for made, case in zip(judged_apart(*(case[:2] for case in SUPPORT)), SUPPORT, strict=True):
        assert (made.loc["c1", "status"], made.loc["c0", "supporting_publishers"]) == case[2:], case


def test_a_voice_counts_once_however_many_claims_it_makes() -> None:
    assert judged({}, OTHER, OTHER, OTHER | {"voice": "FMTI"}).loc["c0", "supporting_publishers"] == 3
    assert judged({}, OTHER, OTHER | {"field": "tokens"}).loc["c0", "supporting_publishers"] == 2


def test_what_nobody_stands_by_or_could_be_read_takes_no_part() -> None:
    unread = [{"reason_code": code, "rank": 0} for code in ("withdrawn", "states_nothing", "negative")]
    made = judged(*unread, {})
    assert made["status"].tolist() == ["superseded", "superseded", "quarantined", "selected"]
    assert made["supporting_publishers"].fillna(0).tolist() == [0, 0, 0, 1]


def test_a_record_names_its_model_and_a_duplicate_where_nothing_else_has_its_name() -> None:
    records = {"A": "a", "A @ one": "a-2", "B @ one": "b", "C @ one": "c", "C @ two": "c-2", "D @ x": "d", "D @ y": "d"}
    claims = pd.DataFrame([{"record": record, "model_id": of} for record, of in (*records.items(), ("A", "z"))])
    found = ids_by_name(claims)
    assert found.to_dict() == records | {"B": "b", "D": "d"}


def test_the_tables_are_built_from_the_selected_claims() -> None:
    made = judged({"hash": 0}, {"rank": 2}).reset_index()
    blank = dict.fromkeys(("note", "reference", "correction"), "")
    found = selected(made.assign(**blank, value_text=made["claim_id"]))
    assert found["value_text"].tolist() == ["c0"]


def test_a_doubled_record_goes_by_its_name_where_that_is_free_and_means_one_model() -> None:
    records = {
        "Qwen2.5-VL-7B @ https://arxiv.org/abs/2502.13923": "qwen2.5-vl-7b",
        "CALM": "calm",
        "CALM @ https://example.org/1": "calm-1",
        "Ada @ https://example.org/2": "ada-2",
        "Ada @ https://example.org/3": "ada-3",
    }
    claims = pd.DataFrame({"record": list(records) * 2, "model_id": list(records.values()) * 2}).astype("str")
    found = ids_by_name(claims)
    assert found["Qwen2.5-VL-7B"] == "qwen2.5-vl-7b"
    assert found["CALM"] == "calm"
    assert "Ada" not in found
