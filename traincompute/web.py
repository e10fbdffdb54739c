"""Downloads over https, or http on this machine: bounded in size and in time."""

from __future__ import annotations

import re
from collections.abc import Mapping
from concurrent.futures import Future
from functools import cache
from threading import Thread
from typing import BinaryIO

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from traincompute.base.errors import ReleaseError

CHECK, LATER = "open the address in a browser and correct it", "try again later"
TRUST = "check the clock; for a certificate of your organisation set REQUESTS_CA_BUNDLE"
BUSY = (429, 500, 502, 503, 504)
SILENCE_S = 30  # without a byte
HERE = ("http://localhost", "http://127.0.0.1", "http://[::1]")
ADDRESSES = ["https://", *(f"{host}{end}" for host in HERE for end in ":/")]  # how those begin that may be asked


class FetchError(ReleaseError):
    """The file could not be had; str() is one line: address, reason, remedy."""

    def __init__(self, url: str, reason: str, remedy: str = CHECK) -> None:
        self.reason = " ".join(reason.split())
        super().__init__(f"{url}: {self.reason}; {remedy}", exit_code=3)


def fetch(url: str, out: BinaryIO, deadline: float = 300, max_bytes: int = 200_000_000) -> Mapping[str, str]:
    """Writes the whole body at `url` to `out`, and returns the headers. `deadline` is in seconds for all of it,
    whatever the server does. Raises FetchError, and OSError where `out` cannot be written."""
    answer: Future[Mapping[str, str]] = Future()

    def work() -> None:
        try:
            answer.set_result(_receive(url, out, max_bytes))
        except BaseException as error:
            answer.set_exception(error)

    # No timeout of a socket ends a drip of bytes: the work goes on in a thread that nobody waits for.
    Thread(target=work, daemon=True).start()
    try:
        return answer.result(max(deadline, 0))
    except TimeoutError as error:
        raise FetchError(url, f"not done within the deadline of {deadline:g} s", LATER) from error
    except requests.RequestException as error:
        remedy = TRUST if isinstance(error, requests.exceptions.SSLError) else LATER
        said = re.search(r"\[Errno .*?\] [\w ]+", str(error))  # the system's message inside urllib3's
        raise FetchError(url, f"no whole answer: {said[0] if said else error}", remedy) from error


def _receive(url: str, out: BinaryIO, most: int) -> Mapping[str, str]:
    with _session().get(url, stream=True, timeout=SILENCE_S) as answer:
        if (code := answer.status_code) != 200:
            raise FetchError(url, f"HTTP {code} {answer.reason}".rstrip(), LATER if code in BUSY else CHECK)
        done = 0
        for chunk in answer.iter_content(1 << 16):
            done += len(chunk)
            if done > most:
                raise FetchError(url, f"is larger than the limit of {most} bytes")
            out.write(chunk)
    length = answer.headers.get("Content-Length", str(done))  # which older versions of urllib3 do not compare
    if not done or length != str(done):
        raise FetchError(url, f"broke off after {done} of {length} bytes", LATER)
    return answer.headers


@cache
def _session() -> requests.Session:
    """Asks again where a server is busy, sends no credentials of ~/.netrc, and follows no address, given or redirected
    to, but https and this machine."""
    session = requests.Session()
    session.max_redirects, session.auth = 5, lambda request: request
    session.headers.update({"Accept-Encoding": "identity", "User-Agent": "traincompute"})
    # a body of a redirect, which nobody needs, may be endless
    session.hooks["response"].append(lambda answer, **_: answer.close() if answer.is_redirect else None)
    session.adapters.clear()
    again = Retry(2, backoff_factor=0.5, status_forcelist=BUSY, raise_on_status=False)
    for start in ADDRESSES:
        session.mount(start, HTTPAdapter(max_retries=again))
    return session
