"""What the methods say before they have quantiles, and what the forest of residuals looks at."""

from __future__ import annotations

import pandas as pd
from plain_quantiles import UNKNOWN

from pipeline.impute.flop import cascade, residual_forest
from pipeline.impute.flop.calibration_tables import Calibrated
from pipeline.impute.flop.residual_forest import uncertainty_features


def forest_sees(rows: pd.DataFrame, edges: pd.DataFrame, calibrated: Calibrated) -> pd.DataFrame:
    """The results of the methods that the forest speaks of, with `seen` (feature → number) and `fold`."""
    results = cascade.all_methods(rows, edges, calibrated)
    values = {method: result["value"] for method, result in results.items()}
    about = uncertainty_features(rows, cascade.known_bases(results, rows, edges), values)
    made = pd.concat([result for result in results.values() if len(result)], ignore_index=True)
    made = made[made["value"].notna() & made["method"].isin(residual_forest.METHODS)]
    seen = pd.DataFrame(residual_forest.columns(made, about), made.index).fillna(UNKNOWN).round(3)
    fold = about["fold"].reindex(made["model_id"]).to_numpy()
    return made.fillna({"assumptions": "", "inputs_dex": 0.0}).assign(seen=seen.to_dict("records"), fold=fold)
