"""The blind audits: well-formed lines on models that were drawn, and the shares that their README prints."""

from __future__ import annotations

import re

import pandas as pd
import pytest

from pipeline.paths import CHECKOUT

FOLDER = CHECKOUT / "data" / "audit"
SUBSETS = {
    "all that could be told": "flop == flop",
    "seen or secondary": "flop == flop and evidence != 'recalled'",
    "of high or medium confidence": "flop == flop and confidence != 'low'",
}
# Of the imputed values as they were when they were judged
IMPUTED_THEN = {
    "imputed, on the day": "draw == 1",
    "imputed, the first 45 that could be told, on the day": "draw == 1 and index < 45",
    "imputed, not met before, on the day": "draw == 1 and contaminated == 'no'",
    "imputed, seen or secondary, on the day": "draw == 1 and evidence != 'recalled'",
    "second draw, on the day": "draw == 2",
    "second draw, seen or secondary, on the day": "draw == 2 and evidence != 'recalled'",
    "second draw, of high or medium confidence, on the day": "draw == 2 and confidence != 'low'",
    "third draw, on the day": "draw == 3",
    "third draw, seen or secondary, on the day": "draw == 3 and evidence != 'recalled'",
    "third draw, of high or medium confidence, on the day": "draw == 3 and confidence != 'low'",
    "fourth draw, on the day": "draw == 4",
    "fourth draw, seen or secondary, on the day": "draw == 4 and evidence != 'recalled'",
    "fourth draw, of high or medium confidence, on the day": "draw == 4 and confidence != 'low'",
    "fifth draw, on the day": "draw == 5",
    "fifth draw, seen, on the day": "draw == 5 and evidence == 'seen'",
    "fifth draw, of high or medium confidence, on the day": "draw == 5 and confidence != 'low'",
}
# Of the second audit: file, and which of its rows
DRAWN = {
    "dates (`dates.csv`)": ("dates.csv", "model_id == model_id"),
    "dates, seen or secondary": ("dates.csv", "evidence != 'recalled'"),
    "bases (`bases.csv`)": ("bases.csv", "model_id == model_id"),
    "bases, of models that have one": ("bases.csv", "published_then == published_then"),
    "dates (`dates_third.csv`)": ("dates_third.csv", "model_id == model_id"),
    "dates of the third audit, seen or secondary": ("dates_third.csv", "evidence != 'recalled'"),
    "bases (`bases_third.csv`)": ("bases_third.csv", "model_id == model_id"),
    "bases of the third audit, of models that have one": ("bases_third.csv", "published_then == published_then"),
    "dates (`dates_fourth.csv`)": ("dates_fourth.csv", "model_id == model_id"),
    "dates of the fourth audit, seen or secondary": ("dates_fourth.csv", "evidence != 'recalled'"),
    "bases (`bases_fourth.csv`)": ("bases_fourth.csv", "model_id == model_id"),
    "bases of the fourth audit, of models that have one": ("bases_fourth.csv", "published_then == published_then"),
    "dates (`dates_fifth.csv`)": ("dates_fifth.csv", "model_id == model_id"),
    "dates of the fifth audit, seen or secondary": ("dates_fifth.csv", "evidence != 'recalled'"),
    "bases (`bases_fifth.csv`)": ("bases_fifth.csv", "model_id == model_id"),
    "bases of the fifth audit, of models that have one": ("bases_fifth.csv", "published_then == published_then"),
    "bases (`bases_sixth.csv`)": ("bases_sixth.csv", "model_id == model_id"),
    "bases of the sixth audit, of models that have one": ("bases_sixth.csv", "published_then == published_then"),
    "bases (`bases_seventh.csv`)": ("bases_seventh.csv", "model_id == model_id"),
    "bases of the seventh draw, of models that have one": ("bases_seventh.csv", "published_then == published_then"),
    "bases (`bases_eighth.csv`)": ("bases_eighth.csv", "model_id == model_id"),
    "bases of the eighth draw, of models that have one": ("bases_eighth.csv", "published_then == published_then"),
    "bases (`bases_ninth.csv`)": ("bases_ninth.csv", "model_id == model_id"),
    "bases of the ninth draw, of models that have one": ("bases_ninth.csv", "published_then == published_then"),
    "bases (`bases_tenth.csv`)": ("bases_tenth.csv", "model_id == model_id"),
    "bases of the tenth draw, of models that have one": ("bases_tenth.csv", "published_then == published_then"),
    "tags (`tags_drawn.csv`)": ("tags_drawn.csv", "model_id == model_id"),
}
FIGURES = {"power": "training_power_w", "energy": "training_energy_kwh", "cost": "training_cost_usd"}
ROWS = {
    "bases_sixth.csv": 100,
    "bases_seventh.csv": 159,
    "bases_eighth.csv": 124,
    "bases_ninth.csv": 115,
    "bases_tenth.csv": 135,
}  # of the others sixty
SOURCES = {"reported", "third_party", "imputed"}


