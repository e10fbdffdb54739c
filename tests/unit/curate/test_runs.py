"""What a training run used: which compute, chip-hours and costs the audit takes for impossible."""

from typing import Any

import pandas as pd
import pytest
from audit_view import only, view

from pipeline.curate.checks import ROUNDED, Finding
from pipeline.curate.runs import check_chip_hours, check_cores, check_costs, check_peak


def test_a_claim_that_lost_may_be_impossible_too() -> None:
    # Transformer (arXiv:1706.03762): 3.5 days on 8 P100 at 9.3e12 FLOP/s are 2.25e19; table 2 has 2.3e19
    run = {"chip_hours": 672.0, "peak_fp32_flops": 9.3e12, "hardware_type": "GPU", "training_compute_flop": 7.4e18}
    seen = [{"field": "training_compute_flop", "value": 2.3e19, "status": "superseded"}]
    chips = view(**run).models.assign(chip="nvidia-p100")
    found = only(check_peak(view(seen, **run)._replace(models=chips)))
    assert (found.stated, found.claim_ids) == (2.3e19, ["c2"])
    most = 672 * 3600 * 9.3e12
    for rounded in (2.26e19, most * ROUNDED):
        assert list(check_peak(view([seen[0] | {"value": rounded}], **run)._replace(models=chips))) == []
    bad = [seen[0] | {"status": "quarantined", "reason_code": "unreadable"}]
    assert list(check_peak(view(bad, **run)._replace(models=chips))) == []


def test_chips_did_only_what_was_added_to_the_base() -> None:
    # LUKE (arXiv:2010.01057): 16 V100 for 30 days are at most 5.18e21, and RoBERTa Large, its base, took 4.36e21
    run = {"hardware_quantity": 16.0, "training_hours": 720.0, "numerical_format": "FP16", "base_model_id": "base"}
    base = [{"field": "base_model", "code": "Base"}]

    def luke(value: float, *claims: dict[str, Any]) -> list[Finding]:
        made = view([*base, *claims], chip="nvidia-v100", **run, training_compute_flop=value)
        other = made.models.rename(index={"m": "base"}).assign(training_compute_flop=4.36e21, chip=None)
        return list(check_peak(made._replace(models=pd.concat([made.models, other]))))

    assert luke(5.92e21) == []
    (found,) = luke(1.8144e22)
    assert found.ratio == pytest.approx((1.8144e22 - 4.36e21) / 5.184e21)
    assert found.evidence.endswith("at most 5.184e+21 FLOP; the value 1.378e+22 needs a utilisation of 2.66")
    part = {"field": "finetune_compute_flop", "value": 1.5552e21}
    assert luke(1.8144e22, part) == []  # what was added is stated; the base is for another check
    assert [f.field for f in luke(1.8144e22, part | {"value": 6e21})] == ["finetune_compute_flop"]


def test_chip_hours_that_are_not_chips_times_hours() -> None:
    # GRITLM 7B (arXiv:2402.09906): 8 nodes of 8 GPUs for 48 hours are 3,072 GPU-hours
    run = {"hardware_quantity": 8.0, "training_hours": 48.0}
    found = only(check_chip_hours(view(**run, chip_hours=3072.0)))
    assert (found.field, found.stated, found.expected, found.ratio) == ("chip_hours", 3072, 384, 8)
    assert [f.ratio for f in check_chip_hours(view(**run, chip_hours=96.0))] == [0.25]
    assert [f.ratio for f in check_chip_hours(view(hardware_quantity=1.0, training_hours=1.0, chip_hours=2.0))] == [2]
    assert list(check_chip_hours(view(**run, chip_hours=400.0))) == []
    assert list(check_chip_hours(view(chip_hours=400.0, hardware_quantity=8.0))) == []


@pytest.mark.parametrize(
    ("count", "text", "chips"),
    [
        (128.0, "275000000000000 * 64 * 168 * 3600 * 0.3", 64),  # as AraBERT Large v2, on TPU v3: 128 cores
        (512.0, "2.75e14 * 512 * 168 * 3600 * 0.3 * (1 / 2)", 256),  # as Tulu V2 DPO 70B, on TPU v3: 512 cores
        (64.0, "2.75e14 * 64 * 168 * 3600 * 0.3", None),
        (64.0, "(128 / 2) * 2.75e14 * 0.4", None),
        (64.0, "128 * 0.5 * 2.75e14 * 0.4", None),
        (64.0, "64 * 2.75e14 * 0.5", None),  # a utilisation
        (128.0, "6 * 64 * 1e9", None),  # no chips are counted
    ],
)
def test_cores_entered_as_chips(count: float, text: str, chips: float | None) -> None:
    claims = [{"field": "hardware_quantity", "value": count}, {"field": "arithmetic", "value_text": text}]
    found = list(check_cores(view(claims, chip="google-tpu-v4")))
    assert [(f.field, f.stated, f.expected) for f in found] == ([("hardware_quantity", count, chips)] if chips else [])


def test_costs_of_chip_hours_that_are_corrected_since() -> None:
    # T0-XXL: 69,120 chip-hours are all runs of the paper (arXiv:2110.08207), of which one took 6,912
    cost = {"field": "training_cost_usd", "value": 11671.84}
    printed = {"field": "chip_hours", "value": 69120.0, "status": "superseded", "reason_code": "replaced"}
    ours = {"field": "chip_hours", "value": 6912.0, "publisher": "traincompute", "locator": "section 4"}
    found = only(check_costs(view([cost, printed, ours])))
    assert (found.field, found.expected, found.ratio) == ("training_cost_usd", pytest.approx(1167.184), 10)
    assert found.claim_ids == ["c2"]  # a correction of the chip-hours settles nothing
    assert only(check_costs(view([cost, printed, ours | {"value": 34560.0}]))).ratio == 2
    assert list(check_costs(view([cost, printed, ours | {"value": 60000.0}]))) == []
    assert only(check_costs(view([cost, printed, ours | {"value": 691200.0}]))).ratio == pytest.approx(0.1)
    chips, hours = ({"field": f, "value": n} for f, n in (("hardware_quantity", 512.0), ("training_hours", 135.0)))
    assert only(check_costs(view([cost, chips, hours, ours]))).evidence == (
        "11671.8 dollars for 6.912e+04 chip-hours, since corrected to 6912"
    )
    assert only(check_costs(view([cost, printed]))).evidence.endswith("chip-hours, since left out")


def test_costs_of_compute_that_is_corrected_since() -> None:
    # GPT-2 (774M): 4.95e21 FLOP are 100 epochs, of which there were 20; a base that is added is not paid for again
    cost = {"field": "training_cost_usd", "value": 18857.36}
    value = {"field": "training_compute_flop", "value": 4.95e21, "status": "superseded", "reason_code": "replaced"}
    (finding,) = check_costs(view([cost, value], training_compute_flop=9.9e20))
    assert finding.ratio == pytest.approx(5)
    based = [cost, value, {"field": "base_model", "code": "GPT-2"}]
    assert list(check_costs(view(based, training_compute_flop=9.9e20))) == []
