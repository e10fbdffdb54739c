"""The site of the real dataset as a whole: every link leads somewhere, every number is that of SQL, and it stays
small."""

from __future__ import annotations

import json
import posixpath
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from checkouts import SITE
from click.testing import CliRunner

from pipeline.present.site.write import Written
from traincompute.cli import group

KINDS = {
    "models": "model",
    "organizations": "organization",
    "countries": "country",
    "chips": "chip",
    "sources": "source",
}
pytestmark = pytest.mark.usefixtures("database")
VALUES = re.compile(r"<dt>([^<]*)<dd>(.*?)</div>")
EXACT = re.compile(r"<data value=([^>]+)>")


def exact(card: str) -> list[str]:
    """The exact numbers of what a card shows: those behind it, or as they are shown."""
    parts = card.split(" – ")
    return [found for part in parts for found in EXACT.findall(part) or re.findall(r"^\d[\d.e]*", part)]


class Page(HTMLParser):
    """What a browser would load or follow, and what can be jumped to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.ids: set[str] = set()
        self.meta: dict[str, str] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        have = {name: value or "" for name, value in attrs}
        self.addresses += [have[name] for name in ("href", "src") if name in have]
        self.ids |= {have["id"]} if "id" in have else set()
        if tag == "meta":
            self.meta |= {have[key]: have["content"] for key in ("name", "property", "http-equiv") if key in have}


@pytest.fixture(scope="module")
def pages(site: tuple[Path, Written]) -> dict[str, str]:
    return {file.relative_to(site[0]).as_posix(): file.read_text(encoding="utf-8") for file in site[0].rglob("*.html")}


@pytest.fixture(scope="module")
def shown() -> str:
    """SQL: the models that have a page; see `site`."""
    return "(from models where is_notable) models"


@pytest.fixture(scope="module")
def parsed(pages: dict[str, str]) -> dict[str, Page]:
    return {name: Page(text) for name, text in pages.items()}


def asked(published: Path, query: str) -> list[dict[str, Any]]:
    """The rows that the command prints."""
    result = CliRunner().invoke(group, ["sql", query, "--json", "--data", str(published)])
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def test_everything_that_has_a_name_has_a_page_that_a_list_leads_to(
    pages: dict[str, str], published: Path, shown: str
) -> None:
    queries = {
        "models": f"select model_id from {shown}",
        "organizations": "select organization from organizations",
        "countries": "select distinct unnest(countries) from models",
        "chips": "select hardware_id from hardware",
        "sources": "select source_id from sources",
    }
    for folder, query in queries.items():
        made = {name for name in pages if name.startswith(f"{folder}/")} - {f"{folder}/index.html"}
        assert len(made) == len(asked(published, query)), folder
        linked = set(re.findall(r"<li><a href=([^>]+)>", pages[f"{folder}/index.html"]))
        assert {f"{folder}/{name}" for name in linked} == made
    for row in asked(published, queries["models"]):
        assert f"models/{row['model_id']}.html" in pages, "the feed and links from elsewhere rely on it"


def test_every_number_of_a_model_is_that_of_sql(pages: dict[str, str], published: Path, shown: str) -> None:
    chances = """select model_id, max(probability) filter (threshold_flop = 1e25) as p25,
        max(probability) filter (threshold_flop = 1e26) as p26 from threshold_probabilities group by model_id"""
    query = f"""select model_id, training_compute_flop, flop_05, flop_25, flop_50, flop_75, flop_95, p25, p26
        from {shown} join predictions using (model_id) join ({chances}) using (model_id)"""
    rows = asked(published, query)
    assert len(rows) > (3000 if shown == "models" else 1000)
    for row in rows:
        cards = dict(VALUES.findall(pages[f"models/{row['model_id']}.html"]))
        figures = {title: [float(value) for value in exact(text)] for title, text in cards.items()}
        value = row["training_compute_flop"]
        assert {title: numbers for title, numbers in figures.items() if title != "Told by"} == {
            "Value": [] if value is None else [value],
            "Median": [row["flop_50"]],
            "50 % interval": [row["flop_25"], row["flop_75"]],
            "90 % interval": [row["flop_05"], row["flop_95"]],
            "At least 1e25 FLOP": [round(row["p25"], 4)],
            "At least 1e26 FLOP": [round(row["p26"], 4)],
        }, row["model_id"]


def test_every_number_of_an_organisation_is_that_of_sql(pages: dict[str, str], published: Path) -> None:
    query = """select organization as name, count(*) as models, count(training_compute_flop) as known,
        max(flop_50) as largest from (select unnest(organizations) as organization, * exclude (organization) from \
models)
        left join predictions using (model_id) group by 1"""
    titles = {
        unescape(re.findall(r"<h1>(.*)</h1>", text)[0]): text for name, text in pages.items() if "zations/" in name
    }
    rows = asked(published, query)
    assert len(rows) > 900
    for row in rows:
        cards = dict(VALUES.findall(titles[row["name"]]))
        assert exact(cards["Models"]) == [str(row["models"])]
        assert exact(cards["With training compute"]) == [str(row["known"])]
        [_, table] = titles[row["name"]].split("<tbody>")
        assert float(exact(table.split("<td>")[2])[0]) == row["largest"]


def test_a_model_without_a_value_tells_what_explain_tells(pages: dict[str, str], published: Path) -> None:
    """Claude Opus 5 has estimates of two methods; `predictions` joins what is known of it."""
    page = pages["models/claude-opus-5.html"]
    [row] = asked(published, "select flop_50, method, tier from predictions where model_id = 'claude-opus-5'")
    assert [float(value) for value in exact(dict(VALUES.findall(page))["Median"])] == [row["flop_50"]]
    assert f"<dt>Told by<dd>{row['method'].replace('_', ' ')}, tier {row['tier']}<" in page
    assert "<dt>Value<dd>none<" in page


def test_evidence_has_the_place_of_its_quote(pages: dict[str, str], published: Path, shown: str) -> None:
    query = f"""select model_id, reference, locator from claims where status = 'selected'
        and field = 'training_compute_flop' and reference like 'arXiv:%' and locator is not null and evidence = 'seen'
        and model_id in (select model_id from {shown})"""
    rows = asked(published, query)
    assert len(rows) > (20 if shown == "models" else 5)
    for row in rows:
        link = f'<a href="https://arxiv.org/abs/{row["reference"].removeprefix("arXiv:")}">{row["reference"]}</a>'
        assert f"{link}, {row['locator']}, seen" in unescape(pages[f"models/{row['model_id']}.html"])


def test_history_and_rivals_are_there(pages: dict[str, str], published: Path) -> None:
    revised = asked(
        published, "select model_id, count(*) as n from revisions where field = 'training_compute_flop' group by 1"
    )
    for row in revised:
        if page := pages.get(f"models/{row['model_id']}.html"):
            [history] = re.findall(r"<h2>History</h2>\n<ul>\n(.*?)</ul>", page, re.DOTALL)
            assert history.count("<li>") >= row["n"]
    models = [page for name, page in pages.items() if name.startswith("models/") and name != "models/index.html"]
    with_rivals = [page for page in models if "<h2>Rivals</h2>" in page]
    assert len(with_rivals) > 0.85 * len(models), (
        "of the others, date or field is unknown, or there is none within half a year"
    )
    [rivals] = re.findall(r"<h2>Rivals</h2>\n<ul>\n(.*?)</ul>", pages["models/gpt-4.html"], re.DOTALL)
    assert ">PaLM 2</a> · Google" in rivals
    assert "OpenAI" not in rivals


def test_every_static_page_says_what_it_is(pages: dict[str, str]) -> None:
    policy = Page(pages["index.html"]).meta["Content-Security-Policy"]
    seen: set[str] = set()
    lists = [f"{folder}/index.html" for folder in KINDS]
    others = sorted(name for name in pages if posixpath.dirname(name) in KINDS and name not in lists)
    for name in [*lists, *others[::5]]:
        page = Page(pages[name])
        [title] = re.findall(r"<title>(.*)</title>", pages[name])
        assert 15 < len(title) < 200, name
        assert len(page.meta["description"]) > 30, name
        assert page.meta["description"] == page.meta["og:description"]
        assert page.meta["og:image"] == f"{SITE}docs/figures/explorer.png"
        assert f"{SITE}{name}" in page.addresses, "canonical"
        assert [address for address in page.addresses if address.endswith(".js")] == ["../theme.js"], (
            "all without scripts"
        )
        assert page.meta["Content-Security-Policy"].replace("img-src data:", "img-src 'self' data:") == policy, (
            "stricter"
        )
        if not name.endswith("/index.html"):
            [data] = re.findall(r"<script type=application/ld\+json>(.*)</script>", pages[name])
            told = json.loads(data)
            assert (told["@context"], bool(told["@type"]), bool(told["name"])) == ("https://schema.org", True, True)
        seen.add(f"{posixpath.dirname(name)} {title}")
    assert len(seen) > 0.95 * len(others[::5]) > 400


def test_what_search_engines_read_is_what_sql_says(pages: dict[str, str], published: Path, shown: str) -> None:
    query = f"from (select model_id, flop_05, flop_50, flop_95 from {shown} join predictions using (model_id))"
    for row in asked(published, f"{query} using sample 200 (reservoir, 1)"):
        [data] = re.findall(r"ld\+json>(.*)</script>", pages[f"models/{row['model_id']}.html"])
        measured = json.loads(data)["variableMeasured"]
        assert [measured[name] for name in ("minValue", "value", "maxValue")] == [
            row[f"flop_{q}"] for q in ("05", "50", "95")
        ]


def test_the_sitemap_has_every_page_once(site: tuple[Path, Written], pages: dict[str, str]) -> None:
    found = (site[0] / "sitemap.txt").read_text(encoding="utf-8").splitlines()
    assert sorted(found) == sorted(SITE + name for name in pages)
    assert len(found) < 50_000, "sitemaps.org allows no more"


def test_a_model_page_links_a_source_where_it_first_names_it(pages: dict[str, str]) -> None:
    evidence = pages["models/alexnet.html"].partition("<h2>Evidence</h2>")[2].partition("</ul>")[0]
    links = re.findall(r"<a href=\.\./sources/([\w-]+)\.html>", evidence)
    assert sorted(links) == ["curated", "epoch_notable"]
    assert evidence.count("curated") > 5
