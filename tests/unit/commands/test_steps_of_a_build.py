"""What `build`, its stages, and what makes a vintage in memory take their tables from, pass on and print, whole."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pandas as pd
import pytest
from stand_ins import Ended, Stand, ended, just, stand_ins

import pipeline
from pipeline.commands import build as build_command
from pipeline.commands import stages, vintage

DAY = date(2024, 1, 2)
TABLES = {
    "claims": [1, 2, 3],
    "models": pd.DataFrame({"training_compute_source": ["imputed", "reported", "imputed"]}),
    "quarantine": [1],
}
Notes = list[Any]


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stand:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path))
    stand = stand_ins(monkeypatch)
    stand("registry.context", load_context=lambda paths: SimpleNamespace(root=paths.root.name, schemas={"models": 1}))
    return stand


@pytest.fixture
def run_build(stand: Stand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., tuple[Ended, Notes]]:
    """Runs the command where the build that is there is current, or not; gives what it printed, and its steps."""

    def run(current: bool, *words: str) -> tuple[Ended, Notes]:
        notes: Notes = []
        stand("publish.fingerprint", is_current=lambda *_: notes.append("asked") or current)
        stand("publish.swap", sweep_builds=lambda folder: notes.append(f"swept {folder.name}"))
        monkeypatch.setattr("traincompute.base.locks.sweep_litter", lambda folder: notes.append(f"swept {folder.name}"))
        steps = SimpleNamespace(
            build=lambda paths, as_of: notes.append(as_of) or "made", summarize=lambda _, made: [made, "whole"]
        )
        monkeypatch.setattr(pipeline, "build", steps, raising=False)
        monkeypatch.setattr(build_command, "time", SimpleNamespace(perf_counter=iter((1, 3.5)).__next__))
        code, out, err = ended(build_command.build, *words)
        return (code, out.replace(str(tmp_path), "ROOT"), err), notes

    return run


def test_a_build_is_made_unless_it_is_there_or_forced(run_build: Callable[..., tuple[Ended, Notes]]) -> None:
    there = "up to date    ROOT/data/processed: nothing has changed since it was built (--force builds anew)\n"
    built = "made\nwhole\npublished     ROOT/data/processed in 2.5 s\n"
    assert run_build(True) == ((0, there, ""), ["swept raw", "asked", "swept processed"])
    assert run_build(False) == ((0, built, ""), ["swept raw", "asked", None])
    assert run_build(True, "--force") == ((0, built, ""), ["swept raw", None])
    vintage = built.replace("processed", "processed/vintage-2024-01-02")
    assert run_build(False, "--as-of", str(DAY)) == ((0, vintage, ""), ["swept raw", "asked", DAY])


def test_each_stage_passes_on_what_the_one_before_made(stand: Stand, tmp_path: Path) -> None:
    notes: Notes = []
    made: dict[str, Any] = {**TABLES, "trends": [2]}
    days: list[date | None] = [None]

    def noted(name: str, value: Any = None) -> Callable[..., Any]:
        def note(*given: Any) -> Any:
            told = [sorted(one) if isinstance(one, dict) else getattr(one, "root", one) for one in given]
            notes.append((name, *told))
            return value

        return note

    stand("normalize.stage", normalize_tables=noted("read", TABLES))
    stand("publish.intermediate", load=lambda _: (dict(made), days[-1]), save=noted("save"))
    stand(
        "impute.stage", UNFINISHED=("models", "trends"), imputed=lambda *_: iter([{"estimates": [1]}, {"trends": [3]}])
    )
    stand(
        "normalize.acknowledged",
        without_rules=just("no rules"),
        with_acknowledgements=lambda _, claims: ("rules", claims),
    )
    stand("validate.stage", check_tables=noted("check"), check_links=noted("link"))
    stand("publish.stage", publish_tables=noted("publish", "FOLDER"))
    done = [
        ended(stages.normalize, "--as-of", str(DAY)),
        ended(stages.validate),
        ended(stages.impute),
        ended(stages.publish),
    ]
    made["estimates"], finished = [1], ["claims", "estimates", "models", "quarantine", "trends"]
    days.append(DAY)
    done += [ended(stages.validate), ended(stages.publish)]
    days.append(None)
    done += [ended(stages.publish)]
    refused = (
        "Usage: publish [OPTIONS]\nTry 'publish --help' for help.\n\nError: there are no estimates yet; run"
        " `traincompute stage impute` first\n"
    )
    assert done == [
        (0, "normalized 3 claims about 3 models, 1 quarantined\n", ""),
        (0, "validated claims, quarantine\n", ""),
        (0, "imputed 2 values\n", ""),
        (2, "", refused),
        (0, "validated claims, estimates, models, quarantine, trends\n", ""),
        (0, "published FOLDER\n", ""),
        (0, "published FOLDER\n", ""),
    ]
    root, before = tmp_path.name, ["claims", "models", "quarantine", "trends"]
    assert notes == [
        ("read", root, DAY),
        ("save", root, ["claims", "models", "quarantine"], DAY),
        ("check", "no rules", ["claims", "quarantine"]),
        ("link", root, before),
        ("save", root, finished, None),
        ("check", "no rules", finished),
        ("link", root, finished),
        ("check", "no rules", finished, [1, 2, 3]),
        ("link", root, finished),
        ("publish", root, finished, DAY),
        ("check", ("rules", [1, 2, 3]), finished, [1, 2, 3]),
        ("link", root, finished),
        ("publish", root, finished, None),
    ]


def test_a_vintage_is_made_in_memory_and_the_build_is_read(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stand("normalize.stage", normalize_tables=lambda context, as_of: (context.root, as_of))
    stand("impute.stage", with_estimates=lambda context, made: made)
    stand("impute.trends.prepare", prepare=lambda *given: given)
    stand("registry.constants", load_constants=just({"eras": "eras"}))
    stand("registry.frames", from_arrow=lambda data, schema: (data.column_names, schema))
    assert vintage.load_models(DAY) == ((tmp_path.name, DAY), "eras")
    with pytest.raises(
        click.ClickException, match="there is no built dataset; run `traincompute build` first, or give --as-of"
    ):
        vintage.load_models(None)
    names = ["models", "estimates", "predictions", "supercomputers"]
    (tmp_path / "data" / "processed").mkdir(parents=True)
    for name in names:
        pd.DataFrame({name: [1]}).to_parquet(tmp_path / "data" / "processed" / f"{name}.parquet")
    about = SimpleNamespace(schemas=dict(zip(names, "abcd", strict=True)))
    stand("registry.context", load_context=just(about))
    assert vintage.load_models(None) == ({n: ([n], kind) for n, kind in zip(names, "abcd", strict=True)}, "eras")
    merged = {
        "models": pd.DataFrame({"model_id": ["a"], "is_notable": [True]}),
        "predictions": pd.DataFrame({"model_id": ["a"], "p50": [1.0]}),
    }
    stand("normalize.stage", normalize_tables=just(merged))
    stand("impute.stage", with_estimates=lambda context, made: made)
    monkeypatch.setattr("traincompute.thresholds.COLUMNS", ["p50", "is_notable"])
    assert vintage.threshold_models(DAY).to_dict("list") == {"p50": [1.0], "is_notable": [True]}


def test_a_projection_stands_beside_each_row_of_a_trend(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[dict[str, Any]] = [{"n": 1}, {"n": 2}]
    table = SimpleNamespace(
        COMPLETED="whole",
        quantity_rows=lambda *given: rows and [{**row, "of": given} for row in rows],
        lines_of=lambda *given: ("lines", *given),
    )
    series = SimpleNamespace(
        MEMBER_QUANTITIES=("members",),
        make_points=lambda *given: ("points", *given),
        make_groups=lambda points, member: {"g": SimpleNamespace(runs=("runs", member))},
    )
    stand("impute.trends", series=series, table=table)
    stand("impute.trends.completed", complete=lambda models: f"completed {models}")
    stand("impute.trends.project", project=lambda *given: [given, "second"], ASSUMPTIONS=("a", "b"))
    monkeypatch.setattr(vintage, "load_models", lambda as_of: f"models of {as_of}")
    assert vintage.trend_rows(None, "whole", None) == [
        {"n": n, "of": ("models of None", "whole", "completed models of None")} for n in (1, 2)
    ]
    of = ("models of 2024-01-02", "members", None)
    points, groups = ("points", *of[:2]), {"g": ("runs", True)}
    assert vintage.trend_rows(DAY, "members", date(2030, 1, 1)) == [
        {"n": 1, "of": of, "projected": (points, groups, ("lines", points, groups), date(2030, 1, 1))},
        {"n": 2, "of": of, "projected": "second"},
    ]
    rows.clear()
    assert vintage.trend_rows(DAY, "members", date(2030, 1, 1)) == []
    assert vintage.assumptions() == ["a", "b"]
