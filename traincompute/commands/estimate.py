"""`traincompute estimate`: what a training run takes, for one run or for a file of runs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from traincompute.commands.options import data_option, dataset_folder


@click.command()
@click.option("--parameters", metavar="N", help="Parameters, such as 70B.")
@click.option("--active-parameters", metavar="N", help="Parameters that a token passes through (mixture of experts).")
@click.option("--tokens", metavar="N", help="Tokens, such as 15T.")
@click.option("--epochs", metavar="N", help="How often each token is trained on.  [default: 1]")
@click.option("--training-factor", metavar="N", help="FLOP per parameter and token.  [default: 6]")
@click.option("--flop", metavar="N", help="Training compute, in place of sizes.")
@click.option("--chip", metavar="NAME", help="The chip, such as H100.")
@click.option("--chips", metavar="N", help="Number of chips.")
@click.option("--hours", metavar="N", help="Hours that they train.")
@click.option("--days", metavar="N", help="The same in days.")
@click.option("--utilization", metavar="SHARE", help="Share of the peak rate, over all chip-hours, such as 0.4.")
@click.option("--precision", metavar="FORMAT", help="Number format.  [default: BF16]")
@click.option("--price-per-hour", metavar="USD", help="Price of a chip-hour.")
@click.option("--pue", metavar="N", help="Energy of the data centre over that of its computers.")
@click.option("--region", metavar="NAME", help="Cloud region, state or country, for the grid.")
@click.option("--base", metavar="MODEL", help="The model that the run starts from.")
@click.option("--from", "source", type=click.Path(exists=True, dir_okay=False), help="Runs as .csv or .parquet.")
@click.option("--to", type=click.Path(), help="Where to write them, with the estimates, as .parquet.")
@click.option("--engine", type=click.Choice(["duckdb", "spark"]), default="duckdb", help="What computes --from.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@data_option
def estimate(data: str | None, source: str | None, to: str | None, engine: str, as_json: bool, **options: Any) -> None:
    """Estimate compute, time, cost, energy and carbon of a training run, with 90 % intervals, from its size, its FLOP
    or its chips and hours. What is not given is taken from what the dataset measured, and named.

    With --from and --to, each row of a table is a run: its columns have the names of the options with _ for -, and all
    others are kept. That needs the extra bulk.

    Example: traincompute estimate --parameters 70B --tokens 15T --chip H100 --chips 1024
    """
    from traincompute.database import open_database

    words = {name: options.pop(name) for name in ("chip", "precision", "region", "base")}
    with open_database(dataset_folder(data)) as connection:
        if source or to:
            from traincompute.planning.bulk import estimate_file

            if not (source and to) or any((*words.values(), *options.values())):
                raise click.UsageError("give --from and --to, and the numbers of the runs as columns of the file")
            if not to.endswith(".parquet"):
                raise click.BadParameter(f"{to} does not end in .parquet, the only format written", param_hint="'--to'")
            estimate_file(connection, source, to, engine)
            return
        from traincompute.planning.estimate import estimate_run, read_numbers
        from traincompute.planning.report import as_text
        from traincompute.show.values import json_text

        made = estimate_run(connection, read_numbers(options), **words)
    click.echo(json_text(asdict(made)) if as_json else as_text(made))
