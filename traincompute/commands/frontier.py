"""`traincompute frontier`: the largest training run by date, and who has runs above thresholds."""

from __future__ import annotations

import json
from typing import Any

import click

from traincompute.commands.options import data_option
from traincompute.commands.thresholds import published_models


@click.command()
@data_option
@click.option("--all", "everything", is_flag=True, help="All models, not the notable ones alone.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def frontier(data: str | None, everything: bool, as_json: bool) -> None:
    """Show the largest training run by the end of each year: the largest value that is known, the 90 % interval of the
    largest over the distributions of all models, and the most that anybody could have had; and the expected numbers of runs
    of at least 1e25 and 1e26 FLOP by organisation.

    Example: traincompute frontier
    """
    from traincompute.frontier import by_organization, largest
    from traincompute.thresholds import year_ends

    models = published_models(data)
    ends = year_ends(models)
    chosen = models if everything else models[models["is_notable"].astype("bool")]
    found = {"largest": largest(chosen, ends), "by_organization": by_organization(chosen, ends[-1]) if ends else []}
    if as_json:
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    click.echo(f"the largest training run of {'all' if everything else 'notable'} models, in FLOP")
    for row in found["largest"]:
        click.echo(_line(row))
    if rows := found["by_organization"]:
        click.echo(f"training runs until {rows[0]['published_until']}, by value and expected")
    for first, second in zip(rows[::2], rows[1::2], strict=True):
        click.echo(f"{first['organization']:<24.24}  {_count(first)}  {_count(second)}  {_basis(first)}")


def _line(row: dict[str, Any]) -> str:
    """A line about the largest run until a day."""
    known = f"{row['training_compute_flop']:.2g} by value ({row['model_id']})" if row["model_id"] else "no value"
    most = f", nobody could have had more than {row['most_flop']:.2g}" if row["most_flop"] else ""
    return f"until {row['published_until']}  {known}; 90 % between {row['low_90']:.2g} and {row['high_90']:.2g}{most}"


def _count(row: dict[str, Any]) -> str:
    """The numbers of runs of at least a threshold."""
    between = f"({row['low_90']}–{row['high_90']})"
    power = f"{row['threshold_flop']:.0e}".replace("+", "")
    return f"{power}: {row['runs']:2d}, {row['expected_runs']:5.1f} {between:<8}"


def _basis(row: dict[str, Any]) -> str:
    """What the expected number rests on, in percent."""
    parts = [row[f"expected_tier_{tier}"] / row["expected_runs"] for tier in range(5)]
    named = {"published": parts[0], "estimated": sum(parts[1:3]), "regression": sum(parts[3:])}
    return ", ".join(f"{share:.0%} {name}" for name, share in named.items() if share >= 0.005)
