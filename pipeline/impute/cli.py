"""`traincompute dev calibrate`: how far the estimates are off on models whose compute is published."""

from __future__ import annotations

from datetime import date, datetime

import click

from pipeline.paths import checkout
from traincompute.commands.options import DAY, json_option
from traincompute.show.table import Column, print_table
from traincompute.show.values import human_text
from traincompute.show.waiting import waiting

VINTAGE = date(2026, 8, 23)  # the first day with a capability index for enough models
SHOWN = ["evaluation", "inputs", "method", "subset", "tier", "n", "median_error_dex", "within_3", "within_10",
         "coverage_50", "coverage_90", "coverage_90_low", "coverage_90_high", "mean_half_width_90_dex",
         "winkler_90_dex"]  # fmt: skip
TEXTS = ("evaluation", "inputs", "method", "subset", "tier")


@click.command()
@click.option(
    "--as-of",
    type=DAY,
    metavar="DATE",
    default=str(VINTAGE),
    show_default=True,
    help="Judge on the dataset as it stood on that day.",
)
@click.option("--write", is_flag=True, help="Write coefficients, errors and their measures below data/calibration/.")
@click.option("--check", is_flag=True, help="Only say whether those files are current (exit code 1 if not).")
@click.option("--score", is_flag=True, help="First add to scores.csv the values that were printed since its last rows.")
@json_option("Print the whole table as JSON.")
def calibrate(as_of: datetime, write: bool, check: bool, score: bool, as_json: bool) -> None:
    """Measure how far the estimates are off, and how often their intervals hold the published value.

    Example: traincompute dev calibrate --json
    """
    from threadpoolctl import threadpool_limits

    from pipeline.config import load_config
    from pipeline.impute.calibrate import inputs_digest, is_stale, measure_all, score_vintages, write_files
    from pipeline.impute.intervals import load_measured

    context = load_config(checkout())
    if check:
        if is_stale(context.paths):
            raise click.ClickException("the calibration is not current; run `traincompute dev calibrate --write`")
        return
    digest = inputs_digest(context.paths)
    with waiting("measuring") as say, threadpool_limits(1):  # the matrices are small: threads only wait for each other
        if score:
            scores = score_vintages(context, load_measured(context.paths, "scores"), say)
            click.echo(f"wrote {write_files(context.paths, {'scores': scores})[0]}")
        made = measure_all(context, as_of.date(), say)
    if write:
        for file in write_files(context.paths, made, digest):
            click.echo(f"wrote {file}")
    table = made["calibration"]
    if as_json:
        click.echo(table.to_json(orient="records", indent=1))
    elif not write:
        whole = table[(table[["domain", "period", "confidence"]] == "all").all(axis=1)]
        rows = [[human_text(value) for value in row] for row in whole[SHOWN].itertuples(index=False)]
        print_table([Column(name, name not in TEXTS) for name in SHOWN], rows)
