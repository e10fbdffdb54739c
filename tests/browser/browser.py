"""Drives a browser without a screen: opens the explorer, types, clicks, and reads what the page and its console say."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from pipeline.paths import CHECKOUT

FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
)

AXE = Path(os.environ.get("AXE_CORE") or CHECKOUT / ".github/node_modules/axe-core/axe.min.js")
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="no axe-core: `npm ci` in .github, or AXE_CORE=…/axe.min.js")
PATIENCE_S = 120  # a limit for what never comes, not for how fast it comes: a machine may do much else


class Browser:
    """A Chromium with one page; the explorer is at `home`."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver
        self.home = ""

    def resize(self, width: int, height: int, **media: str) -> None:
        """The size of the window, and preferences such as prefers_color_scheme="dark"."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": name.replace("_", "-"), "value": value} for name, value in media.items()]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def open(self, view: str = "") -> None:
        """Reloads the page with what follows # in its address, and waits until it listens."""
        self.visit(f"{self.home}{'#' if view else ''}{view}")
        self.wait("return document.body?.dataset.ready === '1'")

    def visit(self, address: str) -> None:
        """Loads a page, also where only what follows # differs from the page before; what that one said is
        forgotten."""
        if self.driver.current_url.partition("#")[0] == address.partition("#")[0]:
            self.driver.get("about:blank")
        self.errors()
        self.requests()
        self.driver.get(address)

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def wait(self, script: str, *values: Any) -> Any:
        """The first true result of the script, within `PATIENCE_S`."""
        return WebDriverWait(self.driver, PATIENCE_S, poll_frequency=0.02).until(lambda _: self.run(script, *values))

    def find(self, selector: str) -> WebElement:
        """The element, once it is there: what a facet holds comes a moment after it opens."""
        self.wait("return document.querySelector(arguments[0])", selector)
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return str(self.run("return document.querySelector(arguments[0]).textContent", selector))

    def click(self, selector: str) -> None:
        self.find(selector).click()

    def type(self, selector: str, text: str) -> None:
        self.run(
            """const e = document.querySelector(arguments[0]);
            e.value = ''; e.focus()""",
            selector,
        )
        self.find(selector).send_keys(text)

    def keys(self, *keys: str) -> None:
        """Presses keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def errors(self) -> list[str]:
        """Warnings and errors of the console since the page was opened, refusals of the security policy included."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("WARNING", "SEVERE")]

    def unfold(self) -> None:
        """Opens everything that can be opened."""
        self.run("for (const e of document.querySelectorAll('details')) e.open = true")

    def foreign(self, home: str, *schemes: str) -> list[str]:
        """The addresses of requests since the page was opened that are not below the folder of `home`."""
        allowed = (f"{home.rpartition('/')[0]}/", "data:", *schemes)
        return [address for address in self.requests() if not address.startswith(allowed)]

    def requests(self) -> list[str]:
        """The addresses of all requests since the page was opened."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


@contextmanager
def started(chromium: str, chromedriver: str, profile: Path) -> Iterator[Browser]:
    """A browser with a fresh profile, ended afterwards."""
    options = Options()
    options.binary_location = chromium
    # the shell begins with an empty profile of its own, and opens no page with one that is named
    for flag in FLAGS if chromium.endswith("shell") else (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    driver.set_script_timeout(PATIENCE_S)
    try:
        yield Browser(driver)
    finally:
        with suppress(WebDriverException):  # the engine is gone before it answers
            # what the driver ends is Debian's shell script around the engine, which would run on
            driver.execute_cdp_cmd("Browser.close", {})
        driver.quit()


def ids(database: duckdb.DuckDBPyConnection, query: str, *values: Any) -> list[str]:
    return [row[0] for row in database.execute(query, list(values)).fetchall()]


def saved_by(page: Browser, selector: str) -> str:
    """The text of the file that a click saves."""
    script = """const [selector, done] = arguments;
    const [make, click] = [URL.createObjectURL, HTMLAnchorElement.prototype.click];
    URL.createObjectURL = (blob) => { blob.text().then(done); return ""; };
    HTMLAnchorElement.prototype.click = () => {
      [URL.createObjectURL, HTMLAnchorElement.prototype.click] = [make, click];
    };
    document.querySelector(selector).dispatchEvent(new Event("click"));"""
    return str(page.driver.execute_async_script(script, selector))


def grave_faults(page: Browser, axe: Path) -> list[tuple[str, str, list[str]]]:
    """What axe-core, read from that file, calls serious or critical on the page as it stands: rule, impact,
    elements."""
    page.run(axe.read_text(encoding="utf-8"))
    script = (
        "const done = arguments[arguments.length - 1]; axe.run({ resultTypes: ['violations'] }).then((result) =>"
        " done(result.violations))"
    )
    found = page.driver.execute_async_script(script)
    page.errors()  # axe itself reads style sheets, which the policy refuses
    grave = [fault for fault in found if fault["impact"] in ("serious", "critical")]
    return [(fault["id"], fault["impact"], [node["html"] for node in fault["nodes"]][:3]) for fault in grave]
