"""The steps of a build with stand-ins for the work: what each is given, what is checked by which rules, and what is
said."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import FrozenInstanceError
from datetime import date
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline import build
from pipeline.build_version import build_version
from pipeline.config import SCHEMA_VERSION, Config
from pipeline.errors import DataError, Problem
from pipeline.impute import stage as imputing
from pipeline.normalize.reasons import BREAKS_RULE
from pipeline.paths import Paths
from pipeline.publish.stage import manifest_head
from pipeline.validate import pandera_alone
from pipeline.validate import stage as validating
from pipeline.validate.blame import ContradictionError

FIELD = "training_compute_flop"
FAULT = Problem("models", "m", "name", "x", "is wrong", "mend it")


class Build:
    """What a build does, in order, with one table of each stage; so many of its first tries contradict a row of
    `broken`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, broken: str = "models", faulty: int = 0) -> None:
        self.done: list[Any] = []
        self.faulty, self.broken = faulty, broken
        for name in ("spare_memory", "release_memory"):
            monkeypatch.setattr(build, name, lambda: None)
        monkeypatch.setattr(build, "inputs_digest", lambda *given: f"digest of {given[1]}")
        monkeypatch.setattr(build, "load_config", lambda _: Some(schemas="schemas", views="views", name="declared"))
        monkeypatch.setattr(build, "without_rules", lambda _: "fewer rules")
        monkeypatch.setattr(build, "with_waivers", lambda judge, claims: (judge, claims))
        monkeypatch.setattr(build, "manifest_head", lambda *_: "head")
        monkeypatch.setattr(build, "check_links", lambda _, made: self.done.append(("links", sorted(made))))
        monkeypatch.setattr(
            build, "blame", lambda judge, error, made, facts: ContradictionError({facts: made["models"]})
        )
        monkeypatch.setattr(build, "record_facts", lambda *_: "facts")
        monkeypatch.setattr(build, "check_stated", lambda *_: None)
        for name in ("publication", "normalized", "imputed", "check_tables"):
            monkeypatch.setattr(build, name, getattr(self, name))

    @contextmanager
    def publication(self, *given: Any) -> Iterator[Any]:
        self.done.append(("begin", *given))
        yield Some(add=lambda tables: self.done.append(("add", *tables)), finish=lambda *given: self.done.append(given))

    def normalized(self, _: object, as_of: date | None, read: object, aside: dict[str, str]) -> Iterator[Any]:
        self.done.append(("facts", as_of, read, dict(aside)))
        yield {"claims": "claims", "models": "unfinished"}

    def imputed(self, *_: object) -> Iterator[Any]:
        yield {self.broken: "wide"}

    def check_tables(self, judge: Any, tables: Any, claims: Any = None) -> Any:
        self.done.append(("check", getattr(judge, "name", judge), *tables))
        if self.broken in tables and tables[self.broken] == "wide" and self.faulty:
            self.faulty -= 1
            raise DataError([FAULT])
        return tables


def test_a_build_publishes_what_was_checked_and_bears_the_digest_of_its_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Build(monkeypatch)
    made = build.build(Paths(Path("/c")))
    assert made == {"claims": "claims", "models": "wide"}
    judged = done.done[4][1]
    assert (judged[0].name, judged[1]) == ("declared", "claims")
    assert done.done == [
        ("begin", "schemas", "views", Path("/c/data/processed")), ("facts", None, None, {}),
        ("check", "declared", "claims"), ("add", "claims"), ("check", judged, "models"), ("add", "models"),
        ("links", ["claims", "models"]), ("head", "digest of None"),
    ]  # fmt: skip
    done.done.clear()
    build.build(Paths(Path("/c")), date(2026, 3, 30))
    assert done.done[1:3] == [("facts", date(2026, 3, 30), None, {}), ("check", "fewer rules", "claims")]


