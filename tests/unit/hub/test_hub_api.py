"""Listing a hub: pages, a break, a token that does not leak. The server on loopback speaks the hub's API; what a network
may do to an answer is tested in tests/faults/test_fetch.py."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from misbehaving_server import Act, MisbehavingServer, ok, redirect, reply, serve

from pipeline.base.errors import SourceError
from pipeline.hub.hub_api import KEPT, LIMITS, list_models

# the shape of a record as the API gives it with expand[]: more keys than are kept
RECORD = {
    "_id": "621ffdc036468d709f17434d",
    "createdAt": "2022-03-02T23:29:04.000Z",
    "downloads": 12,
    "likes": 3,
    "tags": ["safetensors", "license:mït", "base_model:org/base", "base_model:finetune:org/base"],
    "safetensors": {"parameters": {"BF16": 7_000_000_000}, "total": 7_000_000_000},
    "cardData": {"text": "a sentence that is not kept"},
}


@pytest.fixture
def hub() -> Iterator[MisbehavingServer]:
    with serve() as running:
        yield running


def page(start: int, end: int, following: str = "") -> Act:
    body = json.dumps([{**RECORD, "id": f"org/m{n}"} for n in range(start, end)]).encode()
    return ok(body, **({"Link": f'<{following}>; rel="next"'} if following else {}))


# the path and query that a listing begins with
FIRST = "/api/models?limit=1000&sort=createdAt" + "".join(f"&expand%5B%5D={name}" for name in KEPT[1:])


def three_pages(hub: MisbehavingServer, *before: Act, second: Act | None = None) -> str:
    """A hub of ten models; returns its address. `before` are the answers that the first request gets instead."""
    last = hub.script("/api/models?cursor=8", page(8, 10))
    middle = hub.script("/api/models?cursor=4", *([second] if second else []), page(4, 8, last))
    hub.script(FIRST, *before, page(0, 4, middle))
    return hub.address("")


def asked(hub: MisbehavingServer) -> list[str]:
    """The cursor of each request."""
    return [parse_qs(urlsplit(request.path).query).get("cursor", ["0"])[0] for request in hub.requests]


def ids(file: Path) -> list[str]:
    return [json.loads(line)["id"] for line in file.read_text().splitlines()]


def test_every_page_is_read_and_only_what_is_needed_is_kept(hub: MisbehavingServer, tmp_path: Path) -> None:
    file = tmp_path / "of" / "today" / "hub.jsonl"
    assert list_models(file, three_pages(hub)) == 10
    assert ids(file) == [f"org/m{n}" for n in range(10)]
    record = json.loads(file.read_text().splitlines()[0])
    assert record["safetensors"] == {"total": 7_000_000_000}
    assert "cardData" not in record
    assert ',"tags":["safetensors","license:mït",' in file.read_text(encoding="utf-8")
    assert sorted(path.name for path in file.parent.iterdir()) == ["hub.jsonl"]


def test_a_limit_ends_the_listing(hub: MisbehavingServer, tmp_path: Path) -> None:
    assert list_models(tmp_path / "hub.jsonl", three_pages(hub), limit=6) == 6
    assert asked(hub) == ["0", "4"]


def test_a_busy_hub_is_waited_for_longer_than_other_servers(
    hub: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    busy = [reply("429 Too Many Requests", Retry_After=seconds) for seconds in ("7", "200", "400", "0", "0", "0")]
    assert list_models(tmp_path / "hub.jsonl", three_pages(hub, *busy)) == 10
    assert pauses[:3] == [7, 200, 300]
    assert 8 <= pauses[3] <= 9
    assert len(pauses) == 6
    assert (LIMITS.read_timeout, LIMITS.deadline) == (60, 1200), "a minute for an answer, twenty for a page"
    with pytest.raises(SourceError, match="HTTP 429"):
        list_models(tmp_path / "hub.jsonl", three_pages(hub, *busy, busy[0]))


@pytest.mark.parametrize("further", [b'{"half', b""])
def test_a_listing_that_broke_off_goes_on_where_it_stopped(
    hub: MisbehavingServer, tmp_path: Path, further: bytes
) -> None:
    file = tmp_path / "hub.jsonl"
    address = three_pages(hub, second=reply("404 Not Found"))
    with pytest.raises(SourceError, match="HTTP 404 Not Found; run the command again"):
        list_models(file, address)
    assert not file.exists()
    part = tmp_path / "hub.jsonl.partial"
    part.write_bytes(part.read_bytes() + further)
    assert list_models(file, address) == 10
    assert ids(file) == [f"org/m{n}" for n in range(10)]
    assert asked(hub) == ["0", "4", "4", "8"]


def test_a_listing_of_another_hub_or_that_lost_a_line_begins_anew(hub: MisbehavingServer, tmp_path: Path) -> None:
    file, part = tmp_path / "hub.jsonl", tmp_path / "hub.jsonl.partial"
    for lost in (False, True):
        address = three_pages(hub, second=reply("404 Not Found"))
        with pytest.raises(SourceError):
            list_models(file, address)
        part.write_bytes(part.read_bytes()[: -1 if lost else None])
        with serve() as other:
            assert list_models(file, address if lost else three_pages(other)) == 10
            assert asked(hub if lost else other)[-3:] == ["0", "4", "8"]
        assert ids(file) == [f"org/m{n}" for n in range(10)]


def test_the_token_is_sent_to_the_hub_and_nowhere_else(
    hub: MisbehavingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "secret")
    with serve() as other:
        elsewhere = other.script("/", page(4, 8))
        hub.script(FIRST, page(0, 4, elsewhere))
        with pytest.raises(SourceError, match=r"is not on 127\.0\.0\.1"):
            list_models(tmp_path / "hub.jsonl", hub.address(""))
        assert other.requests == []
        hub.script(FIRST, redirect(elsewhere))
        list_models(tmp_path / "hub.jsonl", hub.address(""))
        assert hub.headers("Authorization") == ["Bearer secret"] * 2
        assert other.headers("Authorization") == [""]


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (reply("401 Unauthorized"), "set HF_TOKEN"),
        (reply("403 Forbidden"), "set HF_TOKEN"),
        (ok(b"<html>"), "is not JSON"),
        (ok(b"{}"), "is not a list of models"),
        (ok(b'[{"id": 1}]'), "is not a list of models"),
        (ok(b'["a"]'), "is not a list of models"),
    ],
)
def test_a_refusal_says_what_to_do(hub: MisbehavingServer, tmp_path: Path, answer: Act, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        list_models(tmp_path / "hub.jsonl", three_pages(hub, answer))


@pytest.mark.parametrize("endpoint", ["http://example.org", "ftp://127.0.0.1", "https://user:pass@example.org"])
def test_an_address_that_is_not_safe_is_refused(tmp_path: Path, endpoint: str) -> None:
    with pytest.raises(SourceError, match="refused"):
        list_models(tmp_path / "hub.jsonl", endpoint)
