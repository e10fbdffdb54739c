"""One request over a network that cannot be trusted: https, or http on loopback, answered within a deadline.

No credentials are ever sent but those of a proxy, to the proxy.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import ipaddress
import os
import socket
import ssl
import string
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, InvalidURL
from pathlib import Path
from typing import NoReturn, cast
from urllib.parse import SplitResult, quote, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from traincompute.base.places import ReleaseError
from traincompute.network.parts import TransientError

NETWORK = 3  # exit code
LATER, CHECK = "try again later", "open the address in a browser and correct it"
CA_SETTINGS = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")  # as other clients read them, beside SSL_CERT_FILE


class FetchError(ReleaseError):
    """The file could not be had; str() is one line: address, reason, remedy."""

    def __init__(self, url: str, reason: str, remedy: str) -> None:
        self.url, self.reason, self.remedy = url, " ".join(reason.split()), remedy
        super().__init__(" ".join(f"{url}: {reason}; {remedy}".split()), NETWORK)


@dataclass(frozen=True)
class Limits:
    """Bounds of one transfer: times in seconds, sizes in bytes; `deadline` spans all attempts."""

    attempts: int = 4
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    deadline: float = 300.0
    max_bytes: int = 200_000_000
    max_redirects: int = 5
    backoff: float = 0.5
    max_retry_after: float = 60.0


@dataclass
class Answer:
    """The head of an answer, its body unread. `expired` is set once the deadline has cut the connection."""

    response: HTTPResponse
    sock: socket.socket
    expired: threading.Event = field(default_factory=threading.Event)

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def headers(self) -> Mapping[str, str]:
        """By name, in upper or lower case."""
        return cast("Mapping[str, str]", self.response.headers)

    def cut(self) -> None:
        """Ends a read that blocks: every drop of a slow drip renews the socket's own timeout."""
        self.expired.set()
        _hang_up(self.sock)

    def close(self) -> None:
        self.response.close()
        self.sock.close()  # which an answer with a length would leave open for the next request


@dataclass
class Job:
    """What stays the same over all attempts at one address.

    `etag` is that of a verified copy at hand, if any. `accept` looks at an answer before its body is read and refuses it
    by raising. `show` gets the number of bytes so far and the total, None where it is unknown. `date` is what the server
    last said which day it is, "" where it said nothing."""

    url: str
    limits: Limits
    etag: str = ""
    accept: Callable[[Answer], None] = lambda _: None
    show: Callable[[int, int | None], None] = lambda *_: None
    later: str = LATER
    ends: float = field(init=False)
    date: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.ends = time.monotonic() + self.limits.deadline

    def refuse(self, reason: str, remedy: str = CHECK) -> NoReturn:
        raise FetchError(self.url, reason, remedy)

    def late(self) -> NoReturn:
        self.refuse(f"comes too slowly: not done within the deadline of {self.limits.deadline:g} s", self.later)

    def left(self) -> float:
        seconds = self.ends - time.monotonic()
        return seconds if seconds > 0 else self.late()


def check_address(url: str, came_from: str = "", asked: str = "") -> None:
    """Raises FetchError for all but https and http on loopback, for credentials, and for a way in from outside.

    `came_from` is what led to `url`, if anything did; `asked` is the address to complain about, `url` itself if blank."""
    try:
        parts, origin = urlsplit(url), urlsplit(came_from)
        local, safe = is_loopback(parts), parts.scheme in ("https", "http") and parts.port != 0
    except ValueError as error:
        raise FetchError(asked or url, f"unreadable address {url!r}", CHECK) from error
    if not (safe and parts.hostname and "@" not in parts.netloc and (local or parts.scheme == "https")):
        leads = f", to which {came_from} leads" if came_from else ""
        remedy = "only https:// (and http:// on this machine) is fetched, without a user name"
        raise FetchError(asked or url, f"refused address {url!r}{leads}: it is not allowed", remedy)
    if local and came_from and not is_loopback(origin):
        raise FetchError(
            asked or url, f"refused address {url!r}: nothing from outside ({came_from}) may lead to this machine", CHECK
        )


