"""What a command needs beside the reader, and how to get it: a checkout to build from, or an extra of the package.

Imports nothing but the standard library: the list of commands asks it.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from importlib.util import find_spec
from typing import Any

from traincompute.base.errors import MissingExtraError

BUILDER = "pipeline"  # the package of the checkout, which no wheel holds
# extra → the modules that come with it
EXTRAS = {
    "build": ("pandera", "yaml", "python_calamine", "markdown_it", "jinja2", "markupsafe"),
    "calibrate": ("scipy", "threadpoolctl"),
    "site": ("mkdocs", "vl_convert"),
    "excel": ("xlsxwriter",),
    "bulk": ("ibis",),
}
# command of the pipeline → the extra without which it does nothing, beside a checkout and `build`, which all of them
# need
NEEDS = {"calibrate": "calibrate", "figures": "site"}
# option that only a checkout can serve → the module that does
OPTIONS = dict.fromkeys(("--as-of", "--project"), "pipeline.impute.on_demand")


def lacks(command: str, module: str) -> str:
    """What the command in that module needs and this installation has not, with the remedy; "" where it can run."""
    if not module.startswith(f"{BUILDER}."):
        return ""
    if not has_checkout():
        return "a checkout: clone the repository and run `pip install -e '.[build]'` in it"
    wanted = ["build", *([NEEDS[command]] if command in NEEDS else [])]
    absent = ",".join(extra for extra in wanted if not is_installed(extra))
    return f"the extra {absent.replace(',', ' and ')}: {remedy(absent)}" if absent else ""


@cache
def is_installed(extra: str) -> bool:
    """Whether all modules of an extra are there; none is imported."""
    return all(map(find_spec, EXTRAS[extra]))


@cache
def has_checkout() -> bool:
    """Whether the package runs from a checkout, with the builders beside it."""
    return os.path.isdir(os.path.join(os.path.dirname(os.path.dirname(__file__)), BUILDER))


def remedy(extras: str) -> str:
    """The command that installs extras, which commas join; without a checkout their packages, as the name traincompute
    is not registered."""
    if has_checkout():
        return f"pip install -e '.[{extras}]'"
    import re
    from importlib.metadata import requires

    wanted = [
        re.fullmatch(r"([\w.-]+).*; extra == '([\w-]+)'", line.replace('"', "'"))
        for line in requires("traincompute") or []
    ]
    return "pip install " + " ".join(found[1] for found in wanted if found and found[2] in extras.split(","))


def builder_of(option: str) -> Any:
    """The module that serves an option. Raises MissingExtraError where there is no checkout."""
    if needed := lacks(option, OPTIONS[option]):
        raise MissingExtraError(f"{option} needs {needed}")
    return importlib.import_module(OPTIONS[option])


def missing_module(error: ModuleNotFoundError) -> str:
    """A line that names the extra which brings the module; "" where none does."""
    module = (error.name or "").split(".")[0]
    extra = next((name for name, modules in EXTRAS.items() if module in modules), "")
    return f"{module} is not installed: {remedy(extra)}" if extra else ""
