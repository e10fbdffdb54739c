"""The checkout: where its folders and files are, relative to its root, and what a build of it calls itself."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass, replace
from datetime import date
from functools import cache
from pathlib import Path

from traincompute import __version__

CHECKOUT = Path(__file__).resolve().parents[1]
DIGITS = 10  # of the hash of a commit


class _Below:
    """A place below the root."""

    def __init__(self, *parts: str) -> None:
        self.parts = parts

    def __get__(self, paths: Paths, _: object) -> Path:
        return paths.root.joinpath(*self.parts)


@dataclass(frozen=True)
class Paths:
    """The layout of one checkout. `output` is where a build is published if not below data/processed/."""

    root: Path = CHECKOUT
    output: Path | None = None

    schemas = _Below("schemas")
    vocab = _Below("schemas", "vocab")
    sql = _Below("pipeline", "publish", "sql")
    docs = _Below("docs")
    calibration = _Below("data", "calibration")
    constants = _Below("data", "constants.yml")
    known_issues = _Below("data", "known_issues.yml")
    releases = _Below("data", "processed", "releases")
    raw = _Below("data", "raw")
    lock = _Below("data", "raw", "lock.json")
    selection = _Below("data", "raw", "selection.yml")
    curated = _Below("data", "raw", "curated")
    corrections = _Below("data", "raw", "curated", "corrections.yml")
    identities = _Below("data", "raw", "curated", "identities.csv")
    architectures = _Below("data", "raw", "curated", "architectures.csv")
    components = _Below("data", "raw", "curated", "components.csv")
    declined = _Below("data", "raw", "curated", "declined.csv")
    baseline = _Below("data", "raw", "released.parquet")

    @property
    def processed(self) -> Path:
        return self.output or self.root / "data" / "processed"

    @property
    def stages(self) -> Path:
        return self.processed / "stages"

    def of(self, as_of: date | None) -> Paths:
        """The same checkout with the folder that the build of that vintage has to itself; None is the newest."""
        return replace(self, output=self.processed / f"vintage-{as_of}") if as_of else self

    def short(self, path: Path) -> str:
        """A path as messages print it: relative to the root if it is below the root."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)


def checkout() -> Paths:
    """The checkout in use: $TRAINCOMPUTE_ROOT, else the one that this package was installed from."""
    return Paths(Path(os.environ.get("TRAINCOMPUTE_ROOT") or CHECKOUT).resolve())


@cache
def build_version(root: Path = CHECKOUT) -> str:
    """2026.12.0.dev5+g0123456789 for what is not released: the next version, with the commits since it was set and the
    last of them, and .dirty if tracked files differ from it. Without git it is what the metadata of an unpacked source
    package say, else 2026.12.0.dev0."""
    top, _, commit = (git(root, "rev-parse", "--show-toplevel", "HEAD") or "").partition("\n")
    if not commit or Path(top).resolve() != root.resolve():
        file = root / "PKG-INFO"
        about = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
        said = [line.removeprefix("Version: ") for line in about if line.startswith("Version: ")]
        return said[0] if said else f"{__version__}.dev0"
    line = f'__version__ = "{__version__}"'
    set_by = git(root, "log", "-1", "--format=%H", f"-S{line}", "--", "traincompute/__init__.py")
    since = git(root, "rev-list", "--count", f"{set_by}..HEAD") if set_by else "0"
    dirty = ".dirty" if git(root, "status", "--porcelain", "--untracked-files=no") else ""
    return f"{__version__}.dev{since}+g{commit[:DIGITS]}{dirty}"


def git(root: Path, *words: str) -> str | None:
    """The output of a git command in the checkout; None if it fails or git is missing. It takes no locks, for which it
    would write where a disk may be full."""
    command, env = ["git", "-C", str(root), *words], os.environ | {"GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=env)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.rstrip("\n")
