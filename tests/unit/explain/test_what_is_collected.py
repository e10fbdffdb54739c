"""What a dataset of two models says about one of them, gathered by field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from traincompute.explain.collect import collect, one_field, read_fields

Told = dict[str, dict[str, Any]]
MADE = """
create table models as from (values ('a', 'A', 3e23, 2e23, 'x', 'r', date '2025-01-01', null), ('b', 'B', null, null, null, 'r', null, 'yes'))
  t(model_id, name, training_compute_flop, training_compute_low, base_model_id, training_run_id, publication_date, is_open);
create table columns as select 'models' as table_name, row_number() over () as position, * from (values ('model_id', null, 'the id', null, null),
  ('name', null, null, null, null), ('training_compute_flop', 'FLOP', 'the compute', null, null), ('training_compute_low', 'FLOP', 'low', null, null),
  ('base_model_id', null, 'base', 'by name', null), ('is_open', null, 'open', null, 'weights')) t(column_name, unit, description, derived, claim);
create table claims as from (values ('c4', 'a', 'A1', 'training_compute_flop', 'superseded', 's2', 2e23, null, 'FLOP'),
  ('c3', 'a', 'A1', 'training_compute_flop', 'conflicting', 's1', 1e23, null, 'FLOP'), ('c5', 'a', 'A', 'epochs', 'quarantined', 's1', null, null, 'x'),
  ('c2', 'a', 'A', 'base_model', 'selected', 's2', null, 'X', null), ('c1', 'a', 'A2', 'training_compute_flop', 'selected', 's2', 3e23, null, 'FLOP'),
  ('c6', 'a', 'A', 'hours', 'selected', 's2', 5, null, 'hour'), ('c7', 'b', 'B', 'hours', 'selected', 's3', 6, null, 'hour'))
  t(claim_id, model_id, record, field, status, source_id, value, code, unit);
create table estimates as from (values ('e2', 'a', 'training_compute_flop', false, null), ('e3', 'a', 'base_model_id', true, null),
  ('e1', 'a', 'training_compute_flop', true, ['c7', 'c6', 'c6', 'x:y'])) t(estimate_id, model_id, field, is_selected, inputs);
create table sources as select unnest(['s3', 's2', 's1']) as source_id, '' as publisher, '' as title, null as snapshot, '' as licence;
create table quarantine as from (values ('c5', 'enter it'), ('c6', 'no')) t(claim_id, remedy)"""
LATER = """
create table models_completed as select unnest(['a', 'b']) as model_id, 1e22 as flop_50;
create table missing_facts as select 'b' as model_id, unnest(['tokens', 'hours']) as field, '' as method, 1 as half_width_dex, unnest([0.5, 0.25]) as then_dex;
create table derivations as select 'a' as model_id, 'training_compute_low' as field, '3e23 / 1.5' as formula"""


@pytest.fixture(scope="module")
def told() -> Iterator[Told]:
    """What is collected of a model, in whole and for one screen, and of a dataset without predictions and the like."""
    with duckdb.connect() as connection:
        connection.execute(MADE)
        found = {"old": collect(connection, "a"), "fields": read_fields(connection)}
        connection.execute(LATER)
        found |= {name: collect(connection, name) for name in "ab"}
        yield found | {f"{name}, short": collect(connection, name, whole=False) for name in "ab"}


def fields(known: dict[str, Any], *names: str) -> dict[str, tuple[Any, ...]]:
    return {entry["field"]: tuple(entry[name] for name in names) for entry in known["fields"]}


def test_a_field_has_its_value_its_meaning_and_its_claims_the_selected_first(told: Told) -> None:
    """The ends of the interval come from the estimate of the value; what is derived comes from none."""
    known = told["a"]
    selected = {entry["field"]: (entry["selected"] or {}).get("claim_id") for entry in known["fields"]}
    claims = {entry["field"]: [claim["claim_id"] for claim in entry["claims"]] for entry in known["fields"]}
    about = fields(known, "value", "in_models", "unit", "description", "derived", "estimate_id", "formula")
    assert [(name, *cells, selected[name], *claims[name]) for name, cells in about.items()] == [
        ("model_id", "a", True, None, "the id", None, None, None, None), ("name", "A", True, None, None, None, None, None, None),
        ("training_compute_flop", 3e23, True, "FLOP", "the compute", None, "e1", None, "c1", "c1", "c3", "c4"),
        ("training_compute_low", 2e23, True, "FLOP", "low", None, "e1", "3e23 / 1.5", None),
        ("base_model_id", "x", True, None, "base", "by name", None, None, "c2", "c2"),
        ("epochs", None, False, "x", None, None, None, None, None, "c5"), ("hours", 5, False, "hour", None, None, None, None, "c6", "c6"),
    ]  # fmt: skip
    same = ("epochs", "hours", "model_id", "name", "training_compute_flop", "training_compute_low")
    assert told["fields"] == {name: name for name in same} | {"base_model_id": "base_model", "is_open": "weights"}


def test_a_model_has_names_sources_remedies_and_the_inputs_of_its_estimates(told: Told) -> None:
    known = told["a"]
    assert [known[name] for name in ("model_id", "name", "aliases", "same_run")] == ["a", "A", ["A1", "A2"], ["b"]]
    assert [source["source_id"] for source in known["sources"]] == ["s1", "s2"]
    remedies = [claim["remedy"] for entry in known["fields"] for claim in entry["claims"]]
    assert remedies == [None, None, None, None, "enter it", None]
    inputs = [(e["estimate_id"], [claim["claim_id"] for claim in e["input_claims"]]) for e in known["estimates"]]
    one = one_field(known | {"note": ""}, "training_compute_low", "training_compute_flop")
    assert (one["field"], inputs) == ("training_compute_low", [("e1", ["c6", "c7"]), ("e2", []), ("e3", [])])


def test_what_one_screen_has_no_room_for_is_not_asked_for(told: Told) -> None:
    short = told["a, short"]
    assert (short["predicted"], fields(short, "formula")["training_compute_low"]) == (None, (None,))
    assert [claim["claim_id"] for claim in short["estimates"][0]["input_claims"]] == ["c6"], "which is known already"
    assert (told["a"]["predicted"], told["a"]["missing"]) == ({"model_id": "a", "flop_50": 1e22}, [])
    for known in (told["b"], told["b, short"]):
        assert known["predicted"] == {"model_id": "b", "flop_50": 1e22}
        assert [fact["field"] for fact in known["missing"]] == ["hours", "tokens"], "the most telling first"
    assert (told["old"]["predicted"], told["old"]["revisions"]) == (None, [])
