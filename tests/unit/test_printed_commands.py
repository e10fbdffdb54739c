"""What docs tell people to type leaves a checkout clean."""

from __future__ import annotations

import re
import subprocess

import pytest

from pipeline.paths import CHECKOUT
from traincompute.cli import GROUPED

PAGES = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
WRITTEN = re.compile(r"--to ([^\s`\"]+)|save\(\"([^\"]+)\"\)|sqlite3\.connect\(\"([^\"]+)\"\)")
NAMED = re.compile(r"(?:^ *(?:\$ )?|`|&& )traincompute ([a-z][\w-]*)", re.MULTILINE)
TRACKED = "docs/figures"  # the pictures that are committed are made anew in their place


def written() -> set[str]:
    """The files that the printed commands write."""
    found = [match for page in PAGES for match in WRITTEN.findall(page.read_text(encoding="utf-8"))]
    return {next(filter(None, names)) for names in found}


@pytest.mark.skipif(not (CHECKOUT / ".git").exists(), reason="needs a clone")
@pytest.mark.parametrize("name", sorted(written() - {TRACKED}))
def test_what_a_printed_command_writes_is_ignored(name: str) -> None:
    inside = {"data": "data/v2026.11.0/models.csv", "public": "public/index.html"}.get(name, name)
    done = subprocess.run(["git", "check-ignore", "-q", inside], cwd=CHECKOUT, check=False)
    assert done.returncode == 0, f"{inside} would count as a change of the checkout"


def test_a_command_of_a_group_is_printed_behind_its_group() -> None:
    """Without the group it answers too, but no help lists it."""
    named = {(page.name, name) for page in PAGES for name in NAMED.findall(page.read_text(encoding="utf-8"))}
    assert [(page, name) for page, name in sorted(named) if name in GROUPED] == []
