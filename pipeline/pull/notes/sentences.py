"""Where a figure stands in a note, and whether several figures are one."""

from __future__ import annotations

import re

_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


def agree(numbers: list[float], tolerance: float = 0.01) -> bool:
    """Whether the numbers lie within the tolerance of each other; none do not."""
    return bool(numbers) and max(numbers) - min(numbers) <= tolerance * max(numbers)


def sentence_of(text: str, match: re.Match[str]) -> str:
    """The sentence or line of a text that a match stands in."""
    start = max((cut.end() for cut in _SENTENCE.finditer(text[: match.start()])), default=0)
    cut = _SENTENCE.search(text, match.end())
    return text[start : cut.start() if cut else len(text)]
