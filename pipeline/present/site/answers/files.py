"""Writes api/: a JSON file for every model, the thresholds, an index, their schemas, and the feed of changes.

The numbers are cells of the dataset, to the last digit: `traincompute sql` prints the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import duckdb

from pipeline.present.site.answers.feed import feed
from pipeline.present.site.answers.parts import Part, read_parts, rows_by_model, rows_of
from pipeline.present.site.answers.schema import TEXT, Schema, schema_of
from pipeline.present.thresholds import load_thresholds
from traincompute.query.rows import Row

FOLDER = "api"
ADDRESSES = {name: {**TEXT, "description": about} for name, about in {
    "page": "Where the model's page stands, from this file on",
    "schema": "Where the schema of this file stands",
}.items()}  # fmt: skip
LAW = {"flop": {"type": "number"}, "label": TEXT, "source": TEXT}
LAWS = {"type": "array", "description": "Rules that name a threshold", "items": {"type": "object", "properties": LAW}}
EDITION = {name: {"type": ["string", "null"]} for name in ("licence", "citation")}
TITLES = {"model": "A model", "thresholds": "Runs above thresholds of compute", "index": "All models"}


def answer_files(connection: duckdb.DuckDBPyConnection, about: Mapping[str, Any], address: str) -> dict[str, bytes]:
    """{path below the site: content}; `about` the dataset, as the explorer has it; `address` is that of the site, or ""."""
    parts = read_parts(connection)
    head = {"version": about["version"], "facts_until": about["newest"] or ""}
    beside: dict[str, Schema] = {"model": ADDRESSES, "thresholds": {"rules": LAWS}, "index": EDITION}
    held = {name: {part.key: rows_of(connection, part) for part in parts[name]} for name in ("thresholds", "index")}
    files = {
        "thresholds.json": {**head, "rules": load_thresholds(), **held["thresholds"]},
        "index.json": {**head, **{name: about[name] for name in EDITION}, **held["index"]},
        **{f"schema/{name}.json": schema_of(TITLES[name], parts[name], beside[name]) for name in parts},
        **_models(connection, parts["model"], head),
    }
    written = {f"{FOLDER}/{name}": _json(content) for name, content in files.items()}
    return written | {f"{FOLDER}/changes.atom": feed(connection, address)}


def _models(connection: duckdb.DuckDBPyConnection, parts: list[Part], head: Row) -> dict[str, Row]:
    """models/ID.json → its content."""
    found = {part.key: rows_by_model(connection, part) for part in parts}
    one = {part.key for part in parts if part.one}
    files = {}
    for model in found["model"]:
        places = {"schema": "../schema/model.json", "page": f"../../models/{model}.html"}
        rows = {key: each.get(model, []) for key, each in found.items()}
        files[f"models/{model}.json"] = head | places | {k: r[0] if k in one and r else r for k, r in rows.items()}
    return files


def _json(content: Any) -> bytes:
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=date.isoformat)
    return written.encode() + b"\n"
