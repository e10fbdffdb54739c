"""What figures are drawn from: the published tables, prepared for trends, and the caption that names the version."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from pipeline.config import load_constants
from pipeline.files import load_json
from pipeline.frames import load_frame
from pipeline.impute.trends.prepare import prepare
from pipeline.paths import Paths
from pipeline.present.docs.figures import Figure, declared_figures
from pipeline.schema import load_schemas
from traincompute.database import connect_sealed
from traincompute.verification import facts_until

DECLARED = {figure.name: figure for figure in declared_figures()}
ENOUGH = 1000  # models, of which every figure can be drawn
REMEDY = "run `traincompute build`"


@dataclass(frozen=True)
class Data:
    """The built dataset of a checkout."""

    paths: Paths

    def table(self, name: str) -> pd.DataFrame:
        """A published table. Raises DataError if nothing has been built, or its file is damaged."""
        file = self.paths.processed / f"{name}.parquet"
        return load_frame(file, self.paths.short(file), load_schemas(self.paths)[name], REMEDY)

    def asked(self, figure: Figure) -> pd.DataFrame:
        """The rows that the query of a figure gives."""
        [database] = self.paths.processed.glob("*.duckdb")
        with connect_sealed(database) as connection:
            return connection.execute(figure.query).df()

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
        file = self.paths.processed / "manifest.json"
        found: dict[str, Any] = load_json(file, self.paths.short(file), dict[str, Any], REMEDY)
        return found

    @property
    def edition(self) -> str:
        """traincompute with the version of a release; what a build calls itself changes with every commit, and figures
        do not."""
        release = self.manifest.get("release")
        return f"traincompute {release['version']}" if release else "traincompute"

    def caption(self, extra: str = "") -> list[str]:
        """Source and version, for the foot of a figure; what is said besides, on a line of its own."""
        told = f"{self.edition}, facts to {facts_until(self.manifest)}"
        return [f"{told}; source: Epoch AI (CC BY 4.0) and primary sources.", *filter(None, [extra])]
