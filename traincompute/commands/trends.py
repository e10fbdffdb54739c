"""`traincompute trends`: how fast compute and related quantities grow."""

from __future__ import annotations

import click

from traincompute.commands.options import data_option, dataset_folder
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
@click.option("--csv", "form", flag_value="csv", help="Print CSV, all columns.")
@click.option("--json", "form", flag_value="json", help="Print JSON, all columns.")
@data_option
def trends(quantity: str | None, group: str | None, since: int | None, form: str | None, data: str | None) -> None:
    """Show how fast compute and related quantities grow: the ten rates that people quote, or all of a QUANTITY, a
    GROUP of models or a first YEAR. `traincompute tables trends` describes the columns.

    Example: traincompute trends --quantity training_compute_flop --group running_top_ten
    """
    asked = {"quantity": quantity, '"group"': group, "year(since)": since}
    chosen = [f"{column} = ${place}" for place, column in enumerate(asked, 1) if asked[column] is not None]
    given = {str(place): value for place, value in enumerate(asked.values(), 1) if value is not None}
    where = " and ".join(chosen) or f"trend_id in {QUOTED}"
    order = f'list_position({list(QUANTITIES)}, quantity), list_position({list(GROUPS)}, "group"), member, since'
    query = f"select {'*' if form else SHOWN} from trends where {where} order by {order}"
    run_query(dataset_folder(data), query, form or "table", given)
    if not form:
        click.echo(f"\n{NOTE}")
