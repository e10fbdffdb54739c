"""The errors that this package raises: str() is one message for people, `exit_code` that of a command it ends."""

from __future__ import annotations

from collections.abc import Sequence


class TraincomputeError(Exception):
    """The root: everything that this package raises itself."""

    exit_code = 1


class ReleaseError(TraincomputeError, ValueError):
    """A release could not be had or is not what it should be. Exit code 1 data refused, 2 no such thing, 3 network."""

    def __init__(self, message: str, exit_code: int = 1) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class NotFoundError(TraincomputeError, LookupError):
    """There is no model, table, field or name of that kind; the message has the nearest ones."""


class QueryError(TraincomputeError, ValueError):
    """A query is refused or fails."""


class QueryTimeoutError(QueryError, TimeoutError):
    """A query took too long."""


class InputError(TraincomputeError, ValueError):
    """An argument cannot be used."""

    exit_code = 2


class FileError(TraincomputeError, OSError):
    """A file cannot be read or written."""


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """`; did you mean …?` with the first name that only adds words, else the nearest, or one that contains it."""
    from difflib import get_close_matches  # nothing but a slip needs it

    known = {each.lower(): each for each in names}
    longer = [each for each in known if "_" in name and each.startswith(f"{name.lower()}_")]
    near = longer or get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    near = near or [each for each in known if len(name) > 3 and name.lower() in each]
    return f"; did you mean {known[near[0]]}?" if near else ""


def no_table(name: str, names: Sequence[str]) -> str:
    """The message about a table that is not there, with the nearest one."""
    return f"no table {name}" + (did_you_mean(name, names) or "; `traincompute tables` lists them")
