"""The date of a model against the number of its paper: facts of a checkout, through the whole of stage 1."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pandas as pd
import pytest
from checkouts import copy_checkout

from pipeline.base.paths import Paths
from pipeline.normalize.first_shown import STAMP, first_of_month
from pipeline.normalize.stage import normalize_tables
from pipeline.registry.context import load_context

HEADER = "record,field,value_text,locator,since,until,reference,evidence,accessed\n"
Models = Callable[..., pd.DataFrame]


@pytest.fixture
def models(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> Models:
    """What becomes of records of (name, day, arXiv number or link, base model or "")."""

    def make(
        *records: tuple[str, str, str, str],
        upstream: bool = True,
        as_of: date | None = None,
        cited: str = "https://example.org",
    ) -> pd.DataFrame:
        paths = copy_checkout(small_template, tmp_path_factory.mktemp("dates") / "checkout")
        ours, theirs = [HEADER], []
        for name, day, number, base in records:
            linked = number if "/" in number else f"https://arxiv.org/abs/{number}"
            theirs += [f"{name},name,{name},,2026-11-21,\n", f"{name},publication_date,{day},,2026-11-21,\n"]
            theirs += [f"{name},organization,OpenAI,,2026-11-21,\n", f"{name},reference_url,{linked},,2026-11-21,\n"]
            theirs += [f"{name},base_model,{base},,2026-11-21,\n"] if base else []
            said = f"{name},publication_date,{day},first page,2026-11-21,,{cited},seen,2026-11-21\n"
            ours += [] if upstream else [said]
        (paths.curated / "facts_from_2023.csv").write_text("".join(ours), encoding="utf-8")
        enter(paths, theirs)
        found = normalize_tables(load_context(paths), as_of)
        return found["models"].set_index("name")

    return make


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


def test_a_date_after_the_month_of_the_paper_becomes_that_month(models: Models) -> None:
    assert told(models(("A", "2022-08-08", "2006.04558", "")), "A") == ("2020-06-01", "month", "paper")


def test_a_day_that_another_model_of_the_paper_has_within_the_month_is_taken(models: Models) -> None:
    found = models(("A", "2020-06-22", "2005.14165", ""), ("B", "2020-05-28", "2005.14165", ""))
    assert told(found, "A") == told(found, "B") == ("2020-05-28", "day", "paper")


def test_a_month_that_another_model_of_the_paper_has_is_no_day(models: Models) -> None:
    found = models(("A", "2022-08-08", "2006.04558", ""), ("B", "2020-06", "2006.04558", ""))
    assert told(found, "A") == ("2020-06-01", "month", "paper")


def test_a_date_within_the_month_or_before_it_stays(models: Models) -> None:
    found = models(("A", "2020-06-30", "2006.04558", ""), ("B", "2020-04-01", "2006.04558", ""))
    assert told(found, "A") == ("2020-06-30", "day", "paper")
    assert told(found, "B") == ("2020-04-01", "day", "announcement")


def test_a_model_with_a_date_in_its_name_came_after_its_paper(models: Models) -> None:
    found = models(("A (Mar 2025)", "2025-03-24", "2412.19437", ""))
    assert told(found, "A (Mar 2025)") == ("2025-03-24", "day", "release")


def test_a_model_is_not_older_than_its_base(models: Models) -> None:
    found = models(("Base", "2023-07-18", "2307.09288", ""), ("A", "2023-08-09", "2304.12244", "Base"))
    assert told(found, "A") == ("2023-08-09", "day", "release")


def test_a_base_whose_own_date_is_bounded_holds_nothing_up(models: Models) -> None:
    found = models(("Base", "2021-01-08", "2007.03898", ""), ("A", "2021-11-03", "2010.02917", "Base"))
    assert told(found, "A") == ("2020-10-01", "month", "paper")


def test_a_model_without_a_paper_on_arxiv_has_the_date_of_upstream(models: Models) -> None:
    assert told(models(("A", "2022-08-08", "", "")), "A") == ("2022-08-08", "day", "upstream")


@pytest.mark.parametrize(
    "link", ["https://www.biorxiv.org/content/10.1101/2021.07.09.450648v2", "https://doi.org/10.1101/2021.07.09.450648"]
)
def test_a_date_after_the_day_in_the_doi_of_a_preprint_becomes_that_day(models: Models, link: str) -> None:
    """ESM-1v is dated 2021-11-17 upstream; its preprint was handed in on 2021-07-09."""
    assert told(models(("A", "2021-11-17", link, "")), "A") == ("2021-07-09", "day", "paper")


def test_a_day_that_does_not_exist_tells_nothing(models: Models) -> None:
    link = "https://arxiv.org/abs/2006.04558 https://doi.org/10.1101/2022.02.31.450648"
    assert told(models(("A", "2021-11-17", link, "")), "A") == ("2020-06-01", "month", "paper")
    alone = models(("A", "2021-11-17", "https://doi.org/10.1101/2022.02.31.450648", ""))
    assert told(alone, "A") == ("2021-11-17", "day", "upstream")


def test_a_preprint_is_posted_within_two_weeks(models: Models) -> None:
    link = "https://www.biorxiv.org/content/10.1101/2022.12.15.519894v1.full.pdf"
    found = models(("A", "2022-12-19", link, ""), ("B", "2023-01-15", link, ""))
    assert told(found, "A") == told(found, "B") == ("2022-12-19", "day", "paper")


def test_a_date_that_we_entered_says_that_the_model_came_later(models: Models) -> None:
    found = models(("A", "2024-01-29", "2308.12950", ""), upstream=False)
    assert told(found, "A") == ("2024-01-29", "day", "release")


def test_a_date_that_cites_the_preprint_is_that_of_the_paper(models: Models) -> None:
    link = "https://ieeexplore.ieee.org/document/8578572"
    found = models(("A", "2018-01-13", link, ""), upstream=False, cited="arXiv:1801.04381")
    assert told(found, "A") == ("2018-01-13", "day", "paper")


def test_a_vintage_has_the_dates_as_they_were(models: Models) -> None:
    found = models(("A", "2022-08-08", "2006.04558", ""), as_of=date(2026, 11, 24))
    assert told(found, "A")[0] == "2022-08-08"


def test_the_month_of_a_number() -> None:
    found = first_of_month(pd.Series(["2006.04558", "0704.0001", "hep-th/9901001", None]))
    assert [None if pd.isna(day) else f"{day:%Y-%m}" for day in found] == ["2020-06", "2007-04", None, None]


@pytest.mark.parametrize("name", ["GPT-4 (Jun 2023)", "DeepSeek-V4-Pro-0813", "Qwen3-2507"])
def test_names_that_have_a_date(name: str) -> None:
    assert pd.Series([name]).str.contains(STAMP, regex=True)[0]


@pytest.mark.parametrize("name", ["Yi-1.5-34B", "DGX 2048", "DLRM-2022"])
def test_names_that_have_none(name: str) -> None:
    assert not pd.Series([name]).str.contains(STAMP, regex=True)[0]
