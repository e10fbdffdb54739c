"""What changed in a release: CHANGELOG.md with a section per release of its channel, and changes.csv, cell by cell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline.base.errors import DataError
from traincompute.comparison.cells import COLUMNS
from traincompute.comparison.compare import compare
from traincompute.comparison.render import as_csv, as_markdown

TITLE = "# Changelog\n\n"
SHOWN = 30


def write_changes(folder: Path, before: Path | None, release: dict[str, Any]) -> None:
    """Compares the release being made with the one before it. Raises DataError if nothing differs.

    The first release of a channel has no changes, only the header."""
    if before is None:
        (folder / "changes.csv").write_text(",".join(COLUMNS) + "\n", encoding="utf-8")
        section, older = "The first release of its channel.\n", ""
    else:
        section, older = _compare(folder, before), _older(before)
    text = f"{TITLE}## {release['version']} ({release['date']})\n\n{section}{older}"
    (folder / "CHANGELOG.md").write_text(text, encoding="utf-8")


def _compare(folder: Path, before: Path) -> str:
    found = compare(before, folder)
    if found.is_equal:
        reason = f"nothing differs from {found.old.label}"
        raise DataError.of("release", reason, "there is no need for a release without changes")
    (folder / "changes.csv").write_text(as_csv(found.changes), encoding="utf-8")
    return f"Compared with {found.old.label}.\n\n{as_markdown(found, SHOWN)}\n"


def _older(before: Path) -> str:
    """The sections of earlier releases."""
    return "\n" + (before / "CHANGELOG.md").read_text(encoding="utf-8").removeprefix(TITLE)
