"""The economic eras of The Shape of Code (D. Jones, Growth in FLOPs used to train ML models, March 2022), recomputed.

The article takes Epoch's sheet of the day, keeps the rows with FLOP, date and parameters, and fits a straight line to
log FLOP and to log parameters in each of three economic eras; the growth of the Top500 is its guide to how much compute
was available. That sheet was not archived anywhere; the one of 2022-05-03 is the nearest.
"""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pandas as pd

from pipeline.impute.trends import fit, series
from pipeline.impute.trends.prepare import decimal_year, prepare
from pipeline.impute.trends.table import doubling_months, lines_of
from pipeline.normalize import facts
from pipeline.present.docs.markdown import row
from pipeline.registry.constants import load_constants
from pipeline.registry.context import Context
from pipeline.registry.frames import Tables

VINTAGE = date(2022, 5, 3)
URL = "https://shape-of-code.com/2022/03/13/growth-in-flops-used-to-train-ml-models/"
COUNTS = {"do_it_yourself": 18, "cloud": 74, "bespoke": 14}  # points of each era in the article
NAMES = {"do_it_yourself": "do-it-yourself", "cloud": "cloud", "bespoke": "bespoke"}
MACHINES = {"rmax_first": "first machine (Rmax)", "rmax_sum": "sum of the 500 (Rmax)"}
INTRO = f"""
## The Shape of Code 2022: economic eras

Training compute and model size by who pays for the machines: do-it-yourself (what a researcher has at hand), cloud
(rented), bespoke (built for the purpose). The article prints 18, 74 and 14 points but no rule. Ours: do-it-yourself is
before 2010; bespoke is what would have kept the first machine in the Top500 of its day busy for three days or longer,
which nobody rents by the hour; cloud is the rest.
[{URL}]; vintage {VINTAGE}; figures `economic-eras-flop` and `economic-eras-parameters`

"""
SHEET = """
The file of that day has 498 rows; 151 of them have no name and are not records here, while the 493 models of the
article seem to be all rows. Two models have all three only because two rows of the sheet are about them.

"""
LINES = """\
| era | points (article) | growth of FLOP per year | doubling, months | growth of parameters per year | doubling, \
months |
|---|---:|---|---:|---|---:|
"""
TOP500 = """
For comparison, the Top500 up to the date of the sheet:

| | lists since | lists | growth per year | doubling, months |
|---|---|---:|---|---:|
"""
OUTGROWN = """
Training outgrew the fastest machine in the cloud and bespoke eras: one machine, in FP64 and by its rate alone, is
no bound for runs that may last longer, use more chips and compute in lower precision.
"""


def shape_of_code(context: Context, made: Tables) -> str:
    """The section of docs/reproductions.md."""
    points = era_points(made, context)
    return INTRO + _counts(sheet_counts(context), len(points)) + _lines(points) + _machines(made["supercomputers"])


def era_points(made: Tables, context: Context) -> pd.DataFrame:
    """Models with FLOP, date and parameters, with year and economic era (found among all models with FLOP and date)."""
    prepared = prepare(made, load_constants(context.paths)["eras"])
    return prepared[prepared["era_economic"].notna() & prepared["parameters"].notna()]


def sheet_counts(context: Context) -> dict[str, int]:
    """Numbers of rows in the sheet as printed: with a name, with FLOP, and with FLOP, parameters and a valid date."""
    ledger = facts.load_facts(context.paths, context.sources, context.lock)
    sheet = facts.vintage(ledger, context.sources, context.lock, VINTAGE)
    sheet = sheet[sheet["source_id"] == "epoch_all"]
    having = {field: set(rows["record"]) for field, rows in sheet.groupby("field")}
    dates = sheet[(sheet["field"] == "publication_date") & sheet["value_text"].str.contains(r"\d{4}")]
    flop = having["training_compute_flop"]
    return {
        "rows with a name": len(having["name"]),
        "with FLOP": len(flop),
        "with FLOP, date and parameters": len(flop & having["parameters"] & set(dates["record"])),
    }


def _counts(counts: dict[str, int], points: int) -> str:
    article = {"rows with a name": "493 models", "with FLOP": 129, "with FLOP, date and parameters": 106}
    rows = "".join(row(what, article[what], n) for what, n in counts.items())
    head = f"| rows of the sheet | article | {VINTAGE} |\n|---|---:|---:|\n"
    return f"{head}{rows}| models with all three | – | {points} |\n{SHEET}"


def _lines(points: pd.DataFrame) -> str:
    flop, size = era_lines(points, "training_compute_flop"), era_lines(points, "parameters")
    counted = {era: f"{flop[era]['n']} ({COUNTS[era]})" for era in NAMES}
    return LINES + "".join(row(NAMES[era], counted[era], *_cells(flop[era]), *_cells(size[era])) for era in NAMES)


def era_lines(points: pd.DataFrame, quantity: str) -> dict[str, dict[str, Any]]:
    """n, slope with its 90 % sampling interval (powers of ten per year) and level of each economic era's line."""
    found = series.make_points(points, quantity)
    groups = {series.Key("era_economic", era): np.flatnonzero(found["era_economic"] == era) for era in NAMES}
    lines = lines_of(found, groups)
    bounds = fit.interval(lines.sampled)
    return {
        era: {"n": int(lines.n[i]), "slope": lines.slope[i], "level": lines.level[i], "bounds": bounds[:, i]}
        for i, era in enumerate(NAMES)
    }


def _cells(line: dict[str, Any]) -> tuple[str, str]:
    """Growth a year with its interval, and months of doubling."""
    low, high = line["bounds"]
    doubling = doubling_months(line["slope"])
    months = f"{doubling:.1f}" if doubling == doubling else "–"
    return f"{10 ** line['slope']:.2f}× [{10**low:.2f}–{10**high:.2f}]", months


def machine_lines(lists: pd.DataFrame, since: str, until: str) -> dict[str, fit.Lines]:
    """The growth of the Top500 between two days: of its first machine and of all machines together."""
    some = lists[(lists["list_date"] >= since) & (lists["list_date"] <= until)]
    year = decimal_year(some["list_date"]).to_numpy()
    everything = [np.arange(len(some))]
    return {
        name: fit.fit_lines(year, np.log10(some[name].to_numpy()), np.zeros(len(some)), everything) for name in MACHINES
    }


def _machines(lists: pd.DataFrame) -> str:
    rows = ""
    for since in ("1993-06-01", "2012-01-01"):
        for name, line in machine_lines(lists, since, VINTAGE.isoformat()).items():
            cells = _cells({"slope": line.slope.item(), "bounds": fit.interval(line.sampled).ravel()})
            rows += row(MACHINES[name], since[:7], int(line.n.item()), *cells)
    return TOP500 + rows + OUTGROWN
