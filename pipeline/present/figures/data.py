"""What figures are drawn from: the published tables, prepared for trends, and the caption that names the version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd
from pyarrow import parquet

from pipeline.base.errors import DataError, Problem
from pipeline.base.paths import Paths
from pipeline.impute.trends.prepare import prepare
from pipeline.normalize.stage import normalize_tables
from pipeline.present.docs.shape_of_code import VINTAGE, era_points
from pipeline.registry.constants import load_constants
from pipeline.registry.context import load_context
from pipeline.registry.frames import from_arrow
from pipeline.registry.schema import load_schemas
from traincompute.releases.manifest import facts_until


@dataclass(frozen=True)
class Data:
    """The built dataset of a checkout."""

    paths: Paths

    def table(self, name: str) -> pd.DataFrame:
        """A published table. Raises DataError if nothing has been built."""
        file = self.paths.processed / f"{name}.parquet"
        if not file.exists():
            where = self.paths.short(file)
            raise DataError([Problem(where, "", "", "", "there is no built dataset", "run `traincompute build` first")])
        return from_arrow(parquet.read_table(file), load_schemas(self.paths)[name])

    @cached_property
    def models(self) -> pd.DataFrame:
        """The models as they were published."""
        return self.table("models")

    @cached_property
    def prepared(self) -> pd.DataFrame:
        """Dated models with decimal year, ranks and eras; imputed FLOP left out."""
        tables = {"models": self.models, **{name: self.table(name) for name in ("estimates", "supercomputers")}}
        return prepare(tables, load_constants(self.paths)["eras"])

    @cached_property
    def trends(self) -> pd.DataFrame:
        """The table `trends`, indexed by its key."""
        return self.table("trends").set_index("trend_id")

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The manifest of the build."""
        found: dict[str, Any] = json.loads((self.paths.processed / "manifest.json").read_text(encoding="utf-8"))
        return found

    @cached_property
    def sheet_2022(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The models of The Shape of Code with their eras, and the Top500 lists; made in memory."""
        context = load_context(self.paths)
        made = normalize_tables(context, VINTAGE)
        return era_points(made, context), made["supercomputers"]

    def caption(self, extra: str = "") -> list[str]:
        """Source and version, for the foot of a figure; what is said besides, on a line of its own."""
        version = f"traincompute {self.manifest['version']}, facts to {facts_until(self.manifest)}"
        return [f"{version}; source: Epoch AI (CC BY 4.0) and primary sources.", *filter(None, [extra])]
