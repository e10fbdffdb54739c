"""What a test may need beyond Python and git."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT

UPSTREAM = Path(os.environ.get("TRAINCOMPUTE_UPSTREAM") or CHECKOUT.parent / "shared" / "upstream")
MISSING: list[str] = []  # a reason for each thing that this machine lacks


def _needs(reason: str, present: bool) -> pytest.MarkDecorator:
    if not present:
        MISSING.append(reason)
    return pytest.mark.skipif(not present, reason=reason)


def chromium_and_driver() -> tuple[str | None, str | None]:
    """The paths of the two programs. The shell is the same engine without the windows of a browser, and takes less
    time."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium"), shutil.which("chromedriver")


needs_ssh_keygen = _needs("there is no ssh-keygen", shutil.which("ssh-keygen") is not None)
NO_CHROMIUM = "there is no chromium with its chromedriver"
needs_r = _needs("there is no Rscript", shutil.which("Rscript") is not None)
needs_upstream = _needs(
    "the upstream files are not here; set TRAINCOMPUTE_UPSTREAM to a folder with them", UPSTREAM.is_dir()
)

if not all(chromium_and_driver()) and "BROWSER_AWAITED" not in os.environ:
    MISSING.append(NO_CHROMIUM)