def read(name: str) -> pd.DataFrame:
    return pd.read_csv(FOLDER / name)


def stated(words: str) -> list[str]:
    """The cells of the one line of the README's tables that begins with these words."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(rf"^\| {re.escape(words)} \| (.*) \|$", text, re.MULTILINE)
    cells: list[str] = line.split(" | ")
    return cells


def shares(audited: pd.DataFrame, value: pd.Series) -> list[float]:
    """Shares of the values within a factor of 1.1, 1.5 and 3 of the audited one, and within its range, in percent."""
    ratio = value / audited["flop"]
    near = [((ratio <= factor) & (ratio >= 1 / factor)).mean() for factor in (1.1, 1.5, 3)]
    return [100 * share for share in (*near, value.between(audited["flop_low"], audited["flop_high"]).mean())]


def printed(audited: pd.DataFrame, value: pd.Series) -> list[str]:
    return [str(len(audited)), *(f"{share:.0f} %" for share in shares(audited, value))]


def wrong(cells: list[str], audited: pd.DataFrame, models: pd.DataFrame) -> list[tuple[str, float]]:
    """What a line says and what today's models give, where they are apart by more than models that left can explain."""
    value = audited["model_id"].map(models["training_compute_flop"])
    there = value.notna()
    leeway = 0.5 + 100 * (1 - there.mean())
    found = zip(cells[1:], shares(audited[there], value[there]), strict=True)
    return [(cell, share) for cell, share in found if abs(float(cell.removesuffix(" %")) - share) > leeway]


