"""The static pages of everything that has a name: where they stand, what they say of themselves, and that no text
breaks them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pytest
from command_line import CliRunner

from pipeline.paths import Paths
from pipeline.present.cli import site
from pipeline.present.site.entries.addresses import link, places_of
from pipeline.present.site.entries.words import cited, share
from pipeline.present.site.write import Written, write_site
from traincompute.base.places import DUCKDB_NAME

HOSTILE = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


@pytest.fixture
def database(built: Paths) -> Path:
    return built.processed / DUCKDB_NAME


def test_a_name_becomes_an_address_and_an_id_stays_one() -> None:
    names = {
        "organization": ["OpenAI", "A*STAR", "Aix-Marseille Université"],
        "source": ["epoch_notable"],
        "model": ["t5-3b"],
    }
    assert places_of(names) == {
        "organization": {
            "OpenAI": "organizations/openai.html",
            "A*STAR": "organizations/a-star.html",
            "Aix-Marseille Université": "organizations/aix-marseille-universite.html",
        },
        "source": {"epoch_notable": "sources/epoch_notable.html"},
        "model": {"t5-3b": "models/t5-3b.html"},
    }


def test_names_that_look_alike_and_the_word_index_get_addresses_of_their_own() -> None:
    found = places_of({"organization": ["X Lab", "X-Lab", "Index", "Y"]})["organization"]
    assert len(set(found.values())) == 4
    assert "organizations/index.html" not in found.values(), "which is the list"
    assert found["Y"] == "organizations/y.html"
    assert all(re.fullmatch(r"organizations/x-lab-[0-9a-f]{6}\.html", found[name]) for name in ("X Lab", "X-Lab"))


def test_what_has_no_page_is_no_link() -> None:
    places = {"chip": {"a100": "chips/a100.html"}}
    assert link(places, "chip", "a100", "A&B") == "<a href=../chips/a100.html>A&amp;B</a>"
    assert link(places, "chip", "a100", "A", "chip") == "<a href=a100.html>A</a>"
    assert link(places, "chip", "b200", "B&C") == "B&amp;C"


def test_only_addresses_of_the_web_are_followed() -> None:
    assert (
        cited("arXiv:2005.14165", "table D.1")
        == '<a href="https://arxiv.org/abs/2005.14165">arXiv:2005.14165</a>, table D.1'
    )
    assert cited("https://www.example.org/a?b&c") == '<a href="https://www.example.org/a?b&amp;c">example.org</a>'
    for text in ("javascript://example.org/%0aalert(1)", "a book, p. 3", "data:text/html,x"):
        assert "<a" not in cited(text)


@pytest.mark.parametrize(
    ("chance", "said"),
    [(0, "0 %"), (0.004, "< 1 %"), (0.01, "1 %"), (0.7019, "70 %"), (0.99, "99 %"), (0.9999, "> 99 %"), (1, "100 %")],
)
def test_only_what_is_certain_is_called_so(chance: float, said: str) -> None:
    assert share(chance) == said


def test_no_name_ends_a_page_or_runs(built_copy: Paths, tmp_path: Path) -> None:
    database = built_copy.processed / DUCKDB_NAME
    with duckdb.connect(str(database)) as connection:
        connection.execute("update models set name = ?, reference_url = 'javascript:alert(1)'", [HOSTILE])
        connection.execute("update claims set reference = ?, locator = ?", [HOSTILE, HOSTILE])
    write_site(database, tmp_path)
    pages = [file.read_text(encoding="utf-8") for file in tmp_path.glob("models/*.html")]
    assert len(pages) > 10
    for page in pages:
        assert "<img" not in page
        assert "javascript:" not in re.sub(r"text: javascript:alert\(1\)", "", page)
        for script in re.findall(r"<script[^>]*>(.*?)</script>", page):
            assert script == "" or json.loads(script)["about"]["name"] == HOSTILE


def test_without_an_address_nothing_is_absolute_and_there_is_no_sitemap(small_site: tuple[Path, Written]) -> None:
    folder = small_site[0]
    page = next(folder.glob("models/*.html")).read_text(encoding="utf-8")
    assert "canonical" not in page
    assert 'content="../docs/figures/explorer.png"' in page
    assert not (folder / "sitemap.txt").exists()


@pytest.mark.parametrize(
    "given", ["example.org", "ftp://example.org/", "https://", "https://example.org/?a=b", 'https://a"b/']
)
def test_what_is_no_address_is_refused(given: str, database: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(site, ["--to", str(tmp_path / "a"), "--data", str(database.parent), "--address", given])
    assert result.exit_code == 2
    assert "is no address such as https://example.org/traincompute" in result.output
    assert not (tmp_path / "a").exists()
