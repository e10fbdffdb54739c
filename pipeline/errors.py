"""Faults in data, reported so that a person can act: where, which record and field, what is wrong, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

MOST_KINDS = 40  # that are told
WIDEST = 80  # characters of a cell


class Problem(NamedTuple):
    """One fault: `where` is a file and line or a table; `value` is shown verbatim."""

    where: str
    record: str
    field: str
    value: str
    reason: str
    remedy: str

    def __str__(self) -> str:
        subject = " ".join(part for part in (self.field, f'"{_clip(self.value)}"' if self.value else "") if part)
        record = f" [{_clip(self.record)}]" if self.record else ""
        text = f"{self.where}{record}: {subject}: {self.reason}" if subject else f"{self.where}{record}: {self.reason}"
        return f"{text}; {self.remedy}" if self.remedy else text


class DataError(Exception):
    """Data failed a check (exit code 1). Holds every problem found, not just the first."""

    exit_code = 1

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: Sequence[Problem] = list(problems)
        super().__init__(render(self.problems))

    @classmethod
    def of(
        cls, where: str, reason: str, remedy: str, *, record: str = "", field: str = "", value: str = ""
    ) -> DataError:
        """The error of one problem."""
        return cls([Problem(where, record, field, value, reason, remedy)])

    @classmethod
    def raise_any(cls, problems: Iterable[Problem]) -> None:
        """Raises the error of the problems, if there are any."""
        if problems := list(problems):
            raise cls(problems)

    def __reduce__(self) -> tuple[type[DataError], tuple[Sequence[Problem]]]:
        """So that it survives the way from another process."""
        return DataError, (self.problems,)


class SourceError(Exception):
    """A source could not be fetched, or contradicts the lock (exit code 3)."""

    exit_code = 3


def render(problems: Sequence[Problem]) -> str:
    """One line per kind of problem: its first occurrence, and how many more there are."""
    kinds: dict[tuple[str, ...], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault((problem.field, problem.value, problem.reason, problem.remedy), []).append(problem)
    lines = [f"{same[0]}" + (f" (and {len(same) - 1} more)" if len(same) > 1 else "") for same in kinds.values()]
    if len(lines) > MOST_KINDS:
        lines[MOST_KINDS:] = [f"... and {len(lines) - MOST_KINDS} more kinds of fault"]
    return "\n".join(lines)


def _clip(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 1] + "…"
