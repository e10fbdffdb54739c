"""Whether a release folder is what it says it is: from the hashes of its files down to the rows of its database.

The folder may be hostile. It is judged in a process of its own, which can write no file, needs at most 800 MB and is
stopped when its time is up; none of its SQL is run.
"""

from __future__ import annotations

import os
from pathlib import Path

from traincompute.base.places import SIGNATURE
from traincompute.verification.bounded import BoundedError, Limits, run_bounded
from traincompute.verification.signature import known_signers, signature_fault
from traincompute.verification.sums import SUMS

MEMORY = 800_000_000  # a release of 71 MB needs 150 MB beyond its libraries
SECONDS = 8.0  # for what is small; the release of 71 MB takes 2 s
BYTES_PER_SECOND = 4_000_000  # and more time for what is large


def verify_release(
    folder: Path, allowed_signers: Path | None = None, seconds: float | None = None, signed: bool = False
) -> list[str]:
    """Every problem of the release in the folder, each in one line that names the file; none where all is well.

    Beside its contents the signature of SHA256SUMS is checked where there is one, where the index says that there is one
    (`signed`), and where it is known who may have made it (`allowed_signers`, else `known_signers`). `seconds` is as for `content_problems`."""
    problems = content_problems(folder, seconds)
    signature, signers = folder / SIGNATURE, allowed_signers or known_signers()
    if signers or signed or signature.is_symlink() or signature.exists():
        fault = signature_fault(folder / SUMS, signature, signers)
        problems += [fault] if fault else []
    return problems


def content_problems(folder: Path, seconds: float | None = None) -> list[str]:
    """What is wrong with the contents: whether every file is accounted for in SHA256SUMS, the manifest agrees with it, and
    Parquet, CSV, DuckDB and zip hold the rows, columns and values that the manifest describes.

    `seconds` is how long that may take, by default 8 and one for every 4 MB."""
    folder = folder.resolve()
    limits = Limits(seconds or SECONDS + _size(folder) / BYTES_PER_SECOND, MEMORY)
    try:
        problems: list[str] = run_bounded("traincompute.verification.contents:problems_of", os.fsencode(folder), limits)
    except BoundedError as error:
        hint = "; --timeout SECONDS allows it more time" if str(error).startswith("stopped") else ""
        problems = [f"{folder}: cannot be verified: {error}{hint}"]
    return problems


def _size(folder: Path) -> int:
    """The bytes on disk of the plain files in the folder, which a file with holes cannot pretend to have."""
    with os.scandir(folder) as entries:
        stats = [entry.stat(follow_symlinks=False) for entry in entries if entry.is_file(follow_symlinks=False)]
    return sum(min(stat.st_size, getattr(stat, "st_blocks", stat.st_size) * 512) for stat in stats)
