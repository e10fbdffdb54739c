"""`traincompute thresholds`, `frontier` and `trends`: how many training runs are large, and how fast they grow."""

from __future__ import annotations

import json
import textwrap
from datetime import datetime
from typing import Any

import click

from traincompute.commands.options import DAY, dataset_folder, form_options, version_option
from traincompute.commands.sql import run_query
from traincompute.show.rows import human_text, print_rows
from traincompute.show.terminal import text_width

LIKELY, REPORTED = 0.1, 0.001  # the least probability of a model that is listed: for people, and in JSON and CSV
TITLES = ("until", "runs with such a value", "models", "expected runs", "90 % interval")
ABOVE = """
select m.model_id, p.tier, m.name, m.organization, m.publication_date, round(case when $flop <= p.least_flop then 1
        when $flop > p.most_flop and p.flop_95 <= p.most_flop then 0
        else probability_above(p.flop_05, p.flop_25, p.flop_50, p.flop_75, p.flop_95, $flop) end, 6) as probability,
    if(p.method = 'capability_index', 'benchmark scores', ['published value', 'hardware or operations', 'base model',
        'size, data or chips', 'date and kind'][p.tier + 1]) as rests_on,
    if(p.tier = 0, c.publisher, 'our estimate') as source,
    replace(replace(coalesce(c.reference, m.reference_url), 'arXiv:', 'https://arxiv.org/abs/'),
        'doi:', 'https://doi.org/') as link
from models m join predictions p using (model_id) left join claims c
    on c.model_id = m.model_id and c.field = 'training_compute_flop' and c.status = 'selected'
where m.publication_date <= $day and (m.is_notable or $everything) and probability > $least
order by p.tier = 4, probability desc, m.model_id"""
LISTED = f"select * exclude (model_id, tier) from ({ABOVE})"
MODIFIED = """
select m.name, m.organization, m.publication_date, m.finetune_compute_flop as further_flop, b.name as base,
    b.organization as base_organization, m.organization <> b.organization as by_another,
    b.training_compute_flop as base_flop, round(m.finetune_compute_flop / b.training_compute_flop, 3) as share,
    m.reference_url as link
from models m join models b on b.model_id = m.base_model_id
where coalesce(b.training_compute_flop, $flop) >= $flop and m.publication_date <= $day
    and m.finetune_compute_flop > coalesce(b.training_compute_flop, $flop) / 3
order by m.publication_date desc, m.name"""
COUNTED = """max(runs) filter ({0}) as runs_{1}, max(round(expected_runs, 1)) filter ({0}) as expected_{1},
    max(concat(low_90, '–', high_90)) filter ({0}) as interval_{1}"""
FRONTIER = f"""
with counted as (select published_until as until, {COUNTED.format("threshold_flop = 1e25", "1e25")},
    {COUNTED.format("threshold_flop = 1e26", "1e26")} from thresholds where scope = $scope group by all)
select until, max_by(model_id, (m.training_compute_flop, -epoch(publication_date))) as model_id,
    max(m.training_compute_flop) as largest_flop, counted.* exclude (until)
from counted join models m on publication_date <= until and (is_notable or $scope = 'all')
where training_compute_source <> 'imputed' group by all order by until"""
# the growth rates that people quote, shown where nothing else is asked for
QUOTED = [
    *("training_compute_flop:notable:2010", "training_compute_flop:notable:2018"),
    *("training_compute_flop:running_top_ten:2010", "training_compute_flop:running_top_ten:2018"),
    *("training_compute_flop:notable_language:2017", "parameters:notable:2010"),
    *("training_tokens:notable_language:2017", "training_cost_usd:running_top_ten:2010"),
    *("training_power_w:running_top_ten:2010", "hardware_quantity:running_top_ten:2010"),
]
QUANTITIES = list(dict.fromkeys(trend_id.split(":")[0] for trend_id in QUOTED))
GROUPS = ["all", "notable", "frontier_flag", "running_top_ten", "language", "notable_language", "era_compute",
          "era_economic", "country", "organization"]  # fmt: skip
TRENDS = f"""
where ($quantity is null or quantity = $quantity) and ($group is null or "group" = $group)
    and ($since is null or year(since) = $since)
    and (list_contains({QUOTED}, trend_id) or coalesce($quantity, $group, $since::varchar) is not null)
order by list_position({QUANTITIES}, quantity), list_position({GROUPS}, "group"), member, since"""
RATES = """trend_id, n, round(growth_per_year, 2) as growth_per_year, round(growth_low, 2) as growth_low,
    round(growth_high, 2) as growth_high, round(doubling_months, 1) as doubling_months,
    round(growth_all_runs, 2) as growth_all_runs, round(valued_share_since_2024, 2) as valued_share_since_2024"""
NOTE = """
growth_per_year is a factor, from the n published values, with a 90 % interval; growth_all_runs allows for runs without
one. valued_share_since_2024 is the share of runs since 2024 with a published value."""


