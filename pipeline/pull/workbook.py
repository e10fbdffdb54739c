"""The cells of a workbook (xls or xlsx), read in a process of its own with limits of memory and time: a few bytes in
one can claim a sheet of any size, and a damaged one can end the process."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from python_calamine import load_workbook

from pipeline.errors import DataError
from pipeline.paths import CHECKOUT

LONGEST_S = 60  # the largest list of TOP500, 0.5 MB, takes 0.2 s and 20 MB
MEMORY = 400_000_000  # bytes beyond those of the libraries; macOS and Windows have no such limit
MOST_CELLS = 1_000_000
# one thread and one memory pool: reserved address space would count as memory
QUIET = {"MALLOC_ARENA_MAX": "2", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}

Cell = str | float | bool


def read_cells(content: bytes, where: str) -> list[list[Cell]]:
    """The rows of the first sheet; a cell that is neither number, truth nor text is its text. Raises DataError."""
    paths = os.pathsep.join([str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, **QUIET, "PYTHONPATH": paths}
    command = [sys.executable, "-P", "-m", __name__]
    try:
        done = subprocess.run(command, input=content, env=env, capture_output=True, timeout=LONGEST_S)
        rows: list[list[Cell]] = json.loads(done.stdout)
        return rows
    except subprocess.TimeoutExpired:
        reason = f"stopped after {LONGEST_S} s"
    except ValueError:
        last = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        reason = last[:300] or f"damaged, or it needs more than {MEMORY / 1e6:.0f} MB of memory"
    remedy = "fetch the file again; if that does not help, tell its publisher"
    raise DataError.of(where, f"not a spreadsheet that can be read: {reason}", remedy)


def main() -> None:
    """What the process does: it takes on its limits, reads the workbook and prints its cells as JSON."""
    content = sys.stdin.buffer.read()
    out = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # a library that prints does not spoil the answer
    with suppress(ImportError, ValueError, OSError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (pages * os.sysconf("SC_PAGE_SIZE") + MEMORY,) * 2)
    sheet = load_workbook(io.BytesIO(content)).get_sheet_by_index(0)
    if sheet.height * sheet.width > MOST_CELLS:
        raise ValueError(f"it has {sheet.height} rows of {sheet.width} cells")
    json.dump([[cell if isinstance(cell, Cell) else str(cell) for cell in row] for row in sheet.to_python()], out)
    out.flush()
    os._exit(0)  # what a parser left half done may not survive an orderly end


if __name__ == "__main__":
    main()
