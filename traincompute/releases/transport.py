"""Bytes over a network that cannot be trusted: https, or http on loopback; bounded in size and time; resumed where a
transfer broke off, never spliced. The only module of the package that opens a connection.
"""

from __future__ import annotations

import contextlib
import ipaddress
import random
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from pathlib import Path
from socket import SHUT_RDWR
from threading import Timer
from typing import Any
from urllib import request
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import OpenerDirector, Request

from traincompute.releases.parts import MixedUpError, restart, validator_of, write_all
from traincompute.releases.places import ReleaseError

CHUNK = 1 << 16
ATTEMPTS = 4
TIMEOUT_S = 30.0
PATIENCE_S = 60.0
SLOWEST = 20_000  # bytes per second; what comes more slowly is given up after PATIENCE_S more
BACKOFF_S = 0.5
LONGEST_WAIT_S = 60.0
NETWORK = 3

Show = Callable[[int], None]


class TransientError(Exception):
    """A failure that may pass; `wait` is the number of seconds that the server asked for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


def fetch_small(url: str, largest: int) -> bytes:
    """The body at `url`, held in memory. Raises ReleaseError where it cannot be had or is larger than `largest`."""
    deadline = time.monotonic() + PATIENCE_S

    def attempt() -> bytes:
        with _open(url, {}, deadline) as answer:
            body = bytearray()
            while chunk := _read(answer, url, largest + 1 - len(body), deadline):
                body += chunk
                if len(body) > largest:
                    raise ReleaseError(f"{url}: larger than the {largest} bytes that an index may have", NETWORK)
            announced = answer.headers.get("Content-Length", "")
            if announced.isdigit() and int(announced) != len(body):
                raise TransientError(f"broke off after {len(body)} of {announced} bytes")
            return bytes(body)

    body: bytes = _persist(url, attempt)
    return body


def receive(url: str, part: Path, size: int, show: Show) -> None:
    """Fills `part` up to exactly `size` bytes, from where an earlier call left it if the server still has that file.

    `show` gets the number of bytes so far. Raises ReleaseError where it cannot be had, MixedUpError where it has another
    size, OSError where the disk does not allow it. What the bytes are is for the caller to check."""
    deadline = time.monotonic() + PATIENCE_S + size / SLOWEST
    _persist(url, lambda: _continue(url, part, size, deadline, show))


def check_address(url: str, came_from: str | None = None) -> None:
    """Raises ReleaseError for all but https and http on loopback, for credentials, and for a way from outside to here."""
    try:
        parts = urlsplit(url)
        local = _is_loopback(parts.hostname or "")
        local_before = came_from is None or _is_loopback(urlsplit(came_from).hostname or "")
    except ValueError as error:
        raise ReleaseError(f"unreadable address {url!r}", NETWORK) from error
    secure = parts.scheme == "https" or (parts.scheme == "http" and local)
    if not parts.hostname or parts.username or parts.password or not secure or (local and not local_before):
        whence = f", to which {came_from} leads" if came_from else ""
        raise ReleaseError(
            f"refused address {url!r}{whence}; only https:// (and http:// on this machine) is fetched", NETWORK
        )


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _persist(url: str, attempt: Callable[[], Any]) -> Any:
    """What the attempt gives; it is made again a few times, with a growing pause, where the failure may pass."""
    for number in range(1, ATTEMPTS + 1):
        try:
            return attempt()
        except TransientError as failure:
            if number == ATTEMPTS:
                raise ReleaseError(f"{url}: {failure} (attempt {number}, the last); try again later", NETWORK) from None
            pause = random.uniform(0, BACKOFF_S * 2 ** (number - 1))
            time.sleep(min(LONGEST_WAIT_S, max(pause, failure.wait)))
    raise AssertionError("unreachable")


def _continue(url: str, part: Path, size: int, deadline: float, show: Show) -> None:
    """One attempt: the rest of the part, or all of it where the server does not continue the very same file."""
    have, marker = _size(part), validator_of(part)
    validator = marker.read_text(encoding="latin-1") if have and marker.is_file() else ""
    resumable = 0 < have <= size and validator
    if resumable and have == size:
        return
    headers = {"Range": f"bytes={have}-", "If-Range": validator} if resumable else {}
    with _open(url, headers, deadline, part) as answer:
        if answer.status == 206:
            _check_continues(answer, part, have, size, validator)
        else:
            have = _begin(answer, part, size)
        with part.open("ab", buffering=0) as out:
            while chunk := _read(answer, url, min(CHUNK, size + 1 - have), deadline):
                have += len(chunk)
                if have > size:
                    break
                write_all(out, memoryview(chunk))
                show(have)
    if have > size:
        raise MixedUpError(f"goes on after byte {size}, its size in the index")
    if have < size:
        raise TransientError(f"broke off after {have} of {size} bytes")


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _begin(answer: HTTPResponse, part: Path, size: int) -> int:
    """Empties the part and notes by what its first bytes can be told to be of the same file later."""
    announced = answer.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) != size:
        raise MixedUpError(f"has {announced} bytes, but {size} in the index")
    restart(part)
    tag = answer.headers.get("ETag", "")
    strong = tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified", "")
    validator_of(part).write_text(strong, "latin-1")
    return 0


def _check_continues(answer: HTTPResponse, part: Path, have: int, size: int, validator: str) -> None:
    """Raises TransientError, and starts the part anew, where the answer is not the rest of the same file."""
    same = validator in (answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", ""))
    if not same or answer.headers.get("Content-Range", "") != f"bytes {have}-{size - 1}/{size}":
        restart(part)
        raise TransientError(f"asked to continue at byte {have}, the server sent something else")


@contextlib.contextmanager
def _open(url: str, headers: dict[str, str], deadline: float, part: Path | None = None) -> Iterator[HTTPResponse]:
    """The answer with its body unread; at the deadline its connection is cut, however it drips.

    Raises ReleaseError, or TransientError where another attempt may help."""
    check_address(url)
    asked = Request(url, headers={"Accept-Encoding": "identity", "User-Agent": "traincompute", **headers})
    sockets: list[socket.socket] = []
    guard = Timer(max(0.0, deadline - time.monotonic()), _cut, [sockets])
    guard.daemon = True
    guard.start()
    try:
        with _answer(asked, sockets, deadline, part) as answer:
            yield answer
    finally:
        guard.cancel()


def _cut(sockets: list[socket.socket]) -> None:
    """Ends a read that blocks: each drop of a header renews the time that a socket waits."""
    for open_socket in sockets:
        with contextlib.suppress(OSError):
            open_socket.shutdown(SHUT_RDWR)


def _answer(asked: Request, sockets: list[socket.socket], deadline: float, part: Path | None) -> HTTPResponse:
    url = asked.full_url
    try:
        answer: HTTPResponse = _opener(url, sockets).open(asked, timeout=TIMEOUT_S)
    except HTTPError as error:
        error.close()
        if error.code == 416 and part:
            restart(part)
            raise TransientError("the server cannot continue the file") from error
        raise _refusal(url, error) from error
    except URLError as error:
        _check_time(url, deadline)
        if isinstance(error.reason, ssl.SSLCertVerificationError):
            raise ReleaseError(f"{url}: certificate not trusted: {error.reason.verify_message}", NETWORK) from error
        raise TransientError(f"no answer: {error.reason}") from error
    except (OSError, HTTPException) as error:
        _check_time(url, deadline)
        raise TransientError(f"no answer: {str(error) or type(error).__name__}") from error
    return answer


def _refusal(url: str, error: HTTPError) -> Exception:
    """What a status other than 200 and 206 means: to try again, or to give up."""
    if error.code == 429 or error.code >= 500:
        wait = error.headers.get("Retry-After", "").strip()
        return TransientError(f"HTTP {error.code}", float(wait) if wait.isdigit() and len(wait) < 9 else 0.0)
    return ReleaseError(f"{url}: HTTP {error.code} {error.reason}; check the address", NETWORK)


def _opener(url: str, sockets: list[socket.socket]) -> OpenerDirector:
    """Opens https and http and nothing else, follows redirects by `check_address` alone; no proxy on loopback.

    Every connection's socket is added to `sockets`."""

    class Plain(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Secure(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class PlainHandler(request.HTTPHandler):
        def http_open(self, req: Request) -> HTTPResponse:
            return self.do_open(Plain, req)

    class SecureHandler(request.HTTPSHandler):
        def https_open(self, req: Request) -> HTTPResponse:
            return self.do_open(Secure, req)

    class Redirects(request.HTTPRedirectHandler):
        def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
            try:
                check_address(newurl, req.full_url)
            except ReleaseError:
                fp.close()
                raise
            return super().redirect_request(req, fp, code, msg, headers, newurl)

    proxies: dict[str, str] | None = {} if _is_loopback(urlsplit(url).hostname or "") else None
    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler(proxies),
        PlainHandler(),
        SecureHandler(),
        request.HTTPDefaultErrorHandler(),
        request.HTTPErrorProcessor(),
        Redirects(),
    ):
        opener.add_handler(handler)
    return opener


def _read(answer: HTTPResponse, url: str, most: int, deadline: float) -> bytes:
    """What has come of the body, nothing at its end; a slow drip is given up at the deadline."""
    _check_time(url, deadline)
    try:
        chunk = answer.read1(most) if most > 0 else b""
    except (OSError, HTTPException, ValueError) as error:  # ValueError: a chunk whose length is no number
        _check_time(url, deadline)
        raise TransientError(f"broke off: {str(error) or type(error).__name__}") from error
    if not chunk:
        _check_time(url, deadline)  # an end that we made ourselves must not pass for the end of the file
    return chunk


def _check_time(url: str, deadline: float) -> None:
    if time.monotonic() >= deadline:
        raise ReleaseError(f"{url}: comes too slowly; try again later, the part that came is kept", NETWORK)
