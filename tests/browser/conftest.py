"""The explorer of the real dataset in a headless Chromium. Without Chromium and its driver these tests are skipped,
or fail where REQUIRE_BROWSER is set; while there is a file at BROWSER_AWAITED they are still being installed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from browser import Browser, started
from machine import NO_CHROMIUM, chromium_and_driver

from pipeline.frames import Tables
from pipeline.paths import Paths
from pipeline.site.write import Written
from traincompute.base.places import DUCKDB_NAME
from traincompute.database import connect_sealed as open_sealed


@pytest.fixture(scope="session")
def built(_real_once: tuple[Paths, Tables]) -> Path:
    """The DuckDB file of the committed facts."""
    return _real_once[0].processed / DUCKDB_NAME


@pytest.fixture(scope="module")
def database(built: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_sealed(built) as connection:
        yield connection


@pytest.fixture(scope="session")
def folder(site: tuple[Path, Written]) -> Path:
    """The site as `traincompute site` writes it."""
    return site[0]


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
def opened(chromium: Browser, folder: Path) -> Iterator[Browser]:
    """The browser at desktop size, for tests that open a page themselves. A test fails on any error of the console."""
    chromium.home = (folder / "index.html").as_uri()
    chromium.resize(1440, 900)
    chromium.errors()
    yield chromium
    assert chromium.errors() == []
