"""Downloads over https, or http on this machine: bounded in size and in time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from threading import Thread
from typing import Any, BinaryIO, NamedTuple
from urllib.parse import urljoin

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from traincompute.base.errors import ReleaseError

CHECK, LATER = "open the address in a browser and correct it", "try again later"
TRUST = "check the clock; for a certificate of your organisation set REQUESTS_CA_BUNDLE"
BUSY = (429, 500, 502, 503, 504)
SILENCE_S = 30  # without a byte
ADDRESS = re.compile(r"(https://[^/?#@\\]+|http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?)([/?#]|$)", re.IGNORECASE)


class Limits(NamedTuple):
    """Bounds of one download: seconds in all, whatever the server does, and bytes."""

    deadline: float = 300.0
    max_bytes: int = 200_000_000


class FetchError(ReleaseError):
    """The file could not be had; str() is one line: address, reason, remedy."""

    def __init__(self, url: str, reason: str, remedy: str = CHECK) -> None:
        self.reason = " ".join(reason.split())
        super().__init__(f"{url}: {self.reason}; {remedy}", exit_code=3)


def fetch(url: str, out: BinaryIO, limits: Limits | None = None) -> Mapping[str, str]:
    """Writes the whole body at `url` to `out`, and returns the headers. Raises FetchError, and OSError where `out`
    cannot be written."""
    deadline, most = limits or Limits()
    outcome = list[Mapping[str, str] | BaseException]()

    def work() -> None:
        try:
            outcome.append(_receive(url, out, most))
        except requests.RequestException as error:
            remedy = TRUST if isinstance(error, requests.exceptions.SSLError) else LATER
            outcome.append(FetchError(url, f"no whole answer: {error}", remedy))
        except BaseException as error:
            outcome.append(error)

    # No timeout of a socket ends a drip of bytes: the work goes on in a thread that nobody waits for.
    thread = Thread(target=work, daemon=True)
    thread.start()
    thread.join(max(deadline, 0))
    if not outcome:
        raise FetchError(url, f"not done within the deadline of {deadline:g} s", LATER)
    if isinstance(found := outcome[0], BaseException):
        raise found
    return found


def _receive(url: str, out: BinaryIO, most: int) -> Mapping[str, str]:
    _check_address(url, url)
    with _session().get(url, stream=True, timeout=SILENCE_S) as answer:
        if (code := answer.status_code) != 200:
            raise FetchError(url, f"HTTP {code} {answer.reason}".rstrip(), LATER if code in BUSY else CHECK)
        length, done = answer.headers.get("Content-Length", ""), 0
        total = int(length) if length.isascii() and length.isdigit() and len(length) < 19 else 0
        chunks = answer.iter_content(1 << 16)
        while max(done, total) <= most and (chunk := next(chunks, b"")):
            done += out.write(chunk)
    if max(done, total) > most:
        size = f"has {total} bytes, over" if total else "goes on after"
        raise FetchError(url, f"{size} the limit of {most} bytes")
    if not done or done != (total or done):
        raise FetchError(url, f"broke off after {done} of {total or '?'} bytes", LATER)
    return answer.headers


@cache
def _session() -> requests.Session:
    """Asks again where a server is busy, and sends no credentials of ~/.netrc."""
    session = requests.Session()
    session.max_redirects, session.auth = 5, lambda request: request
    session.headers.update({"Accept-Encoding": "identity", "User-Agent": "traincompute"})
    session.hooks["response"].append(_check_redirect)
    for scheme in ("https://", "http://"):
        again = Retry(2, backoff_factor=0.5, status_forcelist=BUSY, raise_on_status=False)
        session.mount(scheme, HTTPAdapter(max_retries=again))
    return session


def _check_redirect(answer: requests.Response, **_: Any) -> None:
    if answer.is_redirect:
        answer.close()  # a body that nobody reads may be endless
        _check_address(urljoin(answer.url, answer.headers["Location"]), answer.url)


def _check_address(url: str, came_from: str) -> None:
    """Raises FetchError for an address that is neither https nor on this machine, or that has a user name."""
    if not ADDRESS.match(url):
        reason = f"refused address {url!r}: only https, without a user name (and http on this machine)"
        raise FetchError(came_from, reason)