@click.command()
@click.argument("threshold", type=click.FloatRange(0, 1e60, min_open=True))
@version_option
@click.option("--on", type=DAY, metavar="DATE", help="Count only models published on or before DATE.")
@click.option("--all", "everything", is_flag=True, help="Include models that are not notable.")
@click.option("--list", "listed", is_flag=True, help=f"List models at least {LIKELY:.0%} likely to reach THRESHOLD.")
@click.option("--modified", is_flag=True, help="List fine-tunes that used over a third of the base model's compute.")
@form_options("csv", "json", json="Print JSON with the probability for each model.")
def thresholds(threshold: float, version: str | None, form: str | None, on: datetime | None, **options: bool) -> None:
    """Count the training runs of at least THRESHOLD FLOP: how many have a value that high, and how many are expected
    from the probability distributions of all models. Models from the same run count once.

    --list ends with a separate table of models for which only the date and kind are known.

    --modified lists models made from a base model of at least THRESHOLD FLOP, with further training that used more than
    a third of the base model's compute. If the base model's compute is unknown, THRESHOLD takes its place.

    An organisation that modifies another organisation's model in this way (column `by_another`) is a provider under the
    European Commission's guidelines on general-purpose AI models (18 July 2025).

    Example: traincompute thresholds 1e25 --list
    """
    folder, asked = dataset_folder(version), {"flop": threshold, "day": on or datetime.max}
    if options["modified"]:
        run_query(folder, MODIFIED, form or "table", asked)
        return
    asked |= {"everything": options["everything"], "least": REPORTED if form else LIKELY}
    if not options["listed"] or form == "json":
        _count(folder, asked, form)
    elif form == "csv":
        run_query(folder, LISTED, form, asked)
    else:
        run_query(folder, f"{LISTED} where tier < 4", "table", asked, human=True)
        click.echo("\nKnown by date and kind alone")
        run_query(folder, f"{LISTED} where tier = 4", "table", asked, human=True)


def _count(folder: str, asked: dict[str, Any], form: str | None) -> None:
    import pandas as pd

    from traincompute.database import open_database, rows
    from traincompute.thresholds import COLUMNS, by_year, year_ends

    with open_database(folder) as connection:
        held = f"select columns('^({'|'.join(COLUMNS)})$') from models m join predictions p using (model_id)"
        models = connection.execute(held).df()
        listed = rows(connection, ABOVE, **asked) if form == "json" else []
    newest = models["publication_date"].max()
    ends = year_ends(models["publication_date"], min(newest, pd.Timestamp(asked["day"])))
    chosen = models if asked["everything"] else models[models["is_notable"].astype("bool")]
    years, reach = by_year(chosen, [asked["flop"]], ends), f"{newest:%Y-%m-%d}"
    if form == "json":
        found = {"threshold_flop": asked["flop"], "data_reach_to": reach, "by_year": years, "models": listed}
        click.echo(json.dumps(found, indent=1, ensure_ascii=False, default=str))
    elif form == "csv":
        print_rows(years, form)
    else:
        _tell(years, asked, reach)


def _tell(years: list[dict[str, Any]], asked: dict[str, Any], reach: str) -> None:
    """Prints the numbers from the first year that may have such a run, and what those of the last rest on."""
    shown, last = [], years[-1]
    for row in years:
        if row["runs"] or row["expected_runs"] >= 0.5 or row is last:
            expected = round(row["expected_runs"], 1), f"{row['low_90']}–{row['high_90']}"
            cells = row["published_until"], row["runs"], row["models"], *expected
            shown.append(dict(zip(TITLES, cells, strict=True)))
    print_rows(shown)
    published, *others, kind = (last[f"expected_tier_{tier}"] for tier in range(5))
    which, index = "" if asked["everything"] else "notable ", last["expected_index"]
    sentence = (
        f"Of the {last['expected_runs']:.0f} runs of {which}models expected at {human_text(asked['flop'])} FLOP or"
        f" more, {published:.0f} have a published value, {index:.0f} are inferred from benchmark scores,"
        f" {sum(others) - index:.0f} from size, hardware or a base model, and {kind:.0f} from release date and kind"
        " alone." + (f" {reach[:4]} is incomplete." if last["published_until"] == reach else "")
    )
    click.echo(textwrap.fill(sentence, text_width()))


@click.command()
@click.option("--all", "everything", is_flag=True, help="Include models that are not notable.")
@form_options("csv", "json")
@version_option
def frontier(everything: bool, form: str | None, version: str | None) -> None:
    """Show the largest published training run by the end of each year. Also count the runs of at least 1e25 and 1e26
    FLOP: how many have a value that high, and how many are expected, with a 90 % interval.

    Example: traincompute frontier --all
    """
    asked = {"scope": "all" if everything else "notable"}
    run_query(dataset_folder(version), FRONTIER, form or "table", asked, human=not form)


@click.command()
@click.option("--quantity", type=click.Choice(QUANTITIES), metavar="NAME", help=f"One of {', '.join(QUANTITIES)}.")
@click.option("--group", type=click.Choice(GROUPS), metavar="NAME", help=f"One of {', '.join(GROUPS)}.")
@click.option("--since", type=click.IntRange(1900), metavar="YEAR", help="Show only trends that begin in YEAR.")
@form_options("csv", "json", csv="Print CSV with all columns.", json="Print JSON with all columns.")
@version_option
def trends(form: str | None, version: str | None, **asked: object) -> None:
    """Show how fast compute and related quantities grow. Without options, the command shows the ten most quoted growth
    rates. With options, it shows all rates for a quantity, a group of models or a start year.

    `traincompute tables trends` describes the columns.

    Example: traincompute trends --quantity training_compute_flop --group running_top_ten
    """
    run_query(dataset_folder(version), f"select {'*' if form else RATES} from trends {TRENDS}", form or "table", asked)
    if not form:
        click.echo(NOTE)
