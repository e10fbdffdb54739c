"""Long texts that a test compares with a copy below tests/golden/, so that each changed number, word or order is
seen."""

from __future__ import annotations

from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def kept(name: str) -> str:
    """The copy; where a text is to change, it takes the place of the copy after it has been read."""
    return (GOLDEN / name).read_text(encoding="utf-8")
