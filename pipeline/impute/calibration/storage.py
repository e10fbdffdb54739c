"""The files below data/calibration/: written by `calibrate --write`, compared by `calibrate --check`. A digest of their
inputs, quick enough for every build, tells when they are stale, and SHA256SUMS when one is not as it was written."""

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping

import pandas as pd

from pipeline.config import load_constants
from pipeline.errors import DataError, Problem
from pipeline.files import read_text, read_whole
from pipeline.impute.flop.calibration_tables import REMEDY, as_csv
from pipeline.paths import CHECKOUT, Paths

DIGEST = "inputs.sha256"
SUMS = "SHA256SUMS"
READ = ("coefficients", "capability_index", "intervals", "spreads", "calibration", "scores")  # by a build
VOCABULARIES = ("architectures", "confidence", "dataset_units")  # what the methods read in them is declared there
METHODS = ("normalize", "impute/derive", "impute/flop")  # the rooms that make the values and the estimates


def write_files(paths: Paths, made: Mapping[str, pd.DataFrame], digest: str) -> list[str]:
    """Writes a CSV file per table, the sums, and the digest of the inputs as they were when the measuring began, so
    that what changes meanwhile makes the files stale; returns their names."""
    paths.calibration.mkdir(exist_ok=True)
    texts = {f"{name}.csv": as_csv(frame) for name, frame in made.items()}
    sums = [f"{hashlib.sha256(texts[name].encode()).hexdigest()}  {name}\n" for name in sorted(texts)]
    texts |= {SUMS: "".join(sums), DIGEST: digest + "\n"}
    for name, text in texts.items():
        (paths.calibration / name).write_text(text, encoding="utf-8")
    return [paths.short(paths.calibration / name) for name in texts]


def check_whole(paths: Paths, names: Iterable[str] = READ) -> None:
    """Raises DataError for tables that are not as they were written, and for sums that lack one."""
    where = paths.short(paths.calibration / SUMS)
    lines = [line.split("  ", 1) for line in read_whole(paths.calibration / SUMS, where).splitlines()]
    sums = {line[-1]: line[0] for line in lines}
    tables = [paths.calibration / f"{name}.csv" for name in names]
    faults = [Problem(where, "", "", file.name, "has no line", REMEDY) for file in tables if file.name not in sums]
    for file in tables if not faults else []:
        text = read_text(file, paths.short(file))
        if hashlib.sha256(text.encode()).hexdigest() != sums[file.name]:
            reason = f"is not as it was written: {SUMS} has another sha256"
            faults.append(Problem(paths.short(file), "", "", "", reason, REMEDY))
    if faults:
        raise DataError(faults)


def read_rows(paths: Paths, name: str) -> list[dict[str, str]]:
    """The rows of a table. Raises DataError where it is not as it was written."""
    check_whole(paths, [name])
    return list(csv.DictReader((paths.calibration / f"{name}.csv").read_text(encoding="utf-8").splitlines()))


def stale_files(paths: Paths, made: Mapping[str, pd.DataFrame]) -> list[str]:
    """The names of the files that are missing or differ from `made`."""
    files = {paths.calibration / f"{name}.csv": as_csv(frame) for name, frame in made.items()}
    return [paths.short(f) for f, text in files.items() if not f.exists() or f.read_bytes() != text.encode()]


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
    files += [
        CHECKOUT / "pipeline" / "base" / "digits.py",
        CHECKOUT / "traincompute" / "base" / "quantiles.py",
        *(file for room in METHODS for file in sorted((CHECKOUT / "pipeline" / room).rglob("*.py"))),
    ]
    digest = hashlib.sha256(json.dumps(load_constants(paths)["utilization"]).encode())
    for file in files:
        if file.exists():
            digest.update(f"{paths.short(file)} ".encode() + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()
