"""traincompute convert: what people type and get back."""

from __future__ import annotations

import json

import pytest
from command_line import CliRunner

from pipeline.config import load_constants
from pipeline.paths import CHECKOUT, Paths
from traincompute.commands.estimate import PEAK, convert


def run(*arguments: str) -> str:
    result = CliRunner().invoke(convert, list(arguments))
    assert result.exit_code == 0, result.output
    return result.output


def values(*arguments: str) -> dict[str, list[float | None]]:
    made: dict[str, list[float | None]] = json.loads(run(*arguments, "--json"))
    return made


def test_gpt_3_in_flop() -> None:
    made = values("3640 pfs-days")  # arXiv:2005.14165, table D.1: 3,640 petaflop/s-days and 3.14e23 FLOP
    assert made["FLOP"][0] == pytest.approx(3.14e23, rel=0.003)
    assert made["FLOP-day"][0] == pytest.approx(3.14496e23 / 86400)
    assert made["A100-hour"][0] == pytest.approx(3.14496e23 / (3.12e14 * 0.4 * 3600))


@pytest.mark.parametrize("words", [["7M H100-hours"], ["7M GPU-hours", "--chip", "h100"]])
def test_hours_of_a_chip_that_is_named_are_compute(words: list[str]) -> None:
    assert values(*words)["FLOP"][0] == pytest.approx(7e6 * 3600 * 9.894e14 * 0.4)


@pytest.mark.parametrize(
    ("text", "sizes"),
    [
        ("1 pfs-day", {"FLOP": 8.64e19, "petaflop/s-day": 1, "FLOP-day": 1e15}),
        ("8766 GPU-hours", {"chip-hour": 8766, "chip-day": 365.25, "chip-year": 1}),
    ],
)
def test_every_unit_of_a_kind_has_its_size(text: str, sizes: dict[str, float]) -> None:
    assert {name: found[0] for name, found in values(text).items() if name in sizes} == pytest.approx(sizes)


def test_bounds_stay_bounds() -> None:
    assert "at most 1e+25" in run("up to 1e25 FLOP")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["5"], "has no unit"),
        (["3640 pfs-dys"], 'unknown unit "pfs-dys"'),
        (["300B tokens"], "is a unit of token, not of FLOP; units of FLOP and chip-hour"),
        (["3640 pfs-days", "--utilisation", "0"], 'utilization "0": give one from 1e-06 to 1'),
        (["1000 H100-hours", "--chip", "A100"], "another chip than --chip A100"),
    ],
)
def test_refusals_say_what_to_do(arguments: list[str], said: str) -> None:
    result = CliRunner().invoke(convert, arguments)
    assert result.exit_code == 2
    assert said in result.output


def test_the_chips_are_those_of_the_dataset() -> None:
    # the command needs no dataset and no pipeline, so it has these numbers itself
    constants = load_constants(Paths(CHECKOUT))
    assert {name.lower(): peak for name, peak in PEAK.items()} == constants["equivalents"]
    assert [str(constants["utilization"]["default"])] == [
        one.default for one in convert.params if one.name == "utilization"
    ]
