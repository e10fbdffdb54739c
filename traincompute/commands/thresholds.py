"""`traincompute thresholds`: how many training runs are above a threshold of compute, which models, and who trained
others' models further."""

from __future__ import annotations

import json
import textwrap
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from traincompute.commands.options import DAY, data_option, dataset_folder
from traincompute.show.references import read_reference
from traincompute.show.rows import Result, write
from traincompute.show.table import text_width
from traincompute.show.values import short_power

if TYPE_CHECKING:
    import pandas as pd

WORDS = {
    "published": "published value",
    "physical": "hardware or operations",
    "base": "base model",
    "index": "benchmark scores",
    "size": "size, data or chips",
    "kind": "date and kind",
}
LIKELY = 0.1  # the least probability of a model that is listed for people
REPORTED = 0.001  # and in JSON and CSV
LISTED = ("name", "organization", "publication_date", "probability", "rests_on", "source", "link")
SHARE = 3  # one in so many parts of the base's compute
COLUMNS_OF = """
select columns('^({columns})$'), m.name, m.reference_url, c.publisher, c.reference
from models m join predictions p using (model_id) left join claims c
on c.model_id = m.model_id and c.field = 'training_compute_flop' and c.status = 'selected'"""
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
@click.argument("threshold", type=float)
@data_option
@click.option("--on", type=DAY, metavar="DATE", help="Only models published until that day.")
@click.option("--all", "everything", is_flag=True, help="All models, not only the notable ones.")
@click.option("--list", "listed", is_flag=True, help=f"List the models with a probability of at least {LIKELY:.0%}.")
@click.option("--modified", is_flag=True, help="List who trained a model further with over a third of its compute.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV.")
@click.option("--json", "form", flag_value="json", help="Print JSON, with the probability of every model.")
def thresholds(
    threshold: float,
    data: str | None,
    on: datetime | None,
    everything: bool,
    listed: bool,
    modified: bool,
    form: str | None,
) -> None:
    """Count the training runs with at least THRESHOLD FLOP: those with such a value, and those expected over the
    distributions of all models. Models that came out of one run count once.

    --modified lists the models that were made from a base of at least THRESHOLD FLOP with more than a third of the
    base's compute, or of THRESHOLD where the base's compute is unknown. Under the European Commission's guidelines on
    general-purpose AI models (18 July 2025), an organisation that does so to a model of another (`by_another`) counts
    as a provider itself; they take 1e23 FLOP for such models, and 1e25 for those with systemic risk.

    Example: traincompute thresholds 1e25 --list
    """
    import pandas as pd

    from traincompute.thresholds import by_year, year_ends

    if not 0 < threshold < float("inf"):
        raise click.BadParameter(f"expected FLOP above 0 such as 1e25, got {threshold:g}", param_hint="THRESHOLD")
    if modified:
        from traincompute.commands.sql import run_query

        run_query(dataset_folder(data), MODIFIED, form or "table", {"flop": threshold, "day": on or datetime.max})
        return
    models = read_models(data)
    chosen = models if everything else models[models["is_notable"].astype("bool")]
    reach = models["publication_date"].max()
    last = min(reach, pd.Timestamp(on)) if on else reach
    years = by_year(chosen, [threshold], year_ends(models, last))
    if not years:
        raise click.ClickException(f"no model was published by {on:%Y-%m-%d}")
    if form == "json":
        found = {"threshold_flop": threshold, "data_reach_to": f"{reach:%Y-%m-%d}", "by_year": years}
        models_above = _above(chosen, threshold, last, REPORTED, ["model_id", "tier", *LISTED])
        click.echo(json.dumps({**found, "models": models_above}, indent=1, ensure_ascii=False))
    elif listed:
        _print_models(_above(chosen, threshold, last, REPORTED if form else LIKELY, list(LISTED)), form)
    elif form:
        _print(years, form)
    else:
        _print_years(years, f"{reach:%Y-%m-%d}", "" if everything else "notable ")


