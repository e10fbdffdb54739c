"""Base models of a hub → the models that the dataset lacks, each with the command that would add it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd

from pipeline.hub.known import Known
from pipeline.hub.names import FORMS, active_parameters, plain_name, squeezed, version
from pipeline.hub.tasks import COUNTED_BY_TOKENS, DOMAIN_OF
from pipeline.impute.flop.formulas import FLOP_PER_PARAMETER_AND_TOKEN, counted

BLANK = "…"  # what a person must look up
MOST_VARIANTS = 4
FILLED_IN_LATER = re.compile(rf"(?:[a-z_]+=)?{BLANK}")
Row = Mapping[Any, Any]


class Candidate(NamedTuple):
    """A model that the dataset lacks. `needs` is the field that an estimate lacks; until it is known, `expected_flop`
    takes 6·N·D with the tokens that are usual in the domain. `alike` are models that may be the same."""

    name: str
    organization: str
    parameters: float
    created: date
    downloads: int
    needs: str
    expected_flop: float
    alike: list[str]
    variants: list[str]
    hub_id: str
    add_fact: str


def find_candidates(rows: pd.DataFrame, known: Known, declined: Collection[str]) -> list[Candidate]:
    """The models of `rows` (as base_models gives them) that are neither known nor declined, the largest expected compute
    first. What goes for one of several variants of the same weights goes for all of them."""
    gone = {hub_id.lower() for hub_id in declined}
    found = []
    for same in _variants(rows):
        if not any(row["hub_id"].lower() in gone or known.has(row["hub_id"], row["parameters"]) for row in same):
            found.append(_candidate(same, known))
    return sorted(_each_name_once(found, known), key=lambda candidate: (-candidate.expected_flop, candidate.hub_id))


def _variants(rows: pd.DataFrame) -> Iterable[list[Row]]:
    """The rows of one model of an account, the plainest name first, then the most downloaded."""
    plainest = rows.assign(
        account=rows["author"].map(squeezed),
        is_form=rows["hub_id"].str.contains(FORMS, case=False, regex=True),
    ).sort_values(["account", "is_form", "downloads", "hub_id"], ascending=[True, True, False, True])
    for _, group in groupby(plainest.to_dict("records"), itemgetter("account")):
        models: list[list[Row]] = []
        for row in group:
            same = next((model for model in models if _is_variant(row, model[0])), None)
            if same is None:
                models.append([row])
            else:
                same.append(row)
        yield from models


def _is_variant(row: Row, other: Row) -> bool:
    """Whether both are forms of the same model: by their plain names, or by the very same number of parameters where
    their names state no different versions."""
    if plain_name(row["hub_id"]) == plain_name(other["hub_id"]):
        return True
    versions = {version(row["hub_id"]), version(other["hub_id"])} - {""}
    return row["parameters"] == other["parameters"] and len(versions) < 2


def _each_name_once(found: Iterable[Candidate], known: Known) -> list[Candidate]:
    """Of models with one name, that of an account that the dataset knows, else the oldest."""
    kept: dict[str, Candidate] = {}
    for candidate in sorted(found, key=lambda c: (not known.has_account(c.hub_id), c.created, c.hub_id)):
        kept.setdefault(plain_name(candidate.hub_id), candidate)
    return list(kept.values())


def _candidate(same: Sequence[Row], known: Known) -> Candidate:
    row = same[0]
    hub_id, parameters = row["hub_id"], row["parameters"]
    domain = DOMAIN_OF.get(row["task"], "")
    stated: float | None = float(row["training_tokens"]) if pd.notna(row["training_tokens"]) else None
    tokens: float = stated or known.tokens.get(domain, known.tokens[""])
    candidate = Candidate(
        name=hub_id.split("/")[-1],
        organization=known.accounts.get(squeezed(row["author"]), row["author"]),
        parameters=parameters,
        created=pd.Timestamp(row["created_date"]).date(),
        downloads=int(row["downloads"]),
        needs="" if stated else "training_tokens" if domain in COUNTED_BY_TOKENS else "chip_hours",
        expected_flop=float(counted(FLOP_PER_PARAMETER_AND_TOKEN, active_parameters(hub_id) or parameters, tokens)),
        alike=known.alike(hub_id, parameters),
        variants=[other["hub_id"] for other in same[1 : MOST_VARIANTS + 1]],
        hub_id=hub_id,
        add_fact="",
    )
    return candidate._replace(add_fact=add_fact_line(candidate, domain, stated))


def add_fact_line(candidate: Candidate, domain: str, tokens: float | None) -> str:
    """The command to start from, with … for what a person must look up."""
    active = active_parameters(candidate.hub_id)
    stated = {
        "publication_date": candidate.created.isoformat(),
        "organization": candidate.organization,
        "domain": domain or BLANK,
        "parameters_active": f"{active:.0f}" if active else "",
        "training_tokens": f"{tokens:.0f}" if tokens else "",
    }
    stated |= {candidate.needs: BLANK} if candidate.needs else {}
    more = [word for field, value in stated.items() if value for word in ("--set", f"{field}={value}")]
    words = [
        "traincompute",
        "curate",
        "add-fact",
        candidate.name,
        "parameters",
        f"{candidate.parameters:.0f}",
        "--new",
        *more,
    ]
    words += ["--reference", f"https://huggingface.co/{candidate.hub_id}"]
    words += ["--locator", "model card", "--evidence", BLANK]
    return " ".join(word if FILLED_IN_LATER.fullmatch(word) else shlex.quote(word) for word in words)
