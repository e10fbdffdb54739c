"""The page that estimates a training run in the browser: its form, and the defaults that its script works with."""

from __future__ import annotations

from dataclasses import astuple
from math import isnan
from operator import itemgetter
from typing import Any

import duckdb

from pipeline.site.site import Site, script
from traincompute.database import Row
from traincompute.planning.estimate import Chip, Evidence, Figure

PRECISIONS = ("BF16", "FP8", "FP4")
FILLED = {"parameters": "70B", "tokens": "15T", "chips": "1024", "chip": "NVIDIA H100 SXM5 80GB", "precision": "BF16",
          "region": ""}  # fmt: skip


def write_estimate(site: Site) -> None:
    """Writes estimate.html and data/estimate.js. The page needs static/estimate.js."""
    data = estimate_data(site.connection)
    site.write("data/estimate.js", script("estimateData", data))
    choices = {"chips": list(data["chips"]), "regions": list(data["regions"]), "formats": PRECISIONS}
    site.render("estimate.html", "estimate.html", filled=FILLED, **choices)


def estimate_data(connection: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    """`chips` that several models use by name, each with its rates by number format, and `regions` by country, "" being
    all: the figures of Evidence as [value, low, high, basis], null where nothing is known."""
    evidence = Evidence(connection)
    used = [row for row in evidence.hardware if (row["models"] or 0) > 1 and row["BF16"]]
    countries = connection.execute(
        "select distinct country from grid_regions where country is not null order by 1"
    ).fetchall()
    return {
        "chips": {row["name"]: _chip(evidence, row) for row in sorted(used, key=itemgetter("name"))},
        "regions": {
            name: {quantity: _listed(figure) for quantity, figure in evidence.of_region(name).items()}
            for name in ["", *(country for (country,) in countries)]
        },
    }


def _chip(evidence: Evidence, row: Row) -> dict[str, Any]:
    rated = {
        precision: Chip(row["name"], row["family"], row["type"], row["tdp_w"], precision, row[precision])
        for precision in PRECISIONS
        if row[precision]
    }
    chip = rated["BF16"]
    samples = {name: _listed(figure) for name, figure in evidence.of_chip(chip).items() if name != "utilization"}
    return {
        "tdp_w": None if isnan(chip.tdp_w) else chip.tdp_w,
        **samples,
        "rates": {
            precision: {"peak": each.peak, "utilization": _listed(evidence.of_chip(each)["utilization"])}
            for precision, each in rated.items()
        },
    }


def _listed(figure: Figure) -> list[float | str] | None:
    return list(astuple(figure)) if figure else None
