"""The checks of `traincompute curate audit` for rows that mix models up: one model under two ids, and a row with the
parameters of one model and the compute of another. What identities.csv calls distinct, what shares a training run, and
what is made from the other is not asked again."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from pipeline.curate.checks import FLOP, RECORD, Finding, View, claim_ids, known_ids

SAME_SIZE = 0.01
OTHER_SIZE = 0.1
SAME_COMPUTE = 0.011  # 1.27e24 and 1.26e24: one run, with the fine-tuning counted differently
SAME_DAYS = 7
DIGITS = 3  # a value of fewer digits is equal to many others by chance
SIZE_WORD = re.compile(r"\b(\d+(\.\d+)?[bmkt]|tiny|mini|small|medium|base|large|huge|xl|xxl)\b")


def check_twins(view: View) -> Iterator[Finding]:
    """Pairs with the same parameters, of which two of four agree: name, date, compute, link. Where neither states its
    parameters, date, compute and link must agree: a paper has many models of sizes that it does not state."""
    ids = claim_ids(view)
    for one, other in open_pairs(view):
        agrees = {
            "name": stem(one["name"]) == stem(other["name"]),
            "date": abs((one["publication_date"] - other["publication_date"]).days) <= SAME_DAYS,
            "compute": _within(one[FLOP], other[FLOP], SAME_COMPUTE),
            "link": one["link"] == other["link"],
        }
        a, b = one["parameters"], other["parameters"]
        unsized = math.isnan(a) and math.isnan(b) and agrees["date"] and agrees["compute"] and agrees["link"]
        if unsized or (_within(a, b, SAME_SIZE) and sum(agrees.values()) >= 2):
            shared = ["parameters"] * (not unsized) + [word for word, is_so in agrees.items() if is_so]
            text = f"the same {', '.join(shared[:-1])} and {shared[-1]} as {other['name']} ({other['model_id']})"
            yield _finding(one, other, "twin", "name", text, known_ids(ids, one["model_id"], ("name",)))


def check_mixtures(view: View) -> Iterator[Finding]:
    """Pairs whose printed compute is the same to the last of three digits or more, though one has other
    parameters."""
    ids = claim_ids(view)
    for one, other in open_pairs(view):
        a, b = one["parameters"], other["parameters"]
        if abs(a - b) > OTHER_SIZE * b and one[FLOP] == other[FLOP] and _digits(one[FLOP]) >= DIGITS:
            text = f"{one[FLOP]:.6g} FLOP with {a:.4g} parameters, and so has {other['name']} "
            text += f"({other['model_id']}) with {b:.4g}"
            used = [i for row in (one, other) for i in known_ids(ids, row["model_id"], (FLOP,))]
            yield _finding(one, other, "mixture", FLOP, text, used)


def open_pairs(view: View) -> Iterator[tuple[dict[Any, Any], dict[Any, Any]]]:
    """The pairs of models that share an organisation or a link and that nothing relates yet, each once, in order of
    their ids."""
    wanted = view.models[["name", "organizations", "parameters", "publication_date", FLOP]]
    related = view.models[["base_model_id", "training_run_id"]]
    links = view.models["arxiv_id"].fillna(view.models["reference_url"])
    links = links.fillna(view.models.index.to_series())  # a model without a link shares none
    rows = wanted.join(related).assign(link=links).rename_axis("model_id").sort_index().reset_index().to_dict("records")
    alike: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        organizations = row["organizations"].split(";") if isinstance(row["organizations"], str) else []
        for key in {*organizations, row["link"]}:
            alike[key].append(number)
    pairs = {pair for numbers in alike.values() for pair in combinations(numbers, 2)}
    for a, b in sorted(pairs):
        if not _related(view, rows[a], rows[b]):
            yield rows[a], rows[b]


def stem(name: str) -> str:
    """A name without punctuation and without words of size: "OPT-1.3B (base)" and "opt 125M" are alike."""
    words = SIZE_WORD.sub(" ", re.sub(r"[^a-z0-9.]+", " ", name.lower()))
    return re.sub(r"[^a-z0-9]+", "", words)


def _related(view: View, one: dict[Any, Any], other: dict[Any, Any]) -> bool:
    ids = (one["model_id"], other["model_id"])
    named = [row["training_run_id"] for row in (one, other)]
    runs = [run if isinstance(run, str) else model_id for run, model_id in zip(named, ids, strict=True)]
    made = one["base_model_id"] == ids[1] or other["base_model_id"] == ids[0]
    return made or runs[0] == runs[1] or frozenset(ids) in view.distinct


def _within(one: float, other: float, share: float) -> bool:
    return abs(one - other) <= share * other  # false where either is not known


def _digits(value: float) -> int:
    """How many significant digits a value has: 3 for 4.54e17."""
    return len(f"{value:.9e}".split("e")[0].replace(".", "").rstrip("0"))


def _finding(one: dict[Any, Any], other: dict[Any, Any], check: str, field: str, text: str, used: list[str]) -> Finding:
    stated = one["name"] if field == "name" else one[field]
    return Finding(RECORD, one["model_id"], check, field, stated, other["name"], None, text, used)
