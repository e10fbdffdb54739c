"""The tables other than models and claims: hardware, model_hardware, organizations, sources, snapshots, corrections,
quarantine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.config import Source
from pipeline.frames import conform, items_of, mapped, significant
from pipeline.names import slug
from pipeline.normalize.claims import ids_of_records
from pipeline.normalize.columns import extracted, hex_digits
from pipeline.normalize.models import LINKS
from pipeline.normalize.reasons import STATES_NOTHING
from pipeline.pull.witnesses import Witness, witness_of
from pipeline.schema import Column, TableSchema
from pipeline.vocabularies import Vocabulary

NOTHING = {"records": 0, "facts": 0}


def with_equivalents(hardware: pd.DataFrame, about: Any) -> pd.DataFrame:
    """The chips with the number of A100s and of H100s that each is worth by its dense rate in FP16 or BF16 (on tensor
    cores if it has them), otherwise in FP32; null without a rate."""
    tensor, half, single = (hardware[f"peak_{name}_flops"].to_numpy() for name in ("tensor_fp16", "fp16", "fp32"))
    rate = np.where(np.isnan(tensor), np.fmax(half, single), tensor)
    return hardware.assign(**{f"{chip}_equivalents": significant(rate / about[chip]) for chip in ("a100", "h100")})


def make_records(normalized: pd.DataFrame, table: TableSchema, vocabularies: Mapping[str, Vocabulary]) -> pd.DataFrame:
    """A table whose rows are the records of its sources: one row per record, keyed by the slug of the record's name.

    If the vocabulary named after the table knows a record by another name, the row takes that name. If several sources
    have a cell, the one with the lowest priority number counts; the row's source_id is the source of its name."""
    lookup = vocabularies[table.name].lookup if table.name in vocabularies else {}
    facts = of_records(normalized, lookup)
    numbers, texts = (facts.pivot(index="record", columns="field", values=kind) for kind in ("value", "code"))
    known = [c for c in table.columns if c.name in texts]
    wide = pd.DataFrame({c.name: _cells(numbers if c.type == "number" else texts, c) for c in known})
    wide["name"] = wide["name"].mask(wide.index.isin(list(lookup.values())), wide.index)
    source = facts[facts["field"] == "name"].set_index("record")["source_id"]
    keys = {table.primary_key[0]: [slug(name) for name in wide.index]}
    return conform(wide.assign(**keys, source_id=source), table)


def of_records(normalized: pd.DataFrame, lookup: Mapping[str, str | None]) -> pd.DataFrame:
    """The fact that counts for each record, under the name that `lookup` gives it, and field."""
    facts = normalized[normalized["reason_code"] == ""].sort_values(["priority", "source_id", "record"], kind="stable")
    names = {record: lookup.get(record, record) for record in facts["record"].unique()}
    return facts.assign(record=mapped(facts["record"], names, "str")).drop_duplicates(["record", "field"])


def _cells(pivot: pd.DataFrame, column: Column) -> pd.Series:
    if column.name == "reference_url":
        return extracted(pivot[column.name], LINKS["reference_url"])
    if column.type == "boolean":
        return pivot[column.name].map({"true": True, "false": False})
    return pd.to_datetime(pivot[column.name]) if column.type == "date" else pivot[column.name]


def make_model_hardware(
    claims: pd.DataFrame, hardware: pd.DataFrame, vocabularies: Mapping[str, Vocabulary], table: TableSchema
) -> pd.DataFrame:
    """One row per model and chip of the selected hardware claims, the chip named as in the claim; hardware_id is null
    if no chip has that name."""
    chosen = claims.loc[claims["field"] == "hardware", ["model_id", "value_text"]]
    rows = chosen.assign(mention=chosen["value_text"].str.split(",")).explode("mention", ignore_index=True)
    rows["mention"] = rows["mention"].str.strip()
    rows = rows[rows["mention"] != ""].drop_duplicates(["model_id", "mention"], ignore_index=True)
    names = rows["mention"].map(vocabularies["hardware"].lookup).fillna(rows["mention"])
    ids = hardware.set_index("name")["hardware_id"]
    return conform(rows.assign(ordinal=rows.groupby("model_id").cumcount() + 1, hardware_id=names.map(ids)), table)


def make_organizations(
    models: pd.DataFrame, vocabularies: Mapping[str, Vocabulary], table: TableSchema
) -> pd.DataFrame:
    """One row per organisation that made a model and per parent of one. Category and country come from the vocabulary,
    otherwise from the models that the organisation made alone, if these agree."""
    vocabulary = vocabularies["organizations"]
    count = items_of(models["organizations"])[0].value_counts()
    parents = [parent for name in count.index if (parent := vocabulary.attribute(name, "parent"))]
    names = sorted({*count.index, *parents})
    alone = models.loc[models["organizations"].isin(names), ["organizations", "organization_category", "countries"]]
    known = {
        key: _agreed(alone, column) for key, column in (("category", "organization_category"), ("country", "countries"))
    }
    rows = pd.DataFrame({"organization": names})
    about: dict[str, list[Any]] = {
        "parent": [vocabulary.attribute(name, "parent") for name in names],
        "category": [vocabulary.attribute(name, "category") or known["category"].get(name) for name in names],
        "country": [vocabulary.attribute(name, "country") or known["country"].get(name) for name in names],
        "aliases": [";".join(vocabulary.attribute(name, "aliases") or []) or None for name in names],
    }
    return conform(
        rows.assign(**about, models=rows["organization"].map(count).fillna(0).astype("int64")),
        table,
    )


