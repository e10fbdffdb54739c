"""The real dataset, built once from the committed facts into a folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from checkouts import linked_checkout

from pipeline import build
from pipeline.base.paths import Paths


@pytest.fixture(scope="session")
def real(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """A root with the checkout's schemas and facts and a data/processed of its own."""
    return linked_checkout(tmp_path_factory.mktemp("real"))


@pytest.fixture(scope="session")
def tables(real: Paths) -> dict[str, pd.DataFrame]:
    """The tables as the build made them; they are published as well."""
    return build.build(real)


@pytest.fixture(scope="module")
def database(real: Paths, tables: dict[str, pd.DataFrame]) -> Iterator[duckdb.DuckDBPyConnection]:
    """The published DuckDB file, read-only; closed after each module, since commands open it with different
    settings."""
    with duckdb.connect(str(real.processed / "traincompute.duckdb"), read_only=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def published(real: Paths, tables: dict[str, pd.DataFrame]) -> Path:
    """The folder with the published files."""
    return real.processed
