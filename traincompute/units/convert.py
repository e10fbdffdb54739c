"""A quantity of compute or of chip time in the other units of its kind."""

from __future__ import annotations

from fractions import Fraction

from traincompute.base.errors import InputError
from traincompute.units.grammar import Quantity, parse_quantity
from traincompute.units.table import DAY, FLOP_PER_PFS_DAY, UnitError

# dense peak rate in FP16 or BF16 on tensor cores, FLOP/s (NVIDIA data sheets of the SXM versions)
PEAK = {"A100": 3.12e14, "H100": 9.894e14}
UTILISATION = 0.4
# unit of the input: {unit of the output: how many of the input it is}
OUTPUT: dict[str, dict[str, float]] = {
    "FLOP": {"FLOP": 1, "petaflop/s-day": FLOP_PER_PFS_DAY, "FLOP-day": DAY},
    "chip-hour": {"chip-hour": 1, "chip-day": 24, "chip-year": 8766},
}


def read_any(text: str) -> tuple[str, Quantity]:
    """The unit of OUTPUT that the text is a quantity of, and what it says. Raises InputError."""
    refused = []
    for unit in OUTPUT:
        try:
            read = parse_quantity(text, unit)
        except UnitError as error:
            refused.append(error.reason)
            continue
        if not read.note.endswith(unit):  # what was converted comes last
            raise InputError(f'"{text}" has no unit; write for example "{text} FLOP" or "{text} pfs-days"')
        return unit, read
    raise InputError(f'"{text}": {refused[0]}; units of {" and ".join(OUTPUT)} can be converted')


def converted(
    unit: str, read: Quantity, utilisation: float = UTILISATION, chip: str | None = None
) -> dict[str, list[float | None]]:
    """[value, low, high] in each unit of the kind, and chip-hours of a chip of PEAK in FLOP, too; a bound has low or
    high.

    >>> converted(*read_any("8.64e19 FLOP"))["petaflop/s-day"]
    [1.0, None, None]
    """
    hour = {name: Fraction(peak) * 3600 * Fraction(utilisation) for name, peak in PEAK.items()}
    sizes = {name: Fraction(size) for name, size in OUTPUT[unit].items()}
    if unit == "FLOP":
        sizes |= {f"{name}-hour": size for name, size in hour.items()}
    elif chip:
        sizes |= {name: Fraction(size) / hour[chip] for name, size in OUTPUT["FLOP"].items()}
    return {
        name: [None if end is None else float(Fraction(end) / size) for end in (read.value, read.low, read.high)]
        for name, size in sizes.items()
    }
