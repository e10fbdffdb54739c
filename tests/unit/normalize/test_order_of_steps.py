"""The first stage with stand-ins for its steps: which facts each is given, and what is made once and used again."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from types import SimpleNamespace as Some
from typing import Any

import pandas as pd
import pytest

from pipeline.normalize import stage
from pipeline.normalize.stage import Read

DAY = date(2026, 3, 30)


def source(subject: str = "models", *, makes_models: bool = True, priority: int = 1, name: str = "") -> Some:
    return Some(subject=subject, makes_models=makes_models, priority=priority, id=name)


def typed(**columns: list[Any]) -> pd.DataFrame:
    return pd.DataFrame({"until": None, "text": "t"} | columns)


def test_whoever_reads_a_ledger_gives_the_facts_and_their_readings_alone() -> None:
    assert list(inspect.signature(Read).parameters) == ["ledger", "readings"]


def test_facts_about_models_are_those_of_models_that_some_source_makes_in_the_order_of_their_claims() -> None:
    """`said` only speaks of models: of b, which no other source knows, there is nothing."""
    facts = typed(
        subject=["models"] * 5 + ["hardware"],
        model_id=["a", "a", "b", "", "c", "d"],
        source_id=["made", "said", "said", "made", "made", "made"],
        hash=[9, 7, 1, 2, 5, 3],
    )
    context: Any = Some(sources={"made": source(), "said": source(makes_models=False)})
    found = stage.about_models(context, facts)
    assert found.to_dict("list") == {
        "model_id": ["c", "a", "a"],
        "source_id": ["made", "said", "made"],
        "hash": [5, 7, 9],
    }
    assert list(found.index) == [0, 1, 2]
    no_other = facts.assign(
        subject=["models", "models", "models", "models", "models", "hardware"], model_id=[*"aabxcb"]
    )
    assert "b" not in set(stage.about_models(context, no_other)["model_id"]), "a chip of that name makes no model"


def test_ids_come_from_records_of_sources_about_models(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = pd.DataFrame({"source_id": ["m", "h", "m"], "record": [*"xyz"], "since": 1, "field": "f"})
    asked: list[Any] = []

    def resolve(records: pd.DataFrame, *given: Any) -> pd.DataFrame:
        asked.extend([records["record"].tolist(), *given])
        return records.assign(model_id=records["record"].str.upper())

    monkeypatch.setattr(stage.facts, "load_facts", lambda *_: ledger)
    monkeypatch.setattr(stage.identity, "resolve_models", resolve)
    monkeypatch.setattr(stage, "_decisions", lambda _: "decisions")
    paths = Some(identities="file", short=lambda file: f"short {file}")
    context: Any = Some(
        paths=paths, lock={}, components=[], sources={"m": source(), "h": source("hardware", makes_models=False)}
    )
    assert stage.load_ledger(context)["model_id"].fillna("").tolist() == ["X", "", "Z"]
    assert asked == [["x", "z"], "decisions", "short file", ["h"]]


def test_revisions_and_records_are_made_once_of_equal_facts(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def make(*given: Any) -> pd.DataFrame:
        made.append(given[-1])
        return pd.DataFrame({"n": [len(made)]})

    monkeypatch.setattr(stage.revisions, "make_revisions", make)
    monkeypatch.setattr(stage, "_days", lambda _: {})
    monkeypatch.setattr(stage, "_decisions", lambda _: [])
    context: Any = Some(schemas={"revisions": "schema"})
    read = Read(pd.DataFrame(), pd.DataFrame())
    assert stage._revisions_once(context, read) is stage._revisions_once(context, read)
    assert made == ["schema"]
    monkeypatch.setattr(stage, "_records", make)
    facts, known = pd.DataFrame({"a": [1, 2]}, index=[5, 6]), dict[str, Any]()
    first = stage._records_once(context, facts, "hardware", known)
    assert stage._records_once(context, facts.set_axis([8, 9]), "hardware", known) is first
    other = stage._records_once(context, facts * 2, "hardware", known)
    assert other["n"].tolist() == [3]
    assert stage._records_once(context, facts * 2, "hardware", known) is other
    assert stage._records_once(context, facts * 2, "clusters", known)["n"].tolist() == [4]
    assert stage._records_once(context, facts, "hardware", None)["n"].tolist() == [5], "nothing is kept"
    assert sorted(known) == ["clusters", "hardware"]


def test_a_table_of_chips_is_always_there_beside_those_of_records_and_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "_records_once", lambda _, rows, name, known: f"{len(rows)} {name} {known}")
    monkeypatch.setattr(stage, "empty_frame", lambda schema: f"no {schema}")
    monkeypatch.setattr(stage.tables, "with_equivalents", lambda hardware, about: f"{hardware}, {about}")
    monkeypatch.setattr(stage, "model_tables", lambda _, judged, hardware: {"models": (judged, hardware)})
    context: Any = Some(schemas={"hardware": "chips"}, constants={"equivalents": "worth"})
    assert stage.record_tables(context, typed(subject=["runs"])) == {
        "runs": "1 runs None",
        "hardware": "no chips, worth",
    }
    found: Any = stage.pivot_tables(context, "judged", typed(subject=["hardware"]))
    assert found == {"hardware": "1 hardware None, worth", "models": ("judged", "1 hardware None, worth")}


@pytest.fixture
def facts_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """The names of the sources whose facts were read last; of each there is one that stands and one that ended."""
    names: list[str] = []

    def load(_paths: object, sources: dict[str, Any], _lock: object) -> pd.DataFrame:
        names[:] = sources
        rows = [(name, until) for name in sources for until in (None, "2025")]
        return pd.DataFrame(rows, columns=["source_id", "until"])

    monkeypatch.setattr(stage.facts, "load_facts", load)
    monkeypatch.setattr(stage, "read_ledger", lambda _, ledger: Read(ledger, pd.DataFrame()))
    monkeypatch.setattr(stage, "with_readings", lambda newest, _: newest)
    return lambda: names


def test_records_of_one_table_are_read_alone(
    monkeypatch: pytest.MonkeyPatch, facts_of: Callable[[], list[str]]
) -> None:
    sources = {"h": source("hardware", priority=3, name="h"), "m": source(name="m"), "c": source("clusters", name="c")}
    context: Any = Some(paths=None, lock={}, sources=sources, schemas={"hardware": "schema"}, vocabularies={})
    monkeypatch.setattr(stage.tables, "make_records", lambda ranked, schema, _: ranked.assign(schema=schema))
    found = stage.read_records(context, "hardware")
    assert facts_of() == ["h"]
    assert found.drop(columns="until").to_dict("records") == [{"source_id": "h", "priority": 3, "schema": "schema"}]


def test_what_is_about_no_models_is_made_of_its_sources_alone(
    monkeypatch: pytest.MonkeyPatch, facts_of: Callable[[], list[str]]
) -> None:
    sources = {"h": source("hardware"), "m": source(), "c": source("clusters")}
    some: Any = Some(paths=None, lock={}, schemas={"quarantine": "schema"})
    some.sources, some.of_sources = sources, lambda names: Some(**{**vars(some), "sources": dict.fromkeys(names)})
    monkeypatch.setattr(stage, "_typed", lambda _, read, as_of: ("typed", len(read.ledger), as_of))
    monkeypatch.setattr(stage, "record_tables", lambda _, facts: {"hardware": facts})
    monkeypatch.setattr(stage, "about_sources", lambda _context, _ledger, facts, as_of: {"sources": (facts, as_of)})
    monkeypatch.setattr(stage, "columns_frame", lambda _: "columns")
    monkeypatch.setattr(stage.tables, "make_quarantine", lambda claims, facts, schema: (len(claims), facts, schema))
    facts = ("typed", 4, None)
    assert stage.reference_tables(some) == {
        "hardware": facts, "sources": (facts, None), "columns": "columns", "quarantine": (0, facts, "schema"),
    }  # fmt: skip
    assert facts_of() == ["h", "c"]


class Steps:
    """The steps of `normalized`, each of which writes down what it was given of the facts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done: list[Any] = []
        facts = typed(
            subject=["models", "models", "hardware", "runs"], reason_code=["", "zero", "", "zero"], n=[1, 2, 3, 4]
        )
        monkeypatch.setattr(stage.corrections, "load_corrections", lambda _: [{"source": "known"}, {"source": "other"}])
        monkeypatch.setattr(stage.corrections, "check_cells", lambda *_: None)
        monkeypatch.setattr(stage.revisions, "known_on", lambda made, as_of: (made, as_of))
        monkeypatch.setattr(stage, "_revisions_once", lambda _, read: "revisions")
        monkeypatch.setattr(stage, "load_ledger", lambda _: pd.DataFrame({"read": ["here"]}))
        monkeypatch.setattr(stage, "read_ledger", lambda _, ledger: Read(ledger, pd.DataFrame()))
        monkeypatch.setattr(
            stage, "read_vintage", lambda _, read, as_of: self.noted("read", read.ledger["read"][0], as_of) or facts
        )
        monkeypatch.setattr(stage, "about_sources", lambda *_: {"sources": "s"})
        monkeypatch.setattr(stage, "columns_frame", lambda _: "c")
        monkeypatch.setattr(stage.aliases, "names_used", lambda *_: "named")
        monkeypatch.setattr(stage.aliases, "make_aliases", lambda *given: given[:2])
        monkeypatch.setattr(stage, "_decisions", lambda _: [])
        for name in ("hold", "hold_newcomers", "hold_exchanged"):
            monkeypatch.setattr(stage, name, lambda facts, *_, name=name: self.noted(name) or facts)
        monkeypatch.setattr(stage, "quarantine_bounds", lambda facts: facts)
        monkeypatch.setattr(stage, "about_models", lambda _, facts: facts["n"].tolist())
        monkeypatch.setattr(stage, "record_tables", self.record_tables)
        monkeypatch.setattr(stage, "stated_claims", lambda _context, known, _fixes, as_of, aside: (known, as_of, aside))
        monkeypatch.setattr(stage.claims, "select", self.select)
        monkeypatch.setattr(stage, "conform", lambda frame, _: list(frame))
        monkeypatch.setattr(stage.tables, "make_corrections", lambda about, *_: [entry["source"] for entry in about])
        monkeypatch.setattr(stage.tables, "make_quarantine", lambda _, others, __: others["n"].tolist())
        monkeypatch.setattr(stage, "model_tables", lambda _, judged, hardware: {"models": (list(judged), hardware)})

    def noted(self, *event: Any) -> None:
        self.done.append(event)

    def record_tables(self, _: object, others: pd.DataFrame, records: Any) -> dict[str, Any]:
        self.noted("records", others["n"].tolist(), records)
        return {"hardware": "chips"}

    def select(self, stated: Any) -> pd.DataFrame:
        self.noted("claims", *stated)
        return pd.DataFrame(columns=[*stage.claims.PIVOTED, "text"])


