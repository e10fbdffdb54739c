"""Download one file over a network that cannot be trusted; nothing else here opens a connection.

A call returns a complete file named by its sha256, or raises FetchError: what the cache held
before stays byte for byte, and no temporary file is left.
"""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import itertools
import os
import random
import re
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import requests
from urllib3.util import parse_url

from pipeline.pull.transfer import (
    CHECK,
    DEFAULT_LIMITS,
    LATER,
    PAGES,
    FetchError,
    Job,
    Limits,
    Part,
    TransientError,
    take,
)

__all__ = ["DEFAULT_LIMITS", "FetchError", "Fetched", "Limits", "cached", "fetch"]

_STALE_S = 86_400.0  # a temporary file older than this was left by a process that was killed
_REDIRECTS = {301, 302, 303, 307, 308}
_JITTER = random.Random()
_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)[\s>]", re.I | re.S
)


@dataclass(frozen=True)
class Fetched:
    """A file in the cache, named by its sha256; `url` is the address asked for, before redirects."""

    path: Path
    sha256: str
    size: int
    etag: str
    url: str
    not_modified: bool


def fetch(
    url: str,
    cache: Path,
    *,
    etag: str = "",
    known_sha256: str = "",
    content_types: tuple[str, ...] = (),
    limits: Limits = DEFAULT_LIMITS,
    session: requests.Session | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Fetched:
    """Return the file at `url`, complete and in `cache`; raises FetchError if that cannot be had.

    https, or http on loopback. `etag` counts only while the cached file `known_sha256` is intact.
    `content_types` lists the types accepted (any but HTML when empty; "" accepts a missing header).
    `progress` gets the bytes so far and the total, None if unknown. Credentials are never sent.
    """
    _check_address(url, url, url)
    own = session or requests.Session()
    try:
        kept = cached(cache, known_sha256) if etag else None
        types = frozenset(kind.lower() for kind in content_types)
        job = Job(url, etag if kept else "", types, limits, own, progress, clock, clock() + limits.deadline)
        with _temporary(cache) as part:
            if _persist(job, part, sleep):
                return _keep(job, part, cache)
        assert kept  # only an answer to If-None-Match ends without a file
        return Fetched(kept, known_sha256, kept.stat().st_size, etag, url, True)
    except OSError as error:  # network errors are dealt with where they happen: this is the disk
        raise FetchError(url, f"cannot use the cache: {error}", "check space and permissions") from error
    finally:
        if session is None:
            own.close()


def cached(cache: Path, sha256: str) -> Path | None:
    """Return the cached file of that hash, None if there is none; a file that was altered is deleted."""
    path = cache / sha256
    if not re.fullmatch(r"[0-9a-f]{64}", sha256) or not path.is_file():
        return None
    with path.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() == sha256:
            return path
        # Another process may have put a good copy in its place while this one was hashed.
        if os.path.samestat(os.fstat(file.fileno()), path.stat()):
            path.unlink(missing_ok=True)
    return None


def _check_address(url: str, came_from: str, asked: str) -> None:
    """Refuse all but https and http on loopback; read with the parser that the connection uses."""
    try:
        parts, local_before = parse_url(url), _is_loopback(parse_url(came_from).host or "")
    except ValueError as error:
        raise FetchError(asked, f"unreadable address {url!r}", CHECK) from error
    local = _is_loopback(parts.host or "")
    if not parts.host or parts.auth or not (parts.scheme == "https" or (parts.scheme == "http" and local)):
        raise FetchError(asked, f"refused address {url!r}", "use https://, without a user name")
    if local and not local_before:
        raise FetchError(asked, f"refused redirect from outside to {url!r}", CHECK)


def _is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@contextlib.contextmanager
def _temporary(cache: Path) -> Iterator[Part]:
    cache.mkdir(parents=True, exist_ok=True)
    for old in cache.glob(".*.part"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - old.stat().st_mtime > _STALE_S:
                old.unlink()
    part = Part(cache / f".{uuid.uuid4().hex}.part")
    try:
        yield part
    finally:
        part.path.unlink(missing_ok=True)


def _persist(job: Job, part: Part, sleep: Callable[[float], None]) -> bool:
    """True once the part is complete, False on 304; bounded attempts with full jitter between them."""
    for attempt in itertools.count(1):
        try:
            with _open(job, part) as response:
                return take(job, part, response)
        except TransientError as failure:
            if attempt >= job.limits.attempts:
                raise FetchError(job.url, f"{failure} (attempt {attempt}, the last)", LATER) from failure
            wait = max(_JITTER.uniform(0, job.limits.backoff * 2 ** (attempt - 1)), failure.wait)
            if wait >= job.left():
                raise FetchError(job.url, f"{failure}; no time left to try again", LATER) from failure
            sleep(wait)
    raise AssertionError("unreachable")


def _open(job: Job, part: Part) -> requests.Response:
    """Return the first answer that is no redirect, its body unread."""
    headers: dict[str, str | bytes | None] = {"Accept-Encoding": "identity", "User-Agent": "traincompute"}
    headers["Authorization"] = None  # drops what a session may carry: nothing secret follows a redirect
    if validator := part.validator():
        headers |= {"Range": f"bytes={part.size}-", "If-Range": validator}
    elif job.etag:
        headers["If-None-Match"] = job.etag
    url, seen = job.url, {urldefrag(job.url).url}
    while (response := _send(job, url, headers)).status_code in _REDIRECTS:
        response.close()
        url = _next_address(job, url, response.headers.get("Location", ""))
        if url in seen or len(seen) > job.limits.max_redirects:
            job.refuse(f"redirects in a loop or too often, at {url!r}", CHECK)
        seen.add(url)
    return response


def _next_address(job: Job, url: str, location: str) -> str:
    text = location.encode("latin-1", "replace").decode("utf-8", "replace")  # http.client reads Latin-1
    try:
        target = urldefrag(urljoin(url, text)).url
    except ValueError as error:
        raise FetchError(job.url, f"unreadable redirect to {text!r}", CHECK) from error
    _check_address(target, url, job.url)
    return target


def _send(job: Job, url: str, headers: dict[str, str | bytes | None]) -> requests.Response:
    """One request through the session's adapter: Session.send reads the whole body of a redirect."""
    left, session = job.left(), job.session
    host = (parse_url(url).host or "").strip("[]")
    proxies = {"no_proxy": host} if _is_loopback(host) else {}
    timeout = (min(job.limits.connect_timeout, left), min(job.limits.read_timeout, left))
    try:
        request = session.prepare_request(requests.Request("GET", url, headers, auth=lambda bare: bare))
        settings = session.merge_environment_settings(request.url, proxies, True, None, None)
        send: Callable[..., requests.Response] = session.get_adapter(url).send
        return _within(left, lambda: send(request, timeout=timeout, **settings))
    except TimeoutError:
        job.late()
    except (requests.ConnectionError, requests.Timeout) as error:
        if "CERTIFICATE_VERIFY_FAILED" in str(error):
            job.refuse(f"certificate not trusted: {error}", "check the clock and the CA certificates")
        cause = getattr(error.args[0] if error.args else None, "reason", error)  # of urllib3: far shorter
        raise TransientError(f"no answer: {cause}") from error
    except (OSError, ValueError) as error:  # RequestException is an OSError, and so is a lost CA file
        raise FetchError(job.url, f"request impossible: {error}", CHECK) from error


def _within(seconds: float, call: Callable[[], requests.Response]) -> requests.Response:
    """call(), or TimeoutError: headers that come drop by drop renew the socket's own timeout for ever."""
    future: Future[requests.Response] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError:
        future.add_done_callback(_hang_up)
        raise


def _hang_up(late: Future[requests.Response]) -> None:
    if not late.exception():
        late.result().close()


def _keep(job: Job, part: Part, cache: Path) -> Fetched:
    with part.path.open("rb") as file:
        if _HTML.match(file.read(4096)) and not job.types & PAGES:
            job.refuse("the file is an HTML page", CHECK)
        file.seek(0)
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    part.path.replace(cache / sha256)
    with contextlib.suppress(PermissionError):  # where folders cannot be opened, as on Windows
        folder = os.open(cache, os.O_RDONLY)
        os.fsync(folder)  # lets the rename last through a power cut
        os.close(folder)
    return Fetched(cache / sha256, sha256, part.size, part.etag, job.url, False)
