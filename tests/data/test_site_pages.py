"""The pages of the real dataset: every number is that of SQL, no link is dead, and the folder stays small."""

from __future__ import annotations

import json
import posixpath
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from pipeline.site.write import Written
from traincompute.cli import group

pytestmark = pytest.mark.usefixtures("database")
MOST_FILES, MOST_BYTES = 8450, 60e6


@pytest.fixture(scope="module")
def folder(site: tuple[Path, Written]) -> Path:
    return site[0]


def asked(published: Path, query: str) -> list[dict[str, Any]]:
    """The rows that the command prints."""
    result = CliRunner().invoke(group, ["sql", query, "--json", "--data", str(published)])
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


def numbers_of(page: str) -> dict[str, float]:
    """What it is → its number, where the page first has it: the exact one where it is rounded."""
    rows = re.findall(r"<tr><th>([^<]+)<td>(?:<data value=([^>]+)>|([\d.e]+) )", page)
    return {name: float(exact or shown) for name, exact, shown in reversed(rows)}


def test_every_number_of_a_model_is_that_of_sql(folder: Path, published: Path) -> None:
    columns = {
        "Training compute": "training_compute_flop",
        "Parameters": "parameters",
        "Training tokens": "training_tokens",
        "Training cost": "training_cost_usd",
        "Training energy": "training_energy_kwh",
        "Chip hours": "chip_hours",
    }
    found = 0
    for row in asked(published, f"select model_id, {', '.join(columns.values())} from models"):
        numbers = numbers_of((folder / "model" / f"{row['model_id']}.html").read_text(encoding="utf-8"))
        expected = {title: row[name] for title, name in columns.items() if row[name] is not None}
        assert {title: numbers[title] for title in expected} == expected, row["model_id"]
        found += len(expected)
    assert found > 5000


def test_every_interval_of_a_model_without_a_value_is_that_of_sql(folder: Path, published: Path) -> None:
    query = """select model_id, flop_05, flop_50, flop_95
        from models_completed where training_compute_flop is null"""
    rows = asked(published, query)
    assert len(rows) > 1000
    for row in rows:
        page = (folder / "model" / f"{row['model_id']}.html").read_text(encoding="utf-8")
        [amount] = re.findall("<p class=amount id=amount>(.*)</p>", page)
        ends = [f"{row[end]:.3g}".replace("e+", "e") for end in ("flop_05", "flop_95")]
        median = f"{row['flop_50']:.4g}".replace("e+", "e")
        assert amount.startswith(f"unknown; 90 %: {ends[0]} – {ends[1]}, median {median} FLOP"), row["model_id"]


def test_every_count_of_an_organisation_is_that_of_sql(folder: Path, published: Path) -> None:
    query = """select organization, count(*) as models, count(training_compute_flop) as valued
        from (select unnest(organizations) as organization, training_compute_flop from models) group by 1"""
    pages = {}
    for file in (folder / "organization").glob("*.html"):
        text = file.read_text(encoding="utf-8")
        pages[unescape(re.findall("<h1>(.*)</h1>", text)[0])] = text
    assert len(pages) > 400
    for row in (row for row in asked(published, query) if row["models"] > 1):
        cards = re.findall(r"<dt>(Models[a-z ]*)<dd>(?:<data value=[^>]+>)?([\d,]+)", pages[row["organization"]])
        counted = {title: int(text.replace(",", "")) for title, text in cards}
        assert counted == {"Models": row["models"], "Models with a value": row["valued"]}, row["organization"]


def attributes(page: str, names: str) -> list[str]:
    """The values of these attributes of all elements."""
    markup = "".join(re.findall(r"<[a-z][^>]*>", re.sub("(?s)(<script[^>]*>).*?</script>", r"\1", page)))
    found = re.findall(rf'\s(?:{names})=(?:"([^"]*)"|([^\s>]+))', markup)
    return [unescape(quoted or plain) for quoted, plain in found]


def test_no_link_is_dead(folder: Path) -> None:
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    pages = {name: (folder / name).read_text(encoding="utf-8") for name in files if name.endswith(".html")}
    ids = {name: set(attributes(page, "id")) for name, page in pages.items()}
    dead, links = set(), 0
    for name, page in pages.items():
        for address in attributes(page, "href|src"):
            if not re.match(r"[a-z]+:", address):
                path, _, anchor = address.partition("#")
                anchor = "" if "=" in anchor else anchor  # a query or a view
                target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
                links += 1
                if target not in files or (anchor and target in ids and anchor not in ids[target]):
                    dead.add((name, address))
    assert dead == set()
    assert links > 100_000


def test_the_folder_stays_small(site: tuple[Path, Written]) -> None:
    assert site[1].files <= MOST_FILES
    assert site[1].bytes <= MOST_BYTES
