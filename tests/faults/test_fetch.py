"""Rows 1-12 and 37-40 of the fault list: every download either completes byte for byte or raises FetchError.

The `cache` fixture checks after each test that the earlier file is untouched and nothing else is left.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, urljoin

import pytest
from server import (
    Act,
    Exchange,
    MisbehavingServer,
    chunked,
    cut,
    cut_by_reset,
    drip,
    endless,
    free_port,
    ok,
    redirect,
    reply,
    rest,
    serve,
    unframed,
    vanish,
)

from pipeline.pull.fetch import Fetched, FetchError, Limits, cached, fetch
from traincompute.network import transport

ROOT = Path(__file__).parents[2]
BODY = b"Model,Parameters\n" + b"".join(b"model %d,%d\n" % (n, n * n) for n in range(9000))
SHA256 = hashlib.sha256(BODY).hexdigest()
OTHER = BODY.replace(b"model", b"MODEL")
PATIENT = Limits(connect_timeout=30, read_timeout=30, deadline=120)
SHORT = Limits(read_timeout=0.2, deadline=0.3)
MODIFIED = "Mon, 03 Jun 2024 10:00:00 GMT"
RESUMABLE = {"ETag": '"v1"', "Accept-Ranges": "bytes"}


def get(url: str, cache: Path, limits: Limits = PATIENT, **more: object) -> tuple[Fetched, list[float]]:
    """The result, and the pauses that were asked for, without sleeping."""
    pauses: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", pauses.append)
        return fetch(url, cache, limits=limits, **more), pauses  # type: ignore[arg-type]


def refused(url: str, cache: Path, limits: Limits = PATIENT, **more: object) -> FetchError:
    with pytest.raises(FetchError) as caught:
        get(url, cache, limits, **more)
    error = caught.value
    assert str(error) == f"{error.url}: {error.reason}; {error.remedy}"
    assert "\n" not in str(error)
    assert error.url == url
    return error


def assert_whole(result: Fetched, body: bytes = BODY) -> None:
    assert result.path.read_bytes() == body
    assert result.sha256 == result.path.name == hashlib.sha256(body).hexdigest()
    assert result.size == len(body)


def test_fault_00_plain_download_is_kept_under_its_hash(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", ok(BODY, ETag='"v1"'))
    seen: list[tuple[int, int | None]] = []
    result, pauses = get(url, cache, progress=lambda done, total: seen.append((done, total)))
    assert_whole(result)
    assert (result.etag, result.url, result.not_modified, pauses) == ('"v1"', url, False, [])
    assert seen[-1] == (len(BODY), len(BODY))
    assert server.headers("Accept-Encoding") == ["identity"]


def test_fault_01_503_twice_then_200(server: MisbehavingServer, cache: Path) -> None:
    busy = reply("503 Service Unavailable")
    result, pauses = get(server.script("/a.csv", busy, busy, ok(BODY)), cache)
    assert_whole(result)
    assert len(pauses) == 2
    assert 0 <= pauses[0] <= 0.5
    assert 0 <= pauses[1] <= 1.0


def test_fault_01_pauses_are_jittered(server: MisbehavingServer, cache: Path) -> None:
    busy, limits = reply("502 Bad Gateway"), Limits(attempts=9, backoff=0.25)
    _, pauses = get(server.script("/a.csv", *[busy] * 8, ok(BODY)), cache, limits)
    assert len(set(pauses)) == 8
    assert all(pause <= 0.25 * 2**n for n, pause in enumerate(pauses))


def test_fault_01_reset_before_the_answer_then_200(server: MisbehavingServer, cache: Path) -> None:
    assert_whole(get(server.script("/a.csv", vanish, ok(BODY)), cache)[0])


def test_fault_02_503_for_ever(server: MisbehavingServer, cache: Path) -> None:
    error = refused(server.script("/a.csv", reply("503 Service Unavailable")), cache)
    assert "HTTP 503" in error.reason
    assert len(server.requests) == 4


def test_fault_02_connection_refused(cache: Path) -> None:
    reason = refused(f"http://127.0.0.1:{free_port()}/a.csv", cache).reason
    assert "Connection refused" in reason
    assert len(reason) < 200


def test_fault_02_silence_after_the_request(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", drip(b"", b"", pause=0.1))
    refused(url, cache, Limits(attempts=2, read_timeout=0.3))
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"Retry-After": "7"}, 7),
        ({"Retry-After": "3600"}, 60),  # capped by max_retry_after
        ({"Retry-After": "9" * 5000}, 60),
        ({"Retry-After": formatdate(1_000_030, usegmt=True), "Date": formatdate(1_000_000, usegmt=True)}, 30),
    ],
)
def test_fault_03_retry_after_is_honoured_and_capped(
    server: MisbehavingServer, cache: Path, status: str, headers: dict[str, str], expected: float
) -> None:
    url = server.script("/a.csv", reply(status, **headers), ok(BODY))
    result, pauses = get(url, cache, Limits(deadline=100))
    assert_whole(result)
    assert pauses == [expected]


@pytest.mark.parametrize(
    "value", ["-5", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "Thu, 99 Foo 99999 9:9:9 GMT", "9 Dec 99999 1:1"]
)
def test_fault_03_useless_retry_after_falls_back_to_jitter(server: MisbehavingServer, cache: Path, value: str) -> None:
    url = server.script("/a.csv", reply("429 Too Many Requests", Retry_After=value), ok(BODY))
    result, pauses = get(url, cache)
    assert_whole(result)
    assert pauses[0] <= 0.5


def test_fault_03_no_wait_that_ends_after_the_deadline(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", reply("429 Too Many Requests", Retry_After="40"), ok(BODY))
    assert "no time left" in refused(url, cache, Limits(deadline=30)).reason
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "status", ["400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone"]
)
def test_fault_04_no_second_try(server: MisbehavingServer, cache: Path, status: str) -> None:
    error = refused(server.script("/a.csv", reply(status, b"Model,Parameters\n")), cache)
    assert f"HTTP {status[:3]}" in error.reason
    assert len(server.requests) == 1


def test_fault_05_short_body_is_noticed_and_fetched_again(server: MisbehavingServer, cache: Path) -> None:
    result, pauses = get(server.script("/a.csv", cut(BODY, 50_000), ok(BODY)), cache)
    assert_whole(result)
    assert len(pauses) == 1


def test_fault_05_always_short(server: MisbehavingServer, cache: Path) -> None:
    error = refused(server.script("/a.csv", cut(BODY, len(BODY) - 1)), cache)
    assert str(len(BODY) - 1) in error.reason
    assert len(server.requests) == 4


def test_fault_05_chunked_body_without_its_end(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", chunked(BODY[:5000], end=False), chunked(BODY[:5000], BODY[5000:]))
    assert_whole(get(url, cache)[0])
    assert len(server.requests) == 2


def test_fault_06_short_body_without_length_shows_in_the_hash(server: MisbehavingServer, cache: Path) -> None:
    result, _ = get(server.script("/a.csv", unframed(BODY[:50_000])), cache)
    assert_whole(result, BODY[:50_000])  # HTTP cannot tell, but whoever knows the hash or the row count can
    assert result.sha256 != SHA256


def test_fault_06_empty_body(server: MisbehavingServer, cache: Path) -> None:
    assert "0 of" in refused(server.script("/a.csv", unframed(b"")), cache).reason


@pytest.mark.parametrize(
    ("headers", "validator"),
    [(RESUMABLE, '"v1"'), ({"Last-Modified": MODIFIED, "Accept-Ranges": "bytes"}, MODIFIED)],
)
def test_fault_07_reset_at_half_is_resumed(
    server: MisbehavingServer, cache: Path, headers: dict[str, str], validator: str
) -> None:
    half, read = len(BODY) // 2, threading.Event()

    def watch(done: int, _total: int | None) -> None:
        if done >= half:
            read.set()

    url = server.script("/a.csv", cut_by_reset(BODY, half, read, **headers), rest(BODY, **headers))
    result, _ = get(url, cache, progress=watch)
    assert_whole(result)
    assert result.etag == headers.get("ETag", "")
    assert server.headers("Range") == ["", f"bytes={half}-"]
    assert server.headers("If-Range") == ["", validator]


def test_fault_07_resumed_twice(server: MisbehavingServer, cache: Path) -> None:
    def half_of_the_rest(exchange: Exchange) -> None:
        span, length = f"bytes 40000-{len(BODY) - 1}/{len(BODY)}", str(len(BODY) - 40_000)
        headers = {"Content-Range": span, "Content-Length": length} | RESUMABLE
        exchange.head("206 Partial Content", headers)
        exchange.send(BODY[40_000:70_000])

    url = server.script("/a.csv", cut(BODY, 40_000, **RESUMABLE), half_of_the_rest, rest(BODY, **RESUMABLE))
    assert_whole(get(url, cache)[0])
    assert server.headers("Range") == ["", "bytes=40000-", "bytes=70000-"]


def test_fault_07_rest_that_comes_in_pieces(server: MisbehavingServer, cache: Path) -> None:
    span = f"bytes 40000-69999/{len(BODY)}"
    piece = reply("206 Partial Content", BODY[40_000:70_000], Content_Range=span, **RESUMABLE)
    url = server.script("/a.csv", cut(BODY, 40_000, **RESUMABLE), piece, rest(BODY, **RESUMABLE))
    assert_whole(get(url, cache)[0])
    assert server.headers("Range") == ["", "bytes=40000-", "bytes=70000-"]


def test_fault_07_resumed_though_the_total_was_unknown(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", chunked(BODY[:9000], end=False, **RESUMABLE), rest(BODY, **RESUMABLE))
    assert_whole(get(url, cache)[0])
    assert server.headers("Range") == ["", "bytes=9000-"]


def test_fault_08_range_ignored_starts_from_zero(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", cut(BODY, 70_000, **RESUMABLE), ok(OTHER, ETag='"v2"'))
    result, _ = get(url, cache)
    assert_whole(result, OTHER)
    assert result.etag == '"v2"'


@pytest.mark.parametrize(
    "answer",
    [
        rest(OTHER, ETag='"v2"'),  # ignores If-Range
        rest(OTHER),  # does not say which version it is
        rest(OTHER, ETag='"v1"', Last_Modified="Tue, 04 Jun 2024 10:00:00 GMT"),
        rest(OTHER, ETag='"v1"', Content_Range=f"bytes 70001-{len(OTHER) - 1}/{len(OTHER)}"),
        rest(OTHER, ETag='"v1"', Content_Range=f"bytes 0-{len(OTHER) - 1}/{len(OTHER)}"),
        rest(OTHER, ETag='"v1"', Content_Range=f"bytes 70000-{len(OTHER) - 1}/{len(OTHER) + 1}"),
        rest(OTHER, ETag='"v1"', Content_Range=f"bytes 70000-{len(OTHER) - 1}/*"),
        rest(OTHER, ETag='"v1"', Content_Range=""),
        rest(OTHER, ETag='"v1"', Content_Range=f"bytes 70000-70009/{len(OTHER)}"),
        reply("416 Range Not Satisfiable"),
    ],
    ids=["etag", "no-etag", "modified", "late", "whole", "total", "star", "none", "longer", "416"],
)
def test_fault_08_wrong_rest_is_never_spliced(server: MisbehavingServer, cache: Path, answer: Act) -> None:
    first = cut(BODY, 70_000, Last_Modified=MODIFIED, **RESUMABLE)
    result, _ = get(server.script("/a.csv", first, answer, ok(OTHER)), cache)
    assert_whole(result, OTHER)
    assert server.headers("Range") == ["", "bytes=70000-", ""]


@pytest.mark.parametrize(
    "headers",
    [{"ETag": '"v1"'}, {"Accept-Ranges": "bytes"}, {"ETag": 'W/"v1"', "Accept-Ranges": "bytes"}, {}],
    ids=["no-accept-ranges", "no-validator", "weak-etag", "nothing"],
)
def test_fault_08_no_range_without_a_sure_validator(
    server: MisbehavingServer, cache: Path, headers: dict[str, str]
) -> None:
    url = server.script("/a.csv", cut(BODY, 70_000, **headers), ok(OTHER))
    assert_whole(get(url, cache)[0], OTHER)
    assert server.headers("Range") == ["", ""]


def test_fault_08_rest_that_was_not_asked_for(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", reply("206 Partial Content", BODY[9:], Content_Range="bytes 9-99/100"))
    assert "HTTP 206" in refused(url, cache).reason


def test_fault_09_304_rewrites_nothing(server: MisbehavingServer, cache: Path, earlier: Path) -> None:
    before = earlier.stat(), cache.stat()
    url = server.script("/a.csv", reply("304 Not Modified"))
    result, _ = get(url, cache, etag='"v1"', known_sha256=earlier.name)
    assert result == Fetched(earlier, earlier.name, len(earlier.read_bytes()), '"v1"', url, True)
    assert server.headers("If-None-Match") == ['"v1"']
    after = earlier.stat(), cache.stat()
    assert [(s.st_ino, s.st_mtime_ns) for s in after] == [(s.st_ino, s.st_mtime_ns) for s in before]


def test_fault_09_changed_since(server: MisbehavingServer, cache: Path, earlier: Path) -> None:
    url = server.script("/a.csv", ok(BODY, ETag='"v2"'))
    result, _ = get(url, cache, etag='"v1"', known_sha256=earlier.name)
    assert_whole(result)
    assert result.etag == '"v2"'


def test_fault_09_no_condition_without_the_file(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", reply("304 Not Modified"))
    assert "HTTP 304" in refused(url, cache, etag='"v1"', known_sha256="0" * 64).reason
    assert server.headers("If-None-Match") == [""]


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n"


@pytest.mark.parametrize(
    "act",
    [
        drip(HEAD + b"Content-Length: 5000\r\n\r\n", b"x"),
        drip(HEAD + b"\r\n", b"x"),  # without a length: the cut must not be taken for the end of the file
        drip(HEAD + b"X-Long: ", b"x"),
        drip(b"", b"H"),
        drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"0"),
        drip(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", b"X: y\r\n"),
    ],
    ids=["length", "no-length", "header", "status", "chunk-size", "trailer"],
)
def test_fault_10_slow_drip_ends_at_the_deadline(server: MisbehavingServer, cache: Path, act: Act) -> None:
    began = time.monotonic()
    assert "deadline of 0.3 s" in refused(server.script("/a.csv", act), cache, SHORT).reason
    assert time.monotonic() - began < 30


def test_fault_10_attempts_share_one_deadline(
    server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.script("/a.csv", reply("503 Service Unavailable"))
    now = [0.0]

    def wait(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr(time, "sleep", wait)
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    limits = Limits(attempts=10_000, deadline=100)
    with pytest.raises(FetchError, match="no time left"):
        fetch(url, cache, limits=limits)
    assert 0 < now[0] <= 100


def test_fault_10_endless_body(server: MisbehavingServer, cache: Path) -> None:
    error = refused(server.script("/a.csv", endless), cache, Limits(max_bytes=1_000_000))
    assert "1000000 bytes" in error.reason
    assert len(server.requests) == 1


def test_fault_10_announced_size_over_the_cap(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", drip(HEAD + b"Content-Length: 1000001\r\n\r\n", b""))
    assert "cap of 1000000 bytes" in refused(url, cache, Limits(max_bytes=1_000_000)).reason


def test_fault_11_redirects_are_followed(server: MisbehavingServer, cache: Path) -> None:
    server.script("/b.csv", redirect("c.csv#top", "301 Moved Permanently"))
    server.script("/c.csv", ok(BODY))
    url = server.script("/a.csv", redirect(server.address("/b.csv")))
    result, _ = get(url, cache)
    assert_whole(result)
    assert result.url == url


def test_fault_11_redirect_loop(server: MisbehavingServer, cache: Path) -> None:
    server.script("/b.csv", redirect("/a.csv#again"))
    assert "loop" in refused(server.script("/a.csv", redirect("/b.csv")), cache).reason
    assert len(server.requests) == 2


def test_fault_11_too_many_redirects(server: MisbehavingServer, cache: Path) -> None:
    for n in range(9):
        server.script(f"/{n}", redirect(f"/{n + 1}"))
    assert "too often" in refused(server.address("/0"), cache, Limits(max_redirects=5)).reason
    assert len(server.requests) == 6


FORBIDDEN = [
    "file:///etc/passwd",
    "ftp://127.0.0.1/a.csv",
    "http://192.0.2.1/a.csv",  # TEST-NET-1, RFC 5737
    "http://127.0.0.1@192.0.2.1/a.csv",
    "http://user:secret@127.0.0.1/a.csv",
    "http://localhost.192.0.2.1/a.csv",
    "http://2130706433/a.csv",  # 127.0.0.1 as one number
    "http://[bad/a.csv",
    "data:text/csv,Model",
    "https:///a.csv",
]


@pytest.mark.parametrize("location", FORBIDDEN)
def test_fault_11_redirect_elsewhere_is_refused(server: MisbehavingServer, cache: Path, location: str) -> None:
    refused(server.script("/a.csv", redirect(location)), cache)
    assert len(server.requests) == 1


@pytest.mark.parametrize("url", FORBIDDEN)
def test_fault_11_address_elsewhere_is_refused(cache: Path, url: str) -> None:
    refused(url, cache)


def test_fault_11_redirect_without_an_address(server: MisbehavingServer, cache: Path) -> None:
    refused(server.script("/a.csv", reply("302 Found")), cache)


def test_fault_11_redirect_from_outside_to_this_machine(
    server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = server.script("/a.csv", ok(BODY))
    elsewhere = SimpleNamespace(status=302, headers={"Location": location}, close=lambda: None)
    monkeypatch.setattr(transport, "ask", lambda *_: elsewhere)
    assert "from outside" in refused("https://example.org/a.csv", cache).reason
    assert not server.requests


def test_fault_11_body_of_a_redirect_is_not_read(server: MisbehavingServer, cache: Path) -> None:
    server.script("/b.csv", ok(BODY))
    page = drip(b"HTTP/1.1 302 Found\r\nLocation: /b.csv\r\n\r\n", b"x" * 1000)  # endless
    assert_whole(get(server.script("/a.csv", page), cache, Limits(deadline=30))[0])


def test_fault_11_credentials_are_never_sent(
    server: MisbehavingServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login somebody password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    get(server.script("/a.csv", ok(BODY)), cache)
    assert server.headers("Authorization") == [""]


def test_fault_11_loopback_does_not_go_through_a_proxy(
    server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{free_port()}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert_whole(get(server.script("/a.csv", ok(BODY)), cache)[0])


def test_fault_11_the_way_outside_is_through_the_proxy_which_alone_gets_its_password(
    server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script("example.org:443", reply("502 Bad Gateway"))
    monkeypatch.setenv("https_proxy", f"http://somebody:s%40cret@127.0.0.1:{server.port}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert "502" in refused("https://example.org/a.csv", cache, Limits(attempts=1)).reason
    assert [request.path for request in server.requests] == ["example.org:443"]
    assert server.headers("Proxy-Authorization") == ["Basic c29tZWJvZHk6c0BjcmV0"]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "http://", "http://127.0.0.1:port"])
def test_fault_11_a_proxy_that_cannot_be_used_is_named(
    cache: Path, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    error = refused("https://example.org/a.csv", cache)
    assert "unusable proxy" in error.reason
    assert "https_proxy" in error.remedy


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[MisbehavingServer]:
    """A server behind TLS; its certificate is in tmp_path / "cert.pem", and no authority has signed it."""
    if not shutil.which("openssl"):
        pytest.skip("openssl makes the certificate")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
    where = ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(cert)]
    subprocess.run([*command.split(), *where], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with serve(context) as running:
        yield running


@pytest.mark.parametrize("setting", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_fault_11_a_certificate_that_the_user_trusts(
    tls: MisbehavingServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE", raising=False)
    monkeypatch.setenv(setting, str(tmp_path / "cert.pem"))
    url = tls.script("/a.csv", cut(BODY, 70_000, **RESUMABLE), rest(BODY, **RESUMABLE))
    assert_whole(get(url, cache)[0])
    assert tls.headers("Range") == ["", "bytes=70000-"]


def test_fault_11_a_certificate_that_nobody_trusts_is_refused_at_once(tls: MisbehavingServer, cache: Path) -> None:
    error = refused(tls.script("/a.csv", ok(BODY)), cache)
    assert "certificate not trusted" in error.reason
    assert "the last" not in error.reason
    assert not tls.requests


def test_fault_11_authorities_that_cannot_be_read_are_named(
    tls: MisbehavingServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "nothing.pem"))
    assert "nothing.pem" in refused(tls.script("/a.csv", ok(BODY)), cache).reason


def test_fault_10_slow_drip_behind_tls_ends_at_the_deadline(
    tls: MisbehavingServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "cert.pem"))
    for number, head in enumerate([HEAD + b"\r\n", HEAD + b"X-Long: "]):
        url = tls.script(f"/{number}", drip(head, b"x"))
        assert "deadline of 0.3 s" in refused(url, cache, SHORT).reason


def test_fault_56_digits_that_are_no_numbers(server: MisbehavingServer, cache: Path) -> None:
    busy = reply("503 Service Unavailable", Retry_After="²")
    result, pauses = get(server.script("/a.csv", busy, ok(BODY, Content_Length="²")), cache)
    assert_whole(result)
    assert pauses[0] <= 0.5


def test_fault_56_a_redirect_to_an_address_that_cannot_be_read(server: MisbehavingServer, cache: Path) -> None:
    assert "unreadable" in refused(server.script("/a.csv", redirect("http://[zz]/")), cache).reason


@pytest.mark.parametrize("address", ["a b", "/ü.csv", "%20"])
def test_fault_56_a_redirect_that_is_not_encoded_is_followed(
    server: MisbehavingServer, cache: Path, address: str
) -> None:
    there = urljoin("/", quote(address, safe="%/"))
    server.script(there, ok(BODY))
    url = server.script("/a.csv", redirect(address.encode().decode("latin-1")))
    assert_whole(get(url, cache)[0])
    assert [request.path for request in server.requests] == ["/a.csv", there]


PAGE = b"\xef\xbb\xbf\r\n<!-- maintenance -->\n<!DOCTYPE html><html><body>Service unavailable</body></html>"


@pytest.mark.parametrize(
    ("header", "body", "types", "said"),
    [
        ("text/html; charset=utf-8", BODY, (), "HTML"),
        ("text/html", BODY, ("text/csv",), "expected"),
        ("application/json", BODY, ("text/csv", "application/zip"), "expected"),
        ("text/csv", PAGE, ("text/csv",), "HTML"),
        ("text/csv", b'<?xml version="1.0"?>\n<HTML lang="en">', (), "HTML"),
    ],
    ids=["type", "type-not-listed", "other-type", "page-as-csv", "xhtml-as-csv"],
)
def test_fault_12_html_page_with_200(
    server: MisbehavingServer, cache: Path, header: str, body: bytes, types: tuple[str, ...], said: str
) -> None:
    url = server.script("/a.csv", ok(body, Content_Type=header))
    assert said in refused(url, cache, content_types=types).reason
    assert len(server.requests) == 1


def test_fault_12_html_where_it_is_asked_for(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.html", ok(PAGE, Content_Type="text/HTML; charset=utf-8"))
    assert_whole(get(url, cache, content_types=("text/html",))[0], PAGE)


@pytest.mark.parametrize("header", ["Content-Encoding", "Transfer-Encoding"])
def test_fault_12_compressed_though_not_asked_for(server: MisbehavingServer, cache: Path, header: str) -> None:
    refused(server.script("/a.csv", ok(BODY, **{header: "gzip"})), cache)


def test_fault_37_leftovers_of_a_killed_download_are_cleared(server: MisbehavingServer, cache: Path) -> None:
    left, busy = cache / ".old.part", cache / ".new.part"
    left.write_bytes(BODY[:100])
    os.utime(left, (1, 1))
    busy.write_bytes(BODY[:100])
    assert_whole(get(server.script("/a.csv", ok(BODY)), cache)[0])
    assert not left.exists()
    assert busy.exists()  # perhaps another process is writing it
    busy.unlink()


def test_fault_38_disk_full(server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    error = refused(server.script("/a.csv", ok(BODY)), cache)
    assert "No space left" in error.reason
    assert len(server.requests) == 1


def test_fault_37_file_appears_under_its_name_only_when_complete(
    server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: Path, target: Path) -> None:
        assert not target.exists()
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(Path, "replace", fail)
    refused(server.script("/a.csv", ok(BODY)), cache)
    assert not (cache / SHA256).exists()


def test_fault_38_cache_is_not_a_folder(server: MisbehavingServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    refused(server.script("/a.csv", ok(BODY)), tmp_path / "file")


def test_fault_38_interrupted_by_the_user(server: MisbehavingServer, cache: Path) -> None:
    def interrupt(_done: int, _total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        get(server.script("/a.csv", ok(BODY)), cache, progress=interrupt)


def test_fault_39_threads_fetch_at_once(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", ok(BODY))
    results: list[Fetched] = []
    threads = [threading.Thread(target=lambda: results.append(fetch(url, cache, limits=PATIENT))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    for result in results:
        assert_whole(result)


def test_fault_39_processes_fetch_at_once(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", ok(BODY))
    code = (
        "import sys; from pathlib import Path; from pipeline.pull.fetch import fetch\n"
        "print(fetch(sys.argv[1], Path(sys.argv[2])).sha256)"
    )
    command = [sys.executable, "-c", code, url, str(cache)]
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [process.communicate()[0].strip() for process in running] == [SHA256, SHA256]
    assert len(list(cache.iterdir())) == 2


def test_fault_40_flipped_bit_is_noticed_and_fetched_again(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", ok(BODY, ETag='"v1"'))
    path = get(url, cache)[0].path
    path.write_bytes(BODY[:500] + bytes([BODY[500] ^ 1]) + BODY[501:])
    result, _ = get(url, cache, etag='"v1"', known_sha256=SHA256)
    assert_whole(result)
    assert not result.not_modified
    assert server.headers("If-None-Match") == ["", ""]  # a 304 would have kept the damaged file


def test_fault_40_damaged_file_is_deleted(tmp_path: Path) -> None:
    (tmp_path / SHA256).write_bytes(BODY[:-1])
    assert cached(tmp_path, SHA256) is None
    assert not (tmp_path / SHA256).exists()


def test_fault_40_sound_file_is_found_and_others_are_not(tmp_path: Path) -> None:
    (tmp_path / SHA256).write_bytes(BODY)
    assert cached(tmp_path, SHA256) == tmp_path / SHA256
    assert cached(tmp_path, "0" * 64) is None
    assert cached(tmp_path, f"../{tmp_path.name}/{SHA256}") is None
    assert cached(tmp_path, "") is None
