"""Keeps a table that is expensive to make below data/cache/. A cache that is missing, damaged or cannot be written only
costs time: the table is made again, with the same bytes."""

import contextlib
import hashlib
import io
import sys
from collections.abc import Callable

import numpy as np
import pandas as pd
from pyarrow import ArrowException, parquet

from pipeline.frames import arrow_schema, from_arrow, to_arrow
from pipeline.paths import CHECKOUT, Paths
from pipeline.schema import TableSchema
from traincompute.base.disk import write_whole
from traincompute.base.locks import sole_writer

CODE = ["pipeline/impute/**/*.py", "traincompute/*.py"]
KEEP = 12  # one for each committed vintage, and some


def cached(paths: Paths, table: TableSchema, seen: pd.DataFrame, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
    """The result of `make` (a frame conformed to `table`, from `seen`) from data/cache/, under a hash of all that it is
    made from: `seen`, the code and the versions of the numerical libraries."""
    digest = hashlib.sha256(f"{sys.version} {np.__version__} {pd.__version__} {arrow_schema(table)}".encode())
    digest.update(f"{list(seen.columns)}".encode() + pd.util.hash_pandas_object(seen, index=False).to_numpy().tobytes())
    for source in sorted(source for pattern in CODE for source in CHECKOUT.glob(pattern)):
        digest.update(source.name.encode() + source.read_bytes())
    file = paths.cache / "tables" / f"{table.name}-{digest.hexdigest()}.parquet"
    with contextlib.suppress(OSError, ArrowException):
        return from_arrow(parquet.read_table(file, page_checksum_verification=True), table)
    made, written = make(), io.BytesIO()
    parquet.write_table(to_arrow(made, table), written, write_page_checksum=True)
    with contextlib.suppress(OSError):  # a read-only checkout can still build
        file.parent.mkdir(parents=True, exist_ok=True)
        with sole_writer(file.parent):
            write_whole(file, written.getvalue())
            for old in sorted(file.parent.glob("*.parquet"), key=lambda file: file.stat().st_mtime)[:-KEEP]:
                old.unlink()
    return made
