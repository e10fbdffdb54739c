"""Which facts the calibration is measured with, and which rows of its table are measured on which models."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.errors import DataError
from pipeline.impute.calibration import calibrate
from pipeline.impute.calibration.evaluate import WHOLE
from pipeline.impute.flop.methods import base_model
from pipeline.impute.flop.rows import FIELD
from pipeline.normalize.stage import Read
from pipeline.paths import Paths

DAY = date(2026, 8, 23)
FACTS = pd.DataFrame(
    [
        ("epoch", "A", "training_compute_flop", "1e21", "2025-01-01", None),
        ("epoch", "A", "parameters", "1e9", "2025-01-01", "2026-01-01"),
        ("by hand", "A", "training_tokens", "1e11", "2026-11-01", None),
        ("by hand", "A", "epochs", "2", "2026-11-01", "2026-11-02"),
        ("by hand", "A", "training_compute_flop", "2e21", "2026-11-01", None),
        ("by hand", "A", "training_cost_usd", "1e6", "2026-11-01", None),
        ("by hand", "Late", "publication_date", "2026-08-24", "2026-11-01", None),
        ("by hand", "Late", "parameters", "1e12", "2026-11-01", None),
    ],
    columns=["source_id", "record", "field", "value_text", "since", "until"],
).astype({"since": "datetime64[s]", "until": "datetime64[s]"})
FIXES = [{"field": name} for name in ("parameters", "training_compute_flop", "training_cost_usd")]
TYPED = pd.DataFrame({"subject": ["model", "hardware"], "claim": [1, 2]})


def context(root: Path = Path()) -> Any:
    sources = {"epoch": Some(adapter="epoch"), "by hand": Some(adapter="curated")}
    return Some(paths=Paths(root), sources=sources, schemas={"calibration": "schema"}, corrections=FIXES)


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What `gather` hands to the steps of a build."""
    given: dict[str, Any] = {}

    def keeping(name: str, result: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any) -> Any:
            given[name] = arguments
            return result(*arguments)

        return step

    rows = pd.DataFrame({"model_id": ["a"]})
    steps = {
        "read_vintage": lambda _context, _read, _day: TYPED,
        "select_claims": lambda *_: "judged",
        "pivot_tables": lambda *_: {"models": "table"},
        "load_declared": lambda _: "declared",
        "estimation_rows": lambda *_: rows,
        "base_edges": lambda *_: "edges",
    }
    for name, result in steps.items():
        monkeypatch.setattr(calibrate, name, keeping(name, result))
    return given


@pytest.mark.parametrize(
    ("curated", "answers", "facts", "fixes"),
    [
        (False, False, [0, 1], []),
        (True, False, [0, 1, 2], FIXES[:1]),
        (True, True, [0, 1, 2, 4, 5], FIXES),
    ],
)
def test_curated_facts_count_from_the_day_and_never_say_the_answer(
    passed: dict[str, Any], curated: bool, answers: bool, facts: list[int], fixes: list[dict[str, str]]
) -> None:
    """Of what was entered by hand, neither what was replaced nor what is about a model of a later day. A value of the
    source itself is judged, whatever it is about."""
    told = {"answers": True} if answers else {}
    made = calibrate.gather(context(), Read(FACTS, Some()), DAY, curated=curated, **told)  # type: ignore[arg-type]
    _, read, day = passed["read_vintage"]
    assert (day, read.ledger.index.tolist()) == (DAY, facts)
    days = read.ledger["since"].dt.date
    assert days.tolist() == [date(2025, 1, 1)] * 2 + [DAY] * (len(facts) - 2)
    assert passed["select_claims"][2:] == (fixes, None)
    assert passed["pivot_tables"][2]["claim"].tolist() == [2]
    assert passed["estimation_rows"] == ({"models": "table", "claims": "judged"}, "declared")
    assert (made[1], made[0]["model_id"].tolist()) == ("edges", ["a"])