def is_loopback(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def ask(job: Job, url: str, headers: Mapping[str, str]) -> Answer:
    """One request, redirects not followed. Raises FetchError, or TransientError where another attempt may help."""
    parts, future = urlsplit(url), Future[Answer]()
    try:
        connection = _connection(parts, job)
        threading.Thread(target=_settle, args=(future, connection, parts, headers, job), daemon=True).start()
        if wait([future], job.left()).not_done:  # names, handshakes and dripping headers heed no timeout of a socket
            _abandon(future, connection)
            job.late()
        return future.result()
    except ssl.SSLCertVerificationError as error:
        job.refuse(
            f"certificate not trusted: {error.verify_message or error}", "check the clock and the CA certificates"
        )
    except (InvalidURL, ValueError) as error:  # an address or a header that cannot be sent
        job.refuse(f"request impossible: {error}")
    except (OSError, HTTPException) as error:
        raise TransientError(f"no answer: {str(error) or type(error).__name__}") from error


def read(job: Job, answer: Answer, most: int) -> bytes:
    """What has arrived of the body, up to `most` bytes; nothing at its end. Raises TransientError where it breaks off."""
    job.left()
    try:
        # read1 returns what there is; read would wait for all of it, however slow the drip
        piece = answer.response.read1(most)
    except (OSError, HTTPException, ValueError) as error:
        if answer.expired.is_set():
            job.late()
        raise TransientError(f"broke off: {str(error) or type(error).__name__}") from error
    if answer.expired.is_set():  # an end that we caused ourselves must not pass for the end of the file
        job.late()
    return piece


def _settle(
    future: Future[Answer], connection: HTTPConnection, parts: SplitResult, headers: Mapping[str, str], job: Job
) -> None:
    """Connects, asks and waits for the head of the answer, which becomes the future's result."""
    try:
        connection.connect()
        sock: socket.socket = connection.sock
        sock.settimeout(min(job.limits.read_timeout, job.left()))
        path = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=string.punctuation)
        connection.request("GET", path, headers={**headers, "Connection": "close"})
        future.set_result(Answer(connection.getresponse(), sock))
    except BaseException as error:
        connection.close()
        future.set_exception(error)


def _abandon(future: Future[Answer], connection: HTTPConnection) -> None:
    """Lets go of a request that nobody waits for any more; an answer that still arrives is closed."""
    _hang_up(connection.sock)
    future.add_done_callback(lambda late: None if late.exception() else late.result().close())


def _hang_up(sock: socket.socket | None) -> None:
    if sock:
        with contextlib.suppress(OSError):  # closed already
            # not the SSLSocket's own, after which what is still buffered would be read undecrypted
            socket.socket.shutdown(sock, socket.SHUT_RDWR)


def _connection(parts: SplitResult, job: Job) -> HTTPConnection:
    """An unopened connection to the host, through the proxy of the environment if there is one."""
    host, timeout = parts.hostname or "", min(job.limits.connect_timeout, job.left())
    if parts.scheme == "http":  # loopback, which no proxy can reach
        return HTTPConnection(host, parts.port, timeout=timeout)
    proxy = _proxy(parts, job)
    if not proxy:
        return HTTPSConnection(host, parts.port, timeout=timeout, context=_trusted(job))
    through = HTTPSConnection(proxy.hostname or "", proxy.port or 80, timeout=timeout, context=_trusted(job))
    through.set_tunnel(host, parts.port, _proxy_credentials(proxy))
    return through


def _proxy(parts: SplitResult, job: Job) -> SplitResult | None:
    proxies = getproxies()
    address = proxies.get("https") or proxies.get("all")
    if not address or is_loopback(parts) or proxy_bypass(parts.hostname or ""):
        return None
    with contextlib.suppress(ValueError):
        proxy = urlsplit(address if "://" in address else f"http://{address}")
        if proxy.scheme in ("http", "https") and proxy.hostname and proxy.port != 0:
            return proxy
    raise FetchError(job.url, "unusable proxy in the environment", "set https_proxy to http://host:port")


def _proxy_credentials(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}".encode()
    return {"Proxy-Authorization": f"Basic {base64.b64encode(pair).decode()}"}


def _trusted(job: Job) -> ssl.SSLContext:
    bundle = next((os.environ[name] for name in CA_SETTINGS if os.environ.get(name)), "")
    try:
        return _context(bundle)
    except OSError as error:
        job.refuse(f"no CA certificates in {bundle!r}: {error}", f"correct {' or '.join(CA_SETTINGS)}")


@functools.cache  # reading the certificates takes tens of milliseconds
def _context(bundle: str) -> ssl.SSLContext:
    folder = bool(bundle) and Path(bundle).is_dir()
    context = ssl.create_default_context(cafile=None if folder else bundle or None, capath=bundle if folder else None)
    context.set_alpn_protocols(["http/1.1"])
    return context
