"""`traincompute frontier`: the largest training run by date, and how many runs there are above thresholds, and
whose."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from traincompute.commands.options import data_option
from traincompute.commands.thresholds import published_models
from traincompute.show.table import Column, print_table

if TYPE_CHECKING:
    import pandas as pd

WORDS = {name: name for name in ("published", "physical", "base", "index", "size")} | {"kind": "date and kind"}
LEAST_SHARE = 0.005  # that is shown


@click.command()
@data_option
@click.option("--all", "everything", is_flag=True, help="All models, not the notable ones alone.")
@click.option("--organization", metavar="NAME", help="Only models of which this organisation is named first.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def frontier(data: str | None, everything: bool, organization: str | None, as_json: bool) -> None:
    """Show the largest training run by the end of each year (the largest value that is known, the 90 % interval of the
    largest over the distributions of all models, the most that anybody could have had), the numbers of runs of at least
    1e25 and 1e26 FLOP, both by organisation, and what each rests on.

    Example: traincompute frontier --organization OpenAI
    """
    from traincompute import frontier as made
    from traincompute.thresholds import year_ends

    models = published_models(data)
    chosen = models if everything else models[models["is_notable"].astype("bool")]
    found = made.frontier(_of(chosen, organization) if organization else chosen, year_ends(models))
    if as_json:
        click.echo(json.dumps(found, indent=1, ensure_ascii=False))
        return
    whose = f"{'all' if everything else 'notable'} models{f' of {organization}' if organization else ''}"
    click.echo(f"the largest training run of {whose}, in FLOP")
    _print([_largest(row) for row in found["largest"]])
    click.echo("training runs: by value, and expected with a 90 % interval")
    _print([_runs(pair) for pair in _pairs(found["runs"])])
    if not organization and (lines := found["by_organization"]):
        click.echo(f"by organisation, until {found['largest'][-1]['published_until']}")
        _print([_organization(line) for line in lines])


def _of(models: pd.DataFrame, organization: str) -> pd.DataFrame:
    """The models of an organisation. Raises click.ClickException where it has none."""
    found = models[models["organization"] == organization]
    if found.empty:
        alike = get_close_matches(organization, models["organization"].dropna().unique().tolist(), 3, 0.5)
        raise click.ClickException(
            f"no model of {organization!r}" + (f"; did you mean {', '.join(alike)}?" if alike else "")
        )
    return found


def _print(rows: list[dict[str, str]]) -> None:
    """Rows of a table whose first and last columns and names are words, and the others numbers."""
    words = ("until", "model", "organization", "rests on")
    print_table([Column(name, name not in words) for name in next(iter(rows), {})], [[*row.values()] for row in rows])


def _largest(row: Mapping[str, Any]) -> dict[str, str]:
    return {
        "until": row["published_until"],
        "by value": _flop(row["training_compute_flop"]),
        "model": row["model_id"] or "",
        "median": _flop(row["median"]),
        "90 %": f"{_flop(row['low_90'])}–{_flop(row['high_90'])}",
        "at most": _flop(row["most_flop"]),
        "rests on": _basis(row["rests_on"]),
    }


def _pairs(rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], ...]]:
    """The rows of the thresholds side by side, by day."""
    days = sorted({row["published_until"] for row in rows})
    return [tuple(row for row in rows if row["published_until"] == day) for day in days]


def _runs(pair: tuple[dict[str, Any], ...]) -> dict[str, str]:
    counts = {_power(row): _count(row) for row in pair}
    first, *_ = pair
    return {"until": first["published_until"], **counts, "rests on": _basis(_shares(first))}


def _organization(line: Mapping[str, Any]) -> dict[str, str]:
    [row], [pair] = line["largest"], _pairs(line["runs"])  # both of the last day alone
    largest = {name: _largest(row)[name] for name in ("by value", "median", "90 %")}
    runs = {name: cell for name, cell in _runs(pair).items() if name != "until"}
    return {"organization": line["organization"], **largest, **runs}


def _shares(row: Mapping[str, Any]) -> dict[str, float]:
    """The shares of an expected number of runs, by what they rest on."""
    from traincompute.thresholds import parts_of

    return {name: part / row["expected_runs"] for name, part in parts_of(row).items()} if row["expected_runs"] else {}


def _flop(flop: float | None) -> str:
    return f"{flop:.2g}".replace("e+", "e") if flop else ""


def _power(row: Mapping[str, Any]) -> str:
    return f"≥ {row['threshold_flop']:.0e}".replace("+", "")


def _count(row: Mapping[str, Any]) -> str:
    return f"{row['runs']}, {row['expected_runs']:.1f} ({row['low_90']}–{row['high_90']})"


def _basis(shares: Mapping[str, float]) -> str:
    """What a number rests on, in percent."""
    shown = {word: shares.get(name, 0) for name, word in WORDS.items()}
    return ", ".join(f"{share:.0%} {word}" for word, share in shown.items() if share >= LEAST_SHARE)