def gathered(models: int, *, owner: str | None = "Lab", flop: float = 1e21) -> tuple[pd.DataFrame, str]:
    names = [f"m{number}" for number in range(models)]
    return pd.DataFrame({"model_id": names, FIELD: flop, "owner": owner}), "edges"


def test_both_inputs_have_the_published_value_and_the_owner_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    def gather(*_: Any, curated: bool) -> Any:
        return (gathered(101, owner="Other", flop=3e21)[0], "curated edges") if curated else gathered(100)

    monkeypatch.setattr(calibrate, "load_ledger", lambda _: "ledger")
    monkeypatch.setattr(calibrate, "read_ledger", lambda _, ledger: ledger)
    monkeypatch.setattr(calibrate, "gather", gather)
    monkeypatch.setattr(calibrate, "settled_values", lambda *given: given[1:3])
    monkeypatch.setattr(calibrate, "describe", lambda rows, edges, settled: (len(rows), edges, settled))
    seen, about = calibrate.gather_all(context(), DAY)
    assert list(seen) == ["upstream", "curated"]
    assert about == (100, "curated edges", ("ledger", DAY)), "what a value leaves out is known from all facts"
    rows = seen["curated"][0]
    assert rows[FIELD].tolist()[:100] == [1e21] * 100
    assert rows[FIELD].isna().tolist()[100:] == [True]
    assert rows["owner"].tolist() == ["Lab"] * 100 + ["Other"]
    monkeypatch.setattr(calibrate, "gather", lambda *_, curated: gathered(99))
    with pytest.raises(DataError) as error:
        calibrate.gather_all(context(), DAY)
    reason = '"2026-08-23": has 99 models with a published value, but calibration needs 100; choose a later snapshot'
    assert reason in str(error.value)


def test_what_is_settled_is_audited_or_contradicted_by_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, bool] = {}

    def gather(*_: Any, **which: bool) -> Any:
        asked.update(which)
        return pd.DataFrame({"model_id": list("bac"), FIELD: [2e21, 1e21, 4e21]}), "edges"

    monkeypatch.setattr(calibrate, "gather", gather)
    published = pd.Series({"a": 1e21, "b": 3e21, "c": 5e21, "d": 6e21})
    read: Any = None
    assert calibrate.audited(context(tmp_path)).empty
    folder = tmp_path / "data" / "audit"
    folder.mkdir(parents=True)
    (folder / "flop.csv").write_text("model_id,flop\nc,7e21\nd,\n")
    assert calibrate.audited(context(tmp_path)).to_dict() == {"c": 7e21}
    settled = calibrate.settled_values(context(tmp_path), read, DAY, published)
    assert settled.tolist() == pytest.approx([1e21, np.nan, 7e21, np.nan], nan_ok=True)
    assert asked == {"curated": True, "answers": True}


JUDGED = pd.DataFrame(
    {
        "model_id": list("abcd"),
        "method": ["physical", "cascade", "cascade", "hardware"],
        "made_by": ["hardware", "hardware", "regression", "hardware"],
        "assumptions": ["", "", "from parameters", ""],
        "tier": [1, 1, 3, 1],
        "notable": [True, True, True, False],
    }
)


