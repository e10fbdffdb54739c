"""The files below data/calibration/: written by `calibrate --write`, compared by `calibrate --check`. A digest of their
inputs, quick enough for every build, tells when they are stale."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.impute.flop.calibrated import as_csv
from pipeline.registry.constants import load_constants

DIGEST = "inputs.sha256"
VOCABULARIES = ("architectures", "confidence", "dataset_units")  # what the methods read in them is declared there


def write_files(paths: Paths, made: Mapping[str, pd.DataFrame]) -> list[str]:
    """Writes a CSV file per table and the digest; returns their names."""
    paths.calibration.mkdir(exist_ok=True)
    texts = {f"{name}.csv": as_csv(frame) for name, frame in made.items()} | {DIGEST: inputs_digest(paths) + "\n"}
    for name, text in texts.items():
        (paths.calibration / name).write_text(text, encoding="utf-8")
    return [paths.short(paths.calibration / name) for name in texts]


def stale_files(paths: Paths, made: Mapping[str, pd.DataFrame]) -> list[str]:
    """The names of the files that are missing or differ from `made`."""
    files = {paths.calibration / f"{name}.csv": as_csv(frame) for name, frame in made.items()}
    return [paths.short(f) for f, text in files.items() if not f.exists() or f.read_text(encoding="utf-8") != text]


def is_stale(paths: Paths) -> bool:
    """Whether the files were written from inputs other than those now in the checkout."""
    file = paths.calibration / DIGEST
    return not file.exists() or file.read_text(encoding="utf-8").strip() != inputs_digest(paths)


def inputs_digest(paths: Paths) -> str:
    """A digest of the lock (which stands for the upstream facts), the curated files, the conventions and the methods."""
    files = [paths.lock, paths.raw / "selection.yml", *_curated(paths)]
    files += [paths.vocab / f"{name}.yml" for name in VOCABULARIES]
    files += sorted((CHECKOUT / "pipeline" / "impute" / "flop").rglob("*.py"))
    digest = hashlib.sha256(json.dumps(load_constants(paths)["utilization"]).encode())
    for file in files:
        if file.exists():
            digest.update(f"{paths.short(file)} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _curated(paths: Paths) -> list[Path]:
    """The curated files, except the list of what is no model here."""
    return sorted(file for file in paths.curated.glob("*.*") if file != paths.declined)
