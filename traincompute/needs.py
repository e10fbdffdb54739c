"""What a command needs beside the reader, and how to get it: a checkout to build from, or an extra of the package.

Imports nothing but the standard library: the list of commands asks it.
"""

from __future__ import annotations

import os
from functools import cache
from importlib.util import find_spec

BUILDER = "pipeline"  # the package of the checkout, which no wheel holds
# extra → the modules that come with it
EXTRAS = {
    "build": ("pandera", "pydantic", "yaml", "python_calamine", "jinja2", "markupsafe"),
    "calibrate": ("scipy", "threadpoolctl"),
    "site": ("mkdocs", "vl_convert"),
    "bulk": ("ibis",),
}
# where there is no checkout: no registry has traincompute
PACKAGES = {"bulk": "'ibis-framework[duckdb]'"}


@cache
def is_installed(extra: str) -> bool:
    """Whether all modules of an extra are there; none is imported."""
    return all(map(find_spec, EXTRAS[extra]))


@cache
def has_checkout() -> bool:
    """Whether the package runs from a checkout, with the builders beside it."""
    return os.path.isdir(os.path.join(os.path.dirname(os.path.dirname(__file__)), BUILDER))


def remedy(extra: str) -> str:
    """The command that installs the extra."""
    return f"pip install -e '.[{extra}]'" if has_checkout() else f"pip install {PACKAGES.get(extra, extra)}"
