"""Kills six commands at their system calls that write, runs four of each at once, and asks while builds are swapped:

    python tests/chaos/run.py --kills 50 --rounds 50 --swaps 500 --write

After each kill what is published, committed or downloaded is whole, old or new, and the command, run again, ends with the
new state and leaves no file that a run without a kill would not. Four at once end with the new state, and each succeeds or
is told why not. Every query is answered by one of the builds. Needs Linux and strace. Exit code 1 where anything is torn,
lost or left. It is no part of the test suite: all of it takes an hour. --write enters what was measured into figures.csv,
which docs/quality.md shows.
"""

from __future__ import annotations

import argparse
import csv
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from scenarios import ANSWERS, QUERY, SCENARIOS, Scenario, run_command, swap_builds, two_builds

CALLS = "write,pwrite64,writev,openat,rename,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,symlink,symlinkat,fsync,ftruncate,chmod,fchmod"
PER_ROUND = 4
FIGURES = Path(__file__).resolve().parent / "figures.csv"
COLUMNS = ("command", "what", "times", "faults", "measured")


class Tally:
    """How often each thing was done to each command, and what was wrong afterwards."""

    def __init__(self) -> None:
        self.times: dict[tuple[str, str], int] = {}
        self.faults: dict[tuple[str, str], list[str]] = {}
        self.doing = ("", "")

    def begin(self, name: str, what: str) -> None:
        self.doing = (name, what)
        self.times[self.doing], self.faults[self.doing] = 0, []

    def count(self, number: int = 1) -> None:
        self.times[self.doing] += number

    def note(self, what: str) -> None:
        self.faults[self.doing].append(what)
        print(f"{self.doing[0]}: {what}", flush=True)

    def rows(self) -> Iterator[dict[str, str]]:
        day = datetime.now(UTC).date().isoformat()
        for doing, times in ((doing, times) for doing, times in self.times.items() if times):
            faults = len(self.faults[doing])
            yield dict(zip(COLUMNS, (*doing, str(times), str(faults), day), strict=True))


def world_of(template: Path, folder: Path) -> Path:
    """A fresh copy of the world."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(template, folder, symlinks=True)
    return folder


def files(world: Path) -> set[str]:
    """All files but those of builds, whose folders have names by chance; of these the ones that are nobody's."""
    found = {path.relative_to(world).as_posix() for path in world.rglob("*") if not path.is_dir() or path.is_symlink()}
    kept = {name for name in found if "/.builds/" not in name and "/.git/" not in name and "__pycache__" not in name}
    current = (world / "checkout/data/processed/.current").resolve()
    for folder in (world / "checkout/data/processed/.builds").glob("*"):
        if folder != current and not (folder / ".replaced").exists():
            kept.add(f"{folder.name}, which nobody needs")
    return kept


