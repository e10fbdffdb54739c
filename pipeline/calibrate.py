"""`traincompute calibrate`: how far the estimates are off on models whose compute is published, leaving each out.

Once from upstream facts alone, and once with the curated facts, as if they had been entered by the day of the vintage:
these make the coefficients of the regression and the intervals that the build uses. The published value is upstream's in
both, and so is what counts as independent of 6 · N · D and hardware products.
"""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pipeline.errors import DataError, Problem
from pipeline.paths import checkout

if TYPE_CHECKING:
    import pandas as pd

    from pipeline.build import Context

VINTAGE = date(2026, 5, 3)  # the snapshot that the targets were set on
INPUTS = ("upstream", "curated")
FEWEST = 100  # published values: with fewer a fifth of them says nothing of the rest
# curated claims and corrections of these would give the answer away
ANSWERS = ("training_compute", "training_cost")
SHOWN = ["inputs", "method", "subset", "n", "median_error_dex", "mad_dex", "within_2", "within_3", "within_10",
         "coverage_50", "coverage_80", "coverage_90", "coverage_90_low", "coverage_90_high", "half_width_90_dex"]  # fmt: skip


@click.command()
@click.option(
    "--as-of",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="DATE",
    default=str(VINTAGE),
    show_default=True,
    help="Judge on the dataset as it stood on that day.",
)
@click.option("--write", is_flag=True, help="Write coefficients, intervals and table below schemas/calibration/.")
@click.option("--check", is_flag=True, help="Only say whether those files are current (exit code 1 if not).")
@click.option(
    "--plots", type=click.Path(file_okay=False, path_type=Path), help="Write SVG and PNG plots to this folder."
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole table as JSON.")
def calibrate(as_of: datetime, write: bool, check: bool, plots: Path | None, as_json: bool) -> None:
    """Measure how far the estimates are off, and how often their intervals hold the published value.

    Example: traincompute calibrate --plots /tmp/plots
    """
    from pipeline import build as steps
    from pipeline.calibration_files import stale_files, write_files

    context = steps.load_context(checkout())
    made, judged = measure_all(context, as_of.date())
    if check:
        if stale := stale_files(context.paths, made):
            raise click.ClickException(f"{', '.join(stale)}: not current; run `traincompute calibrate --write`")
        return
    if write:
        for file in write_files(context.paths, made):
            click.echo(f"wrote {file}")
    if plots:
        from pipeline.calibration_plots import write_plots

        for path in write_plots(judged, plots):
            click.echo(f"wrote {path}")
    table = made["calibration"]
    if as_json:
        click.echo(table.to_json(orient="records", indent=1))
    elif not write and not plots:
        whole = table[(table[["domain", "period", "confidence"]] == "all").all(axis=1)]
        click.echo(whole[SHOWN].to_string(index=False))


def measure_all(context: Context, as_of: date) -> tuple[dict[str, pd.DataFrame], pd.DataFrame]:
    """The tables coefficients and intervals (of curated facts, as the build sees them), calibration and imputed; and the
    judged predictions from upstream facts alone."""
    import pandas as pd

    from pipeline.estimate import calibration, intervals
    from pipeline.estimate.rows import FIELD
    from pipeline.schema import conform

    gathered = {inputs: gather(context, as_of, curated=inputs == "curated") for inputs in INPUTS}
    upstream = gathered["upstream"][0]
    _check_enough(upstream[FIELD].notna().sum(), as_of)
    published, about = upstream.set_index("model_id")[FIELD], calibration.describe(*gathered["upstream"])
    judged, table, imputed = {}, [], []
    for inputs, (seen, edges) in gathered.items():
        rows = seen.assign(**{FIELD: seen["model_id"].map(published)})
        coefficients, scored = _score(rows, edges, about)
        judged[inputs] = calibration.out_of_fold(scored[scored["notable"]], scored)
        table.append(calibration.measure(judged[inputs], inputs))
        imputed.append(calibration.count_imputed(rows, edges).assign(inputs=inputs))
    made = {
        "coefficients": coefficients.reset_index(),
        "intervals": intervals.make_intervals(calibration.own_methods(scored)),
        "calibration": conform(pd.concat(table), context.schemas["calibration"]),
        "imputed": pd.concat(imputed)[["inputs", "method", "models", "bounds"]],
    }
    return made, judged["upstream"]


def _check_enough(models: int, as_of: date) -> None:
    """Raises DataError where a vintage has too few published values to hold some back and judge by the others."""
    if models < FEWEST:
        reason = f"has {models} models with a published value, calibration needs {FEWEST}"
        raise DataError([Problem("--as-of", "", "", str(as_of), reason, "choose a later snapshot")])


def _score(rows: pd.DataFrame, edges: pd.DataFrame, about: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The coefficients fitted to the rows, and the scores of all methods on them."""
    from pipeline.estimate import calibration, intervals, statistical
    from pipeline.estimate.calibrated import Calibrated

    coefficients = statistical.fit(*calibration.for_fit(rows, edges))
    predicted = calibration.predict(rows, edges, Calibrated(coefficients, intervals.empty()))
    return coefficients, calibration.score(predicted, about)


def gather(context: Context, as_of: date, *, curated: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What the methods look at, and the edges to base models, from the facts of a vintage with or without curated ones
    and the declared corrections."""
    import pandas as pd

    from pipeline import bounds, claims, corrections, facts, models, normalize, tables
    from pipeline import build as steps
    from pipeline.estimate.rows import base_edges, estimation_rows

    ledger = steps.identify(context, facts.load_facts(context.paths, context.sources, context.lock))
    entered = ledger["source_id"].map({name: s.adapter == "curated" for name, s in context.sources.items()})
    answers = ledger["field"].str.startswith(ANSWERS)
    ledger = ledger[~entered | (curated & ~answers & ledger["until"].isna())]
    ledger = ledger.assign(since=ledger["since"].mask(entered.astype(bool), pd.Timestamp(as_of)))
    ledger, readings = normalize.read_texts(ledger, context.fields, context.vocabularies, context.sources)
    vintage = facts.vintage(ledger, context.sources, context.lock, as_of)
    typed = bounds.quarantine_bounds(normalize.with_readings(vintage, readings))
    known = typed[(typed["subject"] == "models") & (typed["model_id"] != "")]
    fixes = [fix for fix in corrections.load_corrections(context.paths) if not fix["field"].startswith(ANSWERS)]
    made = claims.make_claims(known, context.sources, context.selection)
    judged = claims.select(corrections.apply(context.paths, fixes if curated else [], made, None))
    chips = steps.records(context, typed[typed["subject"] == "hardware"], "hardware")
    wide = models.make_models(judged, context.schemas["models"], context.vocabularies)
    chosen, about = claims.selected(judged), context.schemas["model_hardware"]
    mentions = tables.make_model_hardware(chosen, chips, context.vocabularies, about)
    rows = estimation_rows(wide, judged, mentions, chips, steps.bands(context))
    return rows, base_edges(judged, rows["model_id"])
