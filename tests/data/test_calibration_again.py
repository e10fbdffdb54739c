"""The lines of calibration counted again from the published claims, estimates, scores and audits: the words that say of which
models a line is. Facts that are younger than the calibration may move a number by a few."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.base.paths import CHECKOUT
from pipeline.registry.frames import Tables

WORDS = ["method", "subset", "tier", "domain", "period", "confidence"]
FLOP = "training_compute_flop"
PHYSICAL = ["base_plus_finetune", "operation_counting", "hardware"]
PERIODS = {"before 2010": (0, 2009), "2010-2017": (2010, 2017), "2018 on": (2018, 9999), "2022 on": (2022, 9999)}
OTHERS = ["Vision", "Image generation", "Games", "Biology", "Speech"]


@pytest.fixture(scope="module")
def printed(tables: Tables) -> pd.DataFrame:
    """The models of which Epoch AI prints a training compute, with the least that it prints, its word and its year: the words are the
    same with either facts."""
    said = tables["claims"].query("publisher == 'Epoch AI' and reason_code != 'withdrawn'")
    flop = said[(said["field"] == FLOP) & said["value"].notna()].groupby("model_id")["value"].min()
    word = said[said["field"] == "training_compute_confidence"].sort_values("status", ascending=False)
    word = word.sort_values("status", key=lambda status: status != "selected").drop_duplicates("model_id")
    day = said[said["field"] == "publication_date"].drop_duplicates("model_id").set_index("model_id")["code"]
    models = tables["models"].set_index("model_id")
    known = models.loc[flop.index].assign(least=flop, word=word.set_index("model_id")["code"])
    return known.assign(
        year=pd.to_datetime(day.reindex(known.index)).dt.year, domains=known["domains"].fillna("").astype("str")
    )


@pytest.fixture(scope="module")
def notable(printed: pd.DataFrame) -> pd.DataFrame:
    return printed[printed["is_notable"].astype("bool")]


def n(tables: Tables, evaluation: str = "folds", inputs: str = "curated", **words: str) -> int:
    """The n of one line; what is not named is all, the method the cascade."""
    wanted = {"evaluation": evaluation, "inputs": inputs} | dict.fromkeys(WORDS, "all") | {"method": "cascade"} | words
    lines = tables["calibration"]
    (found,) = lines.loc[(lines[list(wanted)].astype("str") == pd.Series(wanted)).all(axis=1), "n"]
    return int(found)


def near(counted: int) -> object:
    return pytest.approx(counted, rel=0.015, abs=2)


def values(tables: Tables, methods: list[str]) -> pd.Index:
    """The models of which one of the methods makes a value."""
    made = tables["estimates"].query("field == @FLOP and value.notna() and method in @methods")
    return pd.Index(made["model_id"].unique())


def test_the_words_of_period_and_confidence(tables: Tables, notable: pd.DataFrame) -> None:
    for period, ends in PERIODS.items():
        assert n(tables, period=period) == near(int(notable["year"].between(*ends).sum())), period
    for word, count in notable["word"].value_counts().items():
        assert n(tables, confidence=str(word)) == near(count), word


def test_the_words_of_domain(tables: Tables, notable: pd.DataFrame) -> None:
    """Language alone, language and more, then the first of OTHERS that a model has."""
    listed = notable["domains"].str.split(";").map(set)
    alone = listed.map(lambda names: names == {"Language"})
    counts = {
        "language": int(alone.sum()),
        "multimodal": int((listed.map(lambda has: "Language" in has) & ~alone).sum()),
    }
    rest = listed[listed.map(lambda names: "Language" not in names)]
    for name in OTHERS:
        has = rest.map(lambda names, name=name: name in names)
        counts[name.lower()], rest = int(has.sum()), rest[~has]
    for domain, count in (counts | {"other": len(rest)}).items():
        assert n(tables, domain=domain) == near(count), domain


def test_the_words_of_method_and_tier(tables: Tables, notable: pd.DataFrame) -> None:
    """Of the published models those of which each method makes a value with the facts of the dataset, and with tier 1 any of
    the physical ones; the four tiers are all."""
    for method in (*PHYSICAL, "capability_index", "statistical"):
        assert n(tables, method=method) == near(notable.index.isin(values(tables, [method])).sum()), method
    physical = notable.index.isin(values(tables, PHYSICAL)).sum()
    assert n(tables, method="physical") == n(tables, tier="1") == near(physical)
    assert sum(n(tables, tier=str(tier)) for tier in (1, 2, 3, 4)) == n(tables)


def test_the_words_of_inputs(tables: Tables) -> None:
    """With our facts there is more to count with; the index and the date of a model are upstream's."""
    for method in PHYSICAL:
        assert n(tables, inputs="upstream", method=method) < n(tables, method=method)
    for method in ("capability_index", "statistical", "cascade"):
        assert n(tables, inputs="upstream", method=method) == n(tables, method=method)


def test_the_words_of_subset(tables: Tables, notable: pd.DataFrame, printed: pd.DataFrame) -> None:
    """Whole: not less than 95 % of what is printed of the base. Independent: of these, what no estimate of ours gives back
    within 5 %, as far as ours rest on what upstream prints."""
    base = notable["base_model_id"].map(printed["least"])
    whole = ~(notable["least"] < 0.95 * base)
    assert n(tables, subset="whole") == pytest.approx(whole.sum(), abs=10)
    made = tables["estimates"].query(
        "field == @FLOP and value.notna() and method in ['operation_counting', 'hardware']"
    )
    ratio = made["value"] / made["model_id"].map(notable["least"])
    given_back = notable.index.isin(made.loc[ratio.sub(1).abs() < 0.05, "model_id"])
    assert n(tables, subset="independent") == pytest.approx((whole & ~given_back).sum(), rel=0.1)


def test_the_words_of_evaluation(tables: Tables, notable: pd.DataFrame, printed: pd.DataFrame) -> None:
    audited = pd.read_csv(CHECKOUT / "data" / "audit" / "flop.csv")
    counts = {
        "folds": len(notable),
        "masked": len(notable),
        "folds_all": len(printed),
        "forward": int((notable["year"] >= 2018).sum()),
        "audited": audited.dropna(subset="flop")["model_id"].isin(printed.index).sum(),
    }
    for evaluation, count in counts.items():
        assert n(tables, evaluation) == near(count), evaluation
    assert n(tables, "filled", "upstream") == tables["scores"]["model_id"].nunique()
    assert n(tables, "missing") <= n(tables, "folds")
