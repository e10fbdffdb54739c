"""Assembles the site: the order of its parts, in a new folder that is put in place once all are written.

The same dataset gives the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

from pipeline.site.api import write_api
from pipeline.site.docs import write_docs
from pipeline.site.estimate import write_estimate
from pipeline.site.explorer import write_explorer, write_search, write_sql
from pipeline.site.figures import write_figures
from pipeline.site.folder import new_folder
from pipeline.site.libraries import write_libraries
from pipeline.site.metadata import write_downloads, write_metadata
from pipeline.site.model_page import write_models
from pipeline.site.site import HERE, Site, open_site
from pipeline.site.things import write_things
from traincompute.show.terminal import Say

# in this order: the docs show the figures, the search needs the headings of the docs
PARTS: tuple[tuple[str, Callable[[Site], None]], ...] = (
    ("downloads", write_downloads),
    ("things", write_things),
    ("API", write_api),
    ("figures", write_figures),
    ("docs", write_docs),
    ("explorer", write_explorer),
    ("SQL", write_sql),
    ("estimate", write_estimate),
    ("search", write_search),
    ("libraries", write_libraries),
)


class Written(NamedTuple):
    """Where the site is, and how many files and bytes it has."""

    folder: str
    files: int
    bytes: int


def write_site(folder: Path, target: Path, address: str = "", say: Say = lambda _: None) -> Written:
    """Writes the site of the tables in `folder`. `address` is where it will stand, ending in "/"; `say` is told how far
    it is. The pages of models, half of the work, are written by a second process.

    Raises InputError if the target holds another page, ReleaseError and FileError for tables that cannot be read."""
    with new_folder(target) as work, ProcessPoolExecutor(1, get_context("spawn")) as beside:
        models = beside.submit(write_models, folder.resolve(), work, address)
        with open_site(folder, work, address) as site:
            shutil.copytree(HERE / "static", work / "static")
            for number, (name, write) in enumerate(PARTS, 1):
                say(f"{number} of {len(PARTS) + 1}, {name}")
                write(site)
            say(f"{len(PARTS) + 1} of {len(PARTS) + 1}, models")
            models.result()
            write_metadata(site)
        files = [path for path in work.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
    return Written(str(target), len(files), size)
