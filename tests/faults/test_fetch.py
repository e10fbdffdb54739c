"""What a network, a proxy or a server may do to one download: it comes whole, or there is one line that says why not.
What it does to a release is in test_download.py, to a source in test_pull.py."""

from __future__ import annotations

import io
import time

import pytest
from misbehaving_server import (
    Act,
    MisbehavingServer,
    cut,
    drip,
    endless,
    ok,
    redirect,
    reply,
    unframed,
    vanish,
)

from traincompute.web import FetchError, fetch

BODY = b"Model,Parameters\n" + b"GPT-2,1500000000\n" * 6000
BUSY = reply("503 Service Unavailable")
LIMITS = {"deadline": 20, "max_bytes": 200_000}


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _: None)


def get(url: str, limits: dict[str, int] = LIMITS) -> bytes:
    fetch(url, out := io.BytesIO(), **limits)
    return out.getvalue()


COMPLETED: dict[str, list[Act]] = {
    "whole": [ok(BODY)],
    "busy twice": [BUSY, BUSY, ok(BODY)],
    "reset before the answer": [vanish, ok(BODY)],
    "without a length": [unframed(BODY)],
    "a redirect on this machine": [redirect("/a.csv?again"), ok(BODY)],
}


@pytest.mark.parametrize("acts", COMPLETED.values(), ids=COMPLETED)
def test_a_file_arrives_whole(server: MisbehavingServer, acts: list[Act]) -> None:
    server.script("/a.csv?again", ok(BODY))
    assert get(server.script("/a.csv", *acts)) == BODY


REFUSED: dict[str, tuple[Act, str]] = {
    "not there": (reply("404 Not Found"), "HTTP 404"),
    "cut": (cut(BODY, len(BODY) - 1), "bytes"),
    "endless": (endless, "is larger than the limit of 200000 bytes"),
    "of no length": (ok(b"x", Content_Length="²"), "bytes"),
    "a drip": (drip(b"HTTP/1.1 200 OK\r\n\r\n", b"x"), "deadline"),
    "a drip of headers": (drip(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n"), "deadline"),
    "a circle": (redirect("/a.csv"), "no whole answer"),
    "to a file": (redirect("file:///etc/passwd"), "No connection adapters"),
    "to plain http elsewhere": (redirect("http://192.0.2.1/a.csv"), "No connection adapters"),
}


@pytest.mark.parametrize(("act", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_had_is_one_line(server: MisbehavingServer, act: Act, said: str) -> None:
    url = server.script("/a.csv", act)
    with pytest.raises(FetchError) as refused:
        get(url, LIMITS | {"deadline": 1 if said == "deadline" else 20})
    assert str(refused.value).startswith(f"{url}: ")
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    ["http://example.org/a.csv", "http://localhost.example.org/", "https:///a", "a.csv", "file:///etc"],
)
def test_only_https_and_this_machine_are_asked(url: str) -> None:
    with pytest.raises(FetchError, match="no whole answer"):
        get(url)


def test_a_disk_that_is_full_is_no_fault_of_the_network(server: MisbehavingServer) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left") as refused:
        fetch(server.script("/a.csv", ok(BODY)), Full(), **LIMITS)
    assert not isinstance(refused.value, FetchError)
