"""Growth figures that others published, beside ours on the snapshot nearest to the data that theirs were made from.

published.yml has theirs, and which models each describes; ours are computed from the committed facts."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal, NotRequired

import numpy as np
import pandas as pd

from pipeline.config import Config, load_config
from pipeline.files import Number, list_of, load_yaml, mapping
from pipeline.impute.eras import with_eras
from pipeline.impute.lines import interval
from pipeline.impute.trends import Key, doubling_months, lines_of, make_points, of_group, prepare
from pipeline.normalize.stage import Read, load_ledger, normalize_tables, read_ledger
from pipeline.paths import Paths
from pipeline.site.generated import row

FIELD, PUBLISHER = "training_compute_flop", "Epoch AI"
PUBLISHED = Path(__file__).with_name("published.yml")
OPTIONAL_DATE, OPTIONAL_NUMBER = NotRequired[date], NotRequired[Number]
FIGURE = mapping(
    what=str, quantity=str, group=str, member=NotRequired[str], since=OPTIONAL_DATE, until=OPTIONAL_DATE, value=Number,
    measure=Literal["growth", "doubling"], low=OPTIONAL_NUMBER, high=OPTIONAL_NUMBER, n=OPTIONAL_NUMBER,
    tolerance=OPTIONAL_NUMBER, because=NotRequired[str],
)  # fmt: skip
SHAPE = list_of(mapping(title=str, source=str, vintage=date, intro=str, figures=list_of(FIGURE)))
COLUMNS = ("figure", "published", "ours", "sampling, with measurement", "n", "off by", "verdict")
HEAD = f"{row(*COLUMNS)}|---|---|---|---|---:|---:|---|\n"


@dataclass(frozen=True)
class Result:
    """One published figure and ours, in the unit of the published one (factor per year, or months).

    `sampling` is our 90 % interval from resampling the models, `interval` also has the values' own uncertainty."""

    published: Mapping[str, Any]
    value: float
    sampling: tuple[float, float]
    interval: tuple[float, float]
    n: int

    @property
    def agrees(self) -> bool:
        """Within the tolerance of the entry and with its n; if it has no tolerance, inside the published interval."""
        entry = self.published
        if "tolerance" in entry:
            return bool(abs(self.value / entry["value"] - 1) <= entry["tolerance"] and self.n == entry["n"])
        return bool(entry["low"] <= self.value <= entry["high"])


def measure(paths: Paths) -> list[tuple[Mapping[str, Any], list[Result]]]:
    """Every entry of published.yml with our results."""
    context, blocks = load_config(paths), load_yaml(PUBLISHED, "pipeline/site/published.yml", SHAPE)
    read = read_ledger(context, load_ledger(context))
    points = {day: _prepared(context, day, read) for day in sorted({block["vintage"] for block in blocks})}
    return [(block, [_result(entry, points[block["vintage"]]) for entry in block["figures"]]) for block in blocks]


def _prepared(context: Config, day: date, read: Read) -> pd.DataFrame:
    """The models of a day with the training compute that Epoch AI printed: the figures were made from no other."""
    tables = normalize_tables(context, day, read)
    models, claims = tables["models"], tables["claims"]
    others = claims[(claims["field"] == FIELD) & (claims["status"] == "selected") & (claims["publisher"] != PUBLISHER)]
    masked = models.assign(**{FIELD: models[FIELD].mask(models["model_id"].isin(others["model_id"]))})
    return prepare({"models": with_eras(masked, tables["supercomputers"], context.constants["eras"])})


def _result(entry: Mapping[str, Any], prepared: pd.DataFrame) -> Result:
    points = make_points(prepared, entry["quantity"])
    key = Key(entry["group"], entry.get("member", ""), str(entry.get("since", "")))
    lines = lines_of(points, [np.flatnonzero(of_group(points, key, str(entry.get("until", ""))))])

    def measured(slope: float) -> float:
        return float(10**slope) if entry["measure"] == "growth" else doubling_months(slope)

    def bounds(slopes: np.ndarray) -> tuple[float, float]:
        low, high = sorted(measured(float(slope)) for slope in interval(slopes).ravel())
        return low, high

    value = measured(lines.slope.item())
    return Result(entry, value, bounds(lines.sampled), bounds(lines.slopes), int(lines.n.item()))


def reproductions(measured: list[tuple[Mapping[str, Any], list[Result]]]) -> str:
    """A section for each publication, with a row for each of its figures."""
    parts = []
    for block, results in measured:
        intro = textwrap.fill(block["intro"], 118)
        parts.append(f"\n### {block['title']}\n\n{intro}\n[{block['source']}]; vintage {block['vintage']}\n\n{HEAD}")
        parts += [_row(result) for result in results]
        because = [result.published for result in results if "because" in result.published]
        parts += [f"\n{entry['what'].capitalize()}: {entry['because']}.\n" for entry in because]
    return "".join(parts)


def _row(result: Result) -> str:
    entry = result.published
    unit = "×/year" if entry["measure"] == "growth" else "months"
    interval = f" [{entry['low']}–{entry['high']}]" if "low" in entry else ""
    theirs = f"{entry['value']}{interval} {unit}" + (f", n = {entry['n']}" if "n" in entry else "")
    spans = ", ".join(f"{low:.2f}–{high:.2f}" for low, high in (result.sampling, result.interval))
    condition = f"within {entry['tolerance']:.0%}, same n" if "tolerance" in entry else "inside the published interval"
    verdict = condition if result.agrees else f"not {condition}"
    off = f"{result.value / entry['value'] - 1:+.1%}"
    return row(entry["what"], theirs, f"**{result.value:.2f}** {unit}", spans, result.n, off, verdict)
