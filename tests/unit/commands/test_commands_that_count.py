"""What the commands that count, compare and explain ask for, and print of the answer."""

from __future__ import annotations

import json
from dataclasses import make_dataclass
from datetime import date, datetime
from math import nan
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import duckdb
import pandas as pd
import pytest
from click.testing import CliRunner, Result

from traincompute.commands import diff, explain, export, frontier, thresholds, trends

# fmt: off
RUNS = {"published_until": "2025-12-31", "runs": 3, "models": 4, "published_values": 2, "expected_runs": 5.0, "low_90": 3, "high_90": 8,
        "expected_index": 0.5} | {f"expected_tier_{tier}": part for tier, part in enumerate((2.0, 1.0, 0.02, 1.5, 0.48))}
LATER = RUNS | {"published_until": "2026-03-30", "expected_runs": 10.0, "expected_tier_0": 7.0}
LARGEST = {"published_until": "2025-12-31", "model_id": "a", "training_compute_flop": 3.14e23, "median": 5e23, "low_90": 2e22, "high_90": 6e24,
           "most_flop": 1e27, "rests_on": {"published": 0.5, "kind": 0.495, "index": 0.005, "size": 0.004}}
MODELS = pd.DataFrame({"model_id": ["a", "b", "c"], "is_notable": [True, False, True], "organization": ["OpenAI", "OpenAI", "Open"],
                       "publication_date": pd.to_datetime(["2025-05-06", "2026-03-30", "2024-01-01"])})
AHEAD = dict(zip(("value", "low", "high", "model_low", "model_high", "years_beyond_data"), (1e32, 2e31, 3e33, 1e30, 1e34, 3.75), strict=True))
TREND: dict[str, Any] = {
    "quantity": "training_compute_flop", "group": "country", "member": "France", "since": datetime(2010, 1, 1), "n": 9, "models": 12,
    "growth_per_year": 4.5, "growth_low": 4, "growth_high": 5, "sampling_low": 4.25, "sampling_high": 4.75, "doubling_months": 5.53,
    "valued_share": 0.5, "valued_share_since_2024": 0.25, "selection_warning": True, "r_squared": 0.9, "growth_all_runs": 3,
    "growth_all_runs_low": 2, "growth_all_runs_high": 4, "shape": "kink", "kink_date": datetime(2018, 2, 3), "kink_date_low": date(2017, 1, 1),
    "kink_date_high": date(2019, 1, 1), "growth_before": 2, "growth_after": 6, "growth_after_low": 5, "growth_after_high": 7, "bic_kink": 8.25,
    "bic_break": -1, "p_kink": 0.01, "p_break": 0.2, "p_kink_selection": 0.05, "p_break_selection": 0.25, "projected": AHEAD,
}
# fmt: on


