"""From a hub's listing to the models that the dataset lacks: filter on an engine, compare, leave out what was declined."""

from __future__ import annotations

import tempfile
from pathlib import Path

from pyarrow import parquet

from pipeline.base.paths import Paths
from pipeline.hub.base_models import base_models, listed
from pipeline.hub.candidates import Candidate, find_candidates
from pipeline.hub.declined import read_declined
from pipeline.hub.engine import Engine, write_listing
from pipeline.hub.known import read_known


def discover(engine: Engine, paths: Paths, listing: Path, large: float) -> list[Candidate]:
    """The candidates of a listing, the largest expected compute first. Raises DataError if the listing, the built
    dataset or the declined models cannot be read."""
    known, declined = read_known(paths), read_declined(paths)
    with tempfile.TemporaryDirectory() as folder:
        every, base = Path(folder) / "every.parquet", Path(folder) / "base.parquet"
        write_listing(engine, listing, listed, every)  # the listing is parsed once, and then asked three things
        engine.write(base_models(engine.parquet(every), known.accounts, large), base)
        rows = parquet.read_table(base).to_pandas()
    return find_candidates(rows, known, declined)