def _agreed(alone: pd.DataFrame, column: str) -> dict[str, str]:
    """{organisation: value} for organisations whose single-organisation models all have the same value."""
    values = alone[["organizations", column]].dropna().drop_duplicates()
    agreed = values.drop_duplicates("organizations", keep=False).set_index("organizations")[column]
    return dict(agreed[~agreed.str.contains(";", regex=False)])


def make_sources(
    facts: pd.DataFrame, sources: Mapping[str, Source], snapshots: Mapping[str, Sized], table: TableSchema
) -> pd.DataFrame:
    """One row per source, with the snapshot and the numbers of records and facts that the vintage uses; `facts` are
    those of the vintage."""
    used = facts.groupby("source_id").agg(
        snapshot=("snapshot", "max"), records=("record", "nunique"), facts=("record", "size")
    )
    names = ("title", "publisher", "licence", "redistribute", "attribution")
    stated = [{name: getattr(s, name) for name in names} | {"source_id": s.id, "url": s.url} for s in sources.values()]
    rows = pd.DataFrame(stated)
    joined = rows.join(used, on="source_id")
    counted = joined.assign(
        records=joined["records"].fillna(0),
        facts=joined["facts"].fillna(0),
        snapshots=joined["source_id"].map({name: len(days) for name, days in snapshots.items()}),
    )
    return conform(counted, table)


def make_snapshots(
    ledger: pd.DataFrame,
    lock: Mapping[str, Any],
    witnesses: Mapping[tuple[str, int], Witness],
    as_of: date | None,
    table: TableSchema,
) -> pd.DataFrame:
    """One row per source and snapshot up to `as_of`, with what the ledger holds of it and who else has its file."""
    last = as_of.isoformat() if as_of else "9999"
    known = [(name, day, one) for name, all_ in lock.items() for day, one in all_["snapshots"].items() if day <= last]
    facts = ledger[["since", "until"]].assign(of=ledger["record"].factorize()[0])
    spans = {name: facts.iloc[rows] for name, rows in ledger.groupby("source_id").indices.items()}
    rows = pd.DataFrame(
        [
            _about_files(name, day, one, witness_of(one, witnesses))
            | (_standing(spans[name], day) if name in spans else NOTHING)
            for name, day, one in known
        ],
        columns=[column.name for column in table.columns],
    )
    dates = {name: pd.to_datetime(rows[name]) for name in ("snapshot", "retrieved")}
    return conform(rows.assign(**dates), table)


def _about_files(source: str, day: str, snapshot: Mapping[str, Any], witness: Witness | None) -> dict[str, Any]:
    files = list(snapshot["files"].values())
    only: Mapping[str, Any] = files[0] if len(files) == 1 else {}
    return {
        "snapshot_id": f"{source}:{day}",
        "source_id": source,
        "snapshot": day,
        "retrieved": snapshot["retrieved_at"][:10],
        "files": len(files),
        "bytes": sum(file["size"] for file in files),
        "sha256": only.get("sha256"),
        "md5": only.get("md5"),
        "witnessed_by": witness and witness.publisher,
        "witness_reference": witness and witness.reference,
    }


def _standing(spans: pd.DataFrame, day: str) -> dict[str, int]:
    """How many records and facts stood on that day."""
    at, since, until = np.datetime64(day), spans["since"].to_numpy(), spans["until"].to_numpy()
    there = spans["of"].to_numpy()[(since <= at) & ~(until <= at)]
    return {"records": int(np.count_nonzero(np.bincount(there))), "facts": len(there)}


def make_corrections(
    entries: Iterable[dict[str, Any]], claims: pd.DataFrame, as_of: date | None, table: TableSchema
) -> pd.DataFrame:
    """One row per entry of corrections.yml made by `as_of`, with the model that the claims say its record is about."""
    known = [
        entry | {"correction_id": entry["id"], "source_id": entry["source"]} | _printed(entry)
        for entry in entries
        if not as_of or entry["entered"] <= as_of
    ]
    rows = pd.DataFrame(known, columns=[c.name for c in table.columns if c.name != "model_id"])
    dates = {name: pd.to_datetime(rows[name]) for name in ("since", "until", "entered")}
    ids = ids_of_records(claims, rows["record"])
    return conform(rows.assign(**dates).join(ids, on=["source_id", "record"]), table)


def _printed(entry: Mapping[str, Any]) -> dict[str, str]:
    """The values of an entry as texts: YAML reads some as numbers or dates."""
    return {name: str(entry[name]) for name in ("value_text", "new_value") if entry.get(name) is not None}


def make_quarantine(claims: pd.DataFrame, typed: pd.DataFrame, table: TableSchema) -> pd.DataFrame:
    """The quarantined claims and the unreadable facts about things other than models, with what can be done about
    them."""
    others = typed[(typed["subject"] != "models") & ~typed["reason_code"].isin(["", STATES_NOTHING])]
    others = others.assign(claim_id=hex_digits(others["hash"].to_numpy(), others.index))
    return conform(pd.concat([claims[claims["status"] == "quarantined"], others], ignore_index=True), table)
