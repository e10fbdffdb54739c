"""Reads the traincompute dataset: how much compute it took to train notable machine-learning models.

    >>> import traincompute as t
    >>> models = t.load("models")
    >>> models.attrs["units"]["training_compute_flop"]
    'FLOP'
    >>> large = t.sql("select name from models where training_compute_flop >= 1e25")
    >>> print(t.cite())  # doctest: +ELLIPSIS
    The traincompute contributors (...). traincompute: how much compute it took to train machine-learning models. ...

docs/reading.md says which dataset is read, and what the functions raise."""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # reading `typing` takes a moment, in which Ctrl-C would end the command line with a traceback
if TYPE_CHECKING:
    from typing import Any

    from traincompute.planning.estimate import estimate
    from traincompute.reader import cite, diff, load, match, sql
    from traincompute.releases import download, path

__version__ = "2026.12.0"  # the next release of data and package: year, month, number within the month
# of the functions that need no pandas; the others are in `reader`
MODULES = {"download": "releases", "path": "releases", "estimate": "planning.estimate"}
__all__ = ["cite", "diff", "download", "estimate", "load", "match", "path", "sql"]


def __getattr__(name: str) -> Any:
    """The public functions, whose module is imported when one is used: the command line needs none."""
    if name not in __all__:
        raise AttributeError(f"module 'traincompute' has no attribute {name!r}")
    return getattr(import_module(f"traincompute.{MODULES.get(name, 'reader')}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
