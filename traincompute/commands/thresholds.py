"""`traincompute thresholds`: how many training runs are above a threshold of compute, and which models."""

from __future__ import annotations

import json
import textwrap
from datetime import datetime
from typing import Any

import click

from traincompute.commands.options import DAY, data_option, dataset_folder, form_options
from traincompute.commands.sql import run_query
from traincompute.show.rows import print_rows
from traincompute.show.table import text_width
from traincompute.show.values import human_text

# what an evidence level (tier) rests on, in their order
TIERS = ["published value", "hardware or operations", "base model", "size, data or chips", "date and kind"]
INDEX = "benchmark scores"
TITLES = {"published_until": "until", "runs": "runs with such a value", "models": "models"}
LIKELY = 0.1  # the least probability of a model that is listed for people
REPORTED = 0.001  # and in JSON and CSV
SHARE = 3  # one in so many parts of the base's compute
ABOVE = f"""
select m.model_id, p.tier, m.name, m.organization, m.publication_date, round(case when $flop <= p.least_flop then 1
        when $flop > p.most_flop and p.flop_95 <= p.most_flop then 0
        else probability_above(p.flop_05, p.flop_25, p.flop_50, p.flop_75, p.flop_95, $flop) end, 6) as probability,
    if(p.method = 'capability_index', '{INDEX}', {TIERS}[p.tier + 1]) as rests_on,
    if(p.tier = 0, c.publisher, 'our estimate') as source,
    replace(replace(coalesce(c.reference, m.reference_url), 'arXiv:', 'https://arxiv.org/abs/'),
        'doi:', 'https://doi.org/') as link
from models m join predictions p using (model_id) left join claims c
    on c.model_id = m.model_id and c.field = 'training_compute_flop' and c.status = 'selected'
where m.publication_date <= $day and (m.is_notable or $everything) and probability > $least
order by p.tier = 4, probability desc, m.model_id"""
LISTED = f"select * exclude (model_id, tier) from ({ABOVE})"
MODIFIED = f"""
select m.name, m.organization, m.publication_date, m.finetune_compute_flop as further_flop, b.name as base,
    b.organization as base_organization, m.organization <> b.organization as by_another,
    b.training_compute_flop as base_flop, round(m.finetune_compute_flop / b.training_compute_flop, 3) as share,
    m.reference_url as link
from models m join models b on b.model_id = m.base_model_id
where coalesce(b.training_compute_flop, $flop) >= $flop and m.publication_date <= $day
    and m.finetune_compute_flop > coalesce(b.training_compute_flop, $flop) / {SHARE}
order by m.publication_date desc, m.name"""


@click.command()
@click.argument("threshold", type=click.FloatRange(0, 1e60, min_open=True))
@data_option
@click.option("--on", type=DAY, metavar="DATE", help="Only models published until that day.")
@click.option("--all", "everything", is_flag=True, help="All models, not only the notable ones.")
@click.option("--list", "listed", is_flag=True, help=f"List the models with a probability of at least {LIKELY:.0%}.")
@click.option("--modified", is_flag=True, help="List who trained a model further with over a third of its compute.")
@form_options("csv", "json", json="Print JSON, with the probability of every model.")
def thresholds(threshold: float, data: str | None, form: str | None, on: datetime | None, **options: bool) -> None:
    """Count the training runs with at least THRESHOLD FLOP: those with such a value, and those expected over the
    distributions of all models. Models that came out of one run count once.

    --list has models known by their date and kind alone in a table of their own at the end.

    --modified lists the models that were made from a base of at least THRESHOLD FLOP with more than a third of the
    base's compute, or of THRESHOLD where that is unknown: who does so to a model of another (`by_another`) counts as a
    provider under the European Commission's guidelines on general-purpose AI models (18 July 2025).

    Example: traincompute thresholds 1e25 --list
    """
    from traincompute.query.run import Options

    folder, asked = dataset_folder(data), {"flop": threshold, "day": on or datetime.max}
    above = asked | {"least": REPORTED if form else LIKELY, "everything": options["everything"]}
    if options["modified"]:
        run_query(folder, MODIFIED, form or "table", asked)
    elif options["listed"] and form == "csv":
        run_query(folder, LISTED, form, above)
    elif options["listed"] and not form:
        run_query(folder, f"{LISTED} where tier < 4", "table", above, Options(human=True))
        click.echo("\nKnown by date and kind alone")
        run_query(folder, f"{LISTED} where tier = 4", "table", above, Options(human=True))
    else:
        _count(folder, above, form)


def _count(folder: str, asked: dict[str, Any], form: str | None) -> None:
    """Prints the numbers by year; for people from the first that may have such a run, and what the last rest on."""
    import pandas as pd

    from traincompute.database import open_database
    from traincompute.query.rows import rows
    from traincompute.thresholds import COLUMNS, by_year, year_ends

    with open_database(folder) as connection:
        held = f"select columns('^({'|'.join(COLUMNS)})$') from models m join predictions p using (model_id)"
        models = connection.execute(held).df()
        listed = rows(connection, ABOVE, **asked) if form == "json" else []
    chosen = models if asked["everything"] else models[models["is_notable"].astype("bool")]
    newest = models["publication_date"].max()
    reach, ends = f"{newest:%Y-%m-%d}", year_ends(models["publication_date"], min(newest, pd.Timestamp(asked["day"])))
    *_, last = years = by_year(chosen, [asked["flop"]], ends)
    if form == "json":
        found = {"threshold_flop": asked["flop"], "data_reach_to": reach, "by_year": years, "models": listed}
        click.echo(json.dumps(found, indent=1, ensure_ascii=False, default=str))
        return
    if form == "csv":
        print_rows(years, form)
        return
    shown = [
        {title: row[name] for name, title in TITLES.items()}
        | {"expected runs": round(row["expected_runs"], 1), "90 % interval": f"{row['low_90']}–{row['high_90']}"}
        for row in years
        if row["runs"] or row["expected_runs"] >= 0.5 or row is last
    ]
    print_rows(shown)
    published, *others, kind = (last[f"expected_tier_{tier}"] for tier in range(5))
    which, index, flop = "" if asked["everything"] else "notable ", last["expected_index"], human_text(asked["flop"])
    runs = f"{last['expected_runs']:.0f} runs"
    sentence = (
        f"Of the {runs} of {which}models expected at {flop} FLOP or more, {published:.0f} have"
        f" a published value, {index:.0f} are inferred from {INDEX}, {sum(others) - index:.0f} from size, hardware or a"
        f" base model, and {kind:.0f} from release date and kind alone."
        + (f" {reach[:4]} is incomplete." if last["published_until"] == reach else "")
    )
    click.echo(textwrap.fill(sentence, text_width(piped=100)))
