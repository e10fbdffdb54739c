"""The date of a model against the number of its paper: facts of a checkout, through the whole of stage 1."""

from __future__ import annotations

from datetime import date

import pandas as pd
import pytest
from checkouts import copy_checkout, normalized

from pipeline.normalize.first_shown import STAMP, first_of_month
from pipeline.paths import Paths

HEADER = "record,field,value_text,locator,since,until,reference,evidence,accessed\n"
NO_DAY = "https://doi.org/10.1101/2022.02.31.450648"
POSTED = "https://www.biorxiv.org/content/10.1101/2022.12.15.519894v1.full.pdf"
# what upstream says: name, day, arXiv number or links, base model or ""; each group has a paper of its own
RECORDS = [
    ("Later", "2022-08-08", "2006.04558", ""),
    ("Late", "2020-06-22", "2005.14165", ""),
    ("Of the day", "2020-05-28", "2005.14165", ""),
    ("Beside a month", "2022-08-08", "2006.04559", ""),
    ("Of a month", "2020-06", "2006.04559", ""),
    ("Within", "2020-06-30", "2006.04560", ""),
    ("Before", "2020-04-01", "2006.04560", ""),
    ("Dated (Mar 2025)", "2025-03-24", "2412.19437", ""),
    ("Base", "2023-07-18", "2307.09288", ""),
    ("Derived", "2023-08-09", "2304.12244", "Base"),
    ("Bounded base", "2021-01-08", "2007.03898", ""),
    ("Of a bounded base", "2021-11-03", "2010.02917", "Bounded base"),
    ("Without a paper", "2022-08-08", "", ""),
    ("On bioRxiv", "2021-11-17", "https://www.biorxiv.org/content/10.1101/2021.07.09.450648v2", ""),
    ("Under a DOI", "2021-11-17", "https://doi.org/10.1101/2021.07.09.450649", ""),
    ("Of two links", "2021-11-17", f"https://arxiv.org/abs/2006.04561 {NO_DAY}", ""),
    ("Of no day", "2021-11-17", NO_DAY, ""),
    ("Four days on", "2022-12-19", POSTED, ""),
    ("A month on", "2023-01-15", POSTED, ""),
    ("Entered", "2024-01-29", "2308.12950", ""),
    ("Entered from the preprint", "2018-01-13", "https://ieeexplore.ieee.org/document/8578572", ""),
]
ENTERED = {"Entered": "https://example.org", "Entered from the preprint": "arXiv:1801.04381"}  # by hand, and from where


