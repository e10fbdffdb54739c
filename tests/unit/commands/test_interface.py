"""What scripts and habits rest on: the arguments and options of every command, with what each takes and what it is by default.
A change of the table is one of the interface, and belongs into CHANGELOG.md."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import click
from test_command_line import NAMES, called, command

from pipeline.base.paths import CHECKOUT

TABLE = CHECKOUT / "tests" / "golden" / "commands.csv"
COLUMNS = ("command", "parameter", "takes", "default", "shown", "required", "many")


def takes(parameter: click.Parameter) -> str:
    """Its type, in the words of `--help`."""
    kind = parameter.type
    if getattr(parameter, "is_flag", False):
        return "nothing"
    if isinstance(kind, click.Choice):
        return "|".join(map(str, kind.choices))
    if isinstance(kind, click.Path):
        where = [word for word, holds in (("file", kind.file_okay), ("folder", kind.dir_okay)) if holds]
        return f"{'existing ' * kind.exists}{' or '.join(where)}"
    return repr(kind).strip("<>")


def rows() -> Iterator[tuple[str, ...]]:
    for name in NAMES:
        for parameter in command(name).params:
            names = " ".join([*parameter.opts, *parameter.secondary_opts])
            default = parameter.to_info_dict()["default"]
            told = "" if default is None or callable(default) else str(default)
            traits = (getattr(parameter, "show_default", None), parameter.required, parameter.multiple)
            yield called(name), names, takes(parameter), told, *("yes" if trait else "no" for trait in traits)


def test_arguments_and_options_are_those_that_the_table_says() -> None:
    with TABLE.open(encoding="utf-8", newline="") as handle:
        columns, *said = csv.reader(handle)
    assert tuple(columns) == COLUMNS
    assert [tuple(row) for row in said] == list(rows())
