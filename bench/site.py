"""Measures the explorer: how long `traincompute site` takes and, in headless Chromium by the page's own clock, how soon
it responds, and how long a change of filters, search, order or axis takes until it is painted.

Needs a built dataset, chromium and chromedriver.
"""

from __future__ import annotations

import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.measure import COMMAND, PROCESSED, measure
from bench.row import Row

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)
# what is measured → (JavaScript that does it, the largest median in milliseconds that we accept)
ACTIONS = {
    "all models": ("document.querySelector('[name=is_notable][value=any]').click()", 100),
    "a domain": ("document.querySelector('#facet-domains li input').click()", 100),
    "at least 1e23 FLOP": ("document.querySelector('[data-least]').click()", 100),
    "search": ("const e = document.querySelector('#search'); e.value = 'llama'; e.dispatchEvent(new Event('input'))", 100),
    "filters off": ("document.querySelector('#clear-filters').click()", 100),
    "all models again": ("document.querySelector('[name=is_notable][value=any]').click()", 100),
    "sort by name": ("document.querySelector('th[data-column=name] button').click()", 100),
    "a vintage": ("const s = document.querySelector('#time-slider'); s.value = 5; s.dispatchEvent(new Event('input'))", 150),
    "the vintage before": ("const s = document.querySelector('#time-slider'); s.value = 4; s.dispatchEvent(new Event('input'))", 150),
    "today again": ("document.querySelector('#time-open').click()", 150),
    "other axis": ("const e = document.querySelector('#y'); e.value = 'parameters'; e.dispatchEvent(new Event('change'))", 100),
}  # fmt: skip
# until two frames later, when the change is on the screen
PAINTED = """
const done = arguments[arguments.length - 1];
const start = performance.now();
{ %s }
const handled = performance.now() - start;
requestAnimationFrame(() => requestAnimationFrame(() => done([handled, performance.now() - start])));"""
READY_MS, FIRST_ANSWER_MS, SITE_S, FIRST_VIEW_BYTES, SITE_BYTES = 1000, 7000, 15, 500_000, 60_000_000


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium with a fresh profile. Raises FileNotFoundError if it is not installed."""
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    programs = [shutil.which(name) for name in ("chromium", "chromedriver")]
    if not all(programs):
        raise FileNotFoundError("chromium and chromedriver are needed: apt-get install chromium chromium-driver")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = Options()
        options.binary_location = str(programs[0])
        for flag in (*FLAGS, "--window-size=1440,900", f"--user-data-dir={profile}"):
            options.add_argument(flag)
        driver = webdriver.Chrome(options=options, service=Service(str(programs[1])))
        try:
            yield driver
        finally:
            driver.quit()


def load(driver: Any, address: str) -> float:
    """Milliseconds from the start of the navigation until the page is drawn and responds."""
    driver.get("about:blank")
    driver.get(address)
    while (ready := driver.execute_script("return window.traincomputeTimings?.ready")) is None:
        time.sleep(0.01)
    return float(ready)


def first_answer(driver: Any, address: str) -> float:
    """Milliseconds from the first click on Run of the SQL page until its query is answered, the engine's start included."""
    driver.get("about:blank")
    driver.get(address.replace("index.html", "sql.html#q=select+count(*)+from+models"))
    while not driver.execute_script("return document.body?.dataset.ready === '1'"):
        time.sleep(0.01)
    driver.execute_script("document.getElementById('run').click()")
    while not (answered := driver.execute_script("return window.traincomputeTimings?.answer")):
        time.sleep(0.01)
    return float(answered[0])


def act(driver: Any, script: str) -> tuple[float, float]:
    """Milliseconds until a change is computed and drawn, and until it is painted."""
    handled, painted = driver.execute_async_script(PAINTED % script)
    return float(handled), float(painted)


def in_browser(address: str, runs: int) -> list[Row]:
    """One row per action, with medians over that many loads of the page."""
    ready, times = [], {name: list[tuple[float, float]]() for name in ACTIONS}
    with browser() as driver:
        for _ in range(runs + 1):  # the first, with an empty code cache, counts as `first load`
            ready.append(load(driver, address))
            driver.execute_script("document.querySelector('#facet-domains').open = true")
            driver.execute_async_script("traincompute.loadVintages().then(arguments[arguments.length - 1])")
            driver.execute_script("document.querySelector('#time').hidden = false")
            for name, (script, _target) in ACTIONS.items():
                times[name].append(act(driver, script))
        answers = [first_answer(driver, address) for _ in range(runs)]
    rows = [
        _row("SQL page until it gives its first answer", answers, FIRST_ANSWER_MS),
        _row("first load until it listens", ready[:1], READY_MS),
        _row("load until it listens", ready[1:], READY_MS),
    ]
    for name, (_script, target) in ACTIONS.items():
        handled, painted = zip(*times[name], strict=True)
        rows.append(_row(name, handled, target)._replace(note=f"painted after {statistics.median(painted):.0f} ms"))
    return rows


def _row(name: str, values: Sequence[float], target: float) -> Row:
    return Row(name, statistics.median(values), "ms", min(values), max(values), target)


def rows(quick: bool, runs: int) -> list[Row]:
    """The command, the bytes of the first view, and the actions in the browser if one is installed."""
    from pipeline.present.site.write import write_site

    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "site"
        seconds = [measure([COMMAND, "site", "--to", str(target)]).seconds for _ in range(runs)]
        written = write_site(PROCESSED / "traincompute.duckdb", target)
        made = [
            Row("traincompute site", statistics.median(seconds), "s", min(seconds), max(seconds), SITE_S),
            Row("the whole site", written.bytes / 1e6, "MB", target=SITE_BYTES / 1e6),
            Row("first view, compressed", written.first_view_gzip_bytes / 1e6, "MB", target=FIRST_VIEW_BYTES / 1e6),
        ]
        try:
            return made + in_browser((target / "index.html").as_uri(), runs)
        except FileNotFoundError:
            return made