def run(command: click.Command, *words: str) -> Result:
    return CliRunner().invoke(command, list(words), color=True)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The file of a dataset with the trends of two quantities, and beside it that of an older one."""
    folder = tmp_path_factory.mktemp("count")
    with duckdb.connect(str(folder / "new.duckdb")) as connection:
        connection.execute("""
            create table trends as select quantity, kind as "group", member, since::timestamp as since, 'nan'::double as n from (values
            ('parameters', 'all', null, null), ('training_compute_flop', 'country', 'Peru', '2010-01-01'), ('training_compute_flop', 'country', 'Peru', null),
            ('training_compute_flop', 'country', 'Chad', null), ('training_compute_flop', 'all', null, '2010-01-01'),
            ('training_compute_flop', 'all', null, null)) t(quantity, kind, member, since);
            create table models as select 'a' as model_id, true as is_notable, 'x' as other;
            create table predictions as select 'a' as model_id, 0 as tier, 1 as is_tier""")
    duckdb.connect(str(folder / "old.duckdb")).close()
    return str(folder / "new.duckdb")


def test_an_older_dataset_is_said_to_lack_what_is_counted(file: str) -> None:
    old = file.replace("new", "old")
    with pytest.raises(click.ClickException, match=r"^this dataset has no table trends: it was made by an earlier"):
        trends.published_rows(old, [])
    with pytest.raises(click.ClickException, match=r"^this dataset has no table predictions: it was made by an"):
        thresholds.published_models(old)
    assert thresholds.published_models(file).to_dict("list") == {"model_id": ["a"], "is_notable": [True], "tier": [0]}


def test_trends_stand_in_the_order_of_quantities_groups_members_and_eras(file: str) -> None:
    body = json.loads(run(trends.trends, "--json", "--data", file).stdout)
    assert (body["as_of"], {row["n"] for row in body["trends"]}) == (None, {None})
    told = [" ".join(str(cell) for cell in row.values() if cell) for row in body["trends"]]
    flop = "training_compute_flop"
    assert told[:3] == [f"{flop} all", f"{flop} all 2010-01-01", f"{flop} country Chad"]
    assert told[3:] == [f"{flop} country Peru", f"{flop} country Peru 2010-01-01", "parameters all"]
    of_one = json.loads(run(trends.trends, "--json", "--data", file, "--quantity", "flop", "--group", "all").stdout)
    assert of_one["trends"] == body["trends"][:2]


@pytest.mark.parametrize(("cells", "row", "told"), [
    (trends.GROWTH, {}, "flop | country France from 2010 | 9 | 12 | 4.50 | 4.00–5.00 | 4.25–4.75 | 5.5 | 50%, 25%* | 3.00 (2.00–4.00) | 0.90"),
    (trends.GROWTH, {"since": None, "doubling_months": None, "growth_all_runs": None, "valued_share": None, "selection_warning": False},
     "flop | country France | 9 | 12 | 4.50 | 4.00–5.00 | 4.25–4.75 | – | –, 25%  | – | 0.90"),
    (trends.GROWTH, {"member": None, "since": nan, "doubling_months": nan, "growth_all_runs": nan, "valued_share": nan},
     "flop | country | 9 | 12 | 4.50 | 4.00–5.00 | 4.25–4.75 | – | –, 25%* | – | 0.90"),
    (trends.SHAPE, {}, "flop | country France from 2010 | 9 | 12 | kink | 2018-02-03 | 2017–2019 | 2.00× | 6.00× | 5.00–7.00 | "
                       "8.2 | -1.0 | 0.010 | 0.200 | 0.050, 0.250 | 50%, 25%*"),
    (trends.SHAPE, {"shape": None, "p_kink_selection": None, "p_break_selection": nan},
     "flop | country France from 2010 | 9 | 12 | – |  |  |  |  |  |  |  |  |  |  | 50%, 25%*"),
    (trends.PROJECTED, {}, "flop | country France from 2010 | 9 | 12 | 4.50 | 1.0e+32 | 2.0e+31–3.0e+33 | 1.0e+30–1.0e+34 | 50%, 25%* | 3.8"),
])  # fmt: skip
def test_a_trend_has_these_cells(cells: trends.Cells, row: dict[str, Any], told: str) -> None:
    assert " | ".join(cell(TREND | row) for cell in cells.values()) == told


def test_trends_of_a_day_and_projections_are_computed_anew(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    row = TREND | {"selection_warning": False}
    vintage = SimpleNamespace(trend_rows=lambda *given: asked.append(given) or [row], assumptions=lambda: ["steady"])
    monkeypatch.setattr(trends, "builder_of", lambda option: asked.append(option) or vintage)
    of_day = run(trends.trends, "--as-of", "2025-05-06", "--quantity", "tokens").stdout.splitlines()
    ahead = run(trends.trends, "--project", "2030-01-01", "--quantity", "cost").stdout.splitlines()
    assert asked[:2] == ["--as-of", (date(2025, 5, 6), "training_tokens", None)]
    assert asked[2:] == ["--project", (None, "training_cost_usd", date(2030, 1, 1))]
    assert ["sampling alone" in of_day[0], "years beyond data" in ahead[0]] == [True, True]
    assert [of_day[2:], ahead[2:]] == [[], ["assumed: steady"]]
    row["selection_warning"] = True
    words = ["--as-of", "2025-05-06", "--quantity", "flop"]
    head, _, *warned = run(trends.trends, *words, "--table", "shape").stdout.splitlines()
    assert ["BIC gain kink" in head, [line[:26] for line in warned]] == [True, ["* fewer than half of the r", "with a value: of the group"]]  # fmt: skip
    body = json.loads(run(trends.trends, *words, "--project", "2030-01-01", "--json").stdout)
    assert body.pop("trends")[0]["projected"] == AHEAD
    assert body == {"as_of": "2025-05-06", "projected_to": "2030-01-01", "assumptions": ["steady"]}
    refused = run(trends.trends, *words, "--data", file).stderr.splitlines()[-1]
    assert refused == "Error: --data and --version go with neither --as-of nor --project"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was counted of three models: their ids, and the threshold, day and reach, or the ends of years."""
    asked: list[Any] = []
    lines = [LARGEST | {"published_until": "2024-12-31", "model_id": None, "training_compute_flop": None}]
    lines += [LARGEST, LARGEST | {"published_until": "2026-03-30"}]
    both = {name: [row | {"threshold_flop": flop} | ({} if flop == 1e25 else {"expected_tier_0": 0}) for flop in (1e25, 1e26) for row in rows]
            for name, rows in (("all", [RUNS, LATER]), ("one", [LATER | {"expected_runs": 0, "runs": 0}]))}  # fmt: skip
    of_one = [{"organization": "Ä", "largest": lines[1:2], "runs": both["one"]}]
    whole = {"largest": lines, "runs": both["all"], "by_organization": of_one}
    report = {"by_year": [RUNS, RUNS, LATER], "data_reach_to": "2026-03-30", "note": "ä"}
    for place, found in (("frontier.frontier", whole), ("thresholds.report", report)):
        monkeypatch.setattr(
            f"traincompute.{place}",
            lambda models, *given, found=found: asked.append(("".join(models["model_id"]), *given)) or found,
        )
    monkeypatch.setattr("traincompute.thresholds.year_ends", lambda models: "".join(models["model_id"]))
    for module in (frontier, thresholds):
        monkeypatch.setattr(module, "published_models", lambda _: MODELS)
    return asked


