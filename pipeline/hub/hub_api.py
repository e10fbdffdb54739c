"""Lists the models of a hub through its API, page by page, into a file with one JSON record per line.

The API is that of the Hugging Face Hub: GET /api/models with a cursor in the Link header. An interrupted listing
resumes where it stopped; the file appears once it is complete. The token in $HF_TOKEN is sent to the hub's host only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from requests.utils import parse_header_links

from pipeline.base.errors import Problem, SourceError
from traincompute.network.addresses import FetchError
from traincompute.network.connection import Job, Limits
from traincompute.network.transport import fetch_whole

ENDPOINT = "https://huggingface.co"
KEPT = ("id", "author", "createdAt", "downloads", "likes", "tags", "safetensors")
PAGE = 1000  # the largest page that the hub gives with `expand`
LIMITS = Limits(
    attempts=7, read_timeout=60, deadline=1200, backoff=1, max_retry_after=300
)  # a busy hub asks for minutes
AGAIN = "run the command again: it resumes here"


def list_models(
    target: Path, endpoint: str = ENDPOINT, limit: int | None = None, progress: Callable[[int], None] = lambda _: None
) -> int:
    """Writes the records to `target` and returns their number. Raises SourceError if the hub does not provide them;
    what has arrived so far stays in `target`.partial, from where the next call resumes."""
    part, state = target.with_name(target.name + ".partial"), target.with_name(target.name + ".next")
    url, count = _resume(part, state, endpoint)
    with part.open("ab") as out:
        while url and (limit is None or count < limit):
            page, following = _page(url)
            rows = page if limit is None else page[: limit - count]
            out.writelines(_line(row) for row in rows)
            out.flush()
            count, url = count + len(rows), _same_host(following, endpoint)
            _remember(state, {"endpoint": endpoint, "url": url, "count": count, "bytes": out.tell()})
            progress(count)
    part.replace(target)
    state.unlink()
    return count


def _resume(part: Path, state: Path, endpoint: str) -> tuple[str, int]:
    """The address to resume from and the number of records already there; a half-written page is cut off."""
    query = urlencode([("limit", PAGE), ("sort", "createdAt"), *(("expand[]", name) for name in KEPT[1:])])
    first = f"{endpoint}/api/models?{query}"
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        before = json.loads(state.read_text(encoding="utf-8"))
        if before["endpoint"] == endpoint and part.stat().st_size >= before["bytes"]:
            os.truncate(part, before["bytes"])
            return before["url"], before["count"]
    except (OSError, ValueError, KeyError):
        pass
    part.unlink(missing_ok=True)
    return first, 0


def _remember(state: Path, position: dict[str, Any]) -> None:
    fresh = state.with_name(state.name + ".new")
    fresh.write_text(json.dumps(position), encoding="utf-8")
    fresh.replace(state)


def _page(url: str) -> tuple[list[dict[str, Any]], str]:
    """The records of one page and the address of the next, empty at the end."""
    token = os.environ.get("HF_TOKEN")
    job = Job(url, LIMITS, headers={"Authorization": f"Bearer {token}"} if token else {})
    try:
        records = json.loads(fetch_whole(job))
    except FetchError as error:
        remedy = "set HF_TOKEN to a token with read access" if error.reason[:8] in ("HTTP 401", "HTTP 403") else AGAIN
        raise _failed(url, error.reason, remedy) from error
    except ValueError as error:
        raise _failed(url, "the answer is not JSON", "look at the address in a browser") from error
    if not isinstance(records, list) or not all(isinstance(r, dict) and isinstance(r.get("id"), str) for r in records):
        raise _failed(url, "the answer is not a list of models", "check whether the API has changed")
    links = parse_header_links(job.head.get("Link", ""))
    return records, next((link["url"] for link in links if link.get("rel") == "next"), "")


def _line(record: dict[str, Any]) -> bytes:
    """The fields to keep as one line; of safetensors, only the total."""
    kept = {name: record.get(name) for name in KEPT}
    kept["safetensors"] = {"total": (record.get("safetensors") or {}).get("total")}
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _same_host(url: str, endpoint: str) -> str:
    """The address, if it is on the hub itself: the token must not be sent anywhere else."""
    if url and urlsplit(url)[:2] != urlsplit(endpoint)[:2]:
        raise _failed(
            url, f"is not on {urlsplit(endpoint).netloc}", "a page of the hub points elsewhere; do not follow it"
        )
    return url


def _failed(url: str, reason: str, remedy: str) -> SourceError:
    return SourceError(str(Problem(url, "", "", "", reason, remedy)))
