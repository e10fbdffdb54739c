"""Models of the hub that the dataset lacks; golden/hub/listing.jsonl has records of its listing of 2026-08-22."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest

from pipeline.curate.candidates import find_candidates, list_models
from pipeline.errors import SourceError
from pipeline.paths import Paths

Find = Callable[..., list[dict[str, Any]]]
LISTING = Path(__file__).parents[2] / "golden" / "hub" / "listing.jsonl"
RECORDS = [json.loads(line) for line in LISTING.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def candidates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Find:
    """The candidates of the listing where one of its models is known, or declined."""
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
    """Neither the two that name another base nor the converted one; gemma-4-31B-it stands for gemma-4-31B."""
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
    assert command.startswith("traincompute curate add-fact gemma-4-26B-A4B-it parameters 25805936206 --new")
    assert "publication_date=2026-03-11" in command
    assert "parameters_active=4B" in command
    assert "--set 'domain=…'" in command


@pytest.fixture
def hub() -> Iterator[str]:
    """A server that answers /api/models with three records a page, and at /elsewhere points to another host."""

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            start = int(parse_qs(urlsplit(self.path).query).get("cursor", ["0"])[0])
            host = "other.example" if self.path.startswith("/elsewhere") else self.headers["Host"]
            body = b"<html>" if self.path.startswith("/page") else json.dumps(RECORDS[start : start + 3]).encode()
            self.send_response(200)
            if start + 3 < len(RECORDS):
                self.send_header("Link", f'<http://{host}/api/models?cursor={start + 3}>; rel="next"')
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("limit", [99, 4])
def test_the_listing_is_read_page_by_page(hub: str, limit: int) -> None:
    assert list(list_models(hub, limit)) == RECORDS[:limit]


@pytest.mark.parametrize(("path", "said"), [("/page", "/page/api/models"), ("/elsewhere", "other.example")])
def test_what_is_no_listing_and_another_host_are_refused(hub: str, path: str, said: str) -> None:
    with pytest.raises(SourceError, match=said):
        list(list_models(hub + path))