def counts(scenario: Scenario, world: Path) -> dict[str, int]:
    """How often the command makes each of the system calls."""
    log = world / "tmp" / "counts"
    log.parent.mkdir(exist_ok=True)
    done = run_command(world, scenario.words(world), ["strace", "-f", "-c", "-o", str(log), "-e", f"trace={CALLS}"])
    assert done.returncode == 0, done.stderr
    lines = re.findall(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$", log.read_text(), re.M)
    log.unlink()
    return {call: int(count) for count, call in lines if call != "total"}


def torture(name: str, kills: int, chance: random.Random, folder: Path, tally: Tally) -> str:
    """Kills the command that many times, each time in a fresh world; returns the state that it makes."""
    scenario, template = SCENARIOS[name], folder / name / "template"
    template.mkdir(parents=True)
    scenario.prepare(template)
    tally.begin(name, "killed at a system call that writes")
    clean = world_of(template, folder / name / "world")  # at the same place: names in the cache depend on it
    calls = counts(scenario, clean)
    old, new, wanted = scenario.state(template), scenario.state(clean), files(clean)
    assert old != new, name
    for _ in range(3 * kills):
        if tally.times[tally.doing] == kills:
            break
        world = world_of(template, folder / name / "world")
        call = chance.choices(list(calls), [count**0.5 for count in calls.values()])[0]
        at = f"{call}:signal=SIGKILL:when={chance.randint(1, calls[call])}"
        strace = ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={at}"]
        killed = run_command(world, scenario.words(world), strace).returncode != 0
        tally.count(killed)
        judge(name, scenario, world, (old, new) if killed else (new,), wanted, tally, at)
    return new


def judge(
    name: str, scenario: Scenario, world: Path, allowed: tuple[str, ...], wanted: set[str], tally: Tally, at: str
) -> None:
    """Notes what is torn after a kill, and what the next run does not mend."""
    try:
        if scenario.state(world) not in allowed:
            tally.note(f"torn after {at}")
        if scenario.state(world) != allowed[-1]:
            again = run_command(world, scenario.words(world))
            if again.returncode:
                tally.note(f"not mended after {at}: {again.stderr[-300:]}")
        if scenario.state(world) != allowed[-1]:
            tally.note(f"lost after {at}")
        elif left := files(sweep(name, scenario, world)) - wanted:
            tally.note(f"left after {at}: {', '.join(sorted(left)[:5])}")
    except Exception as error:
        tally.note(f"unreadable after {at}: {error}")


def sweep(name: str, scenario: Scenario, world: Path) -> Path:
    """The world after one more run, which may find that there is nothing to do."""
    words = scenario.words(world)
    run_command(world, [*words, "--force"] if name == "build" else [*words, "--update"] if name == "pull" else words)
    return world


def at_once(name: str, rounds: int, new: str, folder: Path, tally: Tally) -> None:
    """Four of the command at once, in one world: the state is the new one, and each succeeds or is told why not."""
    scenario, template = SCENARIOS[name], folder / name / "template"
    tally.begin(name, "four at once")
    for number in range(rounds):
        world = world_of(template, folder / name / "world")
        with ThreadPoolExecutor(PER_ROUND) as pool:
            ends = list(pool.map(lambda _, world=world: run_command(world, scenario.words(world)), range(PER_ROUND)))
        told = [end for end in ends if end.returncode == 0 or (scenario.refusal and scenario.refusal in end.stderr)]
        if scenario.state(world) != new or len(told) < PER_ROUND or "Traceback" in "".join(end.stderr for end in ends):
            tally.note(f"round {number}: " + " | ".join(end.stderr[-200:] for end in ends))
        tally.count()


def asked(swaps: int, folder: Path, tally: Tally) -> None:
    """Queries of two processes at a time while two builds take each other's place: each answer is that of one of them."""
    world = folder / "sql"
    builds = two_builds(world)
    with ThreadPoolExecutor(3) as pool:
        swapping = pool.submit(swap_builds, world, builds, swaps)
        tally.begin("sql", "asked while builds were swapped")

        def ask(_: int) -> None:
            while not swapping.done():
                end = run_command(world, ["sql", QUERY, "--csv"])
                if end.returncode or end.stdout.splitlines()[1:] not in ANSWERS:
                    tally.note(f"{end.stdout[-200:]} {end.stderr[-300:]}")
                tally.count()

        list(pool.map(ask, range(2)))
        tally.begin("sql", "builds swapped")
        tally.count(swapping.result())


def enter(tally: Tally) -> None:
    """Writes what was measured into figures.csv, in place of what was measured before."""
    with FIGURES.open(encoding="utf-8", newline="") as handle:
        rows = {(row["command"], row["what"]): row for row in csv.DictReader(handle)}
    rows |= {(row["command"], row["what"]): row for row in tally.rows()}
    with FIGURES.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.DictWriter(handle, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--rounds", type=int, default=50, help="of four at once, for each command")
    parser.add_argument("--swaps", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[*SCENARIOS, "sql"])
    parser.add_argument("--write", action="store_true", help="enter what was measured into figures.csv")
    given = parser.parse_args()
    if given.kills and subprocess.run(["strace", "-V"], capture_output=True).returncode:
        parser.error("strace is needed")
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="traincompute-chaos-") as temporary:
        for name in [given.only] if given.only else [*SCENARIOS, "sql"]:
            if name == "sql":
                asked(given.swaps, Path(temporary), tally)
                continue
            chance = random.Random(f"{given.seed}{name}")
            new = torture(name, given.kills, chance, Path(temporary), tally)
            at_once(name, given.rounds, new, Path(temporary), tally)
            print(f"{name}: {given.kills} kills, {given.rounds} rounds of four", flush=True)
    if given.write:
        enter(tally)
    faults = sum(map(len, tally.faults.values()))
    print(f"{sum(tally.times.values())} times, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
