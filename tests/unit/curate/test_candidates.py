"""candidates, by records of the listing of 2026-08-22."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from click.testing import CliRunner

from pipeline.curate.candidates import find_candidates, find_names, list_models
from pipeline.errors import SourceError
from pipeline.paths import CHECKOUT, Paths
from traincompute.cli import group
from traincompute.web import FetchError

Find = Callable[..., list[dict[str, Any]]]
LISTING = Path(__file__).parents[2] / "golden" / "hub" / "listing.jsonl"
RECORDS = [json.loads(line) for line in LISTING.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def candidates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Find:
    """The candidates where one model is known, or declined."""
    paths = Paths(tmp_path)
    paths.curated.mkdir(parents=True)

    def find(known: str = "", declined: str = "") -> list[dict[str, Any]]:
        answers = [(record["id"], "a-model" if record["id"] == known else None) for record in RECORDS]
        table = pd.DataFrame(answers, columns=["asked", "model_id"])
        monkeypatch.setattr("traincompute.reader.match", lambda ids: table[table["asked"].isin(ids)])
        paths.declined.write_text(f"hub_id,since,reason\n{declined},2026-08-22,a copy\n", encoding="utf-8")
        return find_candidates(paths, RECORDS)

    return find


def test_base_models_are_listed_once_the_most_downloaded_form_first(candidates: Find) -> None:
    assert [(found["hub_id"], found["downloads"]) for found in candidates()] == [
        ("Qwen/Qwen3.5-9B", 13785751),
        ("google/gemma-4-26B-A4B-it", 9084565),
        ("google/gemma-4-31B-it", 8968900),
        ("openai/gpt-oss-20b", 7376531),
        ("Qwen/Qwen3.8-2.4T-A95B", 17386),
    ]


@pytest.mark.parametrize("how", ["known", "declined"])
def test_a_known_or_declined_model_is_left_out_with_its_other_forms(candidates: Find, how: str) -> None:
    found = [candidate["hub_id"] for candidate in candidates(**{how: "google/gemma-4-31B"})]
    assert len(found) == 4
    assert "google/gemma-4-31B-it" not in found


def test_the_command_has_what_the_hub_says_and_leaves_the_rest_to_a_person(candidates: Find) -> None:
    command = candidates()[1]["add_fact"]
    facts = "gemma-4-26B-A4B-it parameters 25805936206", "publication_date=2026-03-11", "parameters_active=4B"
    assert all(fact in command for fact in (*facts, "--new", "--set 'domain=…'"))


def test_names_that_no_model_has_are_listed_with_their_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(CHECKOUT / "data" / "raw" / "fmti", (paths := Paths(tmp_path)).raw / "fmti")
    with (paths.raw / "fmti" / "facts.csv").open("a", encoding="utf-8") as file:
        file.write("Withdrawn,parameters,8 billion,,2025-12-09,2026-01-01\n")
    known = {"Fuyu-8B": "none", "Granite 3.0 8B": "exact", "Jurassic-2": "none", "Withdrawn": "none"}
    monkeypatch.setattr(
        "traincompute.reader.match", lambda names: pd.DataFrame({"asked": names, "how": map(known.get, names)})
    )
    assert find_names(paths) == [
        {"name": name, "published": "", "sources": ["fmti"]} for name in ("Withdrawn", "Jurassic-2", "Fuyu-8B")
    ]
    paths.curated.mkdir()
    paths.declined.write_text("hub_id,since,reason\nJurassic-2,2026-11-29,a family\n", encoding="utf-8")
    assert [row["name"] for row in find_names(paths)] == ["Withdrawn", "Fuyu-8B"]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A hub that gives three records a page."""
    about: dict[str, Any] = {"answer": None, "host": "huggingface.co"}

    def fetch(url: str, body: io.BytesIO) -> dict[str, str]:
        start = int(parse_qs(urlsplit(url).query).get("cursor", ["0"])[0])
        body.write(about["answer"] or json.dumps(RECORDS[start : start + 3]).encode())
        link = f'<https://{about["host"]}/api/models?cursor={start + 3}>; rel="next"'
        return {"Link": link} if start + 3 < len(RECORDS) else {}

    monkeypatch.setattr("pipeline.curate.candidates.fetch", fetch)
    return about


@pytest.mark.parametrize("limit", [99, 4])
def test_the_listing_is_read_page_by_page(hub: dict[str, Any], limit: int) -> None:
    assert list(list_models(limit)) == RECORDS[:limit]


@pytest.mark.parametrize(
    ("other", "said"), [({"answer": b"<html>"}, "not a list of models"), ({"host": "other.example"}, "other.example")]
)
def test_what_is_no_listing_and_another_host_are_refused(hub: dict[str, Any], other: dict[str, Any], said: str) -> None:
    hub |= other
    with pytest.raises(SourceError, match=said):
        list(list_models())


def test_names_are_shown_though_the_hub_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_hub(*_: object) -> None:
        raise FetchError("https://huggingface.co", "no whole answer")

    row = {"name": "Fugu", "published": "2026-06-15", "sources": ["models_dev"]}
    monkeypatch.setattr("pipeline.curate.candidates.find_names", lambda paths: [row])
    monkeypatch.setattr("pipeline.curate.candidates.fetch", no_hub)
    result = CliRunner().invoke(group, ["curate", "candidates"])
    assert "Fugu" in result.output
    assert isinstance(result.exception, FetchError)
