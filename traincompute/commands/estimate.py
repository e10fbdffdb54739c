"""`traincompute estimate`: what training runs take; `traincompute convert`: compute or chip time in other units."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from traincompute.base.errors import InputError
from traincompute.commands.options import dataset_folder, json_option, version_option
from traincompute.show.rows import human, json_text, short_power
from traincompute.show.terminal import text_width
from traincompute.units import CHIPS, DAY, FLOP_PER_PFS_DAY, UnitError, parse_quantity

if TYPE_CHECKING:
    from traincompute.planning.estimate import Estimate, Figure

LABEL = 18  # columns of the screen before the text
# dense peak rate in FP16 or BF16 on tensor cores, FLOP/s (NVIDIA data sheets of the SXM versions)
PEAK = {"A100": 3.12e14, "H100": 9.894e14}
BOUNDS = ("", "at least ", "at most ")  # value, low and high
# unit of the input: {unit of the output: how many of the input it is}
OUTPUT: dict[str, dict[str, float]] = {
    "FLOP": {"FLOP": 1, "petaflop/s-day": FLOP_PER_PFS_DAY, "FLOP-day": DAY},
    "chip-hour": {"chip-hour": 1, "chip-day": 24, "chip-year": 8766},
}


@click.command()
@click.option("--parameters", metavar="N", help="Number of parameters, such as 70B.")
@click.option("--active-parameters", metavar="N", help="Parameters used per token in a mixture of experts.")
@click.option("--tokens", metavar="N", help="Number of training tokens, such as 15T.")
@click.option("--epochs", metavar="N", help="Number of passes over the tokens.  [default: 1]")
@click.option("--training-factor", metavar="N", help="FLOP per parameter and token.  [default: 6]")
@click.option("--flop", metavar="N", help="Training compute in FLOP, instead of parameters and tokens.")
@click.option("--chip", metavar="NAME", help="Name of the chip, such as H100.")
@click.option("--chips", metavar="N", help="Number of chips.")
@click.option("--hours", metavar="N", help="Training time in hours.")
@click.option("--days", metavar="N", help="Training time in days.")
@click.option("--utilization", metavar="SHARE", help="Share of the peak rate, averaged over all hours, such as 0.4.")
@click.option("--precision", metavar="FORMAT", help="Number format used in training.  [default: BF16]")
@click.option("--price-per-hour", metavar="USD", help="Price of one chip-hour in US dollars.")
@click.option("--pue", metavar="N", help="Energy used by the data centre divided by energy used by the computers.")
@click.option("--region", metavar="NAME", help="Cloud region, state or country that the power comes from.")
@click.option("--base", metavar="MODEL", help="Base model that the run trains further.")
@click.option("--from", "source", type=click.Path(exists=True, dir_okay=False),
              help="Read runs from this .csv or .parquet file.")  # fmt: skip
@click.option("--to", type=click.Path(), help="Write the runs and the estimates to this .parquet file.")
@click.option("--engine", type=click.Choice(["duckdb", "spark"]), default="duckdb", help="Engine to use with --from.")
@json_option
@version_option
def estimate(
    version: str | None, source: str | None, to: str | None, engine: str, as_json: bool, **options: Any
) -> None:
    """Estimate the compute, time, cost, energy and carbon emissions of a training run, with 90 % intervals.

    Give parameters and tokens, the FLOP, or the chips and hours. For anything else that you leave out, the command uses
    measured values from the dataset, and prints where these values come from.

    With --from and --to, each row in the input file is a run. Name the columns after the options, with _ instead of -.
    Other columns are copied to the output. These two options need the `bulk` extra.

    Example: traincompute estimate --parameters 70B --tokens 15T --chip H100 --chips 1024
    """
    from traincompute.database import open_database

    with open_database(dataset_folder(version)) as connection:
        if source or to:
            import duckdb

            from traincompute.planning.bulk import estimate_file

            if not (source and to) or any(options.values()):
                raise click.UsageError("give --from and --to, and the numbers of the runs as columns of the file")
            if not to.endswith(".parquet"):
                raise click.BadParameter(f"{to} does not end in .parquet, the only format written", param_hint="'--to'")
            try:
                estimate_file(connection, source, to, engine)
            except duckdb.Error as error:  # not of the dataset, but of one of these files
                reason = " ".join(str(error).partition("\n\n")[0].split())
                raise InputError(f"the estimates of {source} cannot be written to {to}: {reason}") from error
            return
        from traincompute.planning.estimate import estimate_run

        made = estimate_run(connection, **options)
    if as_json:
        click.echo(json_text(asdict(made)))
        return
    width, indent = text_width(), " " * LABEL
    lines = [click.wrap_text(text, width, label.ljust(LABEL), indent) for label, text in _lines(made) if text]
    click.echo(short_power("\n".join(lines)))


def _lines(made: Estimate) -> Iterator[tuple[str, str]]:
    """Each quantity for people, and below it what it rests on."""
    from traincompute.planning.estimate import THRESHOLDS

    yield "training compute", f"{_ends(made.flop, 'FLOP')} = {_formula(made)}"
    if made.chip:
        days = f", {_ends(made.days, 'day')}" if made.days else ""
        count = f"{made.given['chips']:,.0f} " if "chips" in made.given else ""
        share = f" at {made.utilization:.0%} of the {made.chip.precision} peak" if made.utilization else ""
        chips = f"{count}{made.chip.name}{share}"
        yield "time", f"{_ends(made.chip_hours, 'chip-hour')}{days} on {chips}"
        yield "", made.chip_hours.basis
        for label, unit, figure in (
            ("cost", "USD", made.cost_usd), ("energy", "kWh", made.energy_kwh), ("carbon", "kg", made.carbon_kg)
        ):  # fmt: skip
            yield label, _ends(figure, unit)
            yield "", figure.basis
    else:
        yield "time and cost", "name the chip with --chip"
    for place, run in enumerate(made.compared):
        chips = f"{human(run['chip_hours'], 'chip-hour')} on {', '.join(run['hardware'] or [])}"
        yield "" if place else "compared with", f"{run['name']}: {human(run['flop'], 'FLOP')}, {chips}"
    for place, (flop, is_above) in enumerate(made.thresholds.items()):
        yield "" if place else "thresholds", f"{is_above} {flop:.0e} FLOP ({THRESHOLDS[flop]})"
    if made.base and made.base["share"]:
        median = "" if made.base["is_known"] else " (the median of our estimate)"
        of_base = f"{made.base['share']:.2g} of {made.base['name']}, {human(made.base['flop'], 'FLOP')}{median}"
        yield "base", f"{of_base}; above a third, you count as a provider under the EU guidelines"
    if made.tokens_per_parameter:
        ratio = human(made.tokens_per_parameter)
        yield "compute-optimal", f"{ratio} tokens per parameter against 20 (Hoffmann et al. 2022)"


def _ends(figure: Figure, unit: str) -> str:
    if not figure:
        return "not known" + ("; give --price-per-hour" if unit == "USD" else "")
    value, low, high = (float(f"{end:.3g}") for end in (figure.value, figure.low, figure.high))
    inner = unit if unit == "kWh" else None  # whose prefix may differ
    return human(value, unit) + (f" ({human(low, inner)} to {human(high, inner)})" if low < high else "")


def _formula(made: Estimate) -> str:
    given = made.given
    if "flop" in given:
        return "as given"
    size = given.get("active_parameters", given.get("parameters"))
    if size and "tokens" in given:
        epochs = f" × {given['epochs']:g} epochs" if "epochs" in given else ""
        return f"{given.get('training_factor', 6):g} × {size:.4g} parameters × {given['tokens']:.4g} tokens{epochs}"
    rate = f"{made.chip.peak:.4g} FLOP/s × {made.utilization:.2g}" if made.chip else ""
    return f"{made.chip_hours.value:,.0f} chip-hours × 3600 s × {rate}"


@click.command()
@click.argument("quantity")
@click.option("--chip", type=click.Choice(list(PEAK), case_sensitive=False), help="Chip for a QUANTITY in chip-hours.")
@click.option("--utilization", "--utilisation", metavar="SHARE", default="0.4", show_default=True,
              help="Share of the chip's peak rate that is used.")  # fmt: skip
@json_option
def convert(quantity: str, chip: str | None, utilization: str, as_json: bool) -> None:
    """Convert QUANTITY (a number with a unit) into other units of compute or chip time.

    A QUANTITY in FLOP is also converted to A100-hours and H100-hours. Chip-hours are converted to FLOP only if the chip
    is named in QUANTITY, as in "1000 H100-hours", or with --chip.

    Example: traincompute convert "3640 pfs-days"
    """
    from traincompute.planning.estimate import read_numbers

    utilisation = read_numbers({"utilization": utilization})["utilization"]
    reasons: list[str] = []
    for unit in OUTPUT:
        try:
            read = parse_quantity(quantity, unit)
            break
        except UnitError as error:
            reasons.append(error.reason)
    else:
        raise InputError(f'"{quantity}": {reasons[0]}; units of {" and ".join(OUTPUT)} can be converted')
    with suppress(UnitError):
        parse_quantity(quantity, "node")  # a count
        raise InputError(f'"{quantity}" has no unit; write for example "{quantity} FLOP" or "{quantity} pfs-days"')
    named = next((name.upper() for name in CHIPS[2:] if name in quantity.casefold()), chip)
    if chip not in (None, named):
        raise InputError(f'"{quantity}" names another chip than --chip {chip}: give one')
    hours = {f"{name}-hour": 3600 * peak * utilisation for name, peak in PEAK.items()}  # in FLOP
    by_rate = hours if unit == "FLOP" else {}
    if unit != "FLOP" and named in PEAK:
        by_rate = {name: size / hours[f"{named}-hour"] for name, size in OUTPUT["FLOP"].items()}
    found = {
        name: [end and float(f"{end / size:.12g}") for end in (read.value, read.low, read.high)]
        for name, size in (OUTPUT[unit] | by_rate).items()
    }
    if as_json:
        click.echo(json.dumps({"read": quantity, "note": read.note, "utilisation": utilisation, **found}, indent=1))
        return
    for name, ends in found.items():
        [text] = [f"{bound}{end:.6g}" for bound, end in zip(BOUNDS, ends, strict=True) if end is not None]
        note = f"  at {utilisation:g} of the dense FP16 peak" if name in by_rate else ""
        click.echo(f"{text:<24} {name}{note}")
