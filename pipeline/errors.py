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
        record, value = (
            text if len(text) <= WIDEST else text[: WIDEST - 1] + "…" for text in (self.record, self.value)
        )
        subject = " ".join(filter(None, [self.field, f'"{value}"' if value else ""]))
        place = f"{self.where} [{record}]" if record else self.where
        return ": ".join(filter(None, [place, subject, self.reason])) + (f"; {self.remedy}" if self.remedy else "")


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


class SourceError(Exception):
    """A source could not be fetched, or contradicts the lock (exit code 3)."""

    exit_code = 3


def render(problems: Sequence[Problem]) -> str:
    """One line per kind of problem: its first occurrence, and how many more there are."""
    kinds: dict[tuple[str, ...], list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem[2:], []).append(problem)
    lines = [f"{same[0]}" + (f" (and {len(same) - 1} more)" if len(same) > 1 else "") for same in kinds.values()]
    if len(lines) > MOST_KINDS:
        lines[MOST_KINDS:] = [f"... and {len(lines) - MOST_KINDS} more kinds of fault"]
    return "\n".join(lines)
