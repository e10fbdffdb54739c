"""Growth figures that others published, beside ours on the snapshot nearest to the data that theirs were made from.

published.yml has theirs, and which models each describes; ours are computed from the committed facts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, NamedTuple, NotRequired

import numpy as np

from pipeline.config import load_config
from pipeline.files import Number, list_of, load_yaml, mapping
from pipeline.impute.eras import with_eras
from pipeline.impute.trends import Key, doubling_months, fit_lines, interval, make_points, of_group, prepare
from pipeline.normalize.stage import normalize_tables, read_ledger
from pipeline.paths import Paths

FIELD, PUBLISHER = "training_compute_flop", "Epoch AI"
PUBLISHED = Path(__file__).with_name("published.yml")
OPTIONAL_DATE, OPTIONAL_NUMBER = NotRequired[date], NotRequired[Number]
FIGURE = mapping(
    what=str, quantity=str, group=str, member=NotRequired[str], since=OPTIONAL_DATE, until=OPTIONAL_DATE, value=Number,
    measure=Literal["growth", "doubling"], low=OPTIONAL_NUMBER, high=OPTIONAL_NUMBER, n=OPTIONAL_NUMBER,
    tolerance=OPTIONAL_NUMBER, because=NotRequired[str],
)  # fmt: skip
SHAPE = list_of(mapping(title=str, source=str, vintage=date, intro=str, figures=list_of(FIGURE)))


class Result(NamedTuple):
    """One published figure and ours, in the unit of the published one (factor per year, or months).

    `sampling` is our 90 % interval from resampling the models, `interval` also has the values' own uncertainty."""

    published: Mapping[str, Any]
    value: float
    sampling: tuple[float, float]
    interval: tuple[float, float]
    n: int


def measure(paths: Paths) -> list[tuple[Mapping[str, Any], list[Result]]]:
    """Every entry of published.yml with our results, of the models of its day with the training compute that Epoch AI
    printed: the figures were made from no other."""
    context = load_config(paths)
    blocks: list[Mapping[str, Any]] = load_yaml(PUBLISHED, "pipeline/site/published.yml", SHAPE)
    read = read_ledger(context)
    prepared = {}
    for day in sorted({block["vintage"] for block in blocks}):
        tables = normalize_tables(context, day, read)
        models, claims = tables["models"], tables["claims"]
        is_other = (claims["field"] == FIELD) & (claims["status"] == "selected") & (claims["publisher"] != PUBLISHER)
        others = models["model_id"].isin(claims.loc[is_other, "model_id"])
        masked = models.assign(**{FIELD: models[FIELD].mask(others)})
        eras = with_eras(masked, tables["supercomputers"], context.constants["eras"])
        prepared[day] = prepare({"models": eras})
    return [(block, [_result(entry, prepared[block["vintage"]]) for entry in block["figures"]]) for block in blocks]


def _result(entry: Mapping[str, Any], prepared: Any) -> Result:
    points = make_points(prepared, entry["quantity"])
    key = Key(entry["group"], entry.get("member", ""), str(entry.get("since", "")))
    lines = fit_lines(points, [np.flatnonzero(of_group(points, key, str(entry.get("until", ""))))])
    of_slope = doubling_months if entry["measure"] == "doubling" else lambda slope: 10**slope

    def bounds(slopes: np.ndarray) -> tuple[float, float]:
        low, high = sorted(float(of_slope(float(slope))) for slope in interval(slopes).ravel())
        return low, high

    value, n = float(of_slope(lines.slope.item())), int(lines.n.item())
    return Result(entry, value, bounds(lines.sampled), bounds(lines.slopes), n)
