"""Caches a table that is expensive to make below data/cache/, under the hash of everything that it is made from.

The key covers the input frames, the code that makes the table and the versions of the numerical libraries. A cache that
is missing, damaged or cannot be written only costs time: the table is made again, with the same bytes.
"""

import contextlib
import hashlib
import io
import sys
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from pyarrow import ArrowException, parquet

from pipeline.base.paths import CHECKOUT, Paths
from pipeline.registry.frames import arrow_schema, from_arrow, to_arrow
from pipeline.registry.schema import TableSchema
from traincompute.base.disk import write_whole
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

    `inputs` are the frames that `make` reads, restricted to the columns that it uses; `code` the patterns of the source
    files that are part of the key, such as `pipeline/impute/trends/*.py`.
    """
    file = paths.cache / "tables" / f"{table.name}-{_key(table, inputs, code)}.parquet"
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


def _key(table: TableSchema, inputs: Mapping[str, pd.DataFrame], code: Sequence[str]) -> str:
    digest = hashlib.sha256(f"{sys.version_info[:2]} {np.__version__} {pd.__version__}".encode())
    digest.update(str(arrow_schema(table).to_string()).encode())
    for name, frame in sorted(inputs.items()):
        digest.update(f"{name} {list(frame.columns)} {len(frame)}".encode())
        digest.update(pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes())
    for file in sorted(file for pattern in code for file in CHECKOUT.glob(pattern)):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:32]
