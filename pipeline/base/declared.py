"""What the files of a folder declare, by the names of the files."""

from __future__ import annotations

from typing import NoReturn, TypeVar

from pipeline.base.textfile import refuse

T = TypeVar("T")


class Declared(dict[str, T]):
    """{name: what the file declares}; asking for a name that has no file raises DataError with that file's name."""

    def __init__(self, found: dict[str, T], pattern: str) -> None:
        super().__init__(found)
        self.pattern = pattern

    def __missing__(self, name: str) -> NoReturn:
        raise refuse(self.pattern.format(name), "the file is missing")
