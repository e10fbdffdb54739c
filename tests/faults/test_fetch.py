"""Rows 1-12, 37-40 and 56 of the fault list: every download either completes byte for byte or raises FetchError. The
reader's downloads and the listing of a hub go through the same transport; their own tests keep to what is particular to
them.

The `cache` fixture checks after each test that the earlier file is untouched and nothing else is left.
"""

from __future__ import annotations

import errno
import gc
import hashlib
import os
import shutil
import ssl
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
import requests
from misbehaving_server import (
    Act,
    MisbehavingServer,
    chunked,
    cut,
    drip,
    endless,
    free_port,
    ok,
    redirect,
    reply,
    serve,
    unframed,
    vanish,
)

from pipeline.pull.fetch import Fetched, FetchError, Limits, cached, fetch

ROOT = Path(__file__).parents[2]
BODY = b"Model,Parameters\n" + b"".join(b"model %d,%d\n" % (n, n * n) for n in range(9000))
SHA256 = hashlib.sha256(BODY).hexdigest()
OTHER = BODY.replace(b"model", b"MODEL")
PATIENT = Limits(deadline=120)
SHORT = Limits(timeout=0.2, deadline=0.3)
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
    url = server.script("/a.csv", ok(BODY, ETag='"v1"', Date="Sat, 21 Nov 2026 13:30:00 +0100"))
    seen: list[tuple[int, int | None]] = []
    result, pauses = get(url, cache, progress=lambda done, total: seen.append((done, total)))
    assert_whole(result)
    assert (result.etag, result.url, result.not_modified, pauses) == ('"v1"', url, False, [])
    assert result.date == datetime(2026, 11, 21, 12, 30, tzinfo=UTC)
    assert seen[-1] == (len(BODY), len(BODY))
    assert server.headers("Accept-Encoding") == ["identity"]


HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\n"
BUSY = reply("503 Service Unavailable")
# what happens → the answers, and the body in the end
COMPLETED: dict[str, tuple[list[Act], bytes]] = {
    "01 busy twice": ([BUSY, BUSY, ok(BODY)], BODY),
    "01 the last status of a server in trouble": ([reply("599 Unknown"), ok(BODY)], BODY),
    "01 reset before the answer": ([vanish, ok(BODY)], BODY),
    "05 short": ([cut(BODY, 50_000), ok(BODY)], BODY),
    "05 chunked without its end": ([chunked(BODY[:9], end=False), chunked(BODY[:9], BODY[9:])], BODY),
    "06 short without a length, which HTTP cannot tell": ([unframed(BODY[:50_000])], BODY[:50_000]),
    "07 broken off, though it could be resumed": ([cut(BODY, 40_000, **RESUMABLE), ok(BODY)], BODY),
    "08 another version afterwards": ([cut(BODY, 70_000, **RESUMABLE), ok(OTHER, ETag='"v2"')], OTHER),
    "56 digits that are no number": ([ok(BODY, Content_Length="²")], BODY),
}


@pytest.mark.parametrize(("acts", "body"), COMPLETED.values(), ids=COMPLETED)
def test_fault_01_05_06_07_08_56_a_file_arrives_whole(
    server: MisbehavingServer, cache: Path, acts: list[Act], body: bytes
) -> None:
    result, pauses = get(server.script("/a.csv", *acts), cache)
    assert_whole(result, body)
    assert len(pauses) == len(server.requests) - 1 == len(acts) - 1


# what happens → the answers, words of the error, and the number of requests
REFUSED: dict[str, tuple[Act, str, int]] = {
    "02 busy for ever": (BUSY, "HTTP 503 (attempt 4, the last)", 4),
    **{
        f"04 {status}": (reply(status, b"Model,Parameters\n"), f"HTTP {status}", 1)
        for status in ("400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone")
    },
    "05 always short": (cut(BODY, len(BODY) - 1), f"{len(BODY) - 1}", 4),
    "06 empty": (unframed(b""), "0 of", 4),
    "08 a rest that was not asked for": (reply("206 Partial Content", BODY[9:]), "HTTP 206", 1),
    "09 304 that was not asked for": (reply("304 Not Modified"), "HTTP 304", 1),
    "10 endless": (endless, "limit of 1000000 bytes", 1),
    "10 announced": (drip(HEAD + b"Content-Length: 1000001\r\n\r\n", b""), "limit of 1000000 bytes", 1),
    "11 a circle": (redirect("/a.csv#again"), "in a circle or too often", 6),
    "11 without an address": (reply("302 Found"), "HTTP 302", 1),
    "12 gzip": (ok(BODY, Content_Encoding="gzip"), "encoded body", 1),
    "12 framed as gzip": (ok(BODY, Transfer_Encoding="gzip"), "encoded body", 1),
    "56 an address that cannot be read": (redirect("http://[zz]/"), "unreadable", 1),
}


