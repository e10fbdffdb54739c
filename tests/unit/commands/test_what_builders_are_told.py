"""Which steps the commands that measure, draw and pull take for their options, and what they print, whole."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from stand_ins import Ended, Stand, ended, just, stand_ins

from pipeline.base.errors import DataError, SourceError
from pipeline.commands import calibrate as calibrate_command
from pipeline.commands import figures as figures_command
from pipeline.commands import site as site_command
from pipeline.commands.docs import docs
from pipeline.commands.pull import pull
from pipeline.commands.scale import hub, scale

Steps = list[str]
Pulled = Callable[..., tuple[Any, list[str]]]


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stand:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path))
    return stand_ins(monkeypatch)


@pytest.fixture
def steps(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> Steps:
    """The steps of a calibration whose table is a line of all, one of a domain, and one that is filled in."""
    steps: Steps = []
    line = dict.fromkeys(calibrate_command.SHOWN, 0.5) | {name: name for name in calibrate_command.TEXTS}
    table = pd.DataFrame([line | {"domain": name, "period": "all", "confidence": "all"} for name in ("all", "Vision")])
    modules: dict[str, dict[str, Any]] = {
        "calibration.calibrate": {"measure_all": {"calibration": table, "intervals": "measured"}},
        "calibration.measured_runs": {"measure_runs": {}},
        "calibration.past_estimates": {"judge_vintages": {"scores": "judged"}, "measure_filled": table.head(1)},
        "calibration.storage": {
            "check_whole": 0,
            "inputs_digest": 0,
            "write_files": ["a.csv"],
            "stale_files": ["a", "b"],
        },
        "flop.calibration_tables": {"load_measured": "read"},
    }
    for module, values in modules.items():
        noted = {name: lambda *_, name=name, value=value: steps.append(name) or value for name, value in values.items()}
        stand(f"impute.{module}", **noted)
    limits = {1: nullcontext()}.__getitem__
    monkeypatch.setitem(sys.modules, "threadpoolctl", SimpleNamespace(threadpool_limits=limits))  # type: ignore[arg-type]
    stand("registry.context", load_context=just(SimpleNamespace(paths="paths")))
    monkeypatch.setattr(calibrate_command, "find_spec", just("found"))
    return steps


def test_a_calibration_shows_the_lines_of_all(steps: Steps, monkeypatch: pytest.MonkeyPatch) -> None:
    head, *lines = [line.split() for line in ended(calibrate_command.calibrate)[1].splitlines()]
    assert head == calibrate_command.SHOWN
    assert lines == [["evaluation", "inputs", "method", "subset", "tier", *["0.5"] * 11]] * 2
    assert steps == ["inputs_digest", "check_whole", "measure_all", "measure_runs", "load_measured", "measure_filled"]
    monkeypatch.setattr(calibrate_command, "find_spec", just(None))
    lacking = "Error: needs scikit-learn: pip install 'traincompute[calibrate]'\n"
    assert ended(calibrate_command.calibrate) == (1, "", lacking)


@pytest.mark.parametrize(
    ("words", "last", "end"),
    [
        (["--write"], ["write_files"], (0, "wrote a.csv\n", "")),
        (["--write", "--json"], ["write_files"], (0, 'wrote a.csv\n[\n {\n  "evaluation"', "")),
        (["--check"], ["stale_files"], (1, "", "Error: a, b: not current; run `traincompute dev calibrate --write`\n")),
    ],
)
def test_what_is_kept_judges_older_datasets_too(steps: Steps, words: list[str], last: Steps, end: Ended) -> None:
    code, out, err = ended(calibrate_command.calibrate, *words)
    assert (code, out.partition(":")[0], err, out.count('"domain":')) == (*end, 3 * ("--json" in words))
    assert steps == ["inputs_digest", "measure_all", "measure_runs", "judge_vintages", "measure_filled", *last]


def test_pages_are_written_or_said_not_to_be_current(stand: Stand, tmp_path: Path) -> None:
    stand("present.docs.pages", pages=just({"a.md": lambda: "a", "b.md": lambda: "b"}))
    (tmp_path / "docs").mkdir()
    stale = "Error: docs/{}.md is not current; run `traincompute dev docs`\n"
    assert ended(docs, "--check") == (1, "", stale.format("a"))
    assert ended(docs) == (0, "wrote docs/a.md\nwrote docs/b.md\n", "")
    assert ended(docs, "--check") == (0, "", "")
    (tmp_path / "docs" / "b.md").write_text("a")
    assert ended(docs, "--check") == (1, "", stale.format("b"))


def test_a_listing_tells_how_far_it_is(stand: Stand, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    stand("hub.hub_api", list_models=lambda *given: given[3](1234) or len(given[1]))
    for looks, told in ((True, "\r1,234 models"), (False, "")):
        monkeypatch.setattr(sys.stderr, "isatty", just(looks))
        hub.main(["--to", "f", "--endpoint", "https://localhost/"], standalone_mode=False)
        assert capsys.readouterr() == ("listed 17 models into f\n", told)  # https://localhost


def test_a_listing_is_estimated_with_the_compute_that_is_built_or_named(stand: Stand, tmp_path: Path) -> None:
    stand("hub.engine", open_engine=just("engine"))
    words = ["--input", str(tmp_path), "--to", "f"]
    built = tmp_path / "data" / "processed" / "models.parquet"
    stand("hub.run", run=lambda *given: {"rows": 4321, "estimated": 1000 + (given[3] == built)})
    lacking = f"Error: {built} does not exist; run `traincompute build` first, or give --models\n"
    assert ended(scale, *words) == (1, "", lacking)
    done = "wrote 4,321 models to f, {:,} with an estimate\n"
    assert ended(scale, *words, "--models", str(tmp_path)) == (0, done.format(1000), "")
    built.parent.mkdir(parents=True)
    built.touch()
    assert ended(scale, *words) == (0, done.format(1001), "")


@pytest.fixture
def pulled(stand: Stand) -> Pulled:
    """Pulls from a and b, which may fail, where c has no address: how it ended, and which were pulled."""

    def ran(*words: str, **faults: Exception) -> tuple[Any, list[str]]:
        names: list[str] = []

        def pull_source(_: object, source: SimpleNamespace, *__: object) -> None:
            names.append(source.urls)
            if source.urls in faults:
                raise faults[source.urls]

        stand("pull.snapshot", Request=just(None), pull_source=pull_source)
        sources = {"a": SimpleNamespace(urls="a"), "b": SimpleNamespace(urls="b"), "c": SimpleNamespace(urls="")}
        stand("registry.sources", load_sources=just(sources), load_lock=just({}), locked_snapshots=just([]))
        return CliRunner().invoke(pull, words), names

    return ran


@pytest.mark.parametrize(
    ("words", "names", "message"),
    [
        ([], ["a", "b"], ""),
        (["b", "--file", __file__], ["b"], ""),
        (["c"], [], "no source 'c'; there are a, b"),
        (["--file", __file__], [], "--file needs a SOURCE"),
    ],
)
def test_one_source_is_pulled_or_all(pulled: Pulled, words: list[str], names: list[str], message: str) -> None:
    done, found = pulled(*words)
    assert (done.exit_code, found, message in done.output) == (2 if message else 0, names, True)


def test_a_source_that_fails_stops_no_other_and_is_told_at_the_end(pulled: Pulled) -> None:
    wrong, gone = DataError.of("a.csv", "is wrong", "mend it"), SourceError("b is gone")
    done, names = pulled(a=wrong)
    assert (type(done.exception), str(done.exception), names) == (DataError, str(wrong), ["a", "b"])
    error = pulled(a=wrong, b=gone)[0].exception
    assert (type(error), str(error)) == (SourceError, f"{wrong}\nb is gone")


def test_limits_are_learnt_of_what_has_changed(pulled: Pulled, stand: Stand, tmp_path: Path) -> None:
    (folder := tmp_path / "data" / "raw" / "a").mkdir(parents=True)
    (folder / "facts.csv").write_text("facts of a")
    known: dict[str, object] = {}
    written: list[Any] = []
    stand("base.whole_files", replace_file=lambda *given: written.append(given))
    stand("pull.ledger", read_ledger=lambda text: [text])
    stand("registry.limits", read_limits=lambda file, _: known.get(file.parent.name))
    stand("pull.revisions", learn=lambda spans, _: spans, write_limits=lambda learned, _: f"limits from {learned}")
    assert pulled("--learn-limits")[0].output == "data/raw/a/limits.csv: 1 columns\n"
    known["b"] = "a limit"
    done, names = pulled("b", "--learn-limits")
    assert (done.output, names) == ("data/raw/b/limits.csv: 0 columns\n", [])
    assert [text for _, text in written] == ["limits from ['facts of a']", "limits from []"]


SITE = "wrote 12 files, 1050000.0 MB, to site\nfirst view 100000.00 MB compressed; open site/index.html\n"


def test_a_site_is_written_and_served(stand: Stand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    asked: list[object] = []
    made = {"folder": "site", "files": 12, "bytes": 1_050_000_000_000, "first_view_gzip_bytes": 100_000_000_000}
    site = SimpleNamespace(**made, _asdict=lambda: made)
    stand("present.site.write", write_site=lambda *given: asked.append(given[1:3]) or site)  # type: ignore[func-returns-value]
    stand("present.site.serve", serving=lambda folder: nullcontext(f"http://localhost/{folder.name}"))
    monkeypatch.setattr(site_command, "dataset_file", just("file"))
    monkeypatch.setattr(site_command.webbrowser, "open", asked.append)
    monkeypatch.setattr(site_command, "threading", SimpleNamespace(Event=lambda: SimpleNamespace(wait=interrupt)))
    for address in ("example.org", "ftp://example.org", "https://example.org/?a", "https://"):
        assert f"{address!r} is no address such as" in ended(site_command.site, "--address", address)[2]
    words = ["--to", "own", "--address", "https://example.org/a", "--json"]
    assert ended(site_command.site, *words)[1].startswith('{"folder": "site", "files": 12, ')
    assert ended(site_command.site, "--open") == (0, SITE, "serving http://localhost/site; Ctrl-C ends it\n")
    folder = tmp_path / "data" / "processed" / "site"
    assert asked == [(Path("own"), "https://example.org/a/"), (folder, ""), "http://localhost/site"]


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ([], [("compute", "data/processed/figures", 300), ("cost", "data/processed/figures", 300)]),
        (["cost", "compute", "--dpi", "72", "--to", "own"], [("cost", "own", 72), ("compute", "own", 72)]),
        (["cost", "--svg", "--data", "."], [("cost", "elsewhere/figures", 0)]),
    ],
)
def test_figures_are_drawn_where_and_as_fine_as_they_are_asked_for(
    stand: Stand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str], asked: list[object]
) -> None:
    drawn: list[object] = []
    (tmp_path / "a.svg").write_bytes(bytes(1_499_600))

    def write_figure(_: object, name: str, folder: Path, dpi: int) -> list[Path]:
        drawn.append((name, (tmp_path / folder).relative_to(tmp_path).as_posix(), dpi))
        return [tmp_path / "a.svg"]

    stand("present.figures.data", Data=just(None))
    stand("present.figures.write", FIGURES={"compute": 1, "cost": 2}, write_figure=write_figure)
    monkeypatch.setattr(figures_command, "dataset_file", just(str(tmp_path / "elsewhere" / "traincompute.duckdb")))
    assert ended(figures_command.figures, *words) == (0, "wrote a.svg (1500 kB)\n" * len(asked), "")
    assert drawn == asked
    assert "no figure zebra; there are compute, cost" in ended(figures_command.figures, "zebra", "cost")[2]
