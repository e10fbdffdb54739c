"""Connections by requests: certificates, proxies and redirects are its business. Ours are the deadline, the addresses
that are allowed, and that no credentials are sent but those that a job brings.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import requests
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

from traincompute.network.addresses import CHECK, FetchError, address_fault, is_loopback
from traincompute.network.parts import TransientError

LATER = "try again later"
Answer = requests.Response


@dataclass(frozen=True)
class Limits:
    """Bounds of one transfer: times in seconds, sizes in bytes; `deadline` spans all attempts. A body brings at least
    `least_rate` bytes per second in every `window`."""

    attempts: int = 4
    connect_timeout: float = 10.0
    read_timeout: float = 30.0
    deadline: float = 300.0
    max_bytes: int = 200_000_000
    max_redirects: int = 5
    backoff: float = 0.5
    max_retry_after: float = 60.0
    window: float = 60.0
    least_rate: float = 1000.0


@dataclass
class Job:
    """What stays the same over all attempts at one address.

    `headers` are sent to its host alone. `etag` is that of a verified copy at hand, if any. `accept` looks at an answer
    before its body is read and refuses it by raising. `show` gets the number of bytes so far and the total, None where it
    is unknown. `head` holds the headers of the last answer, by name in upper or lower case."""

    url: str
    limits: Limits
    etag: str = ""
    accept: Callable[[Answer], None] = lambda _: None
    show: Callable[[int, int | None], None] = lambda *_: None
    later: str = LATER
    headers: Mapping[str, str] = field(default_factory=dict)
    head: Mapping[str, str] = field(default_factory=dict, init=False)
    ends: float = field(init=False)
    answer: Answer | None = field(default=None, init=False)
    expired: threading.Event = field(default_factory=threading.Event, init=False)

    def __post_init__(self) -> None:
        self.ends = time.monotonic() + self.limits.deadline

    def refuse(self, reason: str, remedy: str = CHECK) -> NoReturn:
        raise FetchError(self.url, reason, remedy)

    def late(self) -> NoReturn:
        self.refuse(f"comes too slowly: not done within the deadline of {self.limits.deadline:g} s", self.later)

    def trickle(self, count: int) -> NoReturn:
        self.refuse(f"comes too slowly: {count} bytes in {self.limits.window:g} s", self.later)

    def left(self) -> float:
        seconds = self.ends - time.monotonic()
        return seconds if seconds > 0 and not self.expired.is_set() else self.late()


@contextlib.contextmanager
def answered(job: Job, headers: Mapping[str, str]) -> Iterator[Answer]:
    """The answer to one request with these headers and the job's, its body unread; at the deadline its connection is cut."""
    session = _session()
    session.max_redirects = job.limits.max_redirects
    done = threading.Event()
    threading.Thread(target=_watch, args=(job, session, done, job.left()), daemon=True).start()
    times = min(job.limits.connect_timeout, job.left()), min(job.limits.read_timeout, job.left())
    try:
        with network(job, "no answer"):
            job.answer = session.get(job.url, headers={**job.headers, **headers}, stream=True, timeout=times)
        with job.answer as answer:
            job.head = answer.headers
            yield answer
    finally:
        done.set()


@contextlib.contextmanager
def network(job: Job, failed: str) -> Iterator[None]:
    """Turns what requests and urllib3 raise into FetchError, or TransientError where another attempt may help."""
    try:
        yield
    except requests.TooManyRedirects:
        job.refuse("redirects in a circle or too often")
    except ValueError as error:  # an address, proxy or header that cannot be used
        job.refuse(f"request impossible: {error}", "correct the address, or https_proxy where a proxy is used")
    except (requests.RequestException, HTTPError) as error:
        cause = _innermost(error)
        if job.expired.is_set():
            job.late()
        if isinstance(cause, ssl.SSLCertVerificationError):
            proxy = "if a proxy signs the connection, give its certificate with REQUESTS_CA_BUNDLE=FILE"
            job.refuse(f"certificate not trusted: {cause.verify_message}", f"check the clock; {proxy}")
        raise TransientError(f"{failed}: {str(cause) or type(cause).__name__}") from error
    except OSError as error:  # whatever the network does comes as one of the above
        job.refuse(str(error), "correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE")


def _innermost(error: Exception) -> Exception:
    """The first of nested errors: those around it repeat the address."""
    inner = getattr(error, "reason", None) or next(iter(error.args), None)
    return _innermost(inner) if isinstance(inner, Exception) else error


def _watch(job: Job, session: _Session, done: threading.Event, left: float) -> None:
    """Cuts the connections once the deadline has passed, and those that are opened thereafter."""
    while not done.wait(left):
        job.expired.set()
        _cut(job, session)
        left = 0.1


def _cut(job: Job, session: _Session) -> None:
    """Ends a read that blocks: every drop of a slow drip renews the socket's own timeout."""
    for connection in session.adapter.connections:
        if sock := connection.sock:
            with contextlib.suppress(OSError):  # closed already
                socket.socket.shutdown(sock, socket.SHUT_RDWR)
    with contextlib.suppress(OSError, ValueError, RuntimeError, AttributeError):  # no body is being read
        job.answer.raw.shutdown()  # type: ignore[union-attr]


class _Adapter(HTTPAdapter):
    """Notes its connections, so that the deadline can cut them even before there is an answer; sends no cookies, and reaches
    this machine without a proxy."""

    connections: tuple[Any, ...] = ()

    def get_connection_with_tls_context(self, *args: Any, **settings: Any) -> Any:
        pool: Any = super().get_connection_with_tls_context(*args, **settings)
        create = type(pool).ConnectionCls

        def note(**options: Any) -> Any:
            connection = create(**options)
            self.connections = (*(other for other in self.connections if other.sock), connection)
            return connection

        pool.ConnectionCls = note
        return pool

    def send(self, request: requests.PreparedRequest, *args: Any, **settings: Any) -> Answer:
        request.headers.pop("Cookie", None)
        if is_loopback(request.url or ""):
            settings["proxies"] = None
            request.headers.pop("Proxy-Authorization", None)
        return super().send(request, *args, **settings)


class _Session(requests.Session):
    """Sends no credentials of ~/.netrc, and follows redirects to addresses that are allowed."""

    def __init__(self) -> None:
        super().__init__()
        self.adapter = _Adapter()
        self.mount("https://", self.adapter)
        self.mount("http://", self.adapter)
        self.headers.update({"Accept-Encoding": "identity", "User-Agent": "traincompute"})
        self.auth = lambda request: request  # without it, requests would look into ~/.netrc

    def get_redirect_target(self, resp: Answer) -> str | None:
        """The address that an answer redirects to, None where it does not. Raises ValueError where it is not allowed."""
        target = super().get_redirect_target(resp)
        if target is None:
            return None
        resp.close()  # a body that nobody reads may be endless
        if fault := address_fault(target, resp.url):
            raise ValueError(fault)
        return target

    def rebuild_auth(self, prepared_request: requests.PreparedRequest, response: Answer) -> None:
        """Sends what was for one host to no other, and nothing of ~/.netrc."""
        prepared_request.headers.pop("Authorization", None)


_LOCAL = threading.local()


def _session() -> _Session:
    """The session of this thread: its connections are used again, and cut by nobody else."""
    if not hasattr(_LOCAL, "session"):
        _LOCAL.session = _Session()
    session: _Session = _LOCAL.session
    return session
