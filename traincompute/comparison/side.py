"""One side of a comparison: a folder with the Parquet files and the manifest of a release or of a build."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyarrow import parquet

from traincompute.base.errors import InputError

CLAIM_COLUMNS = ["claim_id", "model_id", "field", "source_id", "record", "status", "reason_code", "reason"]
CORRECTED = "corrected"  # the reason_code of a claim that an entry of corrections.yml drops
CORRECTIONS = (CORRECTED, "replaced")  # and of one beside which such an entry puts another value


@dataclass(frozen=True)
class Side:
    """A folder, its name in messages, and its manifest."""

    folder: Path
    label: str
    manifest: dict[str, Any]

    @property
    def tables(self) -> dict[str, str]:
        """{table: content hash}."""
        return {name: entry["content_sha256"] for name, entry in self.manifest["tables"].items()}

    def file(self, table: str) -> Path:
        return self.folder / f"{table}.parquet"


def open_side(folder: Path) -> Side:
    """The side held in a folder. Raises UsageError if the folder holds none."""
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{folder} holds no manifest.json; give a release, or a folder of a build") from error
    except ValueError as error:
        raise InputError(f"{folder}/manifest.json is not valid JSON; download the release again") from error
    release = manifest.get("release") or {}
    return Side(folder, release.get("version") or folder.name, manifest)


def read_models(side: Side) -> pa.Table:
    """The models as an Arrow table with the metadata of its columns."""
    return parquet.read_table(side.file("models"))


def read_claims(side: Side) -> pd.DataFrame:
    """What the claims say about where a cell comes from: CLAIM_COLUMNS."""
    file = side.file("claims")
    there = [name for name in CLAIM_COLUMNS if name in parquet.read_schema(file).names]
    claims: pd.DataFrame = parquet.read_table(file, columns=there).to_pandas()
    return claims if "reason_code" in claims else claims.assign(reason_code=_codes_of_words(claims["reason"]))


def _codes_of_words(reasons: pd.Series) -> pd.Series:
    """reason_code for a release of schema 0.1.0, which says it only in words: "corrected" or ""."""
    return reasons.fillna("").str.startswith("corrected (").map({True: CORRECTED, False: ""})


def read_estimates(side: Side) -> pd.DataFrame:
    """The selected estimates: model_id, field, inputs (a list)."""
    columns = ["model_id", "field", "inputs"]
    chosen: pd.DataFrame = parquet.read_table(
        side.file("estimates"), columns=columns, filters=[("is_selected", "=", True)]
    ).to_pandas()
    inputs: list[Any] = [[] if ids is None else list(ids) for ids in chosen["inputs"]]
    return chosen.assign(inputs=inputs)