def test_each_evaluation_is_measured_on_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the folds all methods of notable models, elsewhere what would be taken of these, in `folds_all` and `audited`
    of all."""
    measured: dict[str, tuple[Any, ...]] = {}
    said: list[str] = []

    def by_folds(_: object, say: Callable[[str], None]) -> Any:
        say("fold 1 of 5")
        return [JUDGED, JUDGED.assign(assumptions="blind"), JUDGED.assign(assumptions="sized")]

    def measure(judged: pd.DataFrame, evaluation: str, inputs: str, *how: Any) -> list[str]:
        measured[evaluation] = (
            "".join(judged["model_id"]),
            judged["assumptions"].iloc[-1],
            judged["target"].iloc[0],
            how,
        )
        return [f"{evaluation} of {inputs}"]

    monkeypatch.setattr(calibrate, "by_folds", by_folds)
    monkeypatch.setattr(calibrate, "forward", lambda *_: JUDGED.assign(assumptions="ahead"))
    monkeypatch.setattr(calibrate, "scored", lambda made, target: made.assign(target=target))
    monkeypatch.setattr(calibrate, "measure", measure)
    given: Any = Some(missing=pd.Series({"from parameters": 1.0}))
    published: Any = "published"
    audit: Any = "audit"
    lines: list[Any] = calibrate.evaluate(given, "upstream", published, audit, said.append)
    assert (lines, said) == ([f"{name} of upstream" for name in measured], ["upstream facts, fold 1 of 5"])
    assert measured == {
        "folds": ("abc", "from parameters", "published", ()),
        "folds_all": ("abc", "from parameters", "published", (("tier",), WHOLE)),
        "forward": ("abc", "ahead", "published", (("tier", "domain", "period"), WHOLE)),
        "masked": ("abc", "blind", "published", (("domain", "period"), WHOLE)),
        "sized": ("c", "sized", "published", (("domain", "period"), WHOLE)),
        "audited": ("abc", "from parameters", "audit", (("tier",), ())),
        "missing": ("c", "from parameters", "published", (("tier",), WHOLE)),
    }


def test_rows_weigh_together_what_the_missing_rest_on() -> None:
    """Half of the missing rest on hardware, a quarter on the base, a quarter on parameters, which no row does."""
    judged = pd.DataFrame(
        {
            "method": ["cascade"] * 4 + ["hardware"],
            "made_by": ["hardware", "hardware", "regression", "stated", "hardware"],
        }
    ).assign(tier=[1, 1, 2, 1, 1], assumptions="")
    missing = pd.Series({"hardware": 0.5, base_model.ALONE: 0.25, "from parameters": 0.25})
    assert calibrate._like(judged, missing)["share"].to_dict() == {0: 0.25, 1: 0.25, 2: 0.25}


def test_both_inputs_are_measured_and_the_curated_ones_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {name: gathered(2, flop=flop) for name, flop in (("upstream", 1e21), ("curated", 1e22))}
    coefficients = pd.DataFrame({"value": [1.0]}, index=pd.Index(["year"], name="feature"))
    lines = pd.DataFrame({"constant": [24.0]}, index=pd.Index(["xAI"], name="owner"))
    fitted: list[Any] = []

    def fit(material: Any, train: np.ndarray) -> Any:
        fitted.append((*material, train.tolist()))
        tables = {"coefficients": coefficients, "capability_index": lines}
        return Some(**tables, _asdict=lambda: tables | {"spreads": "trees"})

    monkeypatch.setattr(calibrate, "gather_all", lambda *_: (seen, ["about"] * 2))
    monkeypatch.setattr(calibrate, "prepare", lambda rows, edges, about: (rows[FIELD].max(), edges, about))
    monkeypatch.setattr(calibrate, "evaluate", lambda given, inputs, published, *_: [{"of": inputs, **published}])
    monkeypatch.setattr(calibrate, "fit", fit)
    monkeypatch.setattr(calibrate, "conform", lambda frame, schema: (frame.to_dict("records"), schema))
    monkeypatch.setattr(calibrate, "audited", lambda _: None)
    tables = calibrate.measure_all(context(), DAY)
    assert list(tables) == ["coefficients", "capability_index", "spreads", "calibration"]
    assert tables["capability_index"].to_dict("records") == [{"owner": "xAI", "constant": 24.0}]
    assert tables["coefficients"].to_dict("records") == [{"feature": "year", "value": 1.0}]
    lines = [{"of": "upstream", "m0": 1e21, "m1": 1e21}, {"of": "curated", "m0": 1e22, "m1": 1e22}]
    assert tables["calibration"] == (lines, "schema")  # type: ignore[comparison-overlap]
    assert fitted == [(1e22, "edges", ["about"] * 2, [True, True])]
