"""What this package raises itself: one tree, whose members are also the ordinary errors that a caller would catch.
str() is one message for people; `exit_code` is that of a command that ends with it."""

from __future__ import annotations


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
