"""Bytes from an address: https, or http on this machine; bounded in size and time, and tried again where that may
help."""

from __future__ import annotations

import contextlib
import ipaddress
import random
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy
from itertools import count
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urljoin, urlsplit

import requests

from traincompute.base.errors import ReleaseError

NETWORK = 3  # exit code
CHECK, LATER = "open the address in a browser and correct it", "try again later"
CHUNK, MOST_REDIRECTS = 1 << 16, 5
LOCAL = {"http": "", "https": ""}  # this machine is reached without a proxy
Answer = requests.Response


class FetchError(ReleaseError):
    """The file could not be had; str() is one line: address, reason, remedy."""

    def __init__(self, url: str, reason: str, remedy: str = CHECK) -> None:
        self.url, self.reason, self.remedy = url, " ".join(reason.split()), remedy
        super().__init__(" ".join(f"{url}: {reason}; {remedy}".split()), NETWORK)


class TransientError(Exception):
    """A failure that may pass; `wait` is the number of seconds that the server asked for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


class Limits(NamedTuple):
    """Bounds of one transfer: seconds and bytes. `deadline` spans all attempts, `timeout` each wait for the server."""

    attempts: int = 4
    timeout: float = 30.0
    deadline: float = 300.0
    max_bytes: int = 200_000_000
    backoff: float = 0.5
    max_retry_after: float = 60.0


DEFAULT = Limits()


def fetch(
    url: str,
    out: BinaryIO,
    limits: Limits = DEFAULT,
    headers: Mapping[str, str] | None = None,
    accept: Callable[[Answer], None] = lambda _: None,
    show: Callable[[int, int | None], None] = lambda *_: None,
    session: Session | None = None,
) -> Answer:
    """Writes the body at `url` to `out`, whole; returns the answer, whose status is 200, or 304 if `headers` ask for
    it.

    `headers` go to the host of `url` alone. `accept` refuses an answer by raising, `show` gets the bytes so far and the
    total. Raises FetchError, and OSError where `out` cannot be written."""
    check_address(url)
    ends, asked = time.monotonic() + limits.deadline, session or Session()

    def attempt() -> Answer:
        out.seek(0)
        out.truncate()
        proxies, times = LOCAL if is_loopback(url) else None, (min(10.0, limits.timeout), limits.timeout)
        with _plain_errors(url):
            answer = asked.get(url, headers=dict(headers or {}), proxies=proxies, stream=True, timeout=times)
        with answer:
            if answer.status_code != 304 or "If-None-Match" not in (headers or {}):
                _check_status(url, answer, limits)
                accept(answer)
                _receive(url, answer, out, limits.max_bytes, show)
        return answer

    for number in count(1):
        try:
            return _in_time(attempt, ends - time.monotonic())
        except TimeoutError as error:
            raise FetchError(url, f"not done within the deadline of {limits.deadline:g} s", LATER) from error
        except TransientError as failure:
            pause = max(failure.wait, limits.backoff * 2 ** (number - 1) * random.uniform(0.5, 1))
            if number == limits.attempts:
                raise FetchError(url, f"{failure} (attempt {number}, the last)", LATER) from failure
            if pause >= ends - time.monotonic():
                raise FetchError(url, f"{failure}; no time left to try again", LATER) from failure
            time.sleep(pause)
    raise AssertionError


class Session(requests.Session):
    """Sends no cookies and no credentials of ~/.netrc, and follows a few redirects to addresses that are allowed."""

    def __init__(self) -> None:
        super().__init__()
        self.max_redirects = MOST_REDIRECTS
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.headers.update({"Accept-Encoding": "identity", "User-Agent": "traincompute"})
        self.auth = lambda request: request

    def get_redirect_target(self, resp: Answer) -> str | None:
        target = super().get_redirect_target(resp)
        if target is not None:
            resp.close()  # a body that nobody reads may be endless
            check_address(target, resp.url)
        return target

    def rebuild_auth(self, prepared_request: requests.PreparedRequest, response: Answer) -> None:
        for name in ("Authorization", "Cookie"):
            prepared_request.headers.pop(name, None)


def check_address(url: str, came_from: str = "") -> None:
    """Raises FetchError unless the address is https, or http on this machine, to which nothing from outside may
    lead."""
    try:
        full = urljoin(came_from, url)
        parts = urlsplit(full)
        readable = parts.port != 0 and bool(parts.hostname)
        local = is_loopback(full)
    except ValueError as error:
        raise FetchError(came_from or url, f"unreadable address {url!r}") from error
    if not readable or "@" in parts.netloc or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
        reason = "only https:// (and http:// on this machine) is fetched, without a user name"
        raise FetchError(came_from or url, f"refused address {full!r}: {reason}")
    if local and came_from and not is_loopback(came_from):
        raise FetchError(came_from, f"refused address {full!r}: nothing from outside may lead to this machine")


def is_loopback(url: str) -> bool:
    """Whether the host of a readable address is this machine."""
    host = urlsplit(url).hostname or ""
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _in_time(work: Callable[[], Answer], seconds: float) -> Answer:
    """What the work returns. Raises TimeoutError when the time is up; a drip can make a read last for ever, so the work
    goes on in a thread that nobody waits for."""
    ended, outcome = threading.Event(), list[Any]()

    def run() -> None:
        try:
            outcome.append(work())
        except BaseException as error:
            outcome.append(error)
        ended.set()

    threading.Thread(target=run, daemon=True).start()
    if not ended.wait(max(seconds, 0)):
        raise TimeoutError
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    answer: Answer = outcome[0]
    return answer


def _check_status(url: str, answer: Answer, limits: Limits) -> None:
    code = answer.status_code
    if code == 429 or code >= 500:
        raise TransientError(f"HTTP {code}", min(_retry_after(answer), limits.max_retry_after))
    if code != 200:
        raise FetchError(url, f"HTTP {code} {answer.reason}".rstrip())
    coding = answer.headers.get("Content-Encoding", "identity").lower()
    framing = answer.headers.get("Transfer-Encoding", "chunked").lower()
    if (coding, framing) != ("identity", "chunked"):
        raise FetchError(url, f"encoded body ({coding}, {framing}) though none was asked for")


def _retry_after(answer: Answer) -> float:
    """Seconds in Retry-After; 0 where there is none, or none that can be read."""
    text = answer.headers.get("Retry-After", "")
    if text.isascii() and text.isdigit() and len(text) < 10:
        return float(text)
    with contextlib.suppress(ValueError, OverflowError, TypeError):
        return max(0.0, (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds())
    return 0.0


def _receive(url: str, answer: Answer, out: BinaryIO, most: int, show: Callable[[int, int | None], None]) -> None:
    """Writes the body as it arrives. Raises TransientError where it is cut."""
    length, pieces, done = answer.headers.get("Content-Length", ""), answer.iter_content(CHUNK), 0
    known = length.isascii() and length.isdigit() and len(length) < 19 and "Transfer-Encoding" not in answer.headers
    total = int(length) if known else None
    if total is not None and total > most:
        raise FetchError(url, f"has {total} bytes, over the limit of {most} bytes")
    while True:
        with _plain_errors(url):
            piece = next(pieces, b"")
        if not piece:
            break
        done += len(piece)
        if done > most:
            raise FetchError(url, f"goes on after the limit of {most} bytes")
        out.write(piece)
        show(done, total)
    if total not in (None, done) or not done:
        raise TransientError(f"broke off after {done} of {total or '?'} bytes")


@contextlib.contextmanager
def _plain_errors(url: str) -> Iterator[None]:
    """Turns what requests raises into FetchError, or TransientError where another attempt may help."""
    try:
        yield
    except FetchError as error:
        raise FetchError(url, error.reason, error.remedy) from error
    except requests.TooManyRedirects as error:
        raise FetchError(url, "redirects in a circle or too often") from error
    except ValueError as error:  # an address, proxy or header that cannot be used
        remedy = "correct the address, or https_proxy where a proxy is used"
        raise FetchError(url, f"request impossible: {error}", remedy) from error
    except requests.RequestException as error:
        cause: BaseException = error
        while inner := next(
            (x for x in (getattr(cause, "reason", None), *cause.args) if isinstance(x, Exception)), None
        ):
            cause = inner  # those around it repeat the address
        if isinstance(cause, ssl.SSLCertVerificationError):
            remedy = "check the clock; for a certificate of your organisation set REQUESTS_CA_BUNDLE"
            raise FetchError(url, f"certificate not trusted: {cause.verify_message}", remedy) from error
        raise TransientError(f"no whole answer: {str(cause) or type(cause).__name__}") from error
    except OSError as error:  # what the network does comes as one of the above
        raise FetchError(url, str(error), "correct REQUESTS_CA_BUNDLE or CURL_CA_BUNDLE") from error
