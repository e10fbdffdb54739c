"""How pages write values and places: rounded for people, with the exact number beside it for programs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from pipeline.site.site import Site
from traincompute.database import Row
from traincompute.explain import place
from traincompute.show.rows import human, short_power

PRECISION = {"year": 4, "month": 7}
FLAGS = {True: "yes", False: "no", None: "unknown"}
COMMIT = re.compile(r"\b([0-9a-f]{7})[0-9a-f]{33}\b")  # of a permalink
ADDRESSES = {"arXiv:": "https://arxiv.org/abs/", "doi:": "https://doi.org/"}  # of identifiers
TITLES = {  # of columns that mean little word by word
    "parameters_active": "Active parameters", "flop_per_usd": "FLOP per US dollar", "flop_per_wh": "FLOP per watt-hour",
    "tokens_over_optimal": "Chinchilla ratio", "days_on_top500_first": "Top500 leader days",
    "training_compute_pfs_days": "Training compute in petaflop/s-days", "hardware_tdp_w": "TDP of all chips",
    "training_cost_cloud_usd": "Cloud rental cost", "training_cost_nominal_usd": "Training cost (nominal)",
}  # fmt: skip
UNITS = ("usd", "kwh", "kg", "w", "flops", "ops", "bytes", "nm", "mm2")
UPPER = {"fp4", "fp8", "fp16", "fp32", "fp64", "tf32", "int4", "int8", "int16", "tdp", "doi", "flop", "a100", "h100"}


def number(value: float, unit: str | None = None) -> Markup:
    """A number with its unit, as `traincompute explain` prints it, with the exact value in the attribute `value`."""
    return exactly(value, human(value, unit))


def exactly(value: float, shown: str) -> Markup:
    """What is shown, with the exact number in the attribute `value` where it is rounded."""
    text = short_power(shown)
    with suppress(ValueError):
        if float(text.partition(" ")[0]) == value:
            return escape(text)
    whole = repr(value).removesuffix(".0")
    zeros = len(whole) - len(whole.rstrip("0"))
    exact = f"{whole[:-zeros]}e{zeros}" if zeros > 3 else whole
    return Markup(f"<data value={exact}>{escape(text)}</data>")


def flop(value: float) -> Markup:
    """A number of FLOP to three digits, without its unit: 3.14e23."""
    return exactly(value, f"{value:.3g}")


def day(model: Mapping[str, Any]) -> str:
    """The publication date as far as it is known: 2023-03-14, 2023-03 or 2023."""
    published = model["publication_date"]
    length = PRECISION.get(model["publication_date_precision"], 10)
    return published.isoformat()[:length] if isinstance(published, date) else ""


def titled(column: str) -> str:
    """The name of a column in words, without the unit at its end: Training cost, Peak tensor FP16."""
    parts = column.replace("_compute_flop", "_compute").split("_")
    parts = parts[:-1] if parts[-1] in UNITS and len(parts) > 1 else parts
    text = " ".join(part.upper() if part in UPPER else part for part in parts)
    return TITLES.get(column, text[:1].upper() + text[1:])


def outside(reference: str, text: str = "") -> Markup:
    """A link to what a reference cites, or the text alone where that is no address of the web."""
    address = reference.partition("; ")[0].partition(" ")[0].rstrip(";,")
    for start, of in ADDRESSES.items():
        address = of + address.removeprefix(start) if address.startswith(start) else address
    if not address.startswith(("http://", "https://")):
        return escape(text or reference)
    host = (urlsplit(address).hostname or "").removeprefix("www.")
    shown = text or (host if reference.startswith("http") else reference)
    return Markup(f'<a href="{escape(address)}">{escape(shown)}</a>')


def stated_by(site: Site, claim: Row) -> Markup:
    """Who states a claim and where, in the words of `traincompute explain`, with a link to the text or to the page of
    the source."""
    said = COMMIT.sub(r"\1", place(claim))
    if claim["reference"]:
        return outside(claim["reference"], said)
    source = claim["source_id"]
    return site.link("source", source) + said.removeprefix(source)
