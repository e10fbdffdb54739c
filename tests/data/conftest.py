"""The real dataset, built once and only read."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from pipeline.config import Config, load_config
from pipeline.frames import Tables
from pipeline.normalize.stage import Read, read_ledger
from pipeline.paths import Paths
from traincompute.base.places import DUCKDB_NAME
from traincompute.database import connect_sealed as open_sealed


@pytest.fixture(scope="session")
def real(_real_once: tuple[Paths, Tables]) -> Paths:
    """The checkout with a data/processed of its own."""
    return _real_once[0]


@pytest.fixture(scope="session")
def tables(_real_once: tuple[Paths, Tables]) -> Tables:
    """The tables as the build made them."""
    return _real_once[1]


@pytest.fixture(scope="session")
def context(real: Paths) -> Config:
    return load_config(real)


@pytest.fixture(scope="session")
def read(context: Config) -> Read:
    """Every fact that a source ever stated, and what its text says."""
    return read_ledger(context)


@pytest.fixture(scope="session")
def ledger(read: Read) -> pd.DataFrame:
    """Every fact that a source ever stated, with its model."""
    return read.ledger


@pytest.fixture(scope="module")
def database(real: Paths) -> Iterator[duckdb.DuckDBPyConnection]:
    """The DuckDB file, open: commands then open it faster."""
    with open_sealed(real.processed / DUCKDB_NAME) as connection:
        yield connection


@pytest.fixture(scope="session")
def published(real: Paths) -> Path:
    """The folder with the published files."""
    return real.processed


@pytest.fixture(scope="session")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """An SSH key with `signers`; None without ssh-keygen."""
    key = tmp_path_factory.mktemp("key") / "key"
    if not shutil.which("ssh-keygen"):
        return None
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    key.with_name("signers").write_text(f"publisher {key.with_suffix('.pub').read_text()}")
    return key
