"""How the schema changed since the previous release, and the schema version that this calls for.

A user's code must not break without notice: a breaking change raises the first number of the version (the second while
the first is 0), an addition the second (the third while the first is 0)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from pipeline.base.errors import DataError, Problem
from traincompute.index import version_key

BREAKING, ADDITION, WORDS = "breaking", "addition", "words"
DECLARED_IN = "SCHEMA_VERSION in pipeline/registry/context.py"
Package = Mapping[str, Any]


class Change(NamedTuple):
    """One change of the schema: where (table, or table.column), how severe, and what."""

    where: str
    level: str
    what: str


def schema_changes(old: Package, new: Package) -> list[Change]:
    """The changes between two datapackage.json, tables and columns in their order."""
    before, after = ({r["name"]: r["schema"] for r in package["resources"]} for package in (old, new))
    found = [Change(name, BREAKING, "table removed") for name in before if name not in after]
    found += [Change(name, ADDITION, "table added") for name in after if name not in before]
    for name in after:
        if name in before:
            found += _table_changes(name, before[name], after[name])
    return found + _view_changes(old.get("views", {}), new.get("views", {}))


def _table_changes(table: str, old: Package, new: Package) -> Iterable[Change]:
    if old["primaryKey"] != new["primaryKey"]:
        yield Change(table, BREAKING, f"key {old['primaryKey']} is now {new['primaryKey']}")
    before, after = ({f["name"]: f for f in schema["fields"]} for schema in (old, new))
    yield from (Change(f"{table}.{name}", BREAKING, "column removed") for name in before if name not in after)
    yield from (Change(f"{table}.{name}", ADDITION, "column added") for name in after if name not in before)
    for name, field in after.items():
        if name in before:
            yield from _column_changes(f"{table}.{name}", before[name], field)


def _column_changes(where: str, old: Package, new: Package) -> Iterable[Change]:
    for key in ("type", "unit", "delimiter"):
        if old.get(key) != new.get(key):
            yield Change(where, BREAKING, f"{key} {old.get(key)} is now {new.get(key)}")
    was, now = old.get("constraints", {}), new.get("constraints", {})
    if was.get("required") and not now.get("required"):
        yield Change(where, BREAKING, "may now be null")
    if added := [code for code in now.get("enum", []) if code not in was.get("enum", now["enum"])]:
        yield Change(where, ADDITION, f"new codes {', '.join(added)}")
    if old.get("description") != new.get("description"):
        yield Change(where, WORDS, "description changed")


def _view_changes(old: Mapping[str, list[str]], new: Mapping[str, list[str]]) -> list[Change]:
    found = [Change(name, BREAKING, "view removed") for name in old if name not in new]
    found += [Change(name, ADDITION, "view added") for name in new if name not in old]
    for name in new:
        gone = [column for column in old.get(name, []) if column not in new[name]]
        found += [Change(f"{name}.{column}", BREAKING, "column of a view removed") for column in gone]
    return found


def propose(version: str, changes: Iterable[Change]) -> str:
    """The schema version that the changes call for, counted from `version`."""
    major, minor, patch = (int(part) for part in version.split("."))
    levels = {change.level for change in changes}
    if BREAKING in levels:
        return f"{major + 1}.0.0" if major else f"0.{minor + 1}.0"
    if ADDITION in levels:
        return f"{major}.{minor + 1}.0" if major else f"0.{minor}.{patch + 1}"
    return version


def check_schema_version(old: Package, new: Package) -> list[Change]:
    """The changes, if the declared version is high enough for them. Otherwise raises DataError with a proposal."""
    changes = schema_changes(old, new)
    proposal, declared = propose(old["schema_version"], changes), new["schema_version"]
    if version_key(declared) < version_key(proposal):
        grave = [change for change in changes if change.level != WORDS]
        remedy = f"set {DECLARED_IN} to {proposal}, or revert the change"
        raise DataError(
            Problem("schema", change.where, "", "", f"{change.what} ({change.level})", remedy) for change in grave
        )
    return changes
