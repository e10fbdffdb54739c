"""Lists the models of a hub through its API, page by page, into a file with one JSON record per line.

The API is that of the Hugging Face Hub: GET /api/models with a cursor in the Link header. An interrupted listing
resumes where it stopped; the file appears once it is complete. The token in $HF_TOKEN is sent to the hub's host only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from pipeline.base.errors import Problem, SourceError

ENDPOINT = "https://huggingface.co"
KEPT = ("id", "author", "createdAt", "downloads", "likes", "tags", "safetensors")
PAGE = 1000  # the largest page that the hub gives with `expand`
LONGEST_WAIT_S = 300
TIMEOUT_S = (10, 60)  # to connect, between two bytes
RETRIED = (429, 500, 502, 503, 504)


def list_models(
    target: Path, endpoint: str = ENDPOINT, limit: int | None = None, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Writes the records to `target` and returns their number. Raises SourceError if the hub does not provide them;
    what has arrived so far stays in `target`.partial, from where the next call resumes."""
    _check_endpoint(endpoint)
    part, state = target.with_name(target.name + ".partial"), target.with_name(target.name + ".next")
    url, count = _resume(part, state, endpoint)
    with _session(endpoint) as session, part.open("ab") as out:
        while url and (limit is None or count < limit):
            page, following = _page(session, url)
            rows = page if limit is None else page[: limit - count]
            out.writelines(_line(row) for row in rows)
            out.flush()
            count, url = count + len(rows), _same_host(following, endpoint)
            _remember(state, {"endpoint": endpoint, "url": url, "count": count, "bytes": out.tell()})
            progress(count)
    part.replace(target)
    state.unlink(missing_ok=True)
    return count


def _resume(part: Path, state: Path, endpoint: str) -> tuple[str, int]:
    """The address to resume from and the number of records already there; a half-written page is cut off."""
    query = urlencode([("limit", PAGE), ("sort", "createdAt"), *(("expand[]", name) for name in KEPT[1:])])
    first = f"{endpoint}/api/models?{query}"
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        known = json.loads(state.read_text(encoding="utf-8"))
        if known["endpoint"] == endpoint and part.stat().st_size >= known["bytes"]:
            os.truncate(part, known["bytes"])
            return known["url"], known["count"]
    except (OSError, ValueError, KeyError):
        pass
    part.unlink(missing_ok=True)
    return first, 0


def _remember(state: Path, known: dict[str, Any]) -> None:
    fresh = state.with_name(state.name + ".new")
    fresh.write_text(json.dumps(known), encoding="utf-8")
    fresh.replace(state)


def _session(endpoint: str) -> requests.Session:
    """A session that waits as long as the server asks, and repeats requests that a busy server refused."""
    retry = Retry(
        total=6,
        backoff_factor=1,
        backoff_max=LONGEST_WAIT_S,
        status_forcelist=RETRIED,
        allowed_methods=["GET"],
        respect_retry_after_header=True,
        redirect=0,
    )
    session = requests.Session()
    session.mount(endpoint, HTTPAdapter(max_retries=retry))
    session.trust_env = False  # no credentials from ~/.netrc
    if token := os.environ.get("HF_TOKEN"):
        session.headers["Authorization"] = f"Bearer {token}"
    return session


def _page(session: requests.Session, url: str) -> tuple[list[dict[str, Any]], str]:
    """The records of one page and the address of the next, empty at the end."""
    try:
        answer = session.get(url, timeout=TIMEOUT_S, allow_redirects=False)
    except requests.RequestException as error:
        raise _failed(
            url, f"does not answer: {type(error).__name__}", "run the command again: it resumes here"
        ) from error
    if answer.status_code in (401, 403):
        raise _failed(url, f"answers {answer.status_code}", "set HF_TOKEN to a token with read access")
    if answer.status_code != 200:
        raise _failed(url, f"answers {answer.status_code}", "run the command again: it resumes here")
    try:
        records = answer.json()
    except ValueError as error:
        raise _failed(url, "the answer is not JSON", "look at the address in a browser") from error
    if not isinstance(records, list) or not all(isinstance(r, dict) and isinstance(r.get("id"), str) for r in records):
        raise _failed(url, "the answer is not a list of models", "check whether the API has changed")
    return records, answer.links.get("next", {}).get("url", "")


def _line(record: dict[str, Any]) -> bytes:
    """The fields to keep as one line; of safetensors, only the total."""
    kept = {name: record.get(name) for name in KEPT}
    kept["safetensors"] = {"total": (record.get("safetensors") or {}).get("total")}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _same_host(url: str, endpoint: str) -> str:
    """The address, if it is on the hub itself: the token must not be sent anywhere else."""
    if url and (urlsplit(url).scheme, urlsplit(url).netloc) != (urlsplit(endpoint).scheme, urlsplit(endpoint).netloc):
        raise _failed(
            url, f"is not on {urlsplit(endpoint).netloc}", "a page of the hub points elsewhere; do not follow it"
        )
    return url


def _check_endpoint(endpoint: str) -> None:
    parts = urlsplit(endpoint)
    local = parts.hostname in ("localhost", "127.0.0.1", "::1")
    if not (parts.scheme == "https" or (parts.scheme == "http" and local)) or parts.username:
        raise _failed(endpoint, "refused", "use https://, without a user name")


def _failed(url: str, reason: str, remedy: str) -> SourceError:
    return SourceError(str(Problem(url, "", "", "", reason, remedy)))


def records(path: Path) -> Iterator[dict[str, Any]]:
    """The records of a listing."""
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
