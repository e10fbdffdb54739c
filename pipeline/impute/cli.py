"""`traincompute dev calibrate`: how far the estimates are off on models whose compute is published."""

from __future__ import annotations

from datetime import date, datetime
from importlib.util import find_spec

import click

from pipeline.options import json_option
from pipeline.paths import checkout
from traincompute.commands.options import DAY
from traincompute.needs import remedy
from traincompute.show.table import Column, print_table
from traincompute.show.values import human_text
from traincompute.show.waiting import waiting

VINTAGE = date(2026, 8, 23)  # the first day with a capability index for enough models
SHOWN = ["evaluation", "inputs", "method", "subset", "tier", "n", "median_error_dex", "within_3", "within_10",
         "coverage_50", "coverage_90", "coverage_90_low", "coverage_90_high", "mean_half_width_90_dex",
         "winkler_90_dex", "winkler_90_alike_dex"]  # fmt: skip
TEXTS = ("evaluation", "inputs", "method", "subset", "tier")
NEEDED = "sklearn"  # it grows the trees; the build only walks them


@click.command()
@click.option(
    "--as-of",
    type=DAY,
    metavar="DATE",
    default=str(VINTAGE),
    show_default=True,
    help="Judge on the dataset as it stood on that day.",
)
@click.option("--write", is_flag=True, help="Write coefficients, trees, errors and tables below data/calibration/.")
@click.option("--check", is_flag=True, help="Only say whether those files are current (exit code 1 if not).")
@json_option("Print the whole table as JSON.")
def calibrate(as_of: datetime, write: bool, check: bool, as_json: bool) -> None:
    """Measure how far the estimates are off, and how often their intervals hold the published value.

    Example: traincompute dev calibrate --json
    """
    if find_spec(NEEDED) is None:
        raise click.ClickException(f"needs scikit-learn: {remedy('calibrate')}")
    import pandas as pd
    from threadpoolctl import threadpool_limits

    from pipeline.config import load_config
    from pipeline.impute.calibration.calibrate import measure_all
    from pipeline.impute.calibration.measured_runs import measure_runs
    from pipeline.impute.calibration.past_estimates import judge_vintages, measure_filled
    from pipeline.impute.calibration.storage import check_whole, inputs_digest, stale_files, write_files
    from pipeline.impute.flop.calibration_tables import load_measured

    context = load_config(checkout())
    digest = inputs_digest(context.paths)
    if not (write or check):
        check_whole(context.paths, ["scores"])
    with waiting("measuring") as say, threadpool_limits(1):  # the matrices are small: threads only wait for each other
        tables = measure_all(context, as_of.date(), say)
        tables |= measure_runs(context, tables["intervals"])
        tables |= judge_vintages(context, say) if write or check else {"scores": load_measured(context.paths, "scores")}
    calibration = pd.concat([tables["calibration"], measure_filled(tables["scores"])])
    tables |= {"calibration": calibration}
    if check:
        if stale := stale_files(context.paths, tables):
            raise click.ClickException(f"{', '.join(stale)}: not current; run `traincompute dev calibrate --write`")
    elif write:
        for file in write_files(context.paths, tables, digest):
            click.echo(f"wrote {file}")
    if as_json and not check:
        click.echo(calibration.to_json(orient="records", indent=1))
    elif not (write or check):
        whole = calibration[(calibration[["domain", "period", "confidence"]] == "all").all(axis=1)]
        rows = [[human_text(value) for value in row] for row in whole[SHOWN].itertuples(index=False)]
        print_table([Column(name, name not in TEXTS) for name in SHOWN], rows)
