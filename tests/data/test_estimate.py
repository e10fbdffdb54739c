"""`traincompute estimate` on the real dataset: published runs, judged by those of other organisations; what is given
counts, what is not is named; a table of runs gives the same bits as one run."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml
from click.testing import CliRunner

import traincompute
from pipeline.config import load_constants
from pipeline.paths import CHECKOUT, Paths
from traincompute.base.errors import InputError
from traincompute.cli import group
from traincompute.database import open_database, rows
from traincompute.planning.bulk import estimate_file
from traincompute.planning.estimate import NUMBERS, OWNING, QUANTITIES, THRESHOLDS, Estimate, Figure, estimate_run

pytestmark = [
    pytest.mark.usefixtures("database"),
    pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning"),  # which ibis calls
]
# whole language models on one kind of chip whose sizes and hours are printed and agree with their compute
RUNS = """
with one_chip as (
  select model_id, any_value(hardware_id) as hardware_id from model_hardware group by model_id having count(*) = 1
)
select model_id, organization, hardware.name as chip, coalesce(parameters_active, parameters) as n,
  training_tokens as d, coalesce(chip_hours, hardware_quantity * training_hours) as hours,
  if(training_energy_source <> 'imputed', training_energy_kwh, null) as energy_kwh,
  if(training_cost_source <> 'imputed', training_cost_usd, null) as cost_usd
from models join one_chip using (model_id) join hardware using (hardware_id)
where run_scope = 'whole' and list_contains(domains, 'Language') and hours is not null
  and 6 * n * d between training_compute_flop / 1.25 and training_compute_flop * 1.25
