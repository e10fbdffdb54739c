"""Where things are: every folder and file of a checkout, relative to its root. Imports nothing from the project."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Paths:
    """The layout of one checkout. `output` is where a build is published if not below data/processed/."""

    root: Path = CHECKOUT
    output: Path | None = None

    @property
    def schemas(self) -> Path:
        return self.root / "schemas"

    @property
    def vocab(self) -> Path:
        return self.schemas / "vocab"

    @property
    def calibration(self) -> Path:
        return self.root / "data" / "calibration"

    @property
    def constants(self) -> Path:
        return self.root / "data" / "constants.yml"

    @property
    def known_issues(self) -> Path:
        return self.root / "data" / "known_issues.yml"

    @property
    def sql(self) -> Path:
        return self.root / "pipeline" / "publish" / "sql"

    @property
    def raw(self) -> Path:
        return self.root / "data" / "raw"

    @property
    def curated(self) -> Path:
        return self.raw / "curated"

    @property
    def identities(self) -> Path:
        return self.curated / "identities.csv"

    @property
    def architectures(self) -> Path:
        return self.curated / "architectures.csv"

    @property
    def components(self) -> Path:
        return self.curated / "components.csv"

    @property
    def declined(self) -> Path:
        return self.curated / "declined.csv"

    @property
    def lock(self) -> Path:
        return self.raw / "lock.json"

    @property
    def cache(self) -> Path:
        return self.root / "data" / "cache"

    @property
    def processed(self) -> Path:
        return self.output or self.root / "data" / "processed"

    @property
    def releases(self) -> Path:
        return self.root / "data" / "processed" / "releases"

    def of(self, as_of: date | None) -> Paths:
        """The same checkout with the folder that the build of that vintage has to itself; None is the newest."""
        return replace(self, output=self.processed / f"vintage-{as_of}") if as_of else self

    @property
    def stages(self) -> Path:
        return self.processed / "stages"

    @property
    def docs(self) -> Path:
        return self.root / "docs"

    def short(self, path: Path) -> str:
        """A path as messages print it: relative to the root if it is below the root."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)


def checkout() -> Paths:
    """The checkout in use: $TRAINCOMPUTE_ROOT, else the one that this package was installed from."""
    return Paths(Path(os.environ.get("TRAINCOMPUTE_ROOT") or CHECKOUT).resolve())
