"""The rows of the tables that are about no models: records such as hardware, sources, snapshots, corrections,
quarantine, columns and model_settings."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Source
from pipeline.frames import mapped, significant
from pipeline.names import slug
from pipeline.normalize.columns import extracted, hex_digits
from pipeline.normalize.facts import Vintage
from pipeline.normalize.identify import ids_of_records
from pipeline.normalize.pivot import LINKS, TRUTH
from pipeline.pull.ledger import Witness, witness_of
from pipeline.schema import Column, TableSchema
from pipeline.vocabularies import Vocabulary
from traincompute.show.rows import exact


def make_records(
    facts: pd.DataFrame, table: TableSchema, vocabularies: Mapping[str, Vocabulary], sources: Mapping[str, Source]
) -> pd.DataFrame:
    """The columns of a table whose rows are the records of its sources: one row per record, keyed by the slug of the
    record's name.

    If the vocabulary named after the table knows a record by another name, the row takes that name. If several sources
    have a cell, the one with the lowest priority number counts; the row's source_id is the source of its name."""
    facts = of_records(facts, table.name, vocabularies, sources)
    numbers, texts = (facts.pivot(index="record", columns="field", values=kind) for kind in ("value", "code"))
    stated = [c for c in table.columns if c.name in texts]
    wide = pd.DataFrame({c.name: _cells(numbers if c.type == "number" else texts, c) for c in stated})
    known = vocabularies[table.name].lookup.values() if table.name in vocabularies else ()
    wide["name"] = wide["name"].mask(wide.index.isin(list(known)), wide.index)
    source = facts[facts["field"] == "name"].set_index("record")["source_id"]
    keys = {table.primary_key[0]: [slug(name) for name in wide.index]}
    return wide.assign(**keys, source_id=source).reindex(columns=table.names)


def of_records(
    facts: pd.DataFrame, table: str, vocabularies: Mapping[str, Vocabulary], sources: Mapping[str, Source]
) -> pd.DataFrame:
    """The fact that counts for each record, under the name that the vocabulary of the table gives it, and field."""
    lookup = vocabularies[table].lookup if table in vocabularies else {}
    priority = {name: source.priority for name, source in sources.items()}
    facts = facts[facts["reason_code"] == ""].assign(priority=lambda rows: mapped(rows["source_id"], priority, "int64"))
    facts = facts.sort_values(["priority", "source_id", "record"], kind="stable")
    names = {record: lookup.get(record, record) for record in facts["record"].unique()}
    return facts.assign(record=mapped(facts["record"], names, "str")).drop_duplicates(["record", "field"])


def _cells(pivot: pd.DataFrame, column: Column) -> pd.Series:
    if column.name == "reference_url":
        return extracted(pivot[column.name], LINKS["reference_url"])
    if column.type == "boolean":
        return pivot[column.name].map(TRUTH)
    return pd.to_datetime(pivot[column.name]) if column.type == "date" else pivot[column.name]


def with_equivalents(hardware: pd.DataFrame, about: Any) -> pd.DataFrame:
    """The chips with the number of A100s and of H100s that each is worth by its dense rate in FP16 or BF16 (on tensor
    cores if it has them), otherwise in FP32; null without a rate."""
    tensor, half, single = (hardware[f"peak_{name}_flops"].to_numpy() for name in ("tensor_fp16", "fp16", "fp32"))
    rate = np.where(np.isnan(tensor), np.fmax(half, single), tensor)
    return hardware.assign(**{f"{chip}_equivalents": significant(rate / about[chip]) for chip in ("a100", "h100")})


def make_sources(facts: pd.DataFrame, sources: Mapping[str, Source], snapshots: Mapping[str, Sized]) -> pd.DataFrame:
    """One row per source, with the snapshot and the numbers of records and facts that the vintage uses, from the
    source_id, snapshot and record of its facts."""
    used = facts.groupby("source_id").agg(
        snapshot=("snapshot", "max"), records=("record", "nunique"), facts=("record", "size")
    )
    names = ("title", "publisher", "licence", "redistribute", "attribution")
    stated = [{name: getattr(s, name) for name in names} | {"source_id": s.id, "url": s.url} for s in sources.values()]
    rows = pd.DataFrame(stated).join(used, on="source_id").fillna({"records": 0, "facts": 0})
    count = rows["source_id"].map({name: len(days) for name, days in snapshots.items()})
    return rows.assign(snapshots=count)


