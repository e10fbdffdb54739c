"""Standard streams as they may be, within the process of the tests; tests/faults has whole commands."""

from __future__ import annotations

import io
import sys

import pytest

from traincompute.show.terminal import open_streams


class Terminal(io.TextIOWrapper):
    """A terminal that knows Latin-1 alone."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="latin-1")

    def isatty(self) -> bool:
        return True

    def shown(self) -> bytes:
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_terminal_is_obeyed_no_code_and_what_it_lacks_has_a_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", at := Terminal())
    open_streams()
    assert sys.stdout.encoding == "latin-1"
    sys.stdout.write("文é\x1b[2J\n")
    sys.stdout.writelines(["\x1b[1mbold\n", "\r12 %"])
    assert at.shown() == b"?\xe9\\x1b[2J\n\\x1b[1mbold\n\\r12 %"
