"""Modules in whose place a command finds a few small functions, so that neither they nor their libraries are read."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

Stand = Callable[..., None]
Ended = tuple[int, str, str]


def stand_ins(monkeypatch: pytest.MonkeyPatch) -> Stand:
    """Gives a module of the pipeline these names alone; that the true one has them is mypy's to say."""
    return lambda module, **names: monkeypatch.setitem(sys.modules, f"pipeline.{module}", SimpleNamespace(**names))  # type: ignore[arg-type]


def just(value: Any) -> Any:
    """A function that returns this, whatever it is given."""
    return lambda *_, **__: value


def ended(command: click.Command, *words: str) -> Ended:
    """The exit code of a command, and what it printed."""
    done = CliRunner().invoke(command, words)
    return done.exit_code, done.stdout, done.stderr
