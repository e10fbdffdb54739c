"""Models that the dataset lacks: open ones on the Hugging Face Hub, the most downloaded first, each with the command
that adds it; and the names in sources that make no models of their own, such as models.dev.

A candidate is a base model: its tags name no other base, its name does not say that it is another form of weights
trained elsewhere (quantised, converted, merged, tuned), its size is known, and `match` finds no model of that name. Of
several forms of one name (base, instruct, chat) the most downloaded stands for all."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

from requests.utils import parse_header_links

from pipeline.config import load_sources
from pipeline.errors import SourceError
from pipeline.paths import Paths
from pipeline.pull.ledger import read_ledger
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
Record = Mapping[str, Any]  # of the hub's API


def list_models(limit: int = 10_000) -> Iterator[Record]:
    """The records of the hub's public API, the most downloaded first. Raises FetchError or SourceError if the hub gives
    none."""
    query = [("limit", str(PAGE)), ("sort", "downloads"), ("direction", "-1"), *(("expand[]", name) for name in FIELDS)]
    url = f"{ENDPOINT}/api/models?{urlencode(query)}"
    while url and limit > 0:
        headers = fetch(url, body := io.BytesIO())
        try:
            records = json.loads(body.getvalue())
            yield from [{**record, "id": str(record["id"])} for record in records[:limit]]
        except (ValueError, TypeError, KeyError) as error:
            reason = "the answer is not a list of models; check whether the API has changed"
            raise SourceError(f"{url}: {reason}") from error
        limit -= len(records)
        links = {link.get("rel"): link["url"] for link in parse_header_links(headers.get("Link", ""))}
        url = links.get("next", "")
        if url and urlsplit(url)[:2] != urlsplit(ENDPOINT)[:2]:
            raise SourceError(f"{url}: the hub's next page is not on {ENDPOINT}; do not follow it")


def find_candidates(paths: Paths, records: Iterable[Record]) -> list[dict[str, Any]]:
    """The base models of known size among the records that the dataset lacks and that data/raw/curated/declined.csv
    (hub_id, since, reason) does not decline: hub_id, day of creation, parameters as the hub counts them, downloads of
    the last month, and the command to start from, in which `…` is for a person to fill in."""
    from traincompute.reader import match

    sizes = {record["id"]: float((record.get("safetensors") or {}).get("total") or 0) for record in records}
    bases = [record for record in records if sizes[record["id"]] >= SMALLEST and _is_base(record)]
    answers = match([record["id"] for record in bases])
    settled = {_plain(hub_id) for hub_id in answers.loc[answers["model_id"].notna(), "asked"]} | _declined(paths)
    candidates = []
    for record in sorted(bases, key=lambda record: (-(record.get("downloads") or 0), record["id"])):
        hub_id, created = record["id"], str(record.get("createdAt") or "")[:10]
        if (plain := _plain(hub_id)) in settled:
            continue
        settled.add(plain)
        stated = {"publication_date": created, "huggingface_id": hub_id, "organization": "…", "domain": "…"}
        stated |= {"parameters_active": f"{active[1]}B"} if (active := ACTIVE.search(hub_id)) else {}
        cell = [hub_id.rpartition("/")[2], "parameters", f"{sizes[hub_id]:.0f}", "--new"]
        cell += [word for field, value in stated.items() for word in ("--set", f"{field}={value}")]
        cell += ["--reference", f"{ENDPOINT}/{hub_id}", "--locator", "model card", "--evidence", "…"]
        command = shlex.join(["traincompute", "curate", "add-fact", *cell])
        numbers = {"parameters": sizes[hub_id], "downloads": int(record.get("downloads") or 0)}
        candidates.append({"hub_id": hub_id, "created": created, **numbers, "add_fact": command})
    return candidates


def find_names(paths: Paths) -> list[dict[str, Any]]:
    """The names in all snapshots of sources that make no models of their own for which `match` finds no model, and
    which are not declined: name, the publication date that a source gives, and the sources, those that most sources
    have first, then the newest."""
    from traincompute.reader import match

    sources, dates = defaultdict[str, set[str]](set), dict[str, str]()
    for source in load_sources(paths).values():
        if source.subject != "models" or source.makes_models:
            continue
        for file in sorted((paths.raw / source.id).glob("facts*.csv")):
            for fact in read_ledger(file.read_text(encoding="utf-8")):
                name = fact.record.partition(" @ ")[0]
                sources[name].add(source.id)
                if fact.field == "publication_date":
                    dates[name] = fact.value_text
    answers, declined = match(list(sources)), _declined(paths)
    missing = [name for name in answers.loc[answers["how"] == "none", "asked"] if _plain(name) not in declined]
    rows = [{"name": name, "published": dates.get(name, ""), "sources": sorted(sources[name])} for name in missing]
    return sorted(rows, key=lambda row: (len(row["sources"]), row["published"], row["name"]), reverse=True)


def _declined(paths: Paths) -> set[str]:
    if not paths.declined.exists():
        return set()
    with paths.declined.open(encoding="utf-8", newline="") as lines:
        return {_plain(line["hub_id"]) for line in csv.DictReader(lines)}


def _is_base(record: Record) -> bool:
    """Whether neither name nor tags say otherwise: gemma-4-31B-it, which names gemma-4-31B, is a form of it."""
    bases = [tag.rpartition(":")[2] for tag in record.get("tags") or () if tag.startswith("base_model:")]
    return not OTHER_FORM.search(record["id"]) and all(_plain(base) == _plain(record["id"]) for base in bases)


def _plain(hub_id: str) -> str:
    """A name without account, case, punctuation, and words such as -Instruct at its end."""
    return re.sub(r"[^a-z0-9]+", "", FORMS.sub("", hub_id.rpartition("/")[2]).lower())