def read_models(data: str | None) -> pd.DataFrame:
    """The columns that count, with name, publisher, reference and reference_url. Raises click.ClickException for a
    dataset without them."""
    from traincompute.database import open_database
    from traincompute.query.rows import holds
    from traincompute.thresholds import COLUMNS

    with open_database(dataset_folder(data)) as connection:
        if not holds(connection, "predictions"):
            raise click.ClickException("this dataset has no table predictions: it was made by an earlier version")
        return connection.execute(COLUMNS_OF.format(columns="|".join(COLUMNS))).df()


def _above(
    models: pd.DataFrame, threshold: float, last: pd.Timestamp, least: float, columns: list[str]
) -> list[dict[str, Any]]:
    """The models that were out by the day and probably reach the threshold, the likeliest first."""
    from traincompute.thresholds import BASES, basis_of, exceedance

    known = models[models["publication_date"] <= last]
    bases = [WORDS[BASES[place]] for place in basis_of(known)]
    known = known.assign(probability=exceedance(known, threshold).round(6), rests_on=bases)
    known = known[known["probability"] > least].sort_values(["probability", "model_id"], ascending=[False, True])
    links = [read_reference(text).link for text in known["reference"].fillna(known["reference_url"]).fillna("")]
    said = known["publisher"].where(known["tier"] == 0, "our estimate")
    days = known["publication_date"].dt.strftime("%Y-%m-%d")
    found = known.assign(publication_date=days, source=said, link=links)[columns]
    return [dict(zip(columns, row, strict=True)) for row in found.to_numpy(dtype=object).tolist()]


def _print(rows: list[dict[str, Any]], form: str) -> None:
    names = list(rows[0]) if rows else list(LISTED)
    kinds = ["DOUBLE" if rows and isinstance(rows[0][name], int | float) else "VARCHAR" for name in names]
    write(Result(names, kinds, iter([[tuple(row.values()) for row in rows]])), form)


def _print_models(rows: list[dict[str, Any]], form: str | None) -> None:
    """The models; for people those known by date and kind alone apart, below."""
    if form:
        _print(rows, form)
        return
    for row in rows:
        row["probability"] = f"{row['probability']:.0%}"
    by_kind = [row for row in rows if row["rests_on"] == WORDS["kind"]]
    _print([row for row in rows if row not in by_kind], "table")
    if by_kind:
        click.echo(f"\nEstimated from {WORDS['kind']} alone:")
        _print([{name: row[name] for name in (*LISTED[:4], "link")} for row in by_kind], "table")


def _print_years(years: list[dict[str, Any]], reach: str, which: str) -> None:
    """The years from the first that may have such a run, and what the last number rests on."""
    from traincompute.thresholds import parts_of

    last = years[-1]
    shown = [row for row in years if row["runs"] or row["expected_runs"] >= 0.5] or [last]
    table = [
        {
            "until": row["published_until"],
            "runs with such a value": row["runs"],
            "models": row["models"],
            "expected runs": round(row["expected_runs"], 1),
            "90 % interval": f"{row['low_90']}–{row['high_90']}",
        }
        for row in shown
    ]
    _print(table, "table")
    parts, flop = parts_of(last), short_power(f"{last['threshold_flop']:g}")
    other = parts["size"] + parts["physical"] + parts["base"]
    sentence = (
        f"Of the {last['expected_runs']:.0f} runs of {which}models expected at {flop} FLOP or more,"
        f" {parts['published']:.0f} have a published value, {parts['index']:.0f} are inferred from {WORDS['index']},"
        f" {other:.0f} from size, hardware or a base model, and {parts['kind']:.0f} from release date and kind alone."
        + (f" {reach[:4]} is incomplete." if last["published_until"] == reach else "")
    )
    click.echo(textwrap.fill(sentence, text_width(piped=100)))
