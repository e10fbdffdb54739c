"""The static pages of everything that has a name in a browser: from disk, without requests or refusals, in both themes,
on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest
from browser import Browser

NAMES = [
    "models/gpt-4.html",
    "models/claude-opus-5.html",
    "organizations/openai.html",
    "countries/china.html",
    "chips/nvidia-h100-sxm5-80gb.html",
    "sources/epoch_notable.html",
    "organizations/index.html",
]
LONGEST = "models/index.html"  # a list of lines like those of the other lists


def open_page(page: Browser, folder: Path, name: str) -> None:
    page.visit((folder / name).as_uri())
    page.wait("return location.pathname.endsWith(arguments[0]) && document.readyState === 'complete'", f"/{name}")


@pytest.mark.parametrize("name", NAMES)
def test_it_opens_from_disk_alone_and_can_be_used_by_all(blank: Browser, folder: Path, name: str) -> None:
    open_page(blank, folder, name)
    assert [address for address in blank.requests() if not address.startswith(("file://", "data:"))] == []
    for width, theme in ((1440, "light"), (1440, "dark"), (360, "light")):
        blank.resize(width, 800, prefers_color_scheme=theme)
        assert blank.errors() == []
        assert blank.faults() == []
        assert blank.run("return document.documentElement.scrollWidth") <= width


def test_it_leads_to_the_live_page_of_the_same_model(blank: Browser, folder: Path) -> None:
    open_page(blank, folder, "models/gpt-4.html")
    name = blank.text("h1")
    blank.click("a[href='../facts.html#model=gpt-4']")
    blank.wait("return document.body?.dataset.ready === '1' && document.querySelector('#content h1')")
    assert blank.text("#content h1") == name
