"""Open models on the Hugging Face Hub that the dataset lacks, the most downloaded first, each with the command that
adds it.

A candidate is a base model: its tags name no other base, its name does not say that it is another form of weights
trained elsewhere (quantised, converted, merged, tuned), its size is known, and `match` finds no model of that name. Of
several forms of one name (base, instruct, chat) the most downloaded stands for all."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

from requests.utils import parse_header_links

from pipeline.errors import DataError, SourceError
from pipeline.paths import Paths
from traincompute.web import fetch

ENDPOINT = "https://huggingface.co"
PAGE = 1000  # the largest page that the hub gives with `expand`
FIELDS = ("createdAt", "downloads", "tags", "safetensors")
SMALLEST = 1e8  # parameters
# what a repository is called that holds another form of weights, a part of them, or weights that were trained further
OTHER_FORM = re.compile(
    r"gguf|ggml|gptq|awq|exl[23]|mlx|bnb|onnx|openvino|imatrix|nf4|(?:nv|mx)?fp[48]|int[48]|[1-8](?:\.\d+)?[-_]?bits?\b|"
    r"w[48]a\d+|\bq[2-8]_|quant|diffusers|tensorrt|coreml|marlin|eagle3?|dflash|mtp\b|draft|speculat|reap|prune|-assistant$|"
    r"merge|abliterat|uncensored|heretic|lora|adapter|distill|fine-?tun|sft|dpo|grpo|step-?\d|checkpoint|test\d*$",
    re.IGNORECASE,
)
FORMS = re.compile(r"(?:-(?:instruct|chat|base|it|hf|preview|thinking|reasoning|bf16|fp16|pt))+$", re.IGNORECASE)
ACTIVE = re.compile(r"(?<=[-_\dbt])a(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)
Record = Mapping[str, Any]


class Candidate(NamedTuple):
    """A model that the dataset lacks: parameters as the hub counts them, downloads of the last month, and the command
    to start from, in which `…` is for a person to fill in."""

    hub_id: str
    created: str
    parameters: float
    downloads: int
    add_fact: str


def list_models(endpoint: str = ENDPOINT, limit: int = 10_000) -> Iterator[dict[str, Any]]:
    """The records of the hub's public API, the most downloaded first. Raises FetchError or SourceError if the hub gives
    none."""
    query = [("limit", str(PAGE)), ("sort", "downloads"), ("direction", "-1"), *(("expand[]", name) for name in FIELDS)]
    url = f"{endpoint}/api/models?{urlencode(query)}"
    while url and limit > 0:
        headers = fetch(url, body := io.BytesIO())
        try:
            records = json.loads(body.getvalue())
        except ValueError:
            records = None
        if not isinstance(records, list) or not all(map(_is_record, records)):
            raise SourceError(f"{url}: the answer is not a list of models; check whether the API has changed")
        yield from records[:limit]
        limit -= len(records)
        links = {link.get("rel"): link["url"] for link in parse_header_links(headers.get("Link", ""))}
        url = links.get("next", "")
        if url and urlsplit(url)[:2] != urlsplit(endpoint)[:2]:
            raise SourceError(f"{url}: the hub's next page is not on {endpoint}; do not follow it")


def read_listing(file: Path) -> list[dict[str, Any]]:
    """The records of a file with one JSON record per line. Raises DataError for a line that is none."""
    records = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not _is_record(record):
            remedy = "give one record of the hub's API per line"
            raise DataError.of(f"{file}:{number}", "is no JSON record with an id", remedy, value=line[:60])
        records.append(record)
    return records


def _is_record(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("id"), str)


def find_candidates(paths: Paths, records: Iterable[Record]) -> list[Candidate]:
    """The base models of known size among the records that the dataset lacks and that data/raw/curated/declined.csv
    (hub_id, since, reason) does not decline."""
    from traincompute.reader import match

    bases = [record for record in records if _size(record) >= SMALLEST and _is_base(record)]
    answers = match([record["id"] for record in bases])
    settled = {_plain(hub_id) for hub_id in answers.loc[answers["model_id"].notna(), "asked"]}
    if paths.declined.exists():
        with paths.declined.open(encoding="utf-8", newline="") as lines:
            settled |= {_plain(line["hub_id"]) for line in csv.DictReader(lines)}
    found: dict[str, Candidate] = {}
    for record in sorted(bases, key=lambda record: (-(record.get("downloads") or 0), record["id"])):
        if (plain := _plain(record["id"])) not in settled:
            found.setdefault(plain, _candidate(record))
    return list(found.values())


def _size(record: Record) -> float:
    return float((record.get("safetensors") or {}).get("total") or 0)


def _is_base(record: Record) -> bool:
    """Whether neither name nor tags say otherwise: gemma-4-31B-it, which names gemma-4-31B, is a form of it."""
    bases = [tag.rpartition(":")[2] for tag in record.get("tags") or () if tag.startswith("base_model:")]
    return not OTHER_FORM.search(record["id"]) and all(_plain(base) == _plain(record["id"]) for base in bases)


def _plain(hub_id: str) -> str:
    """A name without account, case, punctuation, and words such as -Instruct at its end."""
    return re.sub(r"[^a-z0-9]+", "", FORMS.sub("", hub_id.rpartition("/")[2]).lower())


def _candidate(record: Record) -> Candidate:
    hub_id, created, size = record["id"], str(record.get("createdAt") or "")[:10], _size(record)
    active = ACTIVE.search(hub_id)
    stated = {"publication_date": created, "huggingface_id": hub_id, "organization": "…", "domain": "…"}
    stated |= {"parameters_active": f"{active[1]}B"} if active else {}
    command = ["traincompute", "curate", "add-fact", hub_id.rpartition("/")[2], "parameters", f"{size:.0f}", "--new"]
    command += [word for field, value in stated.items() for word in ("--set", f"{field}={value}")]
    command += ["--reference", f"{ENDPOINT}/{hub_id}", "--locator", "model card", "--evidence", "…"]
    return Candidate(hub_id, created, size, int(record.get("downloads") or 0), shlex.join(command))
