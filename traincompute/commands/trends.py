"""`traincompute trends`: how fast compute and related quantities grow."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder, form_options
from traincompute.commands.sql import run_query

QUANTITIES = (
    *("training_compute_flop", "parameters", "training_tokens"),
    *("training_cost_usd", "training_power_w", "hardware_quantity"),
)
GROUPS = (
    *("all", "notable", "frontier_flag", "running_top_ten", "language", "notable_language"),
    *("era_compute", "era_economic", "country", "organization"),
)
# the growth rates that people quote, shown where nothing else is asked for
QUOTED = (
    "training_compute_flop:notable:2010",
    "training_compute_flop:notable:2018",
    "training_compute_flop:running_top_ten:2010",
    "training_compute_flop:running_top_ten:2018",
    "training_compute_flop:notable_language:2017",
    "parameters:notable:2010",
    "training_tokens:notable_language:2017",
    "training_cost_usd:running_top_ten:2010",
    "training_power_w:running_top_ten:2010",
    "hardware_quantity:running_top_ten:2010",
)
SHOWN = """trend_id, n, round(growth_per_year, 2) as growth_per_year, round(growth_low, 2) as growth_low,
    round(growth_high, 2) as growth_high, round(doubling_months, 1) as doubling_months,
    round(growth_all_runs, 2) as growth_all_runs, round(valued_share_since_2024, 2) as valued_share_since_2024"""
NOTE = """\
growth_per_year is a factor, from the n published values, with a 90 % interval; growth_all_runs allows for runs without
one. valued_share_since_2024 is the share of runs since 2024 with a published value."""


@click.command()
@click.option("--quantity", type=click.Choice(QUANTITIES), metavar="NAME", help=f"One of {', '.join(QUANTITIES)}.")
@click.option("--group", type=click.Choice(GROUPS), metavar="NAME", help=f"One of {', '.join(GROUPS)}.")
@click.option("--since", type=click.IntRange(1900), metavar="YEAR", help="Only trends from that year on.")
@form_options("csv", "json", csv="Print CSV, all columns.", json="Print JSON, all columns.")
@data_option
def trends(quantity: str | None, group: str | None, since: int | None, form: str | None, data: str | None) -> None:
    """Show how fast compute and related quantities grow: the ten rates that people quote, or all of a QUANTITY, a
    GROUP of models or a first YEAR. `traincompute tables trends` describes the columns.

    Example: traincompute trends --quantity training_compute_flop --group running_top_ten
    """
    asked = {"quantity": quantity, "group": group, "since": since}
    quoted = "true" if any(asked.values()) else f"trend_id in {QUOTED}"
    query = f"""select {"*" if form else SHOWN} from trends
        where {quoted} and ($quantity is null or quantity = $quantity) and ($group is null or "group" = $group)
            and ($since is null or year(since) = $since)
        order by list_position({list(QUANTITIES)}, quantity), list_position({list(GROUPS)}, "group"), member, since"""
    run_query(dataset_folder(data), query, form or "table", asked)
    if not form:
        click.echo(f"\n{NOTE}")