def make_snapshots(
    spans: pd.DataFrame,
    lock: Mapping[str, Any],
    witnesses: Mapping[tuple[str, int], Witness],
    as_of: date | None,
    table: TableSchema,
) -> pd.DataFrame:
    """One row per source and snapshot up to `as_of`, with what the ledger holds of it and who else has its file.
    `spans` are the source_id, record, since and until of all facts."""
    spans, of_source = spans.assign(number=spans["record"].factorize()[0]), spans.groupby("source_id").indices
    last, rows = as_of.isoformat() if as_of else "9999", []
    for name, entry in lock.items():
        own = spans.iloc[of_source.get(name, [])]
        since, until, number = (own[column].to_numpy() for column in ("since", "until", "number"))
        for day, snapshot in entry["snapshots"].items():
            if day > last:
                continue
            there = number[(since <= np.datetime64(day)) & ~(until <= np.datetime64(day))]
            witness, files = witness_of(snapshot, witnesses), list(snapshot["files"].values())
            only = files[0] if len(files) == 1 else {}
            rows.append({
                "snapshot_id": f"{name}:{day}",
                "source_id": name,
                "snapshot": day,
                "retrieved": snapshot["retrieved_at"][:10],
                "files": len(files),
                "bytes": sum(file["size"] for file in files),
                "sha256": only.get("sha256"),
                "md5": only.get("md5"),
                "witnessed_by": witness and witness.publisher,
                "witness_reference": witness and witness.reference,
                "records": int(np.count_nonzero(np.bincount(there))),
                "facts": len(there),
            })  # fmt: skip
    return _with_days(pd.DataFrame(rows, columns=table.names), ["snapshot", "retrieved"])


def make_corrections(vintage: Vintage, claims: pd.DataFrame) -> pd.DataFrame:
    """One row per entry of corrections.yml made by the day of the vintage, with the model that the claims (source_id,
    record, model_id) say its record is about. Values become texts: YAML reads some as numbers or dates."""
    rows = [
        {**entry, "correction_id": entry["id"], "source_id": entry["source"]}
        | {name: str(entry[name]) for name in ("value_text", "new_value") if entry.get(name) is not None}
        for entry in vintage.fixes
        if entry["source"] in vintage.context.sources and (not vintage.as_of or entry["entered"] <= vintage.as_of)
    ]
    names = [name for name in vintage.context.schemas["corrections"].names if name != "model_id"]
    corrections = pd.DataFrame(rows, columns=names)
    ids = ids_of_records(claims, corrections["record"])
    return _with_days(corrections, ["since", "until", "entered"]).join(ids, on=["source_id", "record"])


def _with_days(rows: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    return rows.assign(**{name: pd.to_datetime(rows[name]) for name in columns})


def make_quarantine(claims: pd.DataFrame, records: pd.DataFrame) -> pd.DataFrame:
    """The quarantined claims, and the facts about records that do not count, with what can be done about them."""
    others = records[~records["reason_code"].isin(["", "states_nothing"])]
    others = others.assign(claim_id=hex_digits(others["hash"].to_numpy(), others.index))
    return pd.concat([claims, others], ignore_index=True)


def make_model_settings(vocabulary: Vocabulary) -> pd.DataFrame:
    """One row per spelling of a setting that stands in names of models and tells none apart."""
    rows = [
        {"spelling": text.replace("_", " "), "setting": code, "only_marked": bool(about.get("only_marked"))}
        for code, about in vocabulary.codes.items()
        for text in (code, *about.get("aliases", ()))
    ]
    return pd.DataFrame(rows).drop_duplicates("spelling")


def make_columns(schemas: Mapping[str, TableSchema], sources: Mapping[str, Source]) -> pd.DataFrame:
    """One row per column of every published table, itself included, with its name in Epoch AI's file: in that of the
    notable models first."""
    upstream: dict[tuple[str, str], str] = {}
    for source in sorted(sources.values(), key=lambda source: (source.id != "epoch_notable", source.id)):
        if source.publisher == "Epoch AI":
            for field, names in source.fields.items():
                upstream.setdefault((source.subject, field), names[0])
    rows, copied = [], ("type", "unit", "description", "derived", "claim", "vocab", "references")
    for table in schemas.values():
        lists = {column.claim for column in table.columns} - {None}  # `organization` is the first of `organizations`
        for position, column in enumerate(table.columns, start=1):
            is_first_item = column.name in lists and column.claim is None
            rows.append({
                **{name: getattr(column, name) for name in copied},
                "table_name": table.name,
                "column_name": column.name,
                "position": position,
                "upstream_name": None if is_first_item else upstream.get((table.name, column.claim or column.name)),
                "never_null": column.required,
                "example": exact(column.example),
            })  # fmt: skip
    return pd.DataFrame(rows)
