"""Checkouts for tests, with a data/processed of their own."""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import ExitStack
from datetime import date
from pathlib import Path
from unittest import mock

from pipeline import build
from pipeline.config import load_config
from pipeline.frames import Tables, empty_frame
from pipeline.normalize import stage
from pipeline.paths import CHECKOUT, Paths

DECLARED = ("schemas", "data/calibration", "data/constants.yml")
MACROS = "pipeline/publish/sql/macros"  # the table of names is made with them
KEPT_BY_HAND = {  # lists of a checkout, without entries
    "data/known_issues.yml": "[]\n",
    "data/raw/curated/corrections.yml": "[]\n",
    "data/raw/curated/identities.csv": "alias,source_id,relation,model_id,since,reason\n",
    "data/raw/curated/architectures.csv": "model_id,architecture,locator,reference,evidence,accessed\n",
    "data/raw/curated/components.csv": "model_id,component_id,role,locator,reference,evidence,accessed\n",
}
SITE = "https://example.org/tc/"  # where the site of the tests would stand


def copy_declarations(root: Path) -> None:
    """Copies schemas, constants, macros and the measured calibration, which may be changed at will, beside empty
    lists."""
    (root / "data" / "raw" / "curated").mkdir(parents=True, exist_ok=True)
    for name, text in KEPT_BY_HAND.items():
        (root / name).write_text(text, encoding="utf-8")
    for name in (*DECLARED, MACROS):
        copy = shutil.copytree if (CHECKOUT / name).is_dir() else shutil.copy
        copy(CHECKOUT / name, root / name)


def copy_checkout(paths: Paths, root: Path) -> Paths:
    """A copy of a checkout with all that it has built."""
    shutil.copytree(paths.root, root, symlinks=True)
    return Paths(root)


def git(root: Path, *arguments: str, day: str = "2026-11-21T12:00:00+00:00") -> None:
    """Runs git on that day, without the machine's settings."""
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false"]
    dates = {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
    env = {**os.environ, **dates, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(["git", "-C", str(root), *identity, *arguments], env=env, check=True, capture_output=True)


def linked_checkout(root: Path) -> Paths:
    """This checkout's declarations, facts and views, to be read."""
    (root / "data").mkdir()
    for name in (*DECLARED, "pipeline", "data/raw"):
        (root / name).symlink_to(CHECKOUT / name)
    return Paths(root)


def normalized(paths: Paths, as_of: date | None = None) -> Tables:
    """What a build of the checkout makes of its facts until it has the models, in a fifth of the time: it estimates
    nothing, and revisions and aliases are left out."""
    context = load_config(paths)
    read = stage.read_ledger(context)
    with ExitStack() as patches:
        for name in ("revisions", "aliases"):
            empty = empty_frame(context.schemas[name])
            patches.enter_context(mock.patch.object(stage, f"make_{name}", return_value=empty))
        return stage.normalize_tables(context, as_of, read)


def unpublished(paths: Paths, as_of: date | None = None) -> Tables:
    """The tables that a build makes and checks; none is written."""
    with mock.patch.object(build, "publication"):
        return build.build(paths, as_of).tables
