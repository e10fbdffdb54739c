"""What is measured: a command against a floor."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A command, the floor that it is held against, and the largest ratio of the medians that we accept; `memory` is
    that of the peaks of memory, which count where the case is `weighed`."""

    name: str
    command: list[str]
    floor: list[str]
    target: float | None
    memory: float | None = None
    weighed: bool = False
