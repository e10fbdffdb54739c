"""The estimates of a build: every method on every model without a published value, and the one that is taken.

Only a physical method enters models.training_compute_flop; a method that abstains leaves a row that says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.estimate import operation_count
from pipeline.schema import TableSchema, conform

if TYPE_CHECKING:
    import pandas as pd

FIELD = "training_compute_flop"
NUMBERS = ["parameters", "parameters_active", "training_tokens", "dataset_size", "epochs"]
INPUTS = [*NUMBERS, "dataset_unit"]


def estimate(models: pd.DataFrame, claims: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The estimates table for the models without a published FLOP value."""
    rows = estimation_rows(models[models[FIELD].isna()], claims)
    made = operation_count.estimate_operations(rows).assign(model_id=rows["model_id"], method=operation_count.METHOD)
    chosen = made["value"].notna()
    inputs = input_claims(claims).reindex(made["model_id"]).set_axis(made.index)
    return conform(
        made.assign(
            estimate_id=made["model_id"] + ":" + FIELD + ":" + made["method"],
            field=FIELD,
            unit="FLOP",
            inputs=inputs.where(chosen),
            assumptions=made["assumptions"].where(made["assumptions"] != ""),
            is_selected=chosen,
            reason=made["reason"].mask(chosen, "no published value"),
        ),
        table,
    )


def estimation_rows(models: pd.DataFrame, claims: pd.DataFrame) -> pd.DataFrame:
    """What methods look at: the models' columns, the text of the base model, and every architecture word of a note."""
    readable = claims[claims["status"] != "quarantined"]
    base = readable[(readable["field"] == "base_model") & (readable["status"] == "selected")].set_index("model_id")[
        "code"
    ]
    words = readable[readable["field"] == "architecture"].drop_duplicates(["model_id", "code"])
    architecture = words.sort_values("code").groupby("model_id")["code"].agg(";".join)
    ids = models["model_id"]
    return models.assign(base_model=ids.map(base).astype("str"), architecture=ids.map(architecture).astype("str"))


def input_claims(claims: pd.DataFrame) -> pd.Series:
    """model_id → the selected claims that a formula on parameters and tokens reads, ;-joined."""
    used = claims[(claims["status"] == "selected") & claims["field"].isin(INPUTS)]
    return used.sort_values("claim_id").groupby("model_id")["claim_id"].agg(";".join)


def impute(models: pd.DataFrame, estimates: pd.DataFrame) -> pd.DataFrame:
    """The models with the selected estimates put in where no source has a value, marked as imputed."""
    from pipeline.units import FLOP_PER_PFS_DAY

    taken = estimates[estimates["is_selected"]].set_index("model_id")
    ids = models["model_id"]
    missing = models[FIELD].isna() & ids.isin(taken.index)
    flop = models[FIELD].where(~missing, ids.map(taken["value"]))
    return models.assign(
        training_compute_flop=flop,
        training_compute_pfs_days=flop / FLOP_PER_PFS_DAY,
        training_compute_source=models["training_compute_source"].mask(missing, "imputed"),
        training_compute_method=models["training_compute_method"].where(~missing, ids.map(taken["method"])),
        training_compute_confidence=models["training_compute_confidence"].mask(missing),
    )
