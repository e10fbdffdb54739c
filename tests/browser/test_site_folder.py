"""The explorer as a folder: from disk and from a host, damaged, incomplete, of another dataset, with hostile names."""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

import duckdb
import pytest
from browser import NOTABLE, Browser, ids

from pipeline.present.site.write import write_site

FEW = "delete from models where not is_notable or publication_date < date '2020-05-01' or publication_date > date '2020-12-31'"
OF_FEW = "delete from {} where model_id not in (select model_id from models)"
SAYING = ("claims", "estimates", "predictions", "revisions")  # most of the rows


def test_it_opens_from_disk_without_a_request_or_an_error(page: Browser, database: duckdb.DuckDBPyConnection) -> None:
    assert page.count() == len(ids(database, NOTABLE))
    page.open("model=gpt-3-175b")
    page.wait("return document.querySelector('.estimates')")
    assert "FLOP" in page.text(".cards")
    assert page.foreign(page.home) == []


@pytest.mark.thorough
def test_it_opens_from_a_static_host_and_asks_no_other(blank: Browser, hosted: str) -> None:
    blank.open("model=gpt-3-175b", f"{hosted}/index.html")
    blank.wait("return document.querySelector('.estimates')")
    assert blank.foreign(f"{hosted}/index.html") == []
    blank.open("asof=2025-05-06&tiers=1", f"{hosted}/index.html")
    blank.wait(
        "return traincompute.data.likely && document.querySelector('#time-day').textContent === 'as of 2025-05-06'"
    )
    asked = blank.requests()
    assert {f"{hosted}/data/{name}.js" for name in ("models", "tiers", "vintages")} <= set(asked)
    assert [address for address in asked if not address.startswith((hosted + "/", "data:"))] == []


@pytest.mark.thorough
def test_the_policy_allows_nothing_but_the_folder(page: Browser) -> None:
    page.run("const s = document.createElement('script'); s.src = 'https://example.com/x.js'; document.head.append(s)")
    page.run("const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.head.append(s)")
    page.wait("return true")
    assert page.run("return window.ran === undefined")
    refused = page.errors()
    assert len(refused) == 2
    assert all("Content Security Policy" in text for text in refused)


NAME = '<img src=x onerror="window.hit=1">\'</script><b>&amp;'
QUOTED = NAME.replace("'", "''")
ALTERED = (
    FEW,
    *(OF_FEW.format(table) for table in SAYING),
    f"update models set name = '{QUOTED}', reference_url = 'javascript:window.hit=1', organizations = ['{QUOTED}'] where model_id = 'gpt-3-175b'",
    f"update claims set value_text = '{QUOTED}', reason = '{QUOTED}', reference = 'javascript:window.hit=1' where model_id = 'gpt-3-175b'",
    "alter table models drop column training_power_w",
    "alter table models drop column accessibility",
    "alter table models drop column publication_date_precision",
    "update models set training_cost_usd = null, open_weights = null",
    "update models set era_compute = 'large scale' where training_compute_flop > 1e23",
    "update models set training_energy_kwh = 5e6 where is_notable",
)


@pytest.fixture(scope="module")
def altered(built: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The explorer of a copy of the dataset with few of its models, a hostile name, and columns missing and empty."""
    folder = tmp_path_factory.mktemp("altered")
    copy = folder / "altered.duckdb"
    shutil.copy(built, copy)
    with duckdb.connect(str(copy)) as connection:
        for statement in ALTERED:
            connection.execute(statement)
    write_site(copy, folder / "site")
    return (folder / "site" / "index.html").as_uri()


@pytest.mark.thorough
def test_markup_in_a_name_stays_text(blank: Browser, altered: str) -> None:
    blank.open("model=gpt-3-175b", altered)
    blank.wait("return document.querySelector('.sources')")
    assert blank.text("#model-name") == NAME
    assert blank.run("return document.querySelectorAll('img, body script:not([src])').length") == 0
    assert (
        blank.run("return [...document.querySelectorAll('a')].filter((a) => a.protocol === 'javascript:').length") == 0
    )
    assert blank.run("return window.hit === undefined")
    blank.open("q=onerror", altered)
    assert blank.count() == 1
    assert blank.text("#table tbody th a") == NAME
    assert blank.run("return document.querySelectorAll('#table mark').length") > 0
    assert NAME in blank.text("#story")
    drawn = ElementTree.fromstring(blank.run("return traincompute.chartSvg()"))
    assert '<img src=x onerror="' in "".join(drawn.itertext())
    blank.open(f"organizations={quote(NAME)}&model={quote(NAME)}&y={quote(NAME)}", altered)
    assert NAME in blank.text("#unknown")
    assert blank.run("return document.querySelectorAll('img, body script:not([src])').length") == 0
    assert blank.run("return window.hit === undefined")


@pytest.mark.thorough
def test_it_copes_with_missing_and_empty_columns(blank: Browser, altered: str) -> None:
    blank.open("", altered)
    axes = blank.run("return [...document.querySelectorAll('#y option')].map((o) => o.value)")
    assert "training_energy_kwh" in axes
    assert not {"training_power_w", "training_cost_usd"} & set(axes)
    assert blank.run("return document.querySelectorAll('#facet-era_compute, [name=open_weights]').length") == 1
    blank.choose("#y", "training_energy_kwh")
    blank.wait("return traincompute.chart.visible.length > 10")


@pytest.mark.thorough
def test_a_missing_file_is_told(blank: Browser, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    pages = ("models", "organizations", "countries", "chips", "sources", "docs", "api")  # and data/models
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(*pages))
    blank.open("model=gpt-3-175b", (copy / "index.html").as_uri())
    blank.wait("return document.querySelector('#model-page').textContent.includes('cannot be read')")
    (copy / "data" / "models.js").write_text("damaged")
    blank.visit((copy / "index.html").as_uri())
    blank.wait("return document.querySelector('#failure').textContent.includes('traincompute site')")
    assert blank.errors()  # the console names the files; the fixture wants a clean one
