"""The files below data/calibration/: written by `calibrate --write`. A digest of their inputs, quick enough for every
build, tells when they are stale."""

import hashlib
import json
from collections.abc import Mapping

import pandas as pd

from pipeline.config import load_constants
from pipeline.paths import CHECKOUT, Paths

DIGEST = "inputs.sha256"
VOCABULARIES = ("architectures", "confidence", "dataset_units")  # what the methods read in them is declared there
METHODS = ("normalize", "impute/derive", "impute/flop", "impute/calibration")  # which make the values and estimates


def write_files(paths: Paths, made: Mapping[str, pd.DataFrame], digest: str | None = None) -> list[str]:
    """Writes a CSV file per table and, if given, the digest of the inputs from before the measuring, so that what
    changes meanwhile makes the files stale; returns their names."""
    paths.calibration.mkdir(exist_ok=True)
    texts = {f"{name}.csv": str(frame.to_csv(index=False, lineterminator="\n")) for name, frame in made.items()}
    texts |= {DIGEST: digest + "\n"} if digest else {}
    for name, text in texts.items():
        (paths.calibration / name).write_text(text, encoding="utf-8")
    return [paths.short(paths.calibration / name) for name in texts]


def is_stale(paths: Paths) -> bool:
    """Whether the files were written from inputs other than those now in the checkout."""
    file = paths.calibration / DIGEST
    return not file.exists() or file.read_bytes().strip() != inputs_digest(paths).encode()


def inputs_digest(paths: Paths) -> str:
    """A digest of the lock (which stands for the upstream facts), the curated files (except the list of what is no
    model here), the conventions and the methods."""
    curated = sorted(file for file in paths.curated.glob("*.*") if file != paths.declined)
    files = [paths.lock, paths.raw / "selection.yml", *curated]
    files += [paths.vocab / f"{name}.yml" for name in VOCABULARIES]
    code = [file for room in METHODS for file in sorted((CHECKOUT / "pipeline" / room).rglob("*.py"))]
    digest = hashlib.sha256(json.dumps(load_constants(paths)["utilization"]).encode())
    for file in [*files, *code]:
        if file.exists():
            digest.update(f"{paths.short(file)} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
