"""What a build that is not released calls itself: 2026.12.0.dev5+g0123456789, five commits after the one that announced
2026.12.0."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path

from traincompute import __version__

CHECKOUT = Path(__file__).resolve().parents[1]
DIGITS = 10  # of the hash of a commit


@cache
def build_version(root: Path = CHECKOUT) -> str:
    """The next version with the commits since it was set and the last of them, and .dirty if tracked files differ from
    it. Without git it is what a source package says of itself, else 2026.12.0.dev0."""
    top, _, commit = (git(root, "rev-parse", "--show-toplevel", "HEAD") or "").partition("\n")
    if not commit or Path(top).resolve() != root.resolve():
        return _of_source_package(root) or f"{__version__}.dev0"
    line = f'__version__ = "{__version__}"'
    set_by = git(root, "log", "-1", "--format=%H", f"-S{line}", "--", "traincompute/__init__.py")
    since = git(root, "rev-list", "--count", f"{set_by}..HEAD") if set_by else "0"
    dirty = ".dirty" if git(root, "status", "--porcelain", "--untracked-files=no") else ""
    return f"{__version__}.dev{since}+g{commit[:DIGITS]}{dirty}"


def _of_source_package(root: Path) -> str | None:
    """The version in the metadata of an unpacked source package."""
    file = root / "PKG-INFO"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return next((line.removeprefix("Version: ") for line in lines if line.startswith("Version: ")), None)


def git(root: Path, *words: str) -> str | None:
    """The output of a git command in the checkout; None if it fails or git is missing. It takes no locks, for which it
    would write where a disk may be full."""
    command, env = ["git", "-C", str(root), *words], os.environ | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=env)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.rstrip("\n")
