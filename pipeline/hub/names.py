"""Names on a hub and in the dataset, brought into one form so that they can be compared."""

from __future__ import annotations

import re
from collections.abc import Iterable

# words behind a name that say in which form the same model is, and the month of an update
FORMS = r"(?:-(?:instruct|chat|base|it|hf|preview|thinking|reasoning|bf16|fp16|pt|\d{4}))+$"
SIZE = r"(?i)[-_ (]a?\d+(?:\.\d+)?(?:[bmt]|a\d+(?:\.\d+)?b)(?![a-z0-9])\)?"
ACTIVE = r"(?i)(?<=[-_\dbt])a(\d+(?:\.\d+)?)b(?![a-z0-9])"
VERSION = r"\d+(?:[._]\d+)*"


def squeezed(text: str) -> str:
    """Lower-case letters and digits alone: Black Forest Labs is blackforestlabs, as its account is."""
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def plain_name(text: str) -> str:
    """A name as it is compared: without account, case, punctuation, and words such as -Instruct at its end."""
    plain = re.sub(r"[^a-z0-9]+", "-", text.rpartition("/")[2].lower()).strip("-")
    plain = re.sub(r"\bv(?=\d)", "", plain)  # RMBG v2.0 is RMBG-2.0
    return re.sub(FORMS, "", plain).replace("-", "")


def stem(text: str) -> str:
    """The plain name without its sizes: Nemotron-3-Super-120B-A12B and "Nemotron 3 Super" have the same."""
    return plain_name(re.sub(SIZE, "", text))


def with_and_without_maker(plain: str, makers: Iterable[str]) -> set[str]:
    """A plain name, and what is left of it behind a name of its maker: NVIDIA-Nemotron-3-Ultra is Nemotron 3 Ultra."""
    shorter = {plain.removeprefix(squeezed(maker)) for maker in makers if maker}
    return {name for name in (plain, *shorter) if name}


def version(text: str) -> str:
    """The first number in a name that is no size: 3.6 for Qwen3.6-27B; empty if there is none."""
    found = re.search(VERSION, re.sub(SIZE, "", text.rpartition("/")[2]))
    return found[0].replace("_", ".") if found else ""


def active_parameters(text: str) -> float | None:
    """Parameters used per token, where the name of a mixture of experts states them: 3e9 for 30B-A3B."""
    found = re.search(ACTIVE, text)
    return float(found[1]) * 1e9 if found else None
