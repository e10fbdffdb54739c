"""The pages of things: where they are, what they say, that they say what the dataset says, and that no text breaks
them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from pipeline.paths import Paths
from pipeline.site.picture import axis_of, interval_picture
from pipeline.site.site import KINDS, Site, open_site
from pipeline.site.words import exactly, number, outside, titled
from pipeline.site.write import Written, write_site
from traincompute.base.files import file_sha256
from traincompute.database import open_database, rows
from traincompute.show.rows import human, short_power

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"
RULES = [{"flop": 1e23, "label": "A", "source": ""}, {"flop": 1e25, "label": "B", "source": ""}]


@pytest.fixture(scope="module")
def folder(small_site: tuple[Path, Written]) -> Path:
    return small_site[0]


def site_with(**names: list[str]) -> Site:
    """A site of a dataset that has but these names."""
    connection = duckdb.connect()
    connection.execute("create table models (model_id varchar, organizations varchar[], countries varchar[])")
    connection.execute("create table model_hardware (hardware_id varchar)")
    connection.execute("create table sources (source_id varchar)")
    for model in names.get("models", ["a"]):
        connection.execute("insert into models values (?, ?, ['Chad'])", [model, names.get("organizations", [])])
    return Site(Path(), Path(), connection)


def test_names_become_paths_and_ids_stay_as_they_are() -> None:
    paths = site_with(models=["t5-3b", "o1_x"], organizations=["OpenAI", "A*STAR", "Université X"]).paths
    assert paths["model"] == {"t5-3b": "model/t5-3b.html", "o1_x": "model/o1_x.html"}
    assert set(paths["organization"].values()) == {
        "organization/openai.html",
        "organization/a-star.html",
        "organization/universite-x.html",
    }


def test_an_organisation_of_one_model_is_a_row_of_the_list() -> None:
    site = site_with(models=["a"], organizations=["A*STAR"])
    assert site.link("organization", "A*STAR") == "<a href=../organization/index.html#a-star>A*STAR</a>"


def test_names_that_look_alike_and_the_name_index_have_paths_of_their_own() -> None:
    paths = site_with(models=["a", "b"], organizations=["X Lab", "X-Lab", "Index"]).paths["organization"]
    assert all(re.fullmatch(r"organization/(x-lab|index)-[0-9a-f]{6}\.html", path) for path in paths.values())
    assert len(set(paths.values())) == 3


def test_what_has_no_page_is_no_link() -> None:
    site = site_with(models=["a"])
    assert site.link("model", "a", "A&B") == "<a href=../model/a.html>A&amp;B</a>"
    assert site.link("model", "b", "B<") == "B&lt;"


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        ("arXiv:2005.14165", '<a href="https://arxiv.org/abs/2005.14165">arXiv:2005.14165</a>'),
        ("https://www.example.org/a?b&c", '<a href="https://www.example.org/a?b&amp;c">example.org</a>'),
        ("https://a.org/; https://b.org/", '<a href="https://a.org/">a.org</a>'),
        ("javascript:alert(1)", "javascript:alert(1)"),
        ("data:text/html,x", "data:text/html,x"),
        ("a book, p. 3", "a book, p. 3"),
    ],
)
def test_only_addresses_of_the_web_are_links(reference: str, shown: str) -> None:
    assert outside(reference) == shown


def test_a_rounded_number_has_its_exact_value_beside_it() -> None:
    assert number(174_604_000_000.0, "parameter") == "<data value=174604e6>174.6B parameters</data>"
    assert exactly(3e23, "3e+23 FLOP") == "3e23 FLOP"
    assert [
        titled(name)
        for name in ("training_compute_flop", "training_cost_usd", "peak_tensor_fp16_flops", "forward_flop")
    ] == [
        "Training compute",
        "Training cost",
        "Peak tensor FP16",
        "Forward FLOP",
    ]


def test_the_picture_has_point_bars_and_near_thresholds() -> None:
    model = {f"training_compute_{end}": None for end in ("flop", "low", "high")}
    spread = {"flop_05": 1e21, "flop_25": 3e21, "flop_50": 1e22, "flop_75": 3e22, "flop_95": 1e23}
    drawn = interval_picture(model, spread, RULES) or {}
    assert (drawn["hollow"], [name for name, *_ in drawn["bars"]]) == (True, ["i90", "i50"])
    assert [rule["label"] for rule in drawn["rules"]] == ["A"], "the other is too far away"
    assert [label for _, label in drawn["axis"].ticks()] == ["1e21", "1e22", "1e23"]
    valued = interval_picture({**model, "training_compute_flop": 1e22}, spread, []) or {}
    assert (valued["hollow"], valued["axis"].place(valued["point"])) == (False, 50.0)
    assert interval_picture(model, None, RULES) is None


def test_a_long_axis_shows_the_largest_values() -> None:
    assert axis_of([1e3, 1e24], most=8).place(1e3) == 0
    assert axis_of([1e20, 1e24], most=8).place(1e20) > 0


def test_every_thing_has_a_page_and_no_link_is_dead(folder: Path, built: Paths) -> None:
    with open_site(built.processed, folder) as site:
        pages = {path.partition("#")[0] for paths in site.paths.values() for path in paths.values()}
    assert pages <= {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}
    for page in folder.rglob("*.html"):
        for link in re.findall(r'(?:href|src)="?(?!https?:|data:|#)([^"#>\s]+)', page.read_text(encoding="utf-8")):
            assert (page.parent / link).is_file(), f"{page.name} links to {link}"


def test_a_model_page_says_what_the_dataset_says(folder: Path, built: Paths) -> None:
    with open_database(built.processed) as connection:
        models = rows(connection, "select * from models")
    for model in models:
        text = (folder / "model" / f"{model['model_id']}.html").read_text(encoding="utf-8")
        [amount] = re.findall("<p class=amount id=amount>(.*)</p>", text)
        if value := model["training_compute_flop"]:
            assert amount.startswith(short_power(human(value, "FLOP")))
        else:
            assert amount.startswith("unknown")
        if tokens := model["training_tokens"]:
            assert f"<tr><th>Training tokens<td>{number(tokens, 'token')}" in text
        flags = {True: "yes", False: "no", None: "unknown"}
        assert f"notable: {flags[model['is_notable']]} · open weights: {flags[model['open_weights']]}" in text


def test_the_parts_of_a_model_page_come_in_their_order(folder: Path) -> None:
    order = ["Training compute", "Evidence", "Numbers", "Computed from these numbers", "Other claims"]
    order += ["Other estimates", "History", "Released around the same time"]
    for page in folder.glob("model/*.html"):
        heads = re.findall("<h2>(.*?)</h2>", page.read_text(encoding="utf-8"))
        assert heads == [head for head in order if head in heads]


def test_an_organisation_lists_its_models_the_largest_first(folder: Path, built: Paths) -> None:
    with open_site(built.processed, folder) as site:
        query = """select unnest(organizations) as name, count(*) as models
            from models group by 1"""
        for row in (row for row in rows(site.connection, query) if row["models"] > 1):
            text = (folder / site.paths["organization"][row["name"]]).read_text(encoding="utf-8")
            amounts = re.findall(r"<td>([0-9.e]+|unknown)<td>[^<]*<td>(?:<svg|<td>)", text)
            assert len(amounts) == row["models"] == len(re.findall(r"<tr><th><a href=\.\./model/", text))


def test_without_scripts_every_kind_has_a_list(folder: Path) -> None:
    for kind, (_, many, _) in KINDS.items():
        text = (folder / kind / "index.html").read_text(encoding="utf-8")
        assert f"<h1>All {many}</h1>" in text
        assert text.count("<tr><th><a href=") == len(list((folder / kind).glob("*.html"))) - 1


def test_no_name_ends_a_page_or_runs(built: Paths, tmp_path: Path) -> None:
    dataset = tmp_path / "dataset"
    dataset.mkdir()
    for file in [*built.processed.glob("*.parquet"), *built.processed.glob("traincompute.*")]:
        shutil.copy(file, dataset)
    for table, columns in {
        "models": {"name": HOSTILE, "reference_url": "javascript:alert(1)"},
        "claims": {"reference": HOSTILE, "locator": HOSTILE, "note": HOSTILE, "value_text": HOSTILE},
        "sources": {"title": HOSTILE, "url": "javascript:alert(1)"},
        "hardware": {"name": HOSTILE, "reference_url": "javascript:alert(1)"},
    }.items():
        pd.read_parquet(dataset / f"{table}.parquet").assign(**columns).to_parquet(dataset / f"{table}.parquet")
    manifest = json.loads((built.processed / "manifest.json").read_bytes())
    for name, table in manifest["tables"].items():
        table["files"][f"{name}.parquet"]["sha256"] = file_sha256(dataset / f"{name}.parquet")
    (dataset / "manifest.json").write_text(json.dumps(manifest))
    write_site(dataset, tmp_path / "site")
    pages = [page.read_text(encoding="utf-8") for page in (tmp_path / "site").rglob("*.html")]
    assert len(pages) > 40
    for page in pages:
        assert "<img src=x" not in page
        assert not re.findall(r"(?:href|src)=[\"']?javascript:", page)
        for script in re.findall(r"<script[^>]*>(.*?)</script>", page):
            assert not script or json.loads(script)["@context"] == "https://schema.org"
