"""Listing a hub: pages, waits, a break, a token that does not leak. The server on loopback speaks the hub's API."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from pipeline.base.errors import SourceError
from pipeline.hub.hub_api import list_models

# the shape of a record as the API gives it with expand[]: more keys than are kept
RECORD = {
    "_id": "621ffdc036468d709f17434d",
    "createdAt": "2022-03-02T23:29:04.000Z",
    "downloads": 12,
    "likes": 3,
    "tags": ["safetensors", "license:mit", "base_model:org/base", "base_model:finetune:org/base"],
    "safetensors": {"parameters": {"BF16": 7_000_000_000}, "total": 7_000_000_000},
    "cardData": {"text": "a sentence that is not kept"},
}


class Hub:
    """A hub of `count` models; `answers` are statuses that the next requests get instead of a page."""

    def __init__(self, count: int) -> None:
        self.count, self.answers, self.seen = count, list[tuple[int, dict[str, str]]](), list[dict[str, Any]]()
        self.next_host = ""
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.answer(self)

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        asked = parse_qs(urlsplit(request.path).query)
        start = int(asked.get("cursor", ["0"])[0])
        self.seen.append({"start": start, "token": request.headers.get("Authorization"), "asked": asked})
        status, headers = self.answers.pop(0) if self.answers else (200, {})
        size = min(int(asked["limit"][0]), 4)
        page = [{**RECORD, "id": f"org/m{n}"} for n in range(start, min(start + size, self.count))]
        body = json.dumps(page if status == 200 else {"error": "no"}).encode()
        if status == 200 and start + size < self.count:
            url = f"{self.next_host or self.url}/api/models?limit={asked['limit'][0]}&cursor={start + size}"
            headers = {**headers, "Link": f'<{url}>; rel="next"'}
        request.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            request.send_header(name, value)
        request.end_headers()
        request.wfile.write(body)


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub(10)
    yield made
    made.server.shutdown()
    made.server.server_close()


def ids(file: Path) -> list[str]:
    return [json.loads(line)["id"] for line in file.read_text().splitlines()]


def test_every_page_is_read_and_only_what_is_needed_is_kept(hub: Hub, tmp_path: Path) -> None:
    file = tmp_path / "hub.jsonl"
    assert list_models(file, hub.url) == 10
    assert ids(file) == [f"org/m{n}" for n in range(10)]
    record = json.loads(file.read_text().splitlines()[0])
    assert record["safetensors"] == {"total": 7_000_000_000}
    assert "cardData" not in record
    assert {"tags", "createdAt", "safetensors"} <= set(hub.seen[0]["asked"]["expand[]"])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hub.jsonl"]


def test_a_limit_ends_the_listing(hub: Hub, tmp_path: Path) -> None:
    assert list_models(tmp_path / "hub.jsonl", hub.url, limit=6) == 6
    assert len(hub.seen) == 2


def test_a_busy_hub_is_waited_for(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    hub.answers = [(429, {"Retry-After": "7"}), (503, {"Retry-After": "0"})]
    assert list_models(tmp_path / "hub.jsonl", hub.url) == 10
    assert pauses == [7, 2]  # where the server names no time, the second attempt waits two seconds


def test_a_listing_that_broke_off_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    file = tmp_path / "hub.jsonl"
    hub.answers = [(200, {}), (404, {})]
    with pytest.raises(SourceError, match="answers 404"):
        list_models(file, hub.url)
    assert not file.exists()
    part = tmp_path / "hub.jsonl.partial"
    part.write_bytes(part.read_bytes() + b'{"half')
    assert list_models(file, hub.url) == 10
    assert ids(file) == [f"org/m{n}" for n in range(10)]
    assert [request["start"] for request in hub.seen] == [0, 4, 4, 8]


def test_the_token_is_sent_to_the_hub_and_nowhere_else(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    other = Hub(10)
    hub.next_host = other.url
    with pytest.raises(SourceError, match=r"is not on 127\.0\.0\.1"):
        list_models(tmp_path / "hub.jsonl", hub.url)
    assert [request["token"] for request in hub.seen] == ["Bearer secret"]
    assert other.seen == []
    other.server.shutdown()
    other.server.server_close()


@pytest.mark.parametrize(
    ("status", "words"), [(401, "set HF_TOKEN"), (403, "set HF_TOKEN"), (302, "answers 302"), (404, "answers 404")]
)
def test_a_refusal_says_what_to_do(hub: Hub, tmp_path: Path, status: int, words: str) -> None:
    hub.answers = [(status, {"Location": "https://example.org/"})]
    with pytest.raises(SourceError, match=words):
        list_models(tmp_path / "hub.jsonl", hub.url)


@pytest.mark.parametrize("endpoint", ["http://example.org", "ftp://127.0.0.1", "https://user:pass@example.org"])
def test_an_address_that_is_not_safe_is_refused(tmp_path: Path, endpoint: str) -> None:
    with pytest.raises(SourceError, match="refused"):
        list_models(tmp_path / "hub.jsonl", endpoint)
