"""What traincompute costs, as a table: builds, commands and the site against floors, and growth with the number of
models.

    python -m bench                      # everything: about ten minutes on two cores
    python -m bench build query          # some sections
    python -m bench growth --sizes 1000 10000

What is compared runs alternately, after one run each to warm up. A ratio of medians carries over to other machines
better than a time does."""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
COMMAND = str(Path(sys.executable).with_name("traincompute"))
IMPORTS = "import pandas, pandera.pandas, pyarrow, duckdb"
NO_OP = "import click, hashlib, json, importlib.metadata, pathlib, datetime"
COUNT = "select count(*) from models where training_compute_flop >= 1e25"
LINKED = ("schemas", "pipeline", "data/calibration", "data/constants.yml", "data/known_issues.yml")
GROWN = "epoch_all"  # the source whose records are repeated under other names
OTHER_MODELS = (
    "epoch_notable",
    "epoch_large_scale",
    "epoch_benchmarked",
    "helm",
    "llmstats",
    "models_dev",
    "meta_cards",
    "awesome_japanese_llm",
    "fmti",
    "owid_epoch",
)
EMPTY = {
    "corrections.yml": "[]\n",
    "identities.csv": "alias,source_id,relation,model_id,since,reason\n",
    "architectures.csv": "model_id,architecture,locator,reference,evidence,accessed\n",
}


class Run(NamedTuple):
    """What one process cost: wall seconds and peak memory in MB."""

    seconds: float
    peak_mb: float


class Row(NamedTuple):
    """One figure of the table. `made_of` says which medians a ratio is made of."""

    what: str
    figure: str
    range: str = ""
    made_of: str = ""


def measure(command: list[str], root: Path = ROOT) -> Run:
    """Runs a command once, for the checkout at `root`. Raises RuntimeError if it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            cwd=ROOT,
            env=environment | {"TRAINCOMPUTE_ROOT": str(root)},
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode(errors="replace")[-500:]
            raise RuntimeError(f"{' '.join(command)} ended with exit code {process.returncode}: {said}")
    return Run(seconds, usage.ru_maxrss / 1e3)


def compare(what: str, command: list[str], floor: list[str], runs: int) -> Row:
    """The ratio of the medians of alternate runs, and the lowest and highest ratio of a pair."""
    pairs = [(measure(command), measure(floor)) for _ in range(runs + 1)][1:]
    ours, least = (statistics.median(pair[side].seconds for pair in pairs) for side in (0, 1))
    ratios = [a.seconds / b.seconds for a, b in pairs]
    peak = max(pair[0].peak_mb for pair in pairs)
    made_of = f"{ours:.3f} s ÷ {least:.3f} s, peak {peak:.0f} MB"
    return Row(what, f"{ours / least:.3g} ×", f"{min(ratios):.3g}–{max(ratios):.3g}", made_of)


def python(code: str) -> list[str]:
    """A command that runs the code."""
    return [sys.executable, "-c", code]


def build(runs: int, _: list[int]) -> Iterator[Row]:
    """A build from nothing against the imports that it needs, its memory in the same row, and one with nothing to
    do."""
    yield compare("cold build ÷ its imports", [COMMAND, "build", "--force"], python(IMPORTS), runs)
    yield compare("build with nothing to do ÷ its imports", [COMMAND, "build"], python(NO_OP), runs)


def query(runs: int, _: list[int]) -> Iterator[Row]:
    """How soon commands answer, against click, or against DuckDB with one query on a Parquet file."""
    models = str(ROOT / "data" / "processed" / "models.parquet")
    alone = python(f"import duckdb; duckdb.sql({COUNT.replace('models', repr(models))!r}).fetchall()")
    yield compare("--help ÷ import click", [COMMAND, "--help"], python("import click"), runs)
    for words in (["sql", COUNT], ["explain", "gpt-4"], ["match", "gpt 4", "DeepSeek v3"]):
        yield compare(f"{words[0]} ÷ DuckDB alone", [COMMAND, *words], alone, runs)


def site(runs: int, _: list[int]) -> Iterator[Row]:
    """The whole site, against a build."""
    with tempfile.TemporaryDirectory() as folder:
        written = [COMMAND, "site", "--to", f"{folder}/site"]
        yield compare("site ÷ cold build", written, [COMMAND, "build", "--force"], min(runs, 3))
        size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    yield Row("size of the site", f"{size / 1e6:.1f} MB")


def growth(_: int, sizes: list[int]) -> Iterator[Row]:
    """Builds of ledgers of so many models: records of one source under other names, with the reference tables and
    without corrections."""
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            facts = write_checkout(Path(folder), size)
            run = measure([COMMAND, "build", "--force"], Path(folder))
        yield Row(
            f"build of {size:,} models", f"{run.seconds:.1f} s", "", f"{facts:,} facts, peak {run.peak_mb:.0f} MB"
        )


def write_checkout(root: Path, size: int) -> int:
    """A checkout at `root` whose ledger has that many models; returns the number of their facts."""
    raw = root / "data" / "raw"
    (raw / "curated").mkdir(parents=True)
    for name in LINKED:
        (root / name).symlink_to(ROOT / name)
    for name, text in EMPTY.items():
        (raw / "curated" / name).write_text(text, encoding="utf-8")
    lock = json.loads((ROOT / "data" / "raw" / "lock.json").read_text(encoding="utf-8"))
    for source in (ROOT / "data" / "raw").iterdir():
        if source.is_dir() and source.name not in (GROWN, "curated", *OTHER_MODELS):
            (raw / source.name).symlink_to(source)
    for name in OTHER_MODELS:
        lock.pop(name, None)
    lock[GROWN]["lines"] = _write_facts(raw / GROWN, size)
    (raw / "lock.json").write_text(json.dumps(lock), encoding="utf-8")
    (raw / "selection.yml").write_text(f"default:\n  - [{GROWN}]\n", encoding="utf-8")
    return int(lock[GROWN]["lines"])


def _write_facts(folder: Path, size: int) -> int:
    """Writes the facts of `size` records; returns their number."""
    folder.mkdir()
    source = ROOT / "data" / "raw" / GROWN
    (folder / "source.yml").symlink_to(source / "source.yml")
    with (source / "facts.csv").open(encoding="utf-8", newline="") as lines:
        header, *facts = csv.reader(lines)
    records: dict[str, list[list[str]]] = {}
    for fact in facts:
        records.setdefault(fact[0], []).append(fact)
    names, count = list(records), 0
    with (folder / "facts.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(header)
        for number in range(size):
            copy, place = divmod(number, len(names))
            suffix = f" #{copy}" if copy else ""
            for record, field, text, *rest in records[names[place]]:
                named = f"{text}{suffix}" if field in ("name", "base_model") else text
                writer.writerow([f"{record}{suffix}", field, named, *rest])
                count += 1
    return count


SECTIONS = {"build": build, "query": query, "site": site, "growth": growth}


def main() -> None:
    """Measures and prints a Markdown table."""
    parser = argparse.ArgumentParser(
        prog="python -m bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--runs", type=int, default=7, help="runs of each command that count")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], metavar="N", help="of growth")
    options = parser.parse_args()
    print("| what | figure | lowest–highest | made of |\n|---|---:|---|---|")
    for name in options.sections or SECTIONS:
        for row in SECTIONS[name](options.runs, options.sizes):
            print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
