"""Tables of figures for the terminal and for the page, where blocks between two comments are replaced and the prose
stays."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.row import Row, shown

LIBRARIES = ("pandas", "pandera", "pyarrow", "duckdb", "ibis-framework", "pyspark")
BLOCK = r"(<!-- bench: {name} -->\n).*?(<!-- /bench -->)"


def machine() -> dict[str, Any]:
    """Processor, cores, memory, system and versions, without the machine's name or any path."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1),
        **{name: found for name in LIBRARIES if (found := _version(name))},
    }


def _version(library: str) -> str | None:
    """Its version; None if it is not installed, as those of the extras may not be."""
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    """The model of the processor, as far as the system tells."""
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found.group(1) if found else platform.machine()


def print_table(title: str, rows: list[Row]) -> None:
    """One line per figure."""
    print(f"\n{title}")
    for row in rows:
        words = [f"{shown(row.figure)} {row.unit}".strip(), row.spread, row.bound, row.verdict, row.note]
        print(f"  {row.name:75} " + " | ".join(word for word in words if word))
    sys.stdout.flush()


def table(rows: list[Row]) -> str:
    """A Markdown table."""
    head = "| what | figure | lowest–highest | target | | made of |\n|---|---:|---|---|---|---|\n"
    lines = [
        f"| {row.name} | {shown(row.figure)} {row.unit} | {row.spread} | {row.bound} | {row.verdict} | {row.note} |"
        for row in rows
    ]
    return head + "\n".join(lines) + "\n"


def write_page(page: Path, found: Mapping[str, Any], titles: Mapping[str, str]) -> None:
    """Puts the tables of the measured sections into their blocks, and the machine into its own. Raises ValueError if
    the page has no block for one of them."""
    text = page.read_text(encoding="utf-8")
    for name, kept in found.items():
        text = fill(text, name, table([Row(**row) for row in kept["rows"]]))
    text = fill(text, "machine", _about([kept["machine"] for kept in found.values()]))
    page.write_text(text, encoding="utf-8")


def fill(text: str, name: str, block: str) -> str:
    """The text with the block of that name replaced. Raises ValueError if it has none."""
    pattern = re.compile(BLOCK.format(name=re.escape(name)), re.DOTALL)
    if not pattern.search(text):
        raise ValueError(f"the page has no block <!-- bench: {name} --> … <!-- /bench -->")
    return pattern.sub(lambda found: found.group(1) + block + found.group(2), text)


def _about(machines: list[dict[str, Any]]) -> str:
    """The machine in one sentence, with the load that it had; all sections must have been measured on the same one."""
    kinds = {tuple((key, value) for key, value in one.items() if key != "load") for one in machines}
    loads = [one["load"] for one in machines]
    words = [
        f"{one['processor']}, {one['cores']} cores, {one['memory_gb']} GB, {one['system']}, Python {one['python']}, "
        + ", ".join(f"{name} {one[name]}" for name in LIBRARIES if name in one)
        for one in map(dict, sorted(kinds, key=str))
    ]
    return "\n".join(words) + f". Load when the sections ended: {min(loads)}–{max(loads)}.\n"
