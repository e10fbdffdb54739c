"""What a computed cell follows: the columns that its derivation names, the claims that went in, its model and its
base."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from traincompute.comparison.derived import FLOP, by_estimates, dependencies, follow

Row = dict[str, Any]
CHANGE = {"model_id": "m", "column": FLOP, "cause": "", "source_id": None, "detail": None}


def changes(*rows: Row) -> pd.DataFrame:
    return pd.DataFrame([CHANGE | row for row in rows]).astype({"source_id": "str", "detail": "str"})


def test_a_column_depends_on_those_that_its_derivation_names() -> None:
    found = dependencies(
        {
            "parameters": "",
            FLOP: "",
            "training_compute_low": "",
            "training_compute_pfs_days": f"{FLOP} / 8.64e19",
            "tokens": "tokens as stated",  # itself is none
            "tokens_per_parameter": "tokens / parameters",
        }
    )
    assert found == {
        "parameters": [],
        FLOP: [],
        "training_compute_low": [FLOP],
        "training_compute_pfs_days": [FLOP],
        "tokens": [],
        "tokens_per_parameter": ["parameters", "tokens"],
    }


def estimates(*inputs: str, model: str = "m") -> pd.DataFrame:
    return pd.DataFrame({"model_id": [model], "field": [FLOP], "inputs": [list(inputs)]})


def told(old: list[str], new: list[str], sources: tuple[dict[str, str], dict[str, str]], cause: str = "") -> Row:
    """Cause, source and detail of an estimate that was made from claims (and their sources) on each side."""
    claims = tuple(
        pd.DataFrame({"claim_id": list(side), "source_id": list(side.values())}, dtype="str") for side in sources
    )
    made = by_estimates(changes({"cause": cause}), claims, (estimates(*old), estimates(*new)))  # type: ignore[arg-type]
    row: Row = made.iloc[0][["cause", "source_id", "detail"]].fillna("").to_dict()
    return row


EPOCH, OURS = {"e": "epoch_all", "p": "epoch_all"}, {"k": "curated"}
SAID = "estimated from other claims"


@pytest.mark.parametrize(
    ("old", "new", "sources", "cause", "source"),
    [
        (["p"], ["p", "k"], (EPOCH, EPOCH | OURS), "new curated fact", "curated"),
        (["p", "k"], ["p"], (EPOCH | OURS, EPOCH), "new curated fact", "curated"),
        (["p"], ["p", "f"], (EPOCH, EPOCH | {"f": "fmti"}), "upstream revision", "fmti"),
        (["p", "f"], ["p", "k"], (EPOCH | {"f": "fmti"}, EPOCH | OURS), "upstream revision", "fmti"),  # the first cause
        (["p"], ["e"], (EPOCH, EPOCH), "selection", ""),
        (["e", "p"], ["p", "e"], (EPOCH, EPOCH), "changed method", ""),
    ],
)
def test_an_estimate_has_the_cause_of_its_inputs(
    old: list[str], new: list[str], sources: tuple[dict[str, str], dict[str, str]], cause: str, source: str
) -> None:
    assert told(old, new, sources) == {"cause": cause, "source_id": source, "detail": SAID}
    assert told(old, new, sources, "identity")["cause"] == "identity"


def test_an_estimate_from_an_estimate_is_left_to_its_base() -> None:
    assert told(["base:x"], ["base:y"], (EPOCH, EPOCH))["cause"] == ""


DEPENDS = {FLOP: [], "training_compute_low": [FLOP], "cost": ["hours"], "hours": [], "share": []}
CURATED = {"cause": "new curated fact", "source_id": "curated"}


def followed(*rows: Row, bases: dict[str, str] | None = None) -> list[tuple[str, str]]:
    made = follow(changes(*rows), DEPENDS, bases or {})
    return list(zip(made["cause"], made["detail"].fillna(""), strict=True))


def test_a_cell_follows_the_columns_that_it_is_computed_from() -> None:
    found = followed(
        {"column": "hours"} | CURATED,
        {"column": "cost"},
        {"column": "cost", "model_id": "other"},
    )
    assert found == [
        ("new curated fact", ""),
        ("new curated fact", "computed from other cells of the model"),
        ("changed method", "computed from other models, or in another way"),
    ]


def test_an_estimate_follows_its_model_and_what_describes_it_follows_the_estimate() -> None:
    found = followed({"column": "parameters"} | CURATED, {"column": FLOP}, {"column": "training_compute_low"})
    assert [cause for cause, _ in found] == ["new curated fact"] * 3
    found = followed({"column": "parameters"} | CURATED, {"column": "training_compute_low"})
    assert found[1] == ("new curated fact", "computed from other cells of the model")
    found = followed({"column": "parameters"} | CURATED, {"column": "cost"})
    assert found[1][0] == "changed method"  # cost names the column that it comes from


def test_of_several_causes_the_first_in_their_order_is_told() -> None:
    found = followed(
        {"column": "parameters", "cause": "changed method"},
        {"column": "name", "cause": "upstream revision", "source_id": "epoch_all"},
        {"column": "tokens"} | CURATED,
        {"column": FLOP},
    )
    assert found[3][0] == "upstream revision"


def test_a_cell_follows_its_base_model() -> None:
    rows = {"model_id": "base", "column": "parameters"} | CURATED, {"column": "cost"}
    assert followed(*rows, bases={"m": "base"})[1] == ("new curated fact", "computed from its base model")
    assert followed(*rows, bases={"m": "other"})[1][0] == "changed method"


@pytest.mark.parametrize(
    ("other", "cause"),
    [
        ({"column": FLOP} | CURATED, "new curated fact"),  # what is ranked by
        ({"column": "is_notable"} | CURATED, "new curated fact"),  # who takes part
        ({"column": None, "cause": "identity"}, "identity"),  # a model that came or went
        ({"column": "hours"} | CURATED, "changed method"),
        ({"column": FLOP}, "changed method"),  # nobody knows why
    ],
)
def test_a_rank_follows_the_models_among_which_it_is_one(other: Row, cause: str) -> None:
    depends = {"frontier_rank": [FLOP], FLOP: [], "is_notable": [], "hours": []}
    made = follow(changes({"model_id": "other"} | other, {"column": "frontier_rank"}), depends, {})
    amid = cause != "changed method"
    detail = "ranked among models that changed" if amid else "computed from other models, or in another way"
    assert made.loc[1, ["cause", "detail"]].tolist() == [cause, detail]
