"""Where things are: every folder and file of a checkout, relative to its root. Imports nothing from the project."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]


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
    cache = _Below("data", "cache")
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
    waivers = _Below("data", "raw", "curated", "waivers.csv")
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
