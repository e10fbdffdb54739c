"""`traincompute frontier`: the largest training run by date, and the number of runs above thresholds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click

from traincompute.commands.options import data_option, dataset_folder, json_option
from traincompute.commands.thresholds import WORDS, read_models
from traincompute.show.rows import print_rows
from traincompute.show.values import human_text, short_power

LEAST_SHARE = 0.005  # that is shown
UNDISCLOSED = "Largest run, allowing for undisclosed models"
Row = Mapping[str, Any]


@click.command()
@data_option
@click.option("--all", "everything", is_flag=True, help="All models, not only the notable ones.")
@click.option("--organization", metavar="NAME", help="Only models that name this organisation first.")
@json_option()
def frontier(data: str | None, everything: bool, organization: str | None, as_json: bool) -> None:
    """Show the largest training run by the end of each year (the largest known value, the largest run allowing for
    undisclosed models with its 90 % interval, and the upper limit), how many runs had at least 1e25 and 1e26 FLOP, and
    both by organisation.

    Example: traincompute frontier --organization OpenAI
    """
    from traincompute.frontier import THRESHOLDS_FLOP, by_organization, largest
    from traincompute.thresholds import by_year, year_ends

    models = read_models(dataset_folder(data))
    chosen = models if everything else models[models["is_notable"].astype("bool")]
    if organization:
        names = chosen["organization"].dropna().unique().tolist()
        chosen = chosen[chosen["organization"] == organization]
        if chosen.empty:
            near = get_close_matches(organization, names, 3, 0.5)
            hint = f"; did you mean {', '.join(near)}?" if near else ""
            raise click.ClickException(f"no model of {organization!r}{hint}")
    ends = year_ends(models)
    lines, runs, theirs = (
        largest(chosen, ends),
        by_year(chosen, THRESHOLDS_FLOP, ends),
        by_organization(chosen, ends[-1:]),
    )
    if as_json:
        found = {"largest": lines, "runs": runs, "by_organization": theirs}
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    whose = f"{'all' if everything else 'notable'} models{f' of {organization}' if organization else ''}"
    click.echo(f"The largest training run of {whose}, in FLOP")
    print_rows([{"until": line["published_until"], **_largest(line)} for line in lines])
    click.echo("\nTraining runs: those with such a value, and those expected with a 90 % interval")
    days = [[row for row in runs if row["published_until"] == line["published_until"]] for line in lines]
    print_rows([{"until": rows[0]["published_until"], **_counts(rows)} for rows in days])
    if theirs and not organization:
        click.echo(f"\nBy organisation, until {lines[-1]['published_until']}")
        shown = ("Largest known run", UNDISCLOSED, "90 % interval")
        sizes = [{name: _largest(one["largest"][0])[name] for name in shown} for one in theirs]
        print_rows(
            [
                {"organization": one["organization"], **size, **_counts(one["runs"])}
                for one, size in zip(theirs, sizes, strict=True)
            ]
        )


def _counts(rows: Sequence[Row]) -> dict[str, str]:
    """Cells of the rows of one day, one for each threshold, and what the lowest rests on."""
    from traincompute.thresholds import parts_of

    total = rows[0]["expected_runs"]
    cells = {
        short_power(f"≥ {row['threshold_flop']:.0e}"): (
            f"{row['runs']}, {row['expected_runs']:.1f} ({row['low_90']}–{row['high_90']})"
        )
        for row in rows
    }
    return {**cells, "based on": _shares({name: part / (total or 1) for name, part in parts_of(rows[0]).items()})}


def _largest(row: Row) -> dict[str, Any]:
    """The cells that say how large a run was, in FLOP, to two digits."""
    names = ("training_compute_flop", "median", "most_flop", "low_90", "high_90")
    known, median, most, low, high = (row[name] and float(f"{row[name]:.2g}") for name in names)
    return {
        "Largest known run": known,
        "model": row["model_id"] or "",
        UNDISCLOSED: median or None,
        "90 % interval": f"{human_text(low)}–{human_text(high)}" if median else "",
        "Upper limit": most,
        "based on": _shares(row["rests_on"]),
    }


def _shares(shares: Mapping[str, float]) -> str:
    """What a number rests on, in percent."""
    shown = {WORDS[name]: share for name, share in shares.items() if share >= LEAST_SHARE}
    return ", ".join(f"{share:.0%} {word}" for word, share in shown.items())
