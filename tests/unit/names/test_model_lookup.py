"""Which model is shown to who asks about one, and what is said where it is not clear."""

from __future__ import annotations

from typing import Any

import duckdb
import pytest

from traincompute.base.errors import NotFoundError
from traincompute.names import resolve

# m0 to m29 with 0 to 29 FLOP, of which those before m15 are notable; the names of the even ones begin with X
MODELS = """create table models as select 'm' || i as model_id, if(i % 2 = 0, 'X ', 'No X ') || i as name,
i < 15 as is_notable, i::double as training_compute_flop from range(30) t(i)"""
KEY = "create macro name_key(name) as replace(lower(name), ' ', '')"
BEST = "'x' fits {} models; this is the notable one with the most compute. The others: {}"


def asked(monkeypatch: pytest.MonkeyPatch, ids: list[int], near: int = 0, **more: Any) -> Any:
    """What `find_model` says of x, where `resolve` has these candidates and `search` finds so many models."""
    answer = {"model_id": None, "candidates": [f"m{i}" for i in ids]} | more
    monkeypatch.setattr("traincompute.names.resolve.resolve", lambda *_: [answer])
    rows = [{"model_id": f"m{i}", "name": f"M{i}"} for i in range(near)]
    monkeypatch.setattr("traincompute.names.resolve.search", lambda _, text, limit: rows[:limit])
    with duckdb.connect() as connection:
        connection.execute(MODELS)
        connection.execute(KEY)
        try:
            return resolve.find_model(connection, "m3" if more.get("is_id") else "x")
        except NotFoundError as error:
            return str(error).splitlines()


def test_an_id_and_a_name_of_one_model_are_not_talked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(monkeypatch, [1, 2], is_id=True) == ("m3", None)
    assert asked(monkeypatch, [1, 2], model_id="m4") == ("m4", None)


def test_a_wrong_name_gets_the_five_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    near = "m0 (M0), m1 (M1), m2 (M2), m3 (M3), m4 (M4)"
    assert asked(monkeypatch, [], 9) == [f"no model 'x'; did you mean: {near}?"]
    assert asked(monkeypatch, []) == ["no model 'x'"]


def test_of_several_the_notable_one_that_begins_so_with_the_most_compute_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert asked(monkeypatch, [2, 14, 16, 1]) == ("m14", BEST.format(4, "m2, m16, m1"))
    none = ["'x' is no model's name; it could mean:", "  m11 (No X 11)", "  m13 (No X 13)"]
    assert asked(monkeypatch, [11, 13]) == none, "another model is never shown"
    assert asked(monkeypatch, [16, 18])[0] == "'x' is no model's name; it could mean:", "neither is notable"
    assert asked(monkeypatch, [16]) == ("m16", "'x' is no full name; this is the only model that begins so")
    assert asked(monkeypatch, [17])[0] == "'x' is no model's name; it could mean:"
    lines = asked(monkeypatch, list(range(13)))
    assert (len(lines), lines[-1]) == (1 + 12 + 1, "  … and 1 more")
