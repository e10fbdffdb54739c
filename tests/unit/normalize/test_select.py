"""The selection among claims: status and reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pytest
from plain_source import replace, source

from pipeline.config import Selection, Source, load_selection, load_sources
from pipeline.normalize.select import make_claims, select, who_says, without_lost_models
from pipeline.paths import CHECKOUT, Paths

USUAL: dict[str, Any] = {
    "model_id": "m",
    "field": "parameters",
    "record": "M",
    "value": 1e9,
    "low": float("nan"),
    "high": float("nan"),
    **dict.fromkeys(("code", "evidence", "reference", "locator", "reason_code", "reason", "correction"), ""),
    "publisher": "Epoch AI",
    "voice": "Epoch AI",
    "source_id": "epoch_all",
    "rank": 1,
    "place": 0,
    "changed": 20654,
    "since": pd.Timestamp("2026-07-19"),
}
OTHER = {"place": 1, "source_id": "epoch_notable"}
OLDER = OTHER | {"changed": 20653}
Claim = dict[str, Any]


def judged(*changes: Claim) -> pd.DataFrame:
    """The claims c0, c1 … judged in this order and in reverse."""
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
    ({"reason_code": "states_nothing", "reason": "…"}, ("superseded", "states_nothing", "…")),
    ({"reason_code": "replaced", "reason": "corrected (c)"}, ("superseded", "replaced", "corrected (c)")),
    ({"reason_code": "zero", "reason": "states nothing"}, ("quarantined", "zero", "states nothing")),
]


def test_a_claim_that_lost_says_why() -> None:
    for made, (other, verdict) in zip(judged_apart(*([{}, other] for other, _ in LOST)), LOST, strict=True):
        told = made[["status", "reason_code", "reason"]]
        assert tuple(told.loc["c0"]) == ("selected", "first", "first in the order of selection"), other
        assert tuple(told.loc["c1"]) == verdict, other


@pytest.mark.parametrize(("evidence", "first"), [("seen", 0), ("secondary", 1), ("recalled", 1)])
def test_only_what_was_seen_in_the_developers_own_text_comes_before_the_databases(evidence: str, first: int) -> None:
    sources = load_sources(Paths(CHECKOUT))
    facts = [
        USUAL | {"field": field, "hash": place, "value": float("nan"), "code": f"2024-05-{place + 13}", **said}
        for field in ("parameters", "publication_date", "name")
        for place, said in enumerate(({"source_id": "curated", "evidence": evidence}, {"source_id": "epoch_all"}))
    ]
    selection = load_selection(Paths(CHECKOUT), sources.values())
    made = select(make_claims(pd.DataFrame(facts), sources, selection))
    assert made["status"].eq("selected").tolist() == [first == 0, first == 1] * 3
    assert made["reason_code"].tolist() == (["first", "lower_priority"][:: 1 if first == 0 else -1]) * 3


ORDER: list[tuple[Claim, Claim]] = [
    ({"value": float("nan"), "low": 1e8}, {"rank": 2}),
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


def test_a_value_is_that_of_a_third_party_unless_its_developers_say_it() -> None:
    links = pd.Series({"m": "https://arxiv.org/abs/1706.03762 https://doi.org/10.1038/1 https://example.org/m"})
    for said, stated, who in [
        ({}, None, "third_party"),
        ({"evidence": "seen"}, None, "reported"),
        ({"reference": "arXiv:1706.03762"}, None, "reported"),
        ({"reference": "doi:10.1038/1"}, None, "reported"),
        ({"reference": "arXiv:1706.03763"}, None, "third_party"),
        ({}, pd.Series({"m": True}), "reported"),
        ({}, pd.Series({"m": False}), "third_party"),
        ({"evidence": "seen", "correction": "m-1"}, pd.Series({"m": True}), "corrected"),
    ]:
        assert who_says(pd.DataFrame([USUAL | said]), links, stated).to_dict() == {"m": who}


OTHER = {"publisher": "MLCO2", "voice": "MLCO2", "rank": 2}
TEXT = {"value": float("nan"), "code": "A"}


SUPPORT: list[tuple[Claim, Claim, str, int]] = [
    ({}, OTHER | {"value": 1.05e9}, "superseded", 2),  # exactly 5 %
    ({}, OTHER | {"value": 1.0501e9}, "conflicting", 1),
    ({}, OTHER | {"voice": ""}, "superseded", 1),  # nobody's own statement
    ({"voice": ""}, OTHER, "superseded", 2),
    ({}, OTHER | {"voice": "Epoch AI"}, "superseded", 1),  # who copied it
    ({}, {"rank": 2, "value": 9e9}, "superseded", 1),  # who said otherwise before
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


def test_what_is_known_of_a_model_that_no_source_names_any_more_is_quarantined() -> None:
    made = judged({"field": "name"}, {}, {"model_id": "gone"}, {"model_id": "gone", "rank": 2}).reset_index()
    kept, lost = without_lost_models(made)
    assert (kept["model_id"].unique().tolist(), lost["reason_code"].unique().tolist()) == (["m0"], ["no_model"])
    assert set(lost["status"]) == {"quarantined"}


RANKS, URL = {"first": 0, "copy": 1, "other": 2}, "https://example.org/models.csv"


def support(*sources: Source, evidence: str = "", reference: str = "") -> int:
    """The publishers that support a parameter count."""
    rows = [
        USUAL | {"source_id": one.id, "hash": n, "value_text": "7e9", "value": 7e9} for n, one in enumerate(sources)
    ]
    facts = pd.DataFrame(rows).astype({"hash": "uint64"})
    facts.loc[facts.index[-1], ["evidence", "reference"]] = [evidence, reference]
    claims = make_claims(facts, {one.id: one for one in sources}, Selection(RANKS, {}))
    return int(select(claims).set_index("source_id").loc["first", "supporting_publishers"])


FIRST, COPY, THIRD = (source(id=name, publisher=name[0]) for name in RANKS)
DERIVED, FILE = replace(COPY, derived_from="first"), replace(COPY, urls=(URL,))


@pytest.mark.parametrize(
    ("sources", "evidence", "reference", "publishers"),
    [
        ((FIRST, THIRD), "", "", 2),
        ((FIRST, replace(COPY, publisher="f")), "", "", 1),  # two files of one
        ((FIRST, DERIVED, THIRD), "", "", 2),
        ((FIRST, THIRD), "secondary", "https://example.org/elsewhere", 1),
        ((FIRST, THIRD), "recalled", "", 1),
        ((FIRST, FILE, THIRD), "secondary", URL, 2),  # the file's publisher says so himself
        ((FIRST, THIRD), "seen", "https://example.org/elsewhere", 2),
        ((replace(FIRST, urls=(URL,)), THIRD), "secondary", URL, 1),
    ],
)
def test_only_independent_publishers_support_a_value(
    sources: tuple[Source, ...], evidence: str, reference: str, publishers: int
) -> None:
    assert support(*sources, evidence=evidence, reference=reference) == publishers
