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
    "build": ("pandera", "yaml", "python_calamine", "jinja2", "markupsafe"),
    "calibrate": ("scipy", "threadpoolctl"),
    "site": ("mkdocs", "vl_convert"),
    "excel": ("xlsxwriter",),
    "bulk": ("ibis",),
}
# where there is no checkout: no registry has traincompute
PACKAGES = {"excel": "xlsxwriter", "bulk": "'ibis-framework[duckdb]'"}
# command of the pipeline → the extra that it needs beside `build`, which all of them need
NEEDS = {"calibrate": "calibrate", "figures": "site"}


def lacks(command: str, module: str) -> str:
    """What the command in that module needs and this installation has not, with the remedy; "" where it can run."""
    if not module.startswith(f"{BUILDER}."):
        return ""
    if not has_checkout():
        return "a checkout: clone the repository and run `pip install -e '.[build]'` in it"
    absent = [extra for extra in ("build", NEEDS.get(command)) if extra and not is_installed(extra)]
    return f"the extra {' and '.join(absent)}: {remedy(*absent)}" if absent else ""


@cache
def is_installed(extra: str) -> bool:
    """Whether all modules of an extra are there; none is imported."""
    return all(map(find_spec, EXTRAS[extra]))


@cache
def has_checkout() -> bool:
    """Whether the package runs from a checkout, with the builders beside it."""
    return os.path.isdir(os.path.join(os.path.dirname(os.path.dirname(__file__)), BUILDER))


def remedy(*extras: str) -> str:
    """The command that installs the extras."""
    if has_checkout():
        return f"pip install -e '.[{','.join(extras)}]'"
    return "pip install " + " ".join(PACKAGES.get(extra, extra) for extra in extras)