@pytest.fixture(scope="module")
def models(tables: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return tables["models"].set_index("model_id")


@pytest.mark.parametrize(("name", "lines"), [("flop.csv", 100), ("imputed.csv", 265)])
def test_every_line_says_where_it_comes_from(name: str, lines: int) -> None:
    audited = read(name)
    assert len(audited) == audited["model_id"].nunique() == lines
    assert set(audited["basis"]) <= {"printed", "counted", "hardware", "untellable"}
    assert set(audited["evidence"]) == {"seen", "secondary", "recalled"}
    assert (audited["flop"].isna() == (audited["basis"] == "untellable")).all()
    told = audited[audited["flop"].notna()]
    assert ((told["flop_low"] <= told["flop"]) & (told["flop"] <= told["flop_high"])).all()
    assert told[["formula", "reference", "locator"]].notna().all(axis=None)


@pytest.mark.parametrize("words", SUBSETS)
def test_the_readme_prints_the_shares_of_published_values(words: str, models: pd.DataFrame) -> None:
    part, cells = read("flop.csv").query(SUBSETS[words]), stated(words)
    assert cells[0] == str(len(part))
    assert wrong(cells, part, models) == []


@pytest.mark.parametrize("words", IMPUTED_THEN)
def test_the_readme_prints_the_shares_of_imputed_values_on_the_day(words: str) -> None:
    told = read("imputed.csv").query("flop == flop").reset_index(drop=True)
    part = told.query(IMPUTED_THEN[words])
    assert stated(words) == printed(part, part["imputed_then"])


def test_the_readme_prints_the_shares_of_imputed_values_of_today(models: pd.DataFrame) -> None:
    told, cells = read("imputed.csv").query("draw == 1 and flop == flop"), stated("imputed, now")
    assert cells[0] == str(len(told))
    assert wrong(cells, told, models) == []


@pytest.mark.parametrize("words", DRAWN)
def test_the_readme_counts_the_verdicts(words: str) -> None:
    name, rows = DRAWN[words]
    audited = read(name)
    assert len(audited) == audited["model_id"].nunique() == ROWS.get(name, 60)
    assert set(audited["verdict"]) <= {"right", "wrong", "untellable"}
    part = audited.query(rows)
    counts = [len(part), *((part["verdict"] == word).sum() for word in ("right", "wrong", "untellable"))]
    assert stated(words) == [str(count) for count in counts]


@pytest.mark.parametrize("name", ["dates.csv", "dates_third.csv", "dates_fourth.csv", "dates_fifth.csv"])
def test_a_date_that_was_judged_is_right_if_it_is_near_and_wrong_if_it_is_not(name: str) -> None:
    told = read(name).query("verdict != 'untellable'")
    pairs = zip(told["date"], told["published_then"], strict=True)
    apart = [_days(one, other) > 7 for one, other in pairs]
    assert apart == (told["verdict"] == "wrong").tolist()


def _days(one: str, other: str) -> int:
    """How many days two dates are apart, as far as both are told."""
    known = min(len(one), len(other))
    first, second = (pd.Period(text[:known]).start_time for text in (one, other))
    return int(abs((first - second).days))


@pytest.mark.parametrize(("draw", "again"), [(1, ""), (2, " again"), (3, " third")])
@pytest.mark.parametrize("words", FIGURES)
def test_the_readme_prints_the_shares_of_power_energy_and_cost(words: str, draw: int, again: str) -> None:
    drawn = read("figures.csv")
    judged = drawn[(drawn["field"] == FIGURES[words]) & (drawn["draw"] == draw)]
    assert len(judged) == judged["model_id"].nunique() == (90 if draw == 3 else 30)
    words += again
    for line, rows in ((words, "flop == flop"), (f"{words}, of high or medium confidence", "confidence != 'low'")):
        part = judged.rename(columns={"value": "flop", "low": "flop_low", "high": "flop_high"}).query("flop == flop")
        part = part.query(rows)
        assert stated(line) == printed(part, part["published_then"])


def test_the_tags_of_the_best_known_models_are_as_settled(models: pd.DataFrame) -> None:
    tags = read("tags.csv")
    assert len(tags) == tags["model_id"].nunique() == 100
    assert set(tags["tag"]) == set(tags["tag_then"]) == set(tags["settled"]) == SOURCES
    assert (tags["own_figure"].notna() <= tags["locator"].notna()).all()
    today = tags["model_id"].map(models["training_compute_source"])
    summed = today.eq("imputed") & tags["model_id"].map(models["finetune_compute_flop"]).notna()
    ours = summed | ~today.isin(SOURCES)  # since the audit it was corrected, or its base was added
    apart = tags[~ours & (today != tags["settled"])]
    assert apart["model_id"].tolist() == []


def test_the_readme_counts_the_tags_that_agreed() -> None:
    tags = read("tags.csv")
    agreed, wrong_then = (tags["tag"] == tags["tag_then"]).sum(), (tags["settled"] != tags["tag_then"]).sum()
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert f"On the day {agreed} of 100 agreed." in text
    taken_since = tags["remark"].str.contains("a correction of the same day", na=False).sum()
    assert wrong_then - taken_since == 3
