"""Makes a release: check, build, compare with the one before, describe, seal, put in place, and enter in the index.

It is made in a folder beside the others; what a killed run left of one is removed by the next. It gets its name in one
step, and releases.json is written last: whatever that names is complete."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from pipeline.config import load_config
from pipeline.errors import DataError
from pipeline.paths import Paths
from pipeline.publish.describe import describe
from pipeline.publish.release_checks import check_changes, check_folder, check_request, predecessor, read_commit
from pipeline.publish.release_files import place, read_index, seal, write_index
from pipeline.validate.findings import check_listed
from pipeline.validate.released import write_baseline
from traincompute.base.locks import sole_writer
from traincompute.base.staging import staging
from traincompute.index import VINTAGE, folder_name

Build = Callable[[Paths, date | None], Any]  # pipeline.build.build, and what it returns


def make_release(
    paths: Paths, version: str, build: Build, key: Path | None = None, url: str = "", allow_dirty: bool = False
) -> Path:
    """Makes release VERSION, or a vintage-DATE, and returns its folder. `key` signs it; `url` is the address that the
    index gives for the folders ("" = beside it); `allow_dirty` also takes files that are not committed.

    Raises DataError if a check fails, OSError if the disk does not allow it: index and releases stay as they are."""
    paths.releases.mkdir(parents=True, exist_ok=True)
    as_of = date.fromisoformat(version.removeprefix(VINTAGE)) if version.startswith(VINTAGE) else None
    with sole_writer(paths.releases), staging(paths.releases / "making") as making:
        index = read_index(paths.releases)
        check_request(index, version, key)
        before = predecessor(paths.releases, index, version)
        commit, day = read_commit(paths, allow_dirty)
        work = making / folder_name(version)
        built = build_into(paths, as_of, work, build)
        check_listed(built.verdict.findings)
        if read_commit(paths, allow_dirty) != (commit, day):
            raise DataError.of("release", "files changed during the build", "run it again")
        channel = "vintage" if as_of else "release"
        describe(paths, work, {"version": version, "channel": channel, "date": day, "commit": commit})
        if before:
            check_changes(before, work)
        seal(work, key)
        check_folder(work)
        folder = place(work, paths.releases / work.name)
        write_index(paths.releases, index, folder, url)
        if not (as_of or allow_dirty):  # what the next builds are compared with
            write_baseline(
                load_config(paths), built.verdict.tables, built.tables["predictions"], date.fromisoformat(day)
            )
    return folder


def build_into(paths: Paths, as_of: date | None, work: Path, build: Build) -> Any:
    """Runs a separate build and puts its files into `work`; data/processed/ is left as it is. Returns what `build`
    does."""
    output = work.with_name("build")
    built = build(replace(paths, output=output), as_of)
    (output / ".current").resolve().rename(work)
    shutil.rmtree(output)
    for note in work.glob(".*"):  # what a build keeps for the next one is of no use in a release
        note.unlink()
    return built