@pytest.mark.parametrize(("act", "words", "requests"), REFUSED.values(), ids=REFUSED)
def test_fault_02_04_05_06_08_10_11_12_56_a_file_is_refused(
    server: MisbehavingServer, cache: Path, act: Act, words: str, requests: int
) -> None:
    assert words in str(refused(server.script("/a.csv", act), cache, Limits(deadline=120, max_bytes=1_000_000)))
    assert len(server.requests) == requests


def test_fault_01_pauses_grow_and_are_jittered(server: MisbehavingServer, cache: Path) -> None:
    limits = Limits(attempts=6, backoff=0.25)
    _, pauses = get(server.script("/a.csv", *[BUSY] * 5, ok(BODY)), cache, limits)
    assert len(set(pauses)) == 5
    bounds = [(0.125, 0.25), (0.25, 0.5), (0.5, 1), (1, 2), (2, 4)]
    assert all(low <= pause <= high for pause, (low, high) in zip(pauses, bounds, strict=True))


def test_fault_02_connection_refused(cache: Path) -> None:
    reason = refused(f"http://127.0.0.1:{free_port()}/a.csv", cache).reason
    assert "Connection refused" in reason
    assert len(reason) < 200


def test_fault_02_silence_after_the_request(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", drip(b"", b"", pause=0.1))
    refused(url, cache, Limits(attempts=2, timeout=0.3))
    assert len(server.requests) == 2


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
@pytest.mark.parametrize(
    ("value", "least", "most"),
    [
        ("7", 7, 7),
        ("3600", 60, 60),  # capped by max_retry_after
        ("Fri, 31 Dec 9999 23:59:59 GMT", 60, 60),
        *(
            (value, 0, 0.5)
            for value in ("-5", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "9 Dec 99999 1:1", "9" * 5000, "²")
        ),
    ],
)
def test_fault_03_56_retry_after_is_honoured_and_capped(
    server: MisbehavingServer, cache: Path, status: str, value: str, least: float, most: float
) -> None:
    url = server.script("/a.csv", reply(status, Retry_After=value), ok(BODY))
    result, (pause,) = get(url, cache, Limits(deadline=100))
    assert_whole(result)
    assert least <= pause <= most


def test_fault_03_no_wait_that_ends_after_the_deadline(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", reply("429 Too Many Requests", Retry_After="40"), ok(BODY))
    assert "no time left" in refused(url, cache, Limits(deadline=30)).reason
    assert len(server.requests) == 1


def test_fault_09_304_rewrites_nothing(server: MisbehavingServer, cache: Path, earlier: Path) -> None:
    before = earlier.stat()
    url = server.script("/a.csv", reply("304 Not Modified", Date="Sat, 21 Nov 2026 12:00:00 GMT"))
    result, _ = get(url, cache, etag='"v1"', known_sha256=earlier.name)
    date = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert result == Fetched(earlier, earlier.name, len(earlier.read_bytes()), '"v1"', url, True, date)
    assert server.headers("If-None-Match") == ['"v1"']
    assert (earlier.stat().st_ino, earlier.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_fault_09_changed_since(server: MisbehavingServer, cache: Path, earlier: Path) -> None:
    url = server.script("/a.csv", ok(BODY, ETag='"v2"'))
    result, _ = get(url, cache, etag='"v1"', known_sha256=earlier.name)
    assert_whole(result)
    assert result.etag == '"v2"'


def test_fault_09_no_condition_without_the_file(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", reply("304 Not Modified"))
    assert "HTTP 304" in refused(url, cache, etag='"v1"', known_sha256="0" * 64).reason
    assert server.headers("If-None-Match") == [""]


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


def test_fault_11_redirects_are_followed(server: MisbehavingServer, cache: Path) -> None:
    server.script("/b.csv", redirect("c.csv#top", "301 Moved Permanently"))
    server.script("/c.csv", ok(BODY))
    url = server.script("/a.csv", redirect(server.address("/b.csv")))
    result, _ = get(url, cache)
    assert_whole(result)
    assert result.url == url


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


def test_fault_11_redirect_from_outside_to_this_machine(
    server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = requests.Response()
    outside.url, outside.status_code = "https://example.org/a.csv", 302
    outside.headers["Location"] = server.script("/a.csv", ok(BODY))
    outside.raw = BytesIO()
    monkeypatch.setattr(requests.adapters.HTTPAdapter, "send", lambda *_, **__: outside)
    assert "from outside" in refused("https://example.org/a.csv", cache).reason
    assert not server.requests


def test_fault_11_body_of_a_redirect_is_not_read(server: MisbehavingServer, cache: Path) -> None:
    server.script("/b.csv", ok(BODY))
    page = drip(b"HTTP/1.1 302 Found\r\nLocation: /b.csv\r\n\r\n", b"x" * 1000)  # endless
    assert_whole(get(server.script("/a.csv", page), cache, Limits(deadline=30))[0])


def test_fault_11_credentials_and_cookies_are_never_sent(
    server: MisbehavingServer, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "netrc").write_text("default login somebody password secret\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    server.script("/b.csv", ok(BODY, Set_Cookie="b=2"))
    get(server.script("/a.csv", redirect("/b.csv", Set_Cookie="a=1")), cache)
    get(server.address("/b.csv"), cache)
    assert server.headers("Authorization") == server.headers("Cookie") == [""] * 3


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


@pytest.mark.parametrize("proxy", ["http://", "http://127.0.0.1:port"])
def test_fault_11_109_a_proxy_that_cannot_be_used_is_named_and_leaves_no_socket_open(
    cache: Path, monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        error = refused("https://example.org/a.csv", cache)
        gc.collect()
    assert error.reason.startswith("request impossible: ")
    assert "https_proxy" in error.remedy
    assert not [warning for warning in warned if warning.category is ResourceWarning]


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[MisbehavingServer]:
    """A server behind TLS; its certificate is in tmp_path / "cert.pem", and no authority has signed it."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl, which makes the certificate")
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
    url = tls.script("/a.csv", cut(BODY, 70_000), ok(BODY))
    assert_whole(get(url, cache)[0])
    assert len(tls.requests) == 2


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


PAGE = b"\xef\xbb\xbf\r\n<!-- maintenance -->\n<!DOCTYPE html><html><body>Service unavailable</body></html>"


@pytest.mark.parametrize(
    ("header", "body", "types", "said"),
    [
        ("text/html; charset=utf-8", BODY, (), "HTML"),
        ("text/html", BODY, ("text/csv",), "expected"),
        ("application/json", BODY, ("text/csv", "application/zip"), "expected"),
        ("text/csv", PAGE, ("text/csv",), "HTML"),
        ("text/csv", b'<?xml version="1.0"?>\n<HTML lang="en">', (), "HTML"),
        ("text/csv", b" " * 4090 + b"<html>", (), "HTML"),
        ("application/xhtml+xml", BODY, (), "content type 'application/xhtml+xml', expected no HTML page"),
        ("", BODY, ("text/csv", "application/csv"), "content type '', expected application/csv, text/csv"),
    ],
    ids=["type", "type-not-listed", "other-type", "page-as-csv", "xhtml-as-csv", "page-after-4-kB", "xhtml", "no-type"],
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
    late = b" " * 4091 + b"<html>"  # what begins like this is no page by mistake
    assert_whole(get(server.script("/a.csv", ok(late)), cache)[0], late)


def test_fault_37_leftovers_of_a_killed_download_are_cleared(
    server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left, busy = cache / ".old.part", cache / ".new.part"
    for path, age in ((left, 86_400.5), (busy, 86_400)):  # a day
        path.write_bytes(BODY[:100])
        os.utime(path, (1, 1_800_000_000 - age))
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    assert_whole(get(server.script("/a.csv", ok(BODY)), cache)[0])
    assert not left.exists()
    assert busy.exists()  # perhaps another process is writing it
    busy.unlink()


def test_fault_38_disk_full(server: MisbehavingServer, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        get(server.script("/a.csv", ok(BODY)), cache)
    assert len(server.requests) == 1


def test_fault_38_cache_is_not_a_folder(server: MisbehavingServer, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileExistsError):
        get(server.script("/a.csv", ok(BODY)), tmp_path / "file")


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


def test_fault_91_an_etag_that_no_server_would_take_back_is_not_kept(server: MisbehavingServer, cache: Path) -> None:
    url = server.script("/a.csv", ok(BODY, ETag='"' + "x" * 60_000 + '"'), ok(BODY))
    first, _ = get(url, cache)
    assert first.etag == ""
    again, _ = get(url, cache, etag="x" * 60_000, known_sha256=first.sha256)
    assert_whole(again)
    assert server.headers("if-none-match") == ["", ""]
