"""Long texts that a test compares with a copy below tests/golden/, so that each changed number, word or order is
seen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parent / "golden"
WIDTH = 120


def kept(name: str) -> str:
    """The copy; where a text is to change, it takes the place of the copy after it has been read."""
    return (GOLDEN / name).read_text(encoding="utf-8")


def as_kept(made: str, name: str, folder: Path) -> bool:
    """Whether a text is the copy of that name; else it is written to the folder, from where it takes the copy's place
    if all that `diff` shows of the two is right."""
    copy = GOLDEN / name
    if copy.exists() and kept(name) == made:
        return True
    folder = folder / "kept"
    folder.mkdir()
    (folder / copy.name).write_text(made, encoding="utf-8")
    print(f"diff {copy} {folder / copy.name}")
    return False


def as_lines(content: Any, margin: str = "") -> str:
    """JSON with each list and object on a line of its own that fits into one."""
    line = json.dumps(content, ensure_ascii=False)
    if len(margin + line) <= WIDTH or not isinstance(content, dict | list):
        return line
    inner = margin + " "
    if isinstance(content, dict):
        parts, (opening, closing) = (
            [f"{json.dumps(key)}: {as_lines(part, inner)}" for key, part in content.items()],
            "{}",
        )
    else:
        parts, (opening, closing) = [as_lines(part, inner) for part in content], "[]"
    return opening + ",".join(f"\n{inner}{part}" for part in parts) + f"\n{margin}{closing}"
