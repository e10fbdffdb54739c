"""One screen of `explain` shows the same whether all that is known of a model was asked for, or what the screen
needs."""

from __future__ import annotations

import duckdb

from traincompute.explain import brief
from traincompute.explain.collect import collect

# three of each kind, which differ in what is asked for
SOME = """select model_id from models
qualify row_number() over (partition by training_compute_flop is null, training_compute_source order by \
hash(model_id)) <= 3"""


def test_what_one_screen_leaves_out_is_not_asked_for(database: duckdb.DuckDBPyConnection) -> None:
    ids = [row[0] for row in database.execute(SOME).fetchall()]
    whole, less = ([collect(database, key, whole=wanted) for key in ids] for wanted in (True, False))
    assert list(map(brief.sections, less)) == list(map(brief.sections, whole))
    assert any(entry["formula"] for known in whole for entry in known["fields"])
    assert not any(entry["formula"] for known in less for entry in known["fields"])
    assert all(known["predicted"] for known in whole)
    assert {known["model"]["training_compute_flop"] is None for known in less if known["predicted"]} == {True}
