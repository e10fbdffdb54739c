"""A build of rows with bad numbers, dates and names."""

from __future__ import annotations

from pathlib import Path

from checkouts import copy_checkout

from pipeline import build
from pipeline.frames import Tables
from pipeline.paths import Paths

CURATED = "record,field,value_text,locator,since,until,reference,evidence,accessed\n"
# what stands in both upstream files in place of the FLOP that they print for these models
NO_NUMBERS = {
    "AlexNet": "1e400",
    "ALLaM adapted 70B": "inf",
    "GPT-3 175B (davinci)": "-1e25",
    "GPT-4 (Mar 2023)": "nan",
    "Megatron-LM (1.2B)": "0.0",
    "CaLM": "9" * 100,
}
HOSTILE = 'Robert\'); DROP TABLE models;-- "x" $name ?'
NAMES = [HOSTILE, "NA", "None", "null", "nan", "'; DROP TABLE models; --", '=HYPERLINK("http://x")']


def curate(paths: Paths, *lines: str) -> None:
    (paths.curated / "facts.csv").write_text(CURATED + "".join(lines), encoding="utf-8")


def build_strange(template: Paths, folder: Path) -> tuple[Paths, Tables]:
    """One build of all of these from a copy of the template."""
    paths = copy_checkout(template, folder / "checkout")
    enter_strange(paths)
    return paths, build.build(paths).tables


def enter_strange(paths: Paths) -> None:
    """Puts all of these into the facts."""
    for source in ("epoch_all", "epoch_notable"):
        for record, text in NO_NUMBERS.items():
            _spoil(paths.raw / source / "facts.csv", record, "training_compute_flop", text)
        _spoil(paths.raw / source / "facts.csv", "AlexNet", "publication_date", "01/02/2012")
    quoted = ['"' + name.replace('"', '""') + '"' for name in NAMES]
    curate(paths, *(f"{name},name,{name},title,2026-11-21,,arXiv:1,seen,\n" for name in quoted))


def _spoil(file: Path, record: str, field: str, text: str) -> None:
    """Replaces what the file says of that field of that record."""
    (old,) = [line for line in file.read_text().splitlines() if line.startswith(f"{record},{field},")]
    file.write_text(file.read_text().replace(old, f"{record},{field},{text},,{old.rsplit(',', 2)[1]},"))
