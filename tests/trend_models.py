"""Synthetic models, for which the trends are known."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pipeline.impute.trends import decimal_year


def models(n: int = 60, **columns: Any) -> pd.DataFrame:
    """Notable language models of two countries whose FLOP grow tenfold a year while their size stays constant, with
    confidence words; `columns` replace these columns."""
    dates = pd.Series(pd.date_range("2018-01-01", periods=n, freq="40D")).astype("datetime64[s]")
    return pd.DataFrame(
        {
            "model_id": [f"m{i:03d}" for i in range(n)],
            "publication_date": dates,
            "is_notable": True,
            "is_frontier_upstream": pd.array([None] * n, dtype="boolean"),
            "domains": "Language",
            "countries": ["France;Germany" if i % 2 else "France" for i in range(n)],
            "organizations": "Somebody",
            "training_compute_flop": 10.0 ** (20 + decimal_year(dates) - 2018),
            "training_compute_confidence": "likely",
            "parameters": 1e9,
        }
    ).assign(**columns)