def test_what_is_made_of_the_facts_of_the_newest_state_and_of_a_vintage(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = Steps(monkeypatch)
    names = ("claims", "corrections", "quarantine", "aliases")
    context: Any = Some(paths=None, lock={}, sources={"known": None}, schemas=dict.fromkeys(names), views=[])
    pivoted = stage.claims.PIVOTED
    assert stage.normalize_tables(context, None) == {
        "revisions": ("revisions", None), "sources": "s", "columns": "c", "hardware": "chips", "claims": [*pivoted, "text"],
        "corrections": ["known"], "quarantine": [4], "models": (pivoted, "chips"), "aliases": ("named", (pivoted, "chips")),
    }  # fmt: skip
    assert steps.done == [
        ("read", "here", None), ("hold",), ("hold_newcomers",), ("hold_exchanged",), ("records", [3, 4], None),
        ("claims", [1, 2, 3, 4], None, {}),
    ]  # fmt: skip
    steps.done.clear()
    read = Read(pd.DataFrame({"read": ["given"]}), pd.DataFrame())
    list(stage.normalized(context, DAY, read, {"claim": "reason"}))
    assert steps.done == [
        ("read", "given", DAY), ("records", [3, 4], {}), ("claims", [1, 2, 3, 4], DAY, {"claim": "reason"})
    ]  # fmt: skip
    assert steps.done[1][2] is read.records