"""
Judged = dict[str, tuple[dict[str, Any], Estimate]]


@pytest.fixture(scope="module")
def connection(published: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_database(published) as opened:
        yield opened


@pytest.fixture(scope="module")
def judged(connection: duckdb.DuckDBPyConnection) -> Judged:
    """Each published run beside its estimate."""
    return {
        run["model_id"]: (
            run,
            estimate_run(connection, run["organization"], parameters=run["n"], tokens=run["d"], chip=run["chip"]),
        )
        for run in rows(connection, RUNS)
    }


def ends(figure: Figure) -> tuple[float, float, float]:
    return figure.value, figure.low, figure.high


def inside(figure: Figure, printed: float | None) -> list[bool]:
    """Whether an interval has the printed value."""
    return [figure.low <= printed <= figure.high] if printed and figure else []


def test_nine_in_ten_of_all_published_runs_are_inside_and_the_estimate_is_not_biased(judged: Judged) -> None:
    hours = [inside(made.chip_hours, run["hours"]) for run, made in judged.values()]
    assert len(hours) > 90
    assert 0.85 <= sum(map(sum, hours)) / len(hours) <= 0.95
    off = sorted(run["hours"] / made.chip_hours.value for run, made in judged.values())
    assert 0.8 < off[len(off) // 2] < 1.25
    for name, least in (("cost_usd", 30), ("energy_kwh", 3)):
        printed = [each for run, made in judged.values() for each in inside(getattr(made, name), run[name])]
        assert len(printed) > least
        assert sum(printed) / len(printed) >= 0.85


def test_what_is_given_is_exact_and_replaces_what_was_measured(published: Path) -> None:
    # by hand: 6 × 37e9 × 14.8e12 FLOP ÷ (9.89e14 FLOP/s × 3600 s × 0.35) on NVIDIA H800 SXM5 of 700 W
    sizes = {"active_parameters": "37B", "parameters": "671B", "tokens": "14.8T"}
    known: dict[str, Any] = {"utilization": "35%", "price_per_hour": 2, "pue": 1.2}
    run = traincompute.estimate(**(known | sizes), chip="H800", chips=2048, version=str(published))
    flop, hours = 6 * 37e9 * 14.8e12, 6 * 37e9 * 14.8e12 / (9.89e14 * 3600 * 0.35)
    assert ends(run.flop) == pytest.approx((flop, flop, flop))
    assert ends(run.chip_hours) == pytest.approx((hours, hours, hours))
    assert run.days.value == pytest.approx(hours / 2048 / 24)
    assert ends(run.cost_usd) == pytest.approx((2 * hours, 2 * hours, 2 * hours))
    assert run.energy_kwh.value == pytest.approx(hours * 0.7 * run.assumptions["draw"].value * 1.2)
    assert run.assumptions.keys() == {"draw", "grams_per_kwh"}
    assert run.tokens_per_parameter == 400
    again = traincompute.estimate(**sizes, epochs=4, version=str(published))
    assert again.tokens_per_parameter == 1600  # of tokens seen, as in the table


def test_chips_and_hours_give_the_compute_and_both_the_utilization(published: Path) -> None:
    days = traincompute.estimate(chip="A100", chips=512, days=30, version=str(published))
    rate = days.assumptions["utilization"]
    assert ends(days.flop) == pytest.approx(tuple(512 * 720 * 3600 * 3.12e14 * share for share in ends(rate)))
    assert ends(days.chip_hours) == (512 * 720, 512 * 720, 512 * 720)
    both = traincompute.estimate(flop=1.3e23, chip="A100", chips=512, hours=720, version=str(published))
    assert both.utilization == pytest.approx(1.3e23 / (512 * 720 * 3600 * 3.12e14))
    assert "utilization" not in both.assumptions


def test_the_base_counts_above_thresholds_and_regions_narrow_the_carbon(published: Path) -> None:
    tuned = traincompute.estimate(flop="1e23", base="llama-3.1-405b", version=str(published))
    assert tuned.base
    assert tuned.base["share"] == pytest.approx(1e23 / 3.8e25)
    assert tuned.thresholds == {1e23: "above", 1e25: "above", 1e26: "below"}
    [guess] = duckdb.sql(f"""select model_id from '{published}/predictions.parquet'
        where tier > 2 and flop_50 > 1e25 and flop_05 < 1e25 order by 1 limit 1""").fetchall()
    unsure = traincompute.estimate(flop="1e23", base=guess[0], version=str(published))
    assert (unsure.thresholds[1e25], unsure.base and unsure.base["is_known"]) == ("possibly above", False)
    same_run = traincompute.estimate(flop="1e23", base="gpt-5-pro", version=str(published))  # as GPT-5, by our estimate
    assert (same_run.thresholds[1e25], same_run.base and same_run.base["is_known"]) == ("possibly above", False)
    anywhere, france = (
        traincompute.estimate(flop="1e23", chip="H100", region=region, version=str(published)).carbon_kg
        for region in (None, "France")
    )
    assert france.high / france.low < anywhere.high / anywhere.low / 5


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"parameters": "70B", "tokens": "15"}, "did you mean 15T?"),
        ({"parameters": 70, "tokens": "15T"}, "did you mean 70B?"),
        ({"parameters": "70B"}, "tokens are missing; 20 per parameter would be 1.4T"),
        ({"flop": "1e24", "chip": "H100", "utilization": 40}, "did you mean 40%?"),
        ({"flop": "1e24", "chip": "H1000"}, "did you mean H100?"),
        ({"flop": "1e24", "chip": "TPU"}, "chips; name one, such as Google TPU v3"),
        ({"flop": "1e24", "chip": "H100", "region": "Frnce"}, "did you mean france"),
        ({"flop": "1e24", "chip": "H100", "precision": "bf16x"}, "there are BF16"),
        ({"flop": "1e24", "chip": "A100", "precision": "FP8"}, "known are: BF16"),
        ({"flop": "1e24", "chips": 8}, "name the chip"),
        ({"flop": "1e24", "region": "Germany"}, "name the chip"),
        ({"flop": "1e24", "chip": "H80"}, "did you mean H800?"),
        ({"chip": "H100", "chips": 8, "days": 1, "epochs": 2}, "give parameters and tokens, or leave out epochs"),
        ({"flop": "1e24", "tokens": "1T"}, "both say what the compute is"),
        ({"chip": "H100", "chips": 8, "hours": 9, "days": 1}, "both say how long"),
        ({"flop": "1e24", "chip": "H100", "days": 30}, "say how many chips"),
        ({"chip": "H100"}, "give parameters and tokens, or flop, or chips and hours"),
        ({"flop": "1e25", "chip": "H100", "chips": 8, "hours": 9}, "times the most that these chips can do"),
        ({"parameters": "7B", "active_parameters": "70B", "tokens": "1T"}, "exchange the two"),
        ({"parameters": "7 bananas", "tokens": "1T"}, 'parameters "7 bananas": unknown unit'),
        ({"flops": "1e24"}, 'no number "flops"; there are flop,'),
    ],
)
def test_an_error_says_what_to_write(published: Path, given: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as raised:
        traincompute.estimate(**given, version=str(published))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("asked", "found"), [("A40", "A40 PCIe"), ("A100-80GB", "A100 SXM4 80 GB"), ("A10", "A10 PCIe")]
)
def test_a_chip_is_found_by_whole_words(published: Path, asked: str, found: str) -> None:
    made = traincompute.estimate(flop="1e24", chip=asked, version=str(published))
    assert made.chip
    assert made.chip.name == f"NVIDIA {found}"


def test_the_command_names_what_it_assumes_and_its_json_is_the_same(published: Path) -> None:
    words = ["estimate", "--parameters", "70B", "--tokens", "15T", "--chip", "H100", "--chips", "1024"]
    shown = CliRunner().invoke(group, [*words, "--data", str(published)])
    assert shown.exit_code == 0, shown.output
    for part in ("6.3e24 FLOP = 6 × 7e+10", "NVIDIA H100 SXM5 80GB", "benchmarks on H100 in BF16", "Llama 3.1-70B"):
        assert part.replace("e+", "e") in shown.output
    record = json.loads(CliRunner().invoke(group, [*words, "--json", "--data", str(published)]).output)
    made = traincompute.estimate(parameters="70B", tokens="15T", chip="H100", chips=1024, version=str(published))
    assert {name: record[name] for name in QUANTITIES} == {name: asdict(getattr(made, name)) for name in QUANTITIES}
    assert record["assumptions"]["utilization"]["low"] == made.assumptions["utilization"].low


TABLE = """name,parameters,active_parameters,tokens,epochs,chip,chips,days,flop,region,pue
dense,70000000000,,15000000000000,,H100,1024,,,,
sparse,671000000000,37000000000,14800000000000,,H800,2048,,,France,1.1
twice,1000000000,,20000000000,2.5,TPU v4,,,,,
timed,,,,,A100,512,30,,,
given,,,,,,,,3.14e23,,
nothing,7000000000,,,,H100,8,,,,
"""
no_spark = pytest.mark.skipif(not (find_spec("pyspark") and shutil.which("java")), reason="no pyspark or no Java")
its_warnings = pytest.mark.filterwarnings("ignore")  # of pandas 3, among others
ENGINES = ["duckdb", pytest.param("spark", marks=[no_spark, its_warnings])]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_gives_the_bits_of_each_run(connection: duckdb.DuckDBPyConnection, tmp_path: Path, engine: str) -> None:
    source, target = tmp_path / "runs.csv", tmp_path / "out.parquet"
    source.write_text(TABLE, encoding="utf-8")
    estimate_file(connection, str(source), str(target), engine)
    with duckdb.connect() as read:
        found = rows(read, f"from '{target}/*.parquet'" if target.is_dir() else f"from '{target}'")
    written = {row["name"]: row for row in found}
    for run in csv.DictReader(TABLE.splitlines()):
        row = written.pop(run["name"])
        if run["name"] == "nothing":
            assert [row[name] for name in QUANTITIES] == [None] * 6
            continue
        given = {name: float(run[name]) for name in NUMBERS if run.get(name)}
        one = estimate_run(connection, **given, chip=run["chip"] or None, region=run["region"] or None)
        for name in QUANTITIES:
            wanted = [None if isnan(end) else end for end in ends(getattr(one, name))]
            assert [row[f"{name}{end}"] for end in ("", "_low", "_high")] == wanted, (row, name)
    assert not written
    if engine == "duckdb":
        with pytest.raises(InputError, match="has estimates already, such as flop_low"):
            estimate_file(connection, str(target), str(tmp_path / "again.parquet"))


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("parameters,tokens\n7e9,1e12\n7e9,15\n", 'line 3: tokens "15": did you mean'),
        ("parameters,tokens\n7e9,1e12\n7B,1e12\n", "line 3: write numbers in full"),
        ("flop,chip\n1e23,H100\n1e23,H9000\n", 'line 3: no chip "H9000"'),
        ("flop,chip,region\n1e23,H100,Atlantis\n", 'line 2: no region "Atlantis"'),
        ("model,chip\nours,H100\n", "has no column of numbers of a run"),
        ("flop,base\n1e23,gpt-4\n", "column base, which counts for one run alone"),
        ("flop,note\n1e23,café\n", "This file is not utf-8 encoded"),
    ],
)
def test_a_bad_row_is_named_by_its_line(published: Path, tmp_path: Path, lines: str, said: str) -> None:
    (tmp_path / "runs.csv").write_text(lines, encoding="latin-1")
    words = ["--from", str(tmp_path / "runs.csv"), "--to", str(tmp_path / "out.parquet"), "--data", str(published)]
    refused = CliRunner().invoke(group, ["estimate", *words])
    assert refused.exit_code != 0
    assert said in str(refused.exception)


def test_estimates_are_written_as_parquet_alone(published: Path, tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("flop\n1e23\n", encoding="utf-8")
    words = ["--from", str(tmp_path / "runs.csv"), "--to", str(tmp_path / "out.csv"), "--data", str(published)]
    assert "the only format written" in CliRunner().invoke(group, ["estimate", *words]).output
    assert not (tmp_path / "out.csv").exists()
    words[3] = str(published / "models.parquet")
    assert "belongs to a build" in str(CliRunner().invoke(group, ["estimate", *words]).exception)


def test_constants_and_thresholds_are_those_of_the_pipeline() -> None:
    # the package has no YAML files of the pipeline, so it has these numbers itself
    cost = load_constants(Paths(CHECKOUT))["cost"]
    owning = {"server": cost["server_price"]["default"], "decline": cost["orders_of_magnitude_per_year"]}
    assert owning | {"network": cost["interconnect_share"]} == OWNING
    rules = yaml.safe_load((CHECKOUT / "pipeline" / "site" / "thresholds.yml").read_text(encoding="utf-8"))
    assert [rule["flop"] for rule in rules] == list(THRESHOLDS)
    assert all(rule["label"] in said for rule, said in zip(rules, THRESHOLDS.values(), strict=True))
