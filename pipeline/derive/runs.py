"""Training runs as power, energy and cost look at them: one row per model whose one kind of chip is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.columnar import is_in
from pipeline.derive.constants import Constants
from pipeline.estimate.hardware import MOST_HOURS, RATES, SECONDS_PER_HOUR, peak_rate
from pipeline.estimate.result import written

if TYPE_CHECKING:
    import pandas as pd

READ = ["model_id", "organizations", "domains", "publication_date", "hardware_quantity", "training_hours", "chip_hours"]
READ += ["numerical_format", "hardware_utilization", "training_compute_flop"]
MOST_DAYS_IN_YEAR = 366


def training_runs(
    models: pd.DataFrame, claims: pd.DataFrame, mentions: pd.DataFrame, hardware: pd.DataFrame, constants: Constants
) -> pd.DataFrame:
    """On the index of models: chip (name), chip_id, tdp_w, release_date, is_tpu, year (decimal), chip_hours with
    hours_text (how it reads in a formula), hours_fields (the claimed fields behind it) and from_flop.

    chip_hours are the printed ones, else chips × hours, else what FLOP of a model without a base model take at the
    usual utilisation. Null where chips would have to do more FLOP than they can."""
    kinds = mentions[["model_id", "hardware_id"]].dropna().drop_duplicates()
    single = kinds[~kinds["model_id"].duplicated(keep=False)].set_index("model_id")["hardware_id"]
    chip = models["model_id"].map(single)
    rows = models.loc[chip.notna(), READ].assign(chip_id=chip)
    about = hardware.set_index("hardware_id")[["name", "tdp_w", "type", "release_date", *RATES.values()]]
    about = about.reindex(rows["chip_id"]).set_axis(rows.index)
    dates = rows["publication_date"].dt
    rows = rows.assign(
        chip=about["name"],
        tdp_w=about["tdp_w"],
        release_date=about["release_date"],
        hardware_type=about["type"],
        is_tpu=about["type"] == "TPU",
        year=dates.year + (dates.day_of_year - 1) / MOST_DAYS_IN_YEAR,
        **{rate: about[rate] for rate in RATES.values()},
    )
    made_from = claims.loc[(claims["field"] == "base_model") & (claims["status"] == "selected"), "model_id"]
    return rows.assign(**_chip_hours(rows, is_in(rows["model_id"], made_from), constants))


def _chip_hours(rows: pd.DataFrame, has_base: pd.Series, constants: Constants) -> dict[str, pd.Series]:
    usual = constants["chip_hours"]["utilization"]
    product = rows["hardware_quantity"] * rows["training_hours"].where(rows["training_hours"] <= MOST_HOURS)
    stated = rows["chip_hours"].fillna(product)
    peak, share = peak_rate(rows), rows["hardware_utilization"]
    share = share.where(share <= 1).fillna(usual)
    flop = rows["training_compute_flop"].where(~has_base)
    possible = ~(flop > stated * SECONDS_PER_HOUR * peak)
    worked_out = (flop / (peak * share * SECONDS_PER_HOUR)).where(stated.isna())
    return {
        "chip_hours": stated.fillna(worked_out).where(possible),
        "from_flop": worked_out.notna(),
        "printed": rows["chip_hours"].notna(),
        "peak": peak,
        "share": share,
    }


def hours_text(rows: pd.DataFrame) -> pd.Series:
    """The chip-hours as a formula prints them."""
    printed = written(rows["chip_hours"]) + " chip-hours"
    product = written(rows["hardware_quantity"]) + " chips × " + written(rows["training_hours"]) + " h"
    rate = written(rows["peak"]) + " FLOP/s × " + written(rows["share"]) + " × 3600 s/h)"
    flop = written(rows["training_compute_flop"]) + " FLOP ÷ (" + rate
    return printed.where(rows["printed"], product).mask(rows["from_flop"], flop)


def hours_fields(rows: pd.DataFrame) -> pd.Series:
    """The claimed fields behind the chip-hours, ;-joined."""
    import pandas as pd

    fields = pd.Series("hardware;hardware_quantity;training_hours", index=rows.index, dtype="str")
    flop = "hardware;training_compute_flop;hardware_utilization;numerical_format"
    return fields.mask(rows["printed"], "hardware;chip_hours").mask(rows["from_flop"], flop)
