"""Which model is shown to who asks about one, and what is said where it is not clear."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from traincompute.base.errors import NotFoundError
from traincompute.explain import lookup

# m0 to m29 with 0 to 29 FLOP, of which those before m15 are notable
MODELS = """create table models as select 'm' || i as model_id, 'M' || i as name, i < 15 as is_notable,
i::double as training_compute_flop from range(30) t(i)"""
BEST = "'x' fits {} models; this is the notable one with the most compute. The others: {}"


def asked(monkeypatch: pytest.MonkeyPatch, ids: list[int], scores: dict[int, int] | None = None, **more: Any) -> Any:
    """What `find_model` says of x, where `resolve` has these candidates and `search` finds models with these scores."""
    found = [{"model_id": f"m{i}", "name": f"M{i}", "score": score} for i, score in (scores or {}).items()]
    answer = {"model_id": None, "candidates": [f"m{i}" for i in ids]} | more
    monkeypatch.setattr(lookup, "resolve", lambda *_: [answer])
    monkeypatch.setattr(lookup, "search", lambda _, text, limit: found[:limit])
    with duckdb.connect() as connection:
        connection.execute(MODELS)
        try:
            return lookup.find_model(connection, "m3" if more.get("is_id") else "x")
        except NotFoundError as error:
            return str(error).splitlines()


def test_an_id_and_a_name_of_one_model_are_not_talked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, [1, 2], is_id=True) == ("m3", None)
    assert asked(monkeypatch, [1, 2], model_id="m4") == ("m4", None)


def test_a_wrong_name_gets_the_five_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    near = "m0 (M0), m1 (M1), m2 (M2), m3 (M3), m4 (M4)"
    assert asked(monkeypatch, [], dict.fromkeys(range(9), 1)) == [f"no model 'x'; did you mean: {near}?"]
    assert asked(monkeypatch, []) == ["no model 'x'"]


def test_of_several_the_notable_one_with_the_most_compute_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, [2, 14, 19, 1]) == ("m14", BEST.format(4, "m2, m19, m1"))
    assert asked(monkeypatch, [16, 17]) == ["'x' fits 2 models; name one:", "  m16 (M16)", "  m17 (M17)"]
    assert asked(monkeypatch, list(range(12)))[0] == "m11"
    assert len(asked(monkeypatch, list(range(15, 27)))) == 1 + 12, "none is notable, and there are no more"
    lines = asked(monkeypatch, list(range(13)))
    assert (lines[0], lines[12:]) == ("'x' fits 13 models; name one:", ["  m11 (M11)", "  … and 1 more"])


def test_the_only_one_that_begins_so_is_one_of_those_that_are_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, [16]) == ("m16", None), "the only one need not be notable"
    assert asked(monkeypatch, [16], {16: 90, 9: 60, 10: 59}) == ("m9", BEST.format(2, "m16"))
    assert asked(monkeypatch, [0], dict.fromkeys(range(20), 60))[0] == "'x' fits 13 models; name one:"
