"""What a wheel carries beside the code: the dataset with its figures, and where further releases come from.

    TRAINCOMPUTE_DATASET=data/processed/releases/v2026.12.0 TRAINCOMPUTE_DEFAULT_INDEX=https://… python -m build --wheel

Without TRAINCOMPUTE_DATASET the dataset is built of the facts as they are, so that no wheel carries an older one: `pip
install .` is all it takes. An sdist carries what that takes and, where it was given, the dataset. An editable install
reads the checkout's own build and releases. The version is that of the given dataset, else what `traincompute build`
calls a build of this commit."""

from __future__ import annotations

import hashlib
import inspect
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
PACKAGE = "traincompute"
DATASET = f"{PACKAGE}/dataset"
SQL = "traincompute.sql"
EDITABLE = "get_requires_for_build_editable"  # hatchling's function that asks for the dependencies of such an install
BUILD = """
import sys
from pathlib import Path
from pipeline.paths import Paths
from pipeline.build import build
build(Paths(Path(sys.argv[1]), output=Path(sys.argv[2])))
"""
CARRIED = ("*.parquet", "manifest.json", SQL)  # of which the reader makes its own database


def package_version() -> str:
    """The version of the package: that of the dataset that it is given to carry, else that of a build."""
    sys.path.insert(0, str(ROOT))
    from pipeline.paths import build_version
    from traincompute import __version__

    folder = given_dataset()
    if not folder:
        return build_version(ROOT)
    version = str(json.loads((folder / "manifest.json").read_bytes()).get("version"))
    if version != __version__ and not version.startswith(f"{__version__}.dev"):
        raise SystemExit(
            f"{folder} holds version {version}, the package is {__version__}; build again, or set __version__ in "
            "traincompute/__init__.py"
        )
    return version


def given_dataset() -> Path | None:
    """The folder that TRAINCOMPUTE_DATASET names, or that an sdist was made with."""
    given, unpacked = os.environ.get("TRAINCOMPUTE_DATASET"), ROOT / DATASET
    if not given:
        return unpacked if (unpacked / "manifest.json").is_file() else None
    if not (Path(given) / "manifest.json").is_file():
        raise SystemExit(f"{given} holds no dataset; set TRAINCOMPUTE_DATASET to a release's folder, or leave it out")
    return Path(given).absolute()


def check(folder: Path) -> None:
    """Raises SystemExit where a file that a wheel carries is missing or was changed since the manifest was written."""
    tables = json.loads((folder / "manifest.json").read_bytes())["tables"]
    wanted = {f"{name}.parquet": table["files"][f"{name}.parquet"]["sha256"] for name, table in tables.items()}
    for name, digest in wanted.items():
        file = folder / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != digest:
            raise SystemExit(f"{file} is missing or was changed since it was made; fetch or build the dataset again")


class Carried(BuildHookInterface):  # type: ignore[type-arg]
    """Adds traincompute/dataset/, and traincompute/default_index.txt where an index is given."""

    def dependencies(self) -> list[str]:
        """What the build of the dataset needs. An editable install and an sdist carry none that was not given."""
        is_editable = any(frame.function == EDITABLE for frame in inspect.stack(context=0))
        if given_dataset() or is_editable or self.target_name == "sdist":
            return []
        project = self.metadata.core
        return [*project.dependencies, *project.optional_dependencies["build"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it makes a wheel or an sdist."""
        if version == "editable":
            return
        added = build_data["force_include"]
        added |= {str(file.resolve()): f"{DATASET}/{file.name}" for file in self._dataset()}
        added |= {str(file): f"{DATASET}/figures/{file.name}" for file in self._figures()}
        if self.target_name == "wheel":
            added |= self._settings()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Called after the wheel is made."""
        for name in ("folder", "built"):
            if hasattr(self, name):
                getattr(self, name).cleanup()

    def _dataset(self) -> list[Path]:
        """The files of the dataset: the given one, else for a wheel one that is built, and for an sdist none."""
        folder = given_dataset()
        if not folder and self.target_name == "sdist":
            return []
        if folder:
            check(folder)
        folder = folder or self._build()
        return [file for pattern in CARRIED for file in sorted(folder.glob(pattern))]

    def _figures(self) -> list[Path]:
        """The pictures of the dataset."""
        places = (Path(self.root) / DATASET / "figures", Path(self.root) / "docs" / "figures")  # the first in an sdist
        folder = next((place for place in places if place.is_dir()), places[-1])
        return sorted(folder.glob("*.svg"))

    def _build(self) -> Path:
        """The dataset of the committed facts, beside the checkout: it is gone once the wheel is made."""
        self.built = tempfile.TemporaryDirectory()
        done = subprocess.run([sys.executable, "-c", BUILD, self.root, self.built.name], cwd=self.root, check=False)
        if done.returncode:
            raise SystemExit(
                "the dataset for the wheel to carry cannot be built from data/raw; the reason stands above"
            )
        return Path(self.built.name)

    def _settings(self) -> dict[str, str]:
        """{file: its place in the wheel} of the index."""
        address = os.environ.get("TRAINCOMPUTE_DEFAULT_INDEX")
        if not address:
            return {}
        if not address.startswith("https://"):
            raise SystemExit(f"TRAINCOMPUTE_DEFAULT_INDEX is {address!r}; it must begin with https://")
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "default_index.txt"
        file.write_text(f"{address}\n", encoding="utf-8")
        return {str(file): f"{PACKAGE}/default_index.txt"}