@pytest.fixture(scope="module")
def checkout(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A checkout with these records."""
    paths = copy_checkout(small_template, tmp_path_factory.mktemp("dates") / "checkout")
    ours, theirs = [HEADER], []
    for name, day, number, base in RECORDS:
        linked = number if "/" in number else f"https://arxiv.org/abs/{number}"
        theirs += [f"{name},name,{name},,2026-11-21,\n", f"{name},publication_date,{day},,2026-11-21,\n"]
        theirs += [f"{name},organization,OpenAI,,2026-11-21,\n", f"{name},reference_url,{linked},,2026-11-21,\n"]
        theirs += [f"{name},base_model,{base},,2026-11-21,\n"] if base else []
        if name in ENTERED:
            ours.append(f"{name},publication_date,{day},first page,2026-11-21,,{ENTERED[name]},seen,2026-11-21\n")
    (paths.curated / "facts_from_2023.csv").write_text("".join(ours), encoding="utf-8")
    enter(paths, theirs)
    return paths


@pytest.fixture(scope="module")
def models(checkout: Paths) -> pd.DataFrame:
    """What becomes of them."""
    return normalized(checkout)["models"].set_index("name")


def enter(paths: Paths, lines: list[str]) -> None:
    """Adds lines to the ledger of epoch_all."""
    file = paths.raw / "epoch_all" / "facts.csv"
    newest = max(line.split(",")[-2] for line in file.read_text(encoding="utf-8").splitlines()[1:])
    rows = file.read_text(encoding="utf-8").splitlines(keepends=True)
    rows += [line.replace("2026-11-21", newest) for line in lines]
    file.write_text(rows[0] + "".join(sorted(rows[1:])), encoding="utf-8")


def told(models: pd.DataFrame, name: str) -> tuple[str, str, str]:
    row = models.loc[name]
    return f"{row['publication_date']:%Y-%m-%d}", row["publication_date_precision"], row["publication_date_basis"]


def test_a_date_after_the_month_of_the_paper_becomes_that_month(models: pd.DataFrame) -> None:
    assert told(models, "Later") == ("2020-06-01", "month", "paper")


def test_a_day_that_another_model_of_the_paper_has_within_the_month_is_taken(models: pd.DataFrame) -> None:
    assert told(models, "Late") == told(models, "Of the day") == ("2020-05-28", "day", "paper")


def test_a_month_that_another_model_of_the_paper_has_is_no_day(models: pd.DataFrame) -> None:
    assert told(models, "Beside a month") == ("2020-06-01", "month", "paper")


def test_a_date_within_the_month_or_before_it_stays(models: pd.DataFrame) -> None:
    assert told(models, "Within") == ("2020-06-30", "day", "paper")
    assert told(models, "Before") == ("2020-04-01", "day", "announcement")


def test_a_model_with_a_date_in_its_name_came_after_its_paper(models: pd.DataFrame) -> None:
    assert told(models, "Dated (Mar 2025)") == ("2025-03-24", "day", "release")


def test_a_model_is_not_older_than_its_base(models: pd.DataFrame) -> None:
    assert told(models, "Derived") == ("2023-08-09", "day", "release")


def test_a_base_whose_own_date_is_bounded_holds_nothing_up(models: pd.DataFrame) -> None:
    assert told(models, "Of a bounded base") == ("2020-10-01", "month", "paper")


def test_a_model_without_a_paper_on_arxiv_has_the_date_of_upstream(models: pd.DataFrame) -> None:
    assert told(models, "Without a paper") == ("2022-08-08", "day", "upstream")


@pytest.mark.parametrize("name", ["On bioRxiv", "Under a DOI"])
def test_a_date_after_the_day_in_the_doi_of_a_preprint_becomes_that_day(models: pd.DataFrame, name: str) -> None:
    """ESM-1v is dated 2021-11-17 upstream; its preprint was handed in on 2021-07-09."""
    assert told(models, name) == ("2021-07-09", "day", "paper")


def test_a_day_that_does_not_exist_tells_nothing(models: pd.DataFrame) -> None:
    assert told(models, "Of two links") == ("2020-06-01", "month", "paper")
    assert told(models, "Of no day") == ("2021-11-17", "day", "upstream")


def test_a_preprint_is_posted_within_two_weeks(models: pd.DataFrame) -> None:
    assert told(models, "Four days on") == told(models, "A month on") == ("2022-12-19", "day", "paper")


def test_a_date_that_we_entered_says_that_the_model_came_later(models: pd.DataFrame) -> None:
    assert told(models, "Entered") == ("2024-01-29", "day", "release")


def test_a_date_that_cites_the_preprint_is_that_of_the_paper(models: pd.DataFrame) -> None:
    assert told(models, "Entered from the preprint") == ("2018-01-13", "day", "paper")


def test_a_vintage_has_the_dates_as_they_were(checkout: Paths) -> None:
    found = normalized(checkout, date(2026, 11, 24))["models"].set_index("name")
    assert told(found, "Later")[0] == "2022-08-08"


def test_the_month_of_a_number() -> None:
    found = first_of_month(pd.Series(["2006.04558", "0704.0001", "hep-th/9901001", None]))
    assert [None if pd.isna(day) else f"{day:%Y-%m}" for day in found] == ["2020-06", "2007-04", None, None]


@pytest.mark.parametrize("name", ["GPT-4 (Jun 2023)", "DeepSeek-V4-Pro-0813", "Qwen3-2507"])
def test_names_that_have_a_date(name: str) -> None:
    assert pd.Series([name]).str.contains(STAMP, regex=True)[0]


@pytest.mark.parametrize("name", ["Yi-1.5-34B", "DGX 2048", "DLRM-2022"])
def test_names_that_have_none(name: str) -> None:
    assert not pd.Series([name]).str.contains(STAMP, regex=True)[0]
