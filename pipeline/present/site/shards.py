"""Which of the files loaded on demand holds a model: it never changes, whatever else is in the dataset."""

from __future__ import annotations

from zlib import crc32

SHARDS = 64


def shard_of(model_id: str) -> str:
    """Two hexadecimal digits, 00 to 3f."""
    return f"{crc32(model_id.encode()) % SHARDS:02x}"
