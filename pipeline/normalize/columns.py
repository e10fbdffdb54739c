"""Fast exact operations on columns of texts: codes instead of comparisons, hashes instead of joins."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.frames import to_text_array

MIX = 0x9E3779B97F4A7C15  # odd, from the golden ratio: spreads the bits of a product (Knuth, TAOCP 3, 6.4)


def text_hash(frame: pd.DataFrame, columns: list[str]) -> np.ndarray:
    """A 64-bit hash of each row's texts, which depends on the texts alone. Each distinct text is hashed once (SipHash
    with pandas' fixed key), and the hashes of a row are mixed in column order."""
    mixed = np.zeros(len(frame), dtype="uint64")
    for name in columns:
        codes, texts = frame[name].factorize()
        hashes = pd.util.hash_array(np.asarray(texts, dtype=object), categorize=False)
        mixed = (mixed ^ hashes[codes]) * np.uint64(MIX)
        mixed ^= mixed >> np.uint64(32)
    return mixed


def row_codes(frame: pd.DataFrame, columns: list[str]) -> np.ndarray:
    """An integer per row that sorts the rows as their columns would, first column first; equal rows get equal codes."""
    codes = np.zeros(len(frame), dtype="int64")
    for name in columns:
        found, values = frame[name].factorize(sort=True)
        codes = codes * (len(values) + 1) + found
    return codes


def joined(left: pd.DataFrame, right: pd.DataFrame, on: list[str], **how: Any) -> pd.DataFrame:
    """pandas' merge by columns that have no nulls, which it would join with each other. Raises ValueError for a
    null."""
    for frame in (left, right):
        if (empty := frame[on].isna().any()).any():
            raise ValueError(f"a null in the key {', '.join(empty.index[empty])}: leave out the rows that have none")
    return left.merge(right, on=on, **how)


def extracted(texts: pd.Series, pattern: str) -> pd.Series:
    """The group `found` in the first match of an RE2 pattern in each text; null where nothing matches."""
    found = pc.struct_field(pc.extract_regex(to_text_array(texts), pattern=pattern), "found")
    return pd.Series(found.to_pandas(), dtype="str").set_axis(texts.index)


def hex_digits(hashes: np.ndarray, index: pd.Index) -> pd.Series:
    """64-bit hashes as 16 hex digits each."""
    digits = hashes.astype(">u8").tobytes().hex().encode()
    starts = np.arange(0, len(digits) + 1, 16, dtype="int64")
    texts = pa.LargeStringArray.from_buffers(len(hashes), pa.py_buffer(starts), pa.py_buffer(digits))
    return pd.Series(texts, index=index, dtype="str")