def test_runs_are_told_by_year(counted: list[Any], monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    assert run(thresholds.thresholds, "0.5").output.splitlines() == [
        "training runs of notable models with at least 0.5 FLOP",
        *["until 2025-12-31     3 by value (4 models), 2 of them published     5.0 expected, 90 % between 3 and 8"] * 2,
        "until 2026-03-30     3 by value (4 models), 2 of them published    10.0 expected, 90 % between 3 and 8",
        "of the 10.0: 7.0 from models with a published value, 1.0 by a physical method, 0.0 from the base's compute alone, "
        "0.5 by the capability index, 1.0 by the regression on size, data or chips, 0.5 by the regression on date and kind",
        "the data reach to 2026-03-30, the day of their last model: that year is not over",
    ]
    early = run(thresholds.thresholds, "1e25", "--all", "--until", "2025-05-06").output.splitlines()[0]
    assert early == "training runs of all models with at least 1e+25 FLOP"
    assert [asked[:3] for asked in counted] == [("ac", 0.5, None), ("ac", 1e25, datetime(2025, 5, 6))]  # b is later
    body = run(thresholds.thresholds, "1e25", "--json").output
    assert body.endswith('\n "data_reach_to": "2026-03-30",\n "note": "ä"\n}\n')
    early_ones = SimpleNamespace(threshold_models=lambda day: MODELS[MODELS["publication_date"] < str(day)])
    monkeypatch.setattr(thresholds, "builder_of", lambda _: early_ones)
    run(thresholds.thresholds, "1e25", "--as-of", "2025-05-06")
    assert counted[-1] == ("c", 1e25, None, pd.Timestamp("2024-01-01"))
    both = run(thresholds.thresholds, "1", "--as-of", "2025-05-06", "--data", file).stderr
    assert both.endswith("\nError: give --as-of, or one of --data and --version, not both\n")
    assert run(thresholds.thresholds, "0").stderr.endswith(": must be above 0, such as 1e25\n")


def test_the_largest_runs_are_told_with_what_they_rest_on(counted: list[Any]) -> None:
    rests = "5e23 2e22–6e24 1e27 50% published, 0% index, 50% date and kind"
    shown = run(frontier.frontier).output.splitlines()
    assert [" ".join(line.split()) for line in shown] == [
        "the largest training run of notable models, in FLOP", "until by value model median 90 % at most rests on",
        f"2024-12-31 {rests}", f"2025-12-31 3.1e23 a {rests}", f"2026-03-30 3.1e23 a {rests}",
        "training runs: by value, and expected with a 90 % interval", "until ≥ 1e25 ≥ 1e26 rests on",
        "2025-12-31 3, 5.0 (3–8) 3, 5.0 (3–8) 40% published, 20% physical, 10% index, 20% size, 10% date and kind",
        "2026-03-30 3, 10.0 (3–8) 3, 10.0 (3–8) 70% published, 10% physical, 5% index, 10% size, 5% date and kind",
        "by organisation, until 2026-03-30", "organization by value median 90 % ≥ 1e25 ≥ 1e26 rests on",
        "Ä 3.1e23 5e23 2e22–6e24 0, 0.0 (3–8) 0, 0.0 (3–8)",
    ]  # fmt: skip
    of_one = run(frontier.frontier, "--all", "--organization", "OpenAI").output.splitlines()
    assert [of_one[0], len(of_one)] == ["the largest training run of all models of OpenAI, in FLOP", 9]
    assert counted == [("ac", "abc"), ("ab", "abc")]
    assert '\n "by_organization": [\n  {\n   "organization": "Ä",\n' in run(frontier.frontier, "--json").output
    for slip, said in (("Open", r"; did you mean Open4, Open3, Open2\?"), ("zzz", "")):
        with pytest.raises(click.ClickException, match=f"^no model of '{slip}'{said}$"):
            frontier._of(pd.DataFrame({"organization": [None, *(f"Open{number}" for number in range(5))]}), slip)


def test_differences_are_told_in_their_form_and_end_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = make_dataclass("Found", ["changes", "new", "is_equal"])(
        pd.DataFrame({"column": ["flop", "name"], "n": [1, 2]}), SimpleNamespace(file=str), False
    )
    monkeypatch.setattr("traincompute.comparison.compare.compare", lambda *_: found)
    monkeypatch.setattr(diff, "read_column_names", lambda table: ["flop", "name"] if table == "models" else [])
    render = "traincompute.comparison.render.as_"
    for form in ("text", "markdown", "json"):
        monkeypatch.setattr(f"{render}{form}", lambda found, *most, form=form: f"{form} {[*found.changes['n']]} {most}")
    monkeypatch.setattr(f"{render}csv", lambda changes: f"csv {[*changes['n']]}")
    told = {"": "text [1, 2] (30,)\n", "--markdown --limit 0": "markdown [1, 2] (0,)\n", "--json": "json [1, 2] ()\n"}
    told |= {"--csv --column name": "csv [2]"}
    assert {words: run(diff.diff, ".", ".", *words.split()).output for words in told} == told
    assert run(diff.diff, ".", ".").exit_code == 1
    found.is_equal = True
    assert run(diff.diff, ".", ".").exit_code == 0


def test_what_is_compared_has_a_name_or_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(diff, "processed_folder", lambda: "built")
    monkeypatch.setattr(diff, "default_folder", lambda: None)
    named = {"current": Path("built"), "built": Path("built")}
    for name, folder in (("1.0", "v1.0"), ("vintage-2025", "vintage-2025")):
        named[name] = Path("built", "releases", folder)
        named[name].mkdir(parents=True)
        (named[name] / "manifest.json").touch()
    assert {name: diff.resolve(name) for name in named} == named
    monkeypatch.setattr(diff, "default_folder", lambda: "at_hand")
    assert diff.resolve("current") == Path("at_hand")
    Path("current").mkdir()
    assert diff.resolve("current") == Path("current"), "a folder of that name"
    monkeypatch.setattr("traincompute.cache.index.read_index", lambda address: address)
    monkeypatch.setattr("traincompute.cache.index.find_release", lambda *given: given)
    monkeypatch.setattr("traincompute.cache.folders.home", lambda release: release if release[1] == "2.0" else None)
    monkeypatch.setattr("traincompute.cache.folders.download_release", lambda release: ["downloaded", *release])
    assert [diff.resolve(name) for name in ("2.0", "latest")] == [(None, "2.0"), ["downloaded", None, "latest"]]
    assert diff.resolve("http://a.b/i.json#2.0") == ("http://a.b/i.json", "2.0")
    assert diff.resolve("http://a.b/i.json") == ["downloaded", "http://a.b/i.json", "latest"]


def test_a_model_is_explained_on_a_screen_in_full_or_in_one_field(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mode = "select 'ä', current_setting('access_mode')"
    for place, made in {
        "lookup.find_model": lambda connection, _: connection.execute(mode).fetchone(),
        "collect.collect": lambda _, model, whole: {"id": model, "whole": whole},
        "collect.read_fields": lambda _: {"flop": "claimed"},
        "collect.resolve_field": lambda text, fields: text if text in fields else "",
        "collect.one_field": lambda known, name, claim: known | {"field": f"{name} {claim}"},
        "collect.heading": lambda known: known["note"], "brief.short_heading": lambda head: f"short {head}",
        "brief.sections": lambda known: f"screen {known['whole']}", "full.sections": lambda known: f"all {known['whole']}",
        "full.field_sections": lambda _, chosen: chosen["field"], "full.render_markdown": lambda head, parts: f"# {head}, {parts}",
        "full.render_text": lambda head, parts, width, bold: f"{bold(head)}, {parts}, {width}",
    }.items():  # fmt: skip
        monkeypatch.setattr(f"traincompute.explain.{place}", made)
    words = ["x", "--data", file]
    told = {"": "short read_only, screen False, 80", "--full": "read_only, all True, 80",
            "--field flop": "read_only, flop claimed, 80", "--markdown": "# read_only, all True"}  # fmt: skip
    assert {more: run(explain.explain, *words, *more.split()).output[:-1] for more in told} == told
    body = run(explain.explain, *words, "--json").output
    assert body == '{\n "id": "ä",\n "whole": true,\n "note": "read_only"\n}\n'
    assert '"field": "flop claimed"' in run(explain.explain, *words, "--json", "--field", "flop").output
    monkeypatch.setattr(explain, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))
    for setting, head in (("", "\x1b[1mread_only\x1b[0m"), ("1", "read_only")):
        monkeypatch.setenv("NO_COLOR", setting)
        assert run(explain.explain, *words, "--full").output.startswith(f"{head}, all")


def test_a_table_is_exported_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content = SimpleNamespace(data=SimpleNamespace(num_rows=1234, num_columns=5))
    monkeypatch.setattr(export, "_content", lambda table, query, version: content)
    for kind in ("csv", "xlsx"):
        place = ".".join(export.FORMS[f".{kind}"])
        monkeypatch.setattr(place, lambda _, path, kind=kind: path.write_text(kind))
    monkeypatch.setattr("traincompute.export.plain.describe", lambda _, file: f"about {file}")
    told = "1,234 rows, 5 columns"
    beside = "; their meanings, version and sources in a.CSV.datapackage.json"
    assert run(export.export, "models", "--to", "a.CSV").output == f"wrote a.CSV: {told}{beside}\n"
    assert run(export.export, "--sql", "q", "--to", "a.xlsx").output == f"wrote a.xlsx: {told}\n"
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written == {"a.CSV": "csv", "a.CSV.datapackage.json": "about a.CSV", "a.xlsx": "xlsx"}
    failed = run(export.export, "models", "--to", "no/a.csv").stderr
    assert failed == "Error: no/a.csv cannot be written: No such file or directory\n"
    for words in (["--to", "b.csv"], ["models", "--sql", "q", "--to", "b.csv"]):
        assert run(export.export, *words).stderr.endswith("\nError: give one of TABLE and --sql\n")
