"""What a wheel carries beside the code: the dataset with its figures, and where further releases come from and who may sign them.

    TRAINCOMPUTE_DATASET=data/processed/releases/v2026.11.0 \\
    TRAINCOMPUTE_DEFAULT_INDEX=https://… TRAINCOMPUTE_SIGNERS=allowed_signers python -m build

Without TRAINCOMPUTE_DATASET it is the build in data/processed, and in a fresh clone, which has none, one that is made of
the committed facts: `pip install .` is all it takes. An sdist carries the dataset, too, so that a wheel can be made of it. An
editable install reads the checkout's own build and releases.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "traincompute"
DATASET = f"{PACKAGE}/dataset"
DUCKDB = "traincompute.duckdb"
EDITABLE = "get_requires_for_build_editable"  # hatchling's function that asks for the dependencies of such an install
# Parquet for `load`, DuckDB with its views for `sql`; CSV would double the size and says nothing more
BUILD = """
import sys
from pathlib import Path
from pipeline.base.paths import Paths
from pipeline.build import build
build(Paths(Path(sys.argv[1]), output=Path(sys.argv[2])))
"""
CARRIED = ("*.parquet", "manifest.json", DUCKDB, f"{DUCKDB}.sha256", "CHANGELOG.md", "traincompute.bib")


class Carried(BuildHookInterface):  # type: ignore[type-arg]
    """Adds traincompute/dataset/, and traincompute/default_index.txt and allowed_signers where they are given."""

    def dependencies(self) -> list[str]:
        """What the build of the dataset needs, where there is none yet. An editable install carries none."""
        if self._has_dataset() or any(frame.function == EDITABLE for frame in inspect.stack(context=0)):
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
        """The files of the dataset; none where a source that has none is made into an sdist."""
        folder = self._folder()
        files = [file for pattern in CARRIED for file in sorted(folder.glob(pattern))]
        if not files and self.target_name == "sdist":
            return []
        if not {"manifest.json", DUCKDB} <= {file.name for file in files}:
            raise SystemExit(
                f"{folder} holds no dataset for the wheel to carry; run `traincompute build` first (after "
                "`pip install -e '.[build]'`), or set TRAINCOMPUTE_DATASET to the folder of a release"
            )
        self._check_version(folder)
        return files

    def _figures(self) -> list[Path]:
        """The pictures of the dataset."""
        places = (Path(self.root) / DATASET / "figures", Path(self.root) / "docs" / "figures")  # the first in an sdist
        folder = next((place for place in places if place.is_dir()), places[-1])
        return sorted(folder.glob("*.svg"))

    def _folder(self) -> Path:
        """Where the dataset is; in a fresh clone it is built first, for a wheel."""
        given, unpacked, processed = self._places()
        if given or unpacked.is_dir():
            return given or unpacked
        return processed if self._has_dataset() or self.target_name == "sdist" else self._build()

    def _places(self) -> tuple[Path | None, Path, Path]:
        """The folder that is asked for, that of an unpacked sdist, and that of the checkout's build."""
        given, root = os.environ.get("TRAINCOMPUTE_DATASET"), Path(self.root)
        return Path(given).absolute() if given else None, root / DATASET, root / "data" / "processed"

    def _has_dataset(self) -> bool:
        given, unpacked, processed = self._places()
        return bool(given) or unpacked.is_dir() or (processed / "manifest.json").exists()

    def _build(self) -> Path:
        """The dataset of the committed facts, beside the checkout: it is gone once the wheel is made."""
        self.built = tempfile.TemporaryDirectory()
        done = subprocess.run([sys.executable, "-c", BUILD, self.root, self.built.name], cwd=self.root, check=False)
        if done.returncode:
            raise SystemExit(
                "the dataset for the wheel to carry cannot be built from data/raw; the reason stands above"
            )
        return Path(self.built.name)

    def _check_version(self, folder: Path) -> None:
        """Package and data have one version: a release is carried by the package of its commit."""
        manifest = json.loads((folder / "manifest.json").read_bytes())
        found, package = manifest.get("version"), self.metadata.version
        if found != package:
            raise SystemExit(
                f"{folder} holds version {found}, the package is {package}; build again, or set __version__ in "
                "traincompute/__init__.py"
            )

    def _settings(self) -> dict[str, str]:
        """{file: its place in the wheel} of index and signers."""
        address, signers = (os.environ.get(f"TRAINCOMPUTE_{name}") for name in ("DEFAULT_INDEX", "SIGNERS"))
        added = {str(Path(signers).absolute()): f"{PACKAGE}/allowed_signers"} if signers else {}
        if not address:
            return added
        if not address.startswith("https://"):
            raise SystemExit(f"TRAINCOMPUTE_DEFAULT_INDEX is {address!r}; it must begin with https://")
        self.folder = tempfile.TemporaryDirectory()
        file = Path(self.folder.name) / "default_index.txt"
        file.write_text(f"{address}\n", encoding="utf-8")
        return {**added, str(file): f"{PACKAGE}/default_index.txt"}
