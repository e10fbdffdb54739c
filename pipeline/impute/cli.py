"""`traincompute dev calibrate`. A command imports what it needs when it runs."""

import click

from pipeline.paths import checkout
from traincompute.show.terminal import waiting


@click.command()
@click.option("--write", is_flag=True, help="Measure again, and write the results to data/calibration/.")
@click.option("--check", is_flag=True, help="Only check whether data/calibration/ is current; exit with code 1 if not.")
@click.option("--score", is_flag=True, help="First, update scores.csv with values published since the last update.")
def calibrate(write: bool, check: bool, score: bool) -> None:
    """Measure how far estimates are from published values, and how often intervals contain those values.

    Example: traincompute dev calibrate --write"""
    from threadpoolctl import threadpool_limits  # an extra, which a build does without

    from pipeline.config import load_config
    from pipeline.impute import calibrate as measured
    from pipeline.impute.intervals import load_measured

    if not (write or check or score):
        raise click.UsageError("give --write, --check or --score")
    context = load_config(checkout())
    if check and measured.is_stale(context.paths):
        raise click.ClickException("the calibration is not current; run `traincompute dev calibrate --write`")
    digest, files = measured.inputs_digest(context.paths), list[str]()
    with waiting("measuring") as say, threadpool_limits(1):  # the matrices are small: threads only wait for each other
        if score:
            scores = measured.score_vintages(context, load_measured(context.paths, "scores"), say)
            files += measured.write_files(context.paths, {"scores": scores})
        if write:
            files += measured.write_files(context.paths, measured.measure_all(context, measured.VINTAGE, say), digest)
    click.echo("\n".join(f"wrote {file}" for file in files))
