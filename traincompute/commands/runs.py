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
    case when $flop <= p.least_flop then 'lower bound' when p.method = 'capability_index' then 'benchmark scores' else
        ['published value', 'hardware or operations', 'base model', 'size, data or chips', 'date and kind'][p.tier + 1]
        end as rests_on,
    if(rests_on in ('published value', 'lower bound'), coalesce(c.publisher, 'our estimate'), 'our estimate') as source,
    replace(replace(coalesce(c.reference, m.reference_url), 'arXiv:', 'https://arxiv.org/abs/'),
        'doi:', 'https://doi.org/') as link, m.training_compute_flop, p.flop_05, p.flop_50, p.flop_95
from models m join predictions p using (model_id) left join claims c on c.model_id = m.model_id
    and c.field = if(p.tier = 0, 'training_compute_flop', 'training_compute_bound') and c.status = 'selected'
where m.publication_date <= $day and (m.is_notable or $everything) and probability > $least
order by p.tier = 4, probability desc, m.model_id"""
LISTED = f"select * exclude (model_id, tier, training_compute_flop, flop_05, flop_50, flop_95) from ({ABOVE})"
MODIFIED = """
with owned as (
    select m.*, coalesce(parent, organization) as owner from models m left join organizations using (organization))
select m.name, m.organization, m.publication_date,
    coalesce(m.finetune_compute_flop, printf('%.6g', m.training_compute_flop - b.training_compute_flop)::double)
        as further_flop,
    b.name as base, b.organization as base_organization, m.owner <> b.owner as by_another,
    b.training_compute_flop as base_flop, round(further_flop / base_flop, 3) as share, m.reference_url as link
from owned m join owned b on b.model_id = m.base_model_id
where coalesce(base_flop, $flop) >= $flop and m.publication_date <= $day
    and further_flop > coalesce(base_flop, $flop) / 3
order by m.publication_date desc, m.name"""
FRONTIER = """
select distinct on (until) t.published_until as until, model_id, name, organization, m.training_compute_flop
from thresholds t join models m on publication_date <= published_until
where training_compute_source <> 'imputed' and (is_notable or $everything)
order by until, m.training_compute_flop desc, publication_date"""
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
growth_per_year is a factor, from n published values, with a 90 % interval; growth_all_runs allows for runs without one.
valued_share_since_2024 is the share of runs since 2024 with a published value."""


@click.command()
@click.argument("threshold")
@version_option
@click.option("--on", type=DAY, metavar="DATE", help="Count only models published on or before DATE.")
@click.option("--all", "everything", is_flag=True, help="Include models that are not notable.")
@click.option("--list", "listed", is_flag=True, help=f"List models at least {LIKELY:.0%} likely to reach THRESHOLD.")
@click.option("--modified", is_flag=True, help="List fine-tunes that used over a third of the base model's compute.")
@form_options("csv", "json", json="Print JSON with the probability for each model.")
def thresholds(threshold: str, version: str | None, form: str | None, on: datetime | None, **options: bool) -> None:
    """Count the training runs of at least THRESHOLD FLOP: how many have a value that high, and how many are expected
    from the probability distributions of all models. Models from the same run count once.

    --modified lists models, notable or not, made from a base model of at least THRESHOLD FLOP with more than a third of
    the base model's compute. If the base model's compute is unknown, THRESHOLD takes its place. If the compute of the
    further training is unknown, the model's compute minus the base model's is used.

    An organisation that modifies another owner's model in this way (column `by_another`) is a provider under the
    European Commission's guidelines on general-purpose AI models (18 July 2025).

    Example: traincompute thresholds 1e25 --list
    """
    from traincompute.planning.estimate import read_numbers

    folder, asked = dataset_folder(version), {**read_numbers({"flop": threshold}), "day": on or datetime.max}
    if options["modified"]:
        run_query(folder, MODIFIED, form or "table", asked)
        return
    asked |= {"everything": options["everything"], "least": REPORTED if form else LIKELY}
    if not options["listed"] or form == "json":
        _count(folder, asked, form)
    elif form == "csv":
        run_query(folder, f"select * exclude (tier) from ({ABOVE})", form, asked)
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
        f" more, {published:.0f} rest on a published value, {index:.0f} on benchmark scores,"
        f" {sum(others) - index:.0f} on size, hardware or a base model, and {kind:.0f} on release date and kind alone."
        + (f" {reach[:4]} is incomplete." if last["published_until"] == reach else "")
    )
    click.echo(textwrap.fill(sentence, text_width()))


@click.command()
@click.option("--all", "everything", is_flag=True, help="Include models that are not notable.")
@form_options("csv", "json")
@version_option
def frontier(everything: bool, form: str | None, version: str | None) -> None:
    """Show the largest published training run by the end of each year.

    Example: traincompute frontier --all
    """
    run_query(dataset_folder(version), FRONTIER, form or "table", {"everything": everything}, human=not form)


@click.command()
@click.option("--quantity", type=click.Choice(QUANTITIES), metavar="NAME", help=f"One of {', '.join(QUANTITIES)}.")
@click.option("--group", type=click.Choice(GROUPS), metavar="NAME", help=f"One of {', '.join(GROUPS)}.")
@click.option("--since", type=click.IntRange(1900), metavar="YEAR", help="Show only trends since YEAR, such as 2018.")
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
