"""How long a request may take, and what is made of errors of the libraries below. What servers do is tested in
tests/faults/test_fetch.py."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from types import SimpleNamespace
from typing import Any

import pytest
import requests
from urllib3.exceptions import MaxRetryError, NewConnectionError, ReadTimeoutError

from traincompute.network import connection
from traincompute.network.addresses import CHECK, FetchError
from traincompute.network.connection import Job, Limits, answered, network
from traincompute.network.parts import TransientError

URL = "https://example.org/a.csv"


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the clock says, in seconds."""
    said = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: said[0])
    return said


def asked(monkeypatch: pytest.MonkeyPatch, job: Job) -> tuple[Any, dict[str, Any]]:
    """The session of a request for the rest of a file, and what it was asked for."""
    answer, seen = requests.Response(), dict[str, Any]()
    answer.headers["Date"], answer.raw = "today", SimpleNamespace(close=lambda: None, release_conn=lambda: None)

    def get(url: str, **how: Any) -> requests.Response:
        seen.update(how, url=url)
        return answer

    session = SimpleNamespace(get=get, adapter=SimpleNamespace(connections=()))
    monkeypatch.setattr(connection, "_session", lambda: session)
    with answered(job, {"Range": "bytes=5-"}) as given:
        assert given is answer is job.answer
    assert job.head == {"Date": "today"}
    return session, seen


def test_a_server_has_ten_seconds_to_be_there_and_half_a_minute_for_an_answer(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    session, how = asked(monkeypatch, Job(URL, Limits(), headers={"Authorization": "Bearer x"}))
    headers = {"Authorization": "Bearer x", "Range": "bytes=5-"}
    assert how == {"url": URL, "headers": headers, "stream": True, "timeout": (10, 30)}
    assert session.max_redirects == 5


def test_nor_more_than_is_left_of_five_minutes(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job(URL, Limits())
    now[0] += 292
    assert asked(monkeypatch, job)[1]["timeout"] == (8, 8)
    now[0] += 7.5
    assert job.left() == 0.5
    now[0] += 0.5
    with pytest.raises(FetchError, match="not done within the deadline of 300 s; try again later"):
        job.left()


def test_what_was_cut_has_no_time_left_whatever_the_clock_says(now: list[float]) -> None:
    job = Job(URL, Limits())
    job.expired.set()
    with pytest.raises(FetchError, match="comes too slowly"):
        job.left()


def test_at_the_deadline_connections_are_cut_until_the_request_is_done(
    now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    job, waits, cut = Job(URL, Limits()), list[float](), list[object]()
    monkeypatch.setattr(connection, "_cut", lambda job, session: cut.append(session))
    session: Any = "session"

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) == 3

    done: Any = SimpleNamespace(wait=wait)
    connection._watch(job, session, done, 7)
    assert (waits, cut) == ([7, 0.1, 0.1], ["session"] * 2)
    assert job.expired.is_set()


def test_a_request_that_is_done_in_time_is_not_cut(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    job, done = Job(URL, Limits()), threading.Event()
    done.set()
    monkeypatch.setattr(connection, "_cut", pytest.fail)
    connection._watch(job, None, done, 7)  # type: ignore[arg-type]
    assert not job.expired.is_set()


def test_to_cut_ends_a_read_on_each_connection_and_of_the_body(now: list[float]) -> None:
    job, shut = Job(URL, Limits()), list[str]()
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    closed = socket.socket()
    closed.close()
    session: Any = SimpleNamespace(adapter=SimpleNamespace(connections=[SimpleNamespace(sock=s) for s in (None, closed, ours)]))  # fmt: skip
    connection._cut(job, session)  # no body is being read yet
    assert theirs.recv(1) == b""
    job.answer = requests.Response()
    job.answer.raw = SimpleNamespace(shutdown=lambda: shut.append("body"))
    connection._cut(job, session)
    assert shut == ["body"]
    ours.close()
    theirs.close()


POOL: Any = SimpleNamespace(host="example.org", port=443)
REFUSED = NewConnectionError(POOL, "Connection refused")
UNTRUSTED = ssl.SSLCertVerificationError("certificate verify failed")
UNTRUSTED.verify_message = "self-signed certificate"
BUNDLE = "correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE"


@pytest.mark.parametrize(
    ("error", "reason", "remedy"),
    [
        (requests.TooManyRedirects("30"), "redirects in a circle or too often", CHECK),
        (
            requests.exceptions.InvalidURL("no host"),
            "request impossible: no host",
            "correct the address, or https_proxy",
        ),
        (
            ValueError("a header"),
            "request impossible: a header",
            "correct the address, or https_proxy where a proxy is",
        ),
        (
            requests.exceptions.SSLError(MaxRetryError(POOL, URL, UNTRUSTED)),
            "certificate not trusted: self-signed certificate",
            "check the clock; if a proxy signs the connection, give its certificate with REQUESTS_CA_BUNDLE=",
        ),
        (OSError("no such bundle"), "no such bundle", BUNDLE),
    ],
)
def test_what_another_attempt_would_not_mend_is_refused(error: Exception, reason: str, remedy: str) -> None:
    with pytest.raises(FetchError) as refused, network(Job(URL, Limits()), "no answer"):
        raise error
    assert (refused.value.url, refused.value.reason) == (URL, reason)
    assert refused.value.remedy.startswith(remedy)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (requests.ConnectionError(MaxRetryError(POOL, URL, REFUSED)), "no answer: Connection refused"),
        (ReadTimeoutError(POOL, URL, "Read timed out."), "no answer: Read timed out."),
        (requests.ConnectionError(), "no answer: ConnectionError"),
    ],
)
def test_what_another_attempt_may_mend_is_said_once(error: Exception, reason: str) -> None:
    job = Job(URL, Limits())
    with pytest.raises(TransientError) as failed, network(job, "no answer"):
        raise error
    assert str(failed.value).endswith(reason.removeprefix("no answer: "))
    assert str(failed.value).startswith("no answer: ")
    assert URL not in str(failed.value)
    job.expired.set()  # the deadline was the cause
    with pytest.raises(FetchError, match="deadline of 300 s"), network(job, "no answer"):
        raise error
