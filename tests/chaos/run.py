"""Kills six commands at their system calls that write, runs four of each at once, and asks while builds are swapped:

    python tests/chaos/run.py --kills 50 --rounds 50 --swaps 500 --write
    python tests/chaos/run.py --without-locks --write    # where no file can be locked (ENOLCK), as on some network drives
    python tests/chaos/run.py --room 20 --write          # where 20 MB are left, on a file system that is mounted for it

After each kill what is published, committed or downloaded is whole, old or new, and the command, run once more, ends with
the new state and with the files that a run without a kill leaves. Four at once end with the new state, and each succeeds or
is told why not; where all are told that there is no room, the old state stays. Without locks, what a killed command was
writing may stay, since another may be writing it. Every query is answered by one of the builds. Needs Linux and strace, and
--room an administrator. Exit code 1 where anything is torn, lost or left. It is no part of the test suite: all of it takes
an hour. --write enters what was measured into figures.csv, which docs/quality.md shows.
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
from contextlib import ExitStack, contextmanager
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
NO_LOCKS = ("-e", "inject=flock:error=ENOLCK")
FULL = "No space left on device"
MB = 1_000_000
FIGURES = Path(__file__).resolve().parent / "figures.csv"
COLUMNS = ("command", "what", "times", "faults", "measured")


class Whole(NamedTuple):
    """The states before and after a command that nobody kills, and the files after it."""

    old: str
    new: str
    files: set[str]


class Ground(NamedTuple):
    """Where the worlds lie, and what is scarce there: locks of files, or room."""

    folder: Path
    locks: bool = True
    room: int | None = None  # MB

    def __str__(self) -> str:
        return ("" if self.locks else ", without locks") + ("" if self.room is None else f", {self.room} MB left")

    def strace(self, calls: str = "", *inject: str) -> list[str]:
        """What a command is started with, that these system calls end as they are to."""
        without = () if self.locks else NO_LOCKS
        traced = ",".join(filter(None, (calls, "" if self.locks else "flock")))
        return [*STRACE, "-o", "/dev/null", "-e", f"trace={traced}", *inject, *without] if traced else []

    def leave(self, room: int | None) -> None:
        """Limits the file system to what is used and that much more, or not at all."""
        if self.room is not None:
            size = "100%" if room is None else str(shutil.disk_usage(self.folder).used + room * MB)
            subprocess.run(["mount", "-o", f"remount,size={size}", self.folder], check=True)

    def world_of(self, name: str) -> Path:
        """A fresh copy of the template, always at the same place: names in the cache depend on it."""
        world = self.folder / name / "world"
        self.leave(None)
        shutil.rmtree(world, ignore_errors=True)
        shutil.copytree(world.with_name("template"), world, symlinks=True)
        self.leave(self.room)
        return world


@contextmanager
def ground(locks: bool, room: int | None) -> Iterator[Ground]:
    """A temporary folder, which is a file system of its own where room is scarce."""
    with tempfile.TemporaryDirectory(prefix="traincompute-chaos-") as folder, ExitStack() as stack:
        if room is not None:
            subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
            stack.callback(subprocess.run, ["umount", folder], check=True)
        yield Ground(Path(folder), locks, room)


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


def torture(name: str, kills: int, chance: random.Random, ground: Ground, tally: Tally) -> Whole:
    """Kills the command that many times, each time in a fresh world; returns what it makes where nobody kills it."""
    scenario, template = SCENARIOS[name], ground.folder / name / "template"
    template.mkdir(parents=True)
    ground.leave(None)
    scenario.prepare(template)
    tally.begin(name, f"killed at a system call that writes{ground}")
    clean = ground.world_of(name)
    calls = write_calls(scenario, clean)
    whole = Whole(scenario.state(template), scenario.state(clean), files(clean))
    assert whole.old != whole.new, name
    for call, number in islice(in_turn(calls, chance), 3 * kills):
        if tally.times[tally.doing] == kills:
            break
        world = ground.world_of(name)
        at = f"{call}:signal=SIGKILL:when={number}"
        strace = ground.strace(call, "-e", f"inject={at}")
        if run_command(world, scenario.words(world), strace).returncode:  # else no thread made as many calls this time
            tally.count()
            judge(scenario, world, whole, tally, at, ground)
    return whole


def judge(scenario: Scenario, world: Path, whole: Whole, tally: Tally, at: str, ground: Ground) -> None:
    """Notes what is torn after a kill, and what the next run does not mend."""
    try:
        if (state := scenario.state(world)) not in (whole.old, whole.new):
            tally.note(f"torn after {at}")
        again = run_command(world, scenario.words(world), ground.strace())
        if not (again.returncode == 0 or (state == whole.new and is_told(scenario, again))):
            tally.note(f"not mended after {at}: {again.stderr[-300:]}")
        if scenario.state(world) != whole.new:
            tally.note(f"lost after {at}")
        if left := unlike(whole, world, ground):
            tally.note(f"left or missing after {at}: {', '.join(sorted(left)[:5])}")
    except Exception as error:
        tally.note(f"unreadable after {at}: {error}")


def unlike(whole: Whole, world: Path, ground: Ground) -> set[str]:
    """Files that are missing or left; without locks another may be writing what is left, and it has to stay."""
    left = files(world) - whole.files if ground.locks else set()
    return left | (whole.files - files(world))


def is_told(scenario: Scenario, end: subprocess.CompletedProcess[str]) -> bool:
    """Whether the command was refused because it had been done already, or was being done."""
    return bool(scenario.refusal and re.search(scenario.refusal, end.stderr)) and "Traceback" not in end.stderr


def at_once(name: str, rounds: int, whole: Whole, ground: Ground, tally: Tally) -> None:
    """Four of the command at once, in one world: the state is the new one, and each succeeds or is told why not."""
    scenario = SCENARIOS[name]
    tally.begin(name, f"four at once{ground}")
    for number in range(rounds):
        world = ground.world_of(name)
        with ThreadPoolExecutor(PER_ROUND) as pool:
            running = [
                pool.submit(run_command, world, scenario.words(world), ground.strace()) for _ in range(PER_ROUND)
            ]
            ends = [one.result() for one in running]
        succeeded, told = (sum(end.returncode == 0 for end in ends), sum(is_told(scenario, end) for end in ends))
        full = sum(ground.room is not None and FULL in end.stderr and "Traceback" not in end.stderr for end in ends)
        expected = whole.new if succeeded or not full else whole.old
        if scenario.state(world) != expected or not succeeded + full or succeeded + told + full < PER_ROUND:
            tally.note(f"round {number}: " + " | ".join(end.stderr[-200:] for end in ends))
        if succeeded and (left := unlike(whole, world, ground)):
            tally.note(f"round {number}: left or missing: {', '.join(sorted(left)[:5])}")
        tally.count()


def asked(swaps: int, ground: Ground, tally: Tally) -> None:
    """Queries of two processes at a time while two builds take each other's place: each answer is that of one of them."""
    world = ground.folder / "sql"
    ground.leave(None)
    builds = two_builds(world)
    ground.leave(ground.room)
    with ThreadPoolExecutor(3) as pool:
        swapping = pool.submit(swap_builds, world, builds, swaps)
        tally.begin("sql", f"asked while builds were swapped{ground}")

        def ask(_: int) -> None:
            while not swapping.done():
                end = run_command(world, ["sql", QUERY, "--csv"], ground.strace())
                if end.returncode or end.stdout.splitlines()[1:] not in ANSWERS:
                    tally.note(f"{end.stdout[-200:]} {end.stderr[-300:]}")
                tally.count()

        list(pool.map(ask, range(2)))
        tally.begin("sql", f"builds swapped{ground}")
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
    parser.add_argument("--without-locks", action="store_true", help="the file system has no locks (ENOLCK)")
    parser.add_argument("--room", type=int, metavar="MB", help="what is left of a file system that is mounted for it")
    parser.add_argument("--only", choices=[*SCENARIOS, "sql"])
    parser.add_argument("--write", action="store_true", help="enter what was measured into figures.csv")
    given = parser.parse_args()
    if given.kills and subprocess.run(["strace", "-V"], capture_output=True).returncode:
        parser.error("strace is needed")
    tally = Tally()
    with ground(not given.without_locks, given.room) as where:
        for name in [given.only] if given.only else [*SCENARIOS, "sql"]:
            if name == "sql":
                asked(given.swaps, where, tally)
                continue
            chance = random.Random(f"{given.seed}{name}")
            whole = torture(name, given.kills, chance, where, tally)
            at_once(name, given.rounds, whole, where, tally)
            print("\n".join(f"{row['command']}, {row['what']}: {row['times']}" for row in tally.rows()), flush=True)
    if given.write:
        enter(tally)
    faults = sum(map(len, tally.faults.values()))
    print(f"{sum(tally.times.values())} times, {faults} faults")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
