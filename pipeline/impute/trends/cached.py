"""Caches a table that is expensive to make below data/cache/, under the hash of everything that it is made from.

The key covers the input frames, the code that makes the table and the versions of the numerical libraries. A cache that
is missing, damaged or cannot be written only costs time: the table is made again, with the same bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from pyarrow import ArrowException, parquet

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.frames import arrow_schema, from_arrow, to_arrow
from pipeline.registry.schema import TableSchema
from traincompute.base.locks import sole_writer

KEEP = 12  # one for each committed vintage, and some


def cached(
    paths: Paths,
    table: TableSchema,
    inputs: Mapping[str, pd.DataFrame],
    code: Sequence[str],
    make: Callable[[], pd.DataFrame],
) -> pd.DataFrame:
    """The result of `make` (a frame conformed to `table`), from the cache if nothing that it depends on has changed.

    `inputs` are the frames that `make` reads, restricted to the columns that it uses; `code` the modules and packages
    whose source files are part of the key, such as `pipeline.impute.trends`.
    """
    folder = paths.cache / "tables"
    file = folder / f"{table.name}-{_key(table, inputs, code)}.parquet"
    found = _read(file, table)
    if found is not None:
        return found
    made = make()
    with contextlib.suppress(OSError):  # a read-only checkout can still build
        folder.mkdir(parents=True, exist_ok=True)
        with sole_writer(folder):
            _write(made, table, file)
            _prune(folder, table.name)
    return made


def _key(table: TableSchema, inputs: Mapping[str, pd.DataFrame], code: Sequence[str]) -> str:
    digest = hashlib.sha256(f"{sys.version_info[:2]} {np.__version__} {pd.__version__}".encode())
    digest.update(str(arrow_schema(table).to_string()).encode())
    for name, frame in sorted(inputs.items()):
        digest.update(f"{name} {list(frame.columns)} {len(frame)}".encode())
        digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    for file in source_files(code):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:32]


def source_files(code: Sequence[str]) -> list[Path]:
    """The files of the named modules and packages (YAML files in a package included), sorted."""
    root = CHECKOUT
    places = [root / name.replace(".", "/") for name in code]
    files = [
        [f for f in p.iterdir() if f.suffix in (".py", ".yml")] if p.is_dir() else [p.with_suffix(".py")]
        for p in places
    ]
    return sorted({file for group in files for file in group})


def _read(file: Path, table: TableSchema) -> pd.DataFrame | None:
    try:
        return from_arrow(parquet.read_table(file, page_checksum_verification=True), table)
    except (OSError, ArrowException):
        return None


def _write(frame: pd.DataFrame, table: TableSchema, file: Path) -> None:
    fresh = file.with_name(f".{file.name}.tmp")
    try:
        parquet.write_table(to_arrow(frame, table), fresh, write_page_checksum=True)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _prune(folder: Path, name: str) -> None:
    """Removes all but the newest files of a table."""
    files = sorted(folder.glob(f"{name}-*.parquet"), key=lambda file: file.stat().st_mtime)
    for file in files[:-KEEP]:
        file.unlink(missing_ok=True)
