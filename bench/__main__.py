"""Measures traincompute, all of it or some sections, and prints a table with medians, spread and target.

    python -m bench                               # everything: an hour on two cores
    python -m bench build commands --runs 3       # two sections
    python -m bench --quick                       # small sizes: a few minutes, no figures to quote
    python -m bench --write docs/performance.md   # puts everything measured so far into the page, with its plot

What is compared runs alternately; a ratio carries over to other machines better than a time does. The figures of each
section are kept in bench/results/, so that sections can be measured one at a time.
"""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from bench.measure import ROOT, alone, section
from bench.page import machine, print_table, write_page
from bench.plot import write_plot
from bench.row import Row

RESULTS = ROOT / "bench" / "results"
# section → module whose `rows` gives its figures, and what it measures
SECTIONS = {
    "build": ("bench.build", "The build"),
    "commands": ("bench.commands", "Start-up of commands"),
    "first_hour": ("bench.first_hour", "The first hour, with the wheel alone"),
    "reader": ("bench.releases", "Download, list and load"),
    "vintages": ("bench.vintages", "All vintages"),
    "growth": ("bench.growth", "A thousand to a million models"),
    "hub": ("bench.hub", "A hub of 2.5 million models"),
    "estimation": ("bench.estimation", "Estimates of ten million rows"),
    "spark": ("bench.spark", "DuckDB and Spark"),
    "estimates": ("bench.estimates", "All methods at once"),
    "scripts": ("bench.scripts", "What people do by hand"),
    "site": ("bench.site", "The explorer"),
}
# section → library of an extra that it needs, and the extra
NEEDS = {
    "hub": ("ibis", "hub"),
    "estimation": ("ibis", "hub"),
    "spark": ("pyspark", "scale"),
    "site": ("selenium", "dev"),
}


def main() -> None:
    """Measures, prints and keeps the figures, and writes the page if asked to."""
    options = _options()
    for name in options.sections:
        if lacking := _lacking(name):
            print(lacking)
            continue
        place, title = SECTIONS[name]
        rows = alone(section, place, options.quick, options.runs)
        print_table(title, rows)
        if not options.quick:
            RESULTS.mkdir(parents=True, exist_ok=True)
            kept = {"machine": machine(), "runs": options.runs, "rows": [row._asdict() for row in rows]}
            (RESULTS / f"{name}.json").write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n")
    found = {name: _kept(name) for name in SECTIONS if (RESULTS / f"{name}.json").exists()}
    if options.json:
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    plot = options.write.parent / "figures" / f"{options.write.stem}.svg" if options.write else RESULTS / "growth.svg"
    if "growth" in found and find_spec("altair"):
        write_plot([Row(**row) for row in found["growth"]["rows"]], plot)
    if options.write:
        write_page(options.write, found, {name: title for name, (_, title) in SECTIONS.items()})


def _lacking(name: str) -> str:
    """What to install before a section can be measured; empty if nothing."""
    library, extra = NEEDS.get(name, ("", ""))
    if not library or find_spec(library):
        return ""
    return f"\n{name} needs {library}, which is not installed: pip install -c constraints.txt -e '.[{extra}]'"


def _kept(name: str) -> dict[str, Any]:
    """The most recent figures of a section."""
    kept: dict[str, Any] = json.loads((RESULTS / f"{name}.json").read_text())
    return kept


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__, formatter_class=_Plain)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=f"any of {', '.join(SECTIONS)}; all by default")
    parser.add_argument(
        "--runs", type=int, default=7, help="runs of each command that count (long ones run three times)"
    )
    parser.add_argument("--quick", action="store_true", help="small sizes and a single run; nothing is kept")
    parser.add_argument("--json", type=Path, help="write all kept figures to this file")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the kept figures into the tables of this page")
    options = parser.parse_args()
    if unknown := set(options.sections) - set(SECTIONS):
        parser.error(f"no such section: {', '.join(sorted(unknown))}")
    options.runs = 1 if options.quick else options.runs
    if options.write and (options.quick or not options.sections) and not any(RESULTS.glob("*.json")):
        parser.error("nothing has been measured yet: name sections without --quick, or run it without --write first")
    if not options.sections and not options.write:
        options.sections = list(SECTIONS)
    return options


class _Plain(argparse.RawDescriptionHelpFormatter):
    """Shows the description as written."""


if __name__ == "__main__":
    main()
