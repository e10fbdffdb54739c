"""The stages of `traincompute build`, one command each."""

from __future__ import annotations

from datetime import date

import click

from pipeline.base.paths import checkout
from pipeline.commands.options import published_stays
from traincompute.commands.options import AS_OF
from traincompute.show.waiting import waiting


@click.command()
@AS_OF
def normalize(as_of: date | None) -> None:
    """Run stage 1 of build: read the facts of the vintage as typed claims, into data/processed/stages/.

    Example: traincompute stage normalize && traincompute stage validate && traincompute stage impute && traincompute
    stage publish"""
    from pipeline.normalize.stage import normalize_tables
    from pipeline.publish.intermediate import save
    from pipeline.registry.context import load_context

    context = load_context(checkout())
    with waiting("reading and selecting"):
        made = normalize_tables(context, as_of)
    save(context, made, as_of)
    click.echo(
        f"normalized {len(made['claims'])} claims about {len(made['models'])} models, {len(made['quarantine'])}"
        " quarantined"
    )


@click.command()
def validate() -> None:
    """Run stage 2 of build: check the tables of data/processed/stages/ against their schemas.

    Those that stage 3 completes are checked after it.

    Example: traincompute stage validate
    """
    from pipeline.impute.stage import UNFINISHED
    from pipeline.normalize.acknowledged import without_rules
    from pipeline.publish.intermediate import load
    from pipeline.registry.context import load_context
    from pipeline.validate.stage import check_links, check_tables

    context = load_context(checkout())
    made, _ = load(context)
    finished = {name: frame for name, frame in made.items() if "estimates" in made or name not in UNFINISHED}
    check_tables(without_rules(context), finished)  # `publish` checks the rules across columns, once all are filled
    check_links(context, made)
    click.echo(f"validated {', '.join(sorted(finished))}")


@click.command()
def impute() -> None:
    """Run stage 3 of build: estimate the training compute of models that lack a published value.

    Example: traincompute stage impute
    """
    from pipeline.impute.stage import imputed
    from pipeline.publish.intermediate import load, save
    from pipeline.registry.context import load_context

    context = load_context(checkout())
    made, as_of = load(context)
    with waiting("estimating"):
        made |= {name: frame for more in imputed(context, made) for name, frame in more.items()}
    save(context, made, as_of)
    click.echo(f"imputed {int((made['models']['training_compute_source'] == 'imputed').sum())} values")


@click.command()
@published_stays()
def publish() -> None:
    """Run stage 4 of build: check once more and write Parquet, CSV, DuckDB and manifest below data/processed/.

    Example: traincompute stage publish
    """
    from pipeline.normalize.acknowledged import with_acknowledgements, without_rules
    from pipeline.publish.intermediate import load
    from pipeline.publish.stage import publish_tables
    from pipeline.registry.context import load_context
    from pipeline.validate.stage import check_links, check_tables

    context = load_context(checkout())
    made, as_of = load(context)
    if "estimates" not in made:
        raise click.UsageError("there are no estimates yet; run `traincompute stage impute` first")
    check_tables(
        without_rules(context) if as_of else with_acknowledgements(context, made["claims"]), made, made["claims"]
    )
    check_links(context, made)
    with waiting("writing"):
        folder = publish_tables(context, made, as_of)
    click.echo(f"published {folder}")
