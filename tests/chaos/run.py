"""Kills six commands at their system calls that write, runs four of each at once, and asks while builds are swapped:

    python tests/chaos/run.py --kills 50 --rounds 50 --swaps 500 --write

After each kill what is published, committed or downloaded is whole, old or new, and the command, run once more, ends with
the new state and with the files that a run without a kill leaves. Four at once end with the new state, and each succeeds or
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
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import cycle, islice
from pathlib import Path
from typing import NamedTuple

from scenarios import ANSWERS, QUERY, SCENARIOS, Scenario, run_command, swap_builds, two_builds

CALLS = (
    "write,pwrite64,writev,sendfile,copy_file_range,openat,rename,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,"
    "symlink,symlinkat,fsync,ftruncate,chmod,fchmod"
)
STRACE = ("strace", "-f", "-s", "0")
BESIDE = re.compile(r"AT_FDCWD<[^>]*>")  # the current folder, which an absolute path does not mind
WRITES = re.compile(r"O_(WRONLY|RDWR|CREAT)")
BUILDS = "checkout/data/processed/.builds"
PER_ROUND = 4
FIGURES = Path(__file__).resolve().parent / "figures.csv"
COLUMNS = ("command", "what", "times", "faults", "measured")


class Whole(NamedTuple):
    """The states before and after a command that nobody kills, and the files after it."""

    old: str
    new: str
    files: set[str]


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
    """All files and folders but those of builds, whose folders have names by chance; of these the ones that are nobody's."""
    found = {path.relative_to(world).as_posix() for path in world.rglob("*")}
    kept = {name for name in found if f"{BUILDS}/" not in name and "/.git/" not in name}
    current = (world / BUILDS).with_name(".current").resolve()
    for folder in (world / BUILDS).glob("*"):
        if folder != current and not (folder / ".replaced").exists():
            kept.add(f"{folder.name}, which nobody needs")
    return kept


def write_calls(scenario: Scenario, world: Path) -> dict[str, list[int]]:
    """The system calls with which the command writes in the world: which ones of that name in their thread, as strace
    counts. Only counting is made faster by --seccomp-bpf, with which strace 6.1 sends no signal."""
    with tempfile.NamedTemporaryFile("r") as log:
        strace = [*STRACE, "--seccomp-bpf", "-y", "-o", log.name, "-e", f"trace={CALLS}"]
        done = run_command(world, scenario.words(world), strace)
        assert done.returncode == 0, done.stderr
        made: Counter[tuple[str, str]] = Counter()
        found: dict[str, list[int]] = defaultdict(list)
        for thread, call, words in re.findall(r"^(\d+) +(\w+)\((.*)", log.read(), re.M):
            made[thread, call] += 1
            if writes(call, words, world):
                found[call].append(made[thread, call])
    return found


def writes(call: str, words: str, world: Path) -> bool:
    """Whether a call that strace shows has changed something in the world."""
    opens = call == "openat" and not WRITES.search(words)
    return f"{world}/" in BESIDE.sub("", words) and " = -1 " not in words and not opens


def in_turn(calls: dict[str, list[int]], chance: random.Random) -> Iterator[tuple[str, int]]:
    """A call of each name in turn, without end; none comes twice before all of its name have come."""
    shuffled = {name: cycle(chance.sample(numbers, len(numbers))) for name, numbers in calls.items()}
    for name in cycle(shuffled):
        yield name, next(shuffled[name])


def torture(name: str, kills: int, chance: random.Random, folder: Path, tally: Tally) -> Whole:
    """Kills the command that many times, each time in a fresh world; returns what it makes where nobody kills it."""
    scenario, template = SCENARIOS[name], folder / name / "template"
    template.mkdir(parents=True)
    scenario.prepare(template)
    tally.begin(name, "killed at a system call that writes")
    clean = world_of(template, folder / name / "world")  # at the same place: names in the cache depend on it
    calls = write_calls(scenario, clean)
    whole = Whole(scenario.state(template), scenario.state(clean), files(clean))
    assert whole.old != whole.new, name
    for call, number in islice(in_turn(calls, chance), 3 * kills):
        if tally.times[tally.doing] == kills:
            break
        world = world_of(template, folder / name / "world")
        at = f"{call}:signal=SIGKILL:when={number}"
        strace = [*STRACE, "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={at}"]
        if run_command(world, scenario.words(world), strace).returncode:  # else no thread made as many calls this time
            tally.count()
            judge(scenario, world, whole, tally, at)
    return whole


def judge(scenario: Scenario, world: Path, whole: Whole, tally: Tally, at: str) -> None:
    """Notes what is torn after a kill, and what the next run does not mend."""
    try:
        if (state := scenario.state(world)) not in (whole.old, whole.new):
            tally.note(f"torn after {at}")
        again = run_command(world, scenario.words(world))
        if not (again.returncode == 0 or (state == whole.new and is_told(scenario, again))):
            tally.note(f"not mended after {at}: {again.stderr[-300:]}")
        if scenario.state(world) != whole.new:
            tally.note(f"lost after {at}")
        if left := files(world) ^ whole.files:
            tally.note(f"left or missing after {at}: {', '.join(sorted(left)[:5])}")
    except Exception as error:
        tally.note(f"unreadable after {at}: {error}")


def is_told(scenario: Scenario, end: subprocess.CompletedProcess[str]) -> bool:
    """Whether the command was refused because it had been done already, or was being done."""
    return bool(scenario.refusal and re.search(scenario.refusal, end.stderr)) and "Traceback" not in end.stderr


def at_once(name: str, rounds: int, whole: Whole, folder: Path, tally: Tally) -> None:
    """Four of the command at once, in one world: the state is the new one, and each succeeds or is told why not."""
    scenario, template = SCENARIOS[name], folder / name / "template"
    tally.begin(name, "four at once")
    for number in range(rounds):
        world = world_of(template, folder / name / "world")
        with ThreadPoolExecutor(PER_ROUND) as pool:
            ends = list(pool.map(lambda _, world=world: run_command(world, scenario.words(world)), range(PER_ROUND)))
        succeeded, told = (sum(end.returncode == 0 for end in ends), sum(is_told(scenario, end) for end in ends))
        if scenario.state(world) != whole.new or not succeeded or succeeded + told < PER_ROUND:
            tally.note(f"round {number}: " + " | ".join(end.stderr[-200:] for end in ends))
        if left := files(world) ^ whole.files:
            tally.note(f"round {number}: left or missing: {', '.join(sorted(left)[:5])}")
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
            whole = torture(name, given.kills, chance, Path(temporary), tally)
            at_once(name, given.rounds, whole, Path(temporary), tally)
            print("\n".join(f"{row['command']}, {row['what']}: {row['times']}" for row in tally.rows()), flush=True)
    if given.write:
        enter(tally)
    faults = sum(map(len, tally.faults.values()))
    print(f"{sum(tally.times.values())} times, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
