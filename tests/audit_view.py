"""One model and its claims as the checks of the audit see them, made from a few cells."""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from estimation_rows import DECLARED, rows

from pipeline.curate.checks import Finding, View

FIELDS = {
    **{name: float("nan") for name in ("training_compute_flop", "training_compute_low", "training_compute_high")},
    "is_notable": True,
    "chip": None,
    "publication_date": "2025-09-30",
    **dict.fromkeys(("organizations", "base_model_id", "training_run_id", "arxiv_id", "reference_url")),
}
CHIPS: dict[str, dict[str, Any]] = {  # peak rates of the hardware table
    "nvidia-v100": {
        "peak_tensor_fp16_flops": 1.25e14,
        "peak_fp16_flops": 3.1e13,
        "peak_fp32_flops": 1.567e13,
        "hardware_type": "GPU",
    },
    "google-tpu-v4": {"peak_fp16_flops": 2.75e14, "hardware_type": "TPU"},
}


def view(claims: list[dict[str, Any]] | None = None, chip: str | None = None, **cells: object) -> View:
    """One model "m" with the given cells and claims; its value is a claim too."""
    value = {"field": "training_compute_flop", "value": cells.get("training_compute_flop")}
    name = {"field": "name", "value_text": "M"}
    plain = {
        "model_id": "m",
        "source_id": "s",
        "publisher": "Epoch AI",
        "value_text": "",
        "locator": "",
        "status": "selected",
        "reason_code": "first",
    }
    plain |= {"code": "", "value": float("nan"), "low": float("nan"), "high": float("nan"), "since": "2026-03-30"}
    made = [plain | row | {"claim_id": f"c{i}"} for i, row in enumerate([name, value, *(claims or [])])]
    frame = pd.DataFrame(made).assign(
        since=lambda f: pd.to_datetime(f["since"]), value=lambda f: f["value"].astype(float)
    )
    about = {"chip": chip, **CHIPS[chip]} if chip else {}
    return View(rows(FIELDS | about | cells).set_axis(["m"]), frame, DECLARED)


def only(found: Iterator[Finding]) -> Finding:
    (finding,) = found
    return finding
