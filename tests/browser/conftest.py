"""The explorer of the real dataset in a headless Chromium. Without Chromium and its driver these tests are skipped,
or fail where REQUIRE_BROWSER is set; while there is a file at BROWSER_AWAITED they are still being installed."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from browser import Browser, started
from machine import NO_CHROMIUM, chromium_and_driver

from pipeline.frames import Tables
from pipeline.paths import Paths
from pipeline.present.site.serve import serving
from pipeline.present.site.write import Written
from pipeline.site.explorer import write_explorer, write_search, write_sql
from pipeline.site.libraries import write_libraries
from pipeline.site.site import HERE, open_site
from traincompute.base.places import DUCKDB_NAME
from traincompute.database import connect_sealed as open_sealed


@pytest.fixture(scope="session")
def built(_real_once: tuple[Paths, Tables]) -> Path:
    """The DuckDB file of the committed facts."""
    return _real_once[0].processed / DUCKDB_NAME


@pytest.fixture(scope="module")
def database(built: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Closed after each module: other tests open the same file with other settings."""
    with open_sealed(built) as connection:
        yield connection


@pytest.fixture(scope="session")
def folder(site: tuple[Path, Written]) -> Path:
    """The explorer as `traincompute site` writes it."""
    return site[0]


@pytest.fixture(scope="session")
def hosted(folder: Path) -> Iterator[str]:
    """The address of the same folder on a static host."""
    with serving(folder) as address:
        yield address


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    while Path(os.environ.get("BROWSER_AWAITED", os.devnull)).is_file():
        time.sleep(0.1)
    browser, driver = chromium_and_driver()
    if not browser or not driver:
        excuse = pytest.fail if os.environ.get("REQUIRE_BROWSER") else pytest.skip
        excuse(f"{NO_CHROMIUM}: apt-get install chromium chromium-driver")
    with started(browser, driver, tmp_path_factory.mktemp("profile")) as made:
        yield made


@pytest.fixture
def blank(chromium: Browser, folder: Path) -> Iterator[Browser]:
    """The browser at desktop size, for tests that open a page or a view of the explorer themselves. A test fails on any
    error that the console shows."""
    chromium.home = (folder / "index.html").as_uri()
    chromium.resize(1440, 900)
    chromium.errors()
    yield chromium
    assert chromium.errors() == []


@pytest.fixture(scope="module")
def _loaded_once(chromium: Browser) -> None:
    """No file finds what another has left."""
    chromium.at_first = ""


@pytest.fixture
def page(blank: Browser, _loaded_once: None) -> Browser:
    """The explorer opened from disk, as nobody has touched it."""
    blank.open_again()
    return blank


@pytest.fixture(scope="session")
def explorer(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the explorer, the SQL page and the search of the new site."""
    folder = tmp_path_factory.mktemp("explorer")
    with open_site(built.parent, folder) as site:
        site.env.globals["dataset"] = "{}"
        shutil.copytree(HERE / "static", folder / "static")
        write_libraries(site)
        write_explorer(site)
        write_sql(site)
        write_search(site)
    return folder


@pytest.fixture
def opened(chromium: Browser, explorer: Path) -> Iterator[Browser]:
    """The browser at desktop size, for tests that open a page themselves. A test fails on any error of the console."""
    chromium.home = (explorer / "index.html").as_uri()
    chromium.resize(1440, 900)
    chromium.errors()
    yield chromium
    assert chromium.errors() == []
