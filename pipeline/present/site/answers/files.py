"""Writes api/: a JSON file for every model, the thresholds, an index, their schemas, and the feed of changes.

The numbers are cells of the dataset, to the last digit: `traincompute sql` prints the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from typing import Any

import duckdb

from pipeline.present.site.answers.feed import feed
from pipeline.present.site.answers.parts import read_parts, rows_by_model, rows_of
from pipeline.present.site.answers.schema import TEXT, Schema, schema_of
from pipeline.present.thresholds import load_thresholds
from traincompute.query.rows import Row

FOLDER = "api"
LAW = {"flop": {"type": "number"}, "label": TEXT, "source": TEXT}
LAWS = {"type": "array", "description": "Rules that name a threshold", "items": {"type": "object", "properties": LAW}}
EDITION = {name: {"type": ["string", "null"]} for name in ("licence", "citation")}
TITLES = {"model": "A model", "thresholds": "Runs above thresholds of compute", "index": "All models"}


def answer_files(
    connection: duckdb.DuckDBPyConnection, about: Mapping[str, Any], answers: Mapping[str, Row], address: str
) -> dict[str, bytes]:
    """{path below the site: content}; `about` the dataset, as the explorer has it; `answers` about models, as
    read_answers gives them; `address` is that of the site, or ""."""
    parts = read_parts(connection)
    beside: dict[str, Schema] = {"model": {}, "thresholds": {"rules": LAWS}, "index": EDITION}
    held = {name: {part.key: rows_of(connection, part) for part in parts[name]} for name in ("thresholds", "index")}
    files = {
        "thresholds.json": {**_head(about), "rules": load_thresholds(), **held["thresholds"]},
        "index.json": {**_head(about), **{name: about[name] for name in EDITION}, **held["index"]},
        **{f"schema/{name}.json": schema_of(TITLES[name], parts[name], beside[name]) for name in parts},
        **{f"models/{model}.json": answer for model, answer in answers.items()},
    }
    written = {f"{FOLDER}/{name}": _json(content) for name, content in files.items()}
    return written | {f"{FOLDER}/changes.atom": feed(connection, address)}


def read_answers(connection: duckdb.DuckDBPyConnection, about: Mapping[str, Any]) -> dict[str, Row]:
    """model_id → what its file holds."""
    parts = read_parts(connection)["model"]
    found = {part.key: rows_by_model(connection, part) for part in parts}
    one = {part.key for part in parts if part.one}
    answers = {}
    for model in found["model"]:
        rows = {key: each.get(model, []) for key, each in found.items()}
        answers[model] = _head(about) | {k: (r or [{}])[0] if k in one else r for k, r in rows.items()}
    return answers


def _head(about: Mapping[str, Any]) -> Row:
    return {"version": about["version"], "facts_until": about["newest"] or ""}


def _json(content: Any) -> bytes:
    written = json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=date.isoformat)
    return written.encode() + b"\n"