def test_claims_that_break_a_rule_are_set_aside_in_a_second_try(monkeypatch: pytest.MonkeyPatch) -> None:
    done = Build(monkeypatch, faulty=1)
    assert build.build(Paths(Path("/c")))["models"] == "wide"
    assert [event[3] for event in done.done if event[0] == "facts"] == [{}, {"facts": "wide"}]
    Build(monkeypatch, broken="estimates", faulty=1)
    monkeypatch.setattr(build, "blame", lambda *given: given[1])  # a fault of our own lines
    with pytest.raises(DataError, match=r"models \[m\]: name \"x\": is wrong; mend it"):
        build.build(Paths(Path("/c")))


SET_ASIDE = {"source_id": "epoch_all", "record": "M", "field": FIELD, "value_text": "1e30", "reason": "breaks a rule"}
LAPSED = {**SET_ASIDE, "correction_id": "m-all", "now": "1e29"}


def summary(monkeypatch: pytest.MonkeyPatch, estimates: list[Any], reasons: list[str], warnings: int) -> list[str]:
    wide = {
        "training_compute_source": ["reported", "imputed", "imputed", None],
        "is_notable": [True, False, True, True],
    }
    made = {
        "models": pd.DataFrame(wide | {FIELD: [1.0, 2.0, 3.0, np.nan]}),
        "estimates": pd.DataFrame(estimates, columns=["is_selected", "field", "method", "value"]),
        "model_hardware": pd.DataFrame({"hardware_id": ["h", None, "i"]}),
        "quarantine": pd.DataFrame({"reason_code": reasons}).assign(**SET_ASIDE),
        "corrections": pd.DataFrame({"model_id": ["m"], "field": [FIELD], "rule": [None]}),
        "claims": pd.DataFrame(index=range(9)),
    }
    monkeypatch.setattr(
        build, "warnings_of", lambda _wide, _table, seen: [f"{sorted(seen)} {n}" for n in range(warnings)]
    )
    monkeypatch.setattr(build, "lapsed", lambda *_: [LAPSED] * (warnings // 4))
    monkeypatch.setattr(build, "idle_acknowledgements", lambda *_: ["keeps a rule"] * (warnings // 12))
    monkeypatch.setattr(build, "is_stale", lambda _: bool(warnings))
    return build.summarize(Some(schemas={"models": None}, paths=None), made)


def test_a_build_says_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    estimates = [
        (True, FIELD, "hardware", 1e20), (True, FIELD, "operation_counting", 1e20), (True, FIELD, "hardware", 1e20),
        (True, FIELD, "base", np.nan), (False, FIELD, "hardware", 1.0), (True, "power", "energy", 1.0),
        (False, FIELD, "statistical", np.nan),
    ]  # fmt: skip
    assert summary(monkeypatch, estimates, [BREAKS_RULE, "zero", "zero"], 12) == [
        "models        4, of which 3 notable",
        "training FLOP 3: 2 imputed, 1 reported",
        "imputed       2 by hardware, 1 by operation_counting; 1 more have a bound; 2 times a method abstained",
        "claims        9, of which 3 quarantined",
        "hardware      2 of 3 mentions resolved",
        f"set aside     1 {build.AGAIN}",
        f'set aside     epoch_all [M]: {FIELD} "1e30": breaks a rule',
        *[
            f'correction    epoch_all [M]: {FIELD} "1e30": m-all keeps its effect, but the cell has 1e29 now; '
            "check it, and give the entry `until` or the value"
        ]
        * 3,
        "warning: keeps a rule",
        *(f"warning: [('m', '{FIELD}')] {number}" for number in range(10)),
        "2 more of these",
        build.EARLIER,
    ]
    few = summary(monkeypatch, estimates[3:4], ["zero"], 0)
    assert few[2:] == [
        "imputed       none; 1 more have a bound; 1 times a method abstained",
        "claims        9, of which 1 quarantined",
        "hardware      2 of 3 mentions resolved",
    ]


def test_what_was_measured_has_runs_where_there_are_some(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imputing, "check_whole", lambda _: None)
    monkeypatch.setattr(imputing, "load_measured", lambda _, name: name)
    monkeypatch.setattr(imputing, "conform", lambda frame, schema: (frame, schema))
    monkeypatch.setattr(imputing, "derive_measured", lambda *given: given)
    names = ("calibration", "scores", "measured_runs")
    context: Any = Some(
        paths=None, schemas={name: name for name in names}, vocabularies={"numerical_formats": "f"}, constants="c"
    )
    two = {name: (name, name) for name in names[:2]}
    assert imputing.measured_tables(context, {}) == two
    runs = imputing.measured_tables(context, {"measured_runs": "runs", "hardware": "chips"})
    assert runs == two | {"measured_runs": ("runs", "chips", "measured_runs", "f", "c")}


def test_a_calibration_is_read_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imputing, "load_calibrated", lambda paths: f"read from {paths}")
    monkeypatch.setattr(imputing, "_estimated", lambda _, made, calibrated: made | {"estimates": calibrated})
    monkeypatch.setattr(imputing, "_derived", lambda _, made, calibrated: made | {"predictions": calibrated})
    context: Any = Some(paths="here")
    assert imputing.with_estimates(context, {}) == dict.fromkeys(("estimates", "predictions"), "read from here")
    given: Any = "given"
    assert imputing.with_estimates(context, {}, given) == dict.fromkeys(("estimates", "predictions"), "given")


def test_all_faults_are_raised_at_once_and_those_of_models_with_the_facts_behind_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []

    def checked(frame: str, schema: str, _: object, origin: Any) -> list[Problem]:
        asked.append((frame, schema, origin))
        return [FAULT._replace(where=frame)] * (frame == "bad")

    monkeypatch.setattr(validating, "check_table", checked)
    monkeypatch.setattr(validating, "origin_of", lambda *given: given[1:])
    monkeypatch.setattr(validating, "check_references", lambda made, _: [FAULT] * len(made))
    context: Any = Some(paths=None, vocabularies=None, schemas={"models": "of models", "runs": "of runs"})
    made: Any = {"models": "wide", "runs": "good"}
    assert validating.check_tables(context, made) is made
    assert asked == [("wide", "of models", validating.nowhere), ("good", "of runs", validating.nowhere)]
    with pytest.raises(DataError) as caught:
        validating.check_tables(context, {"models": "bad", "runs": "bad"}, "claims")
    assert len(caught.value.problems) == 2
    assert asked[2:] == [("bad", "of models", ("claims", "of models")), ("bad", "of runs", validating.nowhere)]
    validating.check_links(context, {})
    with pytest.raises(DataError, match="is wrong"):
        validating.check_links(context, made)


def test_the_head_of_the_manifest_names_the_vintage_and_the_snapshots_in_use(tmp_path: Path) -> None:
    sources = pd.DataFrame({"source_id": ["a", "b"], "snapshot": [pd.Timestamp("2026-03-30"), pd.NaT]})
    context: Any = Some(paths=Paths(tmp_path))
    same = {"name": "traincompute", "schema_version": SCHEMA_VERSION, "snapshots": {"a": "2026-03-30"}}
    head = manifest_head(context, {"sources": sources}, None)
    assert head == same | {"version": build_version(), "as_of": None, "lock_sha256": hashlib.sha256(b"").hexdigest()}
    context.paths.lock.parent.mkdir(parents=True)
    context.paths.lock.write_bytes(b"{}")
    head = manifest_head(context, {"sources": sources}, date(2026, 3, 30))
    assert (head["version"], head["as_of"]) == ("vintage-2026-03-30", "2026-03-30")
    assert head["lock_sha256"] == hashlib.sha256(b"{}").hexdigest()


def test_a_checkout_with_some_of_its_sources_has_their_part_of_the_lock() -> None:
    nothing: Any = None
    context = Config(nothing, dict.fromkeys("abc", nothing), {"a": 1, "c": 3, "gone": 4}, *[nothing] * 6)
    some = context.of_sources(["a", "b"])
    assert (dict(some.sources), dict(some.lock)) == ({"a": None, "b": None}, {"a": 1})
    with pytest.raises(FrozenInstanceError):
        some.lock = {}


def test_pandera_does_without_hypothesis_and_leaves_it_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", sys)
    monkeypatch.delitem(sys.modules, "hypothesis")
    importlib.reload(pandera_alone)
    assert "hypothesis" not in sys.modules
    assert pandera_alone.pa.DataFrameSchema
