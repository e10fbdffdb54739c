"""What is measured: a command relative to a floor."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A command, the floor that it is compared with, and the largest ratio of the medians that we accept; `memory` is
    the same for peak memory, which counts if the case is `weighed`."""

    name: str
    command: list[str]
    floor: list[str]
    target: float | None
    memory: float | None = None
    weighed: bool = False
