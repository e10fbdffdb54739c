"""Takes a listing as large as a public hub through `traincompute dev scale` and `discover`, against the digest of the same
bytes."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from bench.case import Case
from bench.listing import write_listing
from bench.measure import COMMAND, alone, compare, measure, python
from bench.row import Row

RECORDS, FEW = 2_500_000, 50_000
TIMES, PEAK_MB = 8, 1000


def rows(quick: bool, runs: int) -> list[Row]:
    """JSONL → validated Parquet with estimates ÷ sha256 of the JSONL, its peak memory, and the same for discover."""
    records, times = (FEW, None) if quick else (RECORDS, TIMES)
    with tempfile.TemporaryDirectory() as name:
        listing, target = Path(name) / "hub.jsonl", Path(name) / "hub_models.parquet"
        alone(write_listing, listing, records)
        command = [COMMAND, "scale", "--input", str(listing), "--output", str(target)]
        again = [COMMAND, "scale", "--input", str(target.with_name("hub.parquet")), "--output", str(target)]
        sizes = f"{listing.stat().st_size / 1e6:.0f} MB"
        title = f"{records:,} records, {sizes} of JSONL → hub_models ÷ "
        made = compare(Case(title + "sha256 of the same bytes", command, digest(listing), times), min(runs, 3))
        reading = python(f"f = open({str(listing)!r}, 'rb'); [None for _ in iter(lambda: f.read(1 << 20), b'')]")
        made += compare(Case(title + "reading them", command, reading, None), 1)
        alone(as_parquet, listing, target.with_name("hub.parquet"))
        made += compare(
            Case("the same from Parquet ÷ sha256 of the JSONL", again, digest(listing), times), min(runs, 3)
        )
        missing = [COMMAND, "discover", str(listing), "--csv"]
        made += compare(
            Case("the same from JSONL → models that are missing ÷ sha256", missing, digest(listing), times),
            min(runs, 3),
        )
        made.append(Row("peak memory from JSONL", measure(command).peak_mb, "MB", target=PEAK_MB))
    return made


def digest(file: Path) -> list[str]:
    """A command that hashes a file."""
    return [
        sys.executable,
        "-c",
        f"import hashlib; hashlib.file_digest(open({str(file)!r}, 'rb'), 'sha256').hexdigest()",
    ]


def as_parquet(listing: Path, target: Path) -> None:
    """The listing as Parquet."""
    from pipeline.hub.engine import duckdb_engine

    engine = duckdb_engine()
    engine.write(engine.read(listing), target)
