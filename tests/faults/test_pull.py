"""Faults in a pull, from the wire to the committed facts: the result is the old state, byte for byte, or the new
one."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest
from checkouts import copy_checkout
from misbehaving_server import Act, MisbehavingServer, cut, free_port, ok, reply

from pipeline.config import load_lock, load_sources
from pipeline.normalize.facts import load_facts, vintage
from pipeline.paths import Paths
from pipeline.pull import fetch
from pipeline.pull import snapshot as pull
from pipeline.pull.snapshot import Request, pull_source
from traincompute.base.files import write_whole
from traincompute.cli import main

GOLDEN = Path(__file__).parents[1] / "golden" / "epoch_models.csv"
TABLE = GOLDEN.read_bytes()
ROWS = list(csv.DictReader(io.StringIO(TABLE.decode())))
PLACE = "/epoch.ai/data/notable_ai_models.csv"
SOURCE = "epoch_notable"
BUSY = reply("503 Service Unavailable")

Row = dict[str, str]
State = dict[str, tuple[str, int]]
Run = Callable[..., tuple[int, str]]


class Clock(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:
        return datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def checkout(small_template: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    paths = copy_checkout(small_template, tmp_path / "checkout")
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(pull, "datetime", Clock)
    monkeypatch.setattr(fetch, "datetime", Clock)
    return paths


def state(paths: Paths) -> State:
    """Hash and time of everything in data/."""
    files = (path for path in sorted((paths.root / "data").rglob("*")) if path.is_file())
    return {str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def unchanged(checkout: Paths) -> Iterator[Paths]:
    """The checkout, in which no file may be touched."""
    before = state(checkout)
    assert len(before) > 20
    yield checkout
    assert state(checkout) == before


@pytest.fixture
def run(
    checkout: Paths, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    """Pulls epoch_notable: exit code and all output."""

    def pull_it(act: Act | None, *options: str, source: str = SOURCE) -> tuple[int, str]:
        address = server.address("") if act else f"http://127.0.0.1:{free_port()}"
        if act:
            server.script(PLACE, act)
        monkeypatch.setattr("sys.argv", ["traincompute", "pull", source, "--mirror", address, *options])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        assert "Traceback" not in said.err
        return int(ended.value.code or 0), said.out + said.err

    return pull_it


def table(rows: list[Row], columns: list[str] | None = None) -> bytes:
    """A file with those rows and the golden columns."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, columns or list(ROWS[0]), restval="", lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def model(name: str, **cells: str) -> Row:
    """A row about a language model."""
    columns = {
        "date": "Publication date", "parameters": "Parameters", "flop": "Training compute (FLOP)",
        "data": "Training dataset size (total)", "link": "Link",
    }  # fmt: skip
    usual = {
        "Model": name,
        "Domain": "Language",
        "Publication date": "2023-03-15",
        "Link": f"https://x.org/{len(name)}",
    }
    return usual | {columns[key]: text for key, text in cells.items()}


def facts_file(paths: Paths) -> Path:
    return paths.raw / SOURCE / "facts.csv"


def newest(paths: Paths) -> pd.DataFrame:
    """What the newest snapshots say, as a build reads them."""
    sources, lock = load_sources(paths), load_lock(paths)
    found = vintage(load_facts(paths, sources, lock), sources, lock, None)
    return found[["source_id", "record", "field", "value_text", "locator", "since", "snapshot"]]


# --- the network ---

UNREACHED: dict[str, tuple[Act | None, str]] = {
    "busy": (BUSY, "HTTP 503"),
    "nobody there": (None, "Connection refused"),
    "cut": (cut(TABLE, 2000), "bytes"),
    "a page for signing in": (ok(b"<!DOCTYPE html><title>Sign in</title>", Content_Type="text/html"), "text/html"),
    "a page that says it is CSV": (ok(b"<!DOCTYPE html><title>Sign in</title>"), "HTML page"),
}


@pytest.mark.parametrize(("act", "reason"), UNREACHED.values(), ids=UNREACHED)
def test_what_cannot_be_had_keeps_the_last_known_good_and_a_warning_says_so(
    unchanged: Paths, run: Run, act: Act | None, reason: str
) -> None:
    code, said = run(act, "--update")
    assert code == 0
    assert "warning: " in said
    assert "keeping the last known good snapshot of 2026-03-30" in said
    code, said = run(act, "--update", "--strict")
    assert code == 3
    assert reason in said


def test_a_file_that_contradicts_the_lock_shows_both_hashes(unchanged: Paths, run: Run) -> None:
    other = table(ROWS[:-1])
    for option in ([], ["--as-of", "2026-03-30"]):
        code, said = run(ok(other), *option)
        assert code == 3
        assert hashlib.sha256(TABLE).hexdigest() in said
        assert hashlib.sha256(other).hexdigest() in said
        assert "--update" in said


def test_update_accepts_it_as_a_new_snapshot(checkout: Paths, run: Run) -> None:
    other = table([*ROWS, model("BLOOMZ", parameters="176000000000.0")])
    assert run(ok(other), "--update")[0] == 0
    snapshots = json.loads(checkout.lock.read_text())[SOURCE]["snapshots"]
    assert list(snapshots) == ["2026-03-30", "2026-11-21"]
    (entry,) = snapshots["2026-11-21"]["files"].values()
    assert (entry["sha256"], entry["size"]) == (hashlib.sha256(other).hexdigest(), len(other))
    assert "BLOOMZ,parameters,176000000000.0,,2026-11-21,\n" in facts_file(checkout).read_text()
    assert "BLOOMZ" in set(newest(checkout)["record"])


# --- the contents of the file ---


def with_header(old: str, new: str) -> bytes:
    head, body = TABLE.split(b"\n", 1)
    columns = [new if column == old else column for column in head.decode().split(",")]
    return ",".join(columns).encode() + b"\n" + body


THIRD = len(ROWS) // 3
REFUSED: dict[str, tuple[Act, str]] = {  # unit/pull has more of each kind
    "cut at the end of a row": (ok(table(ROWS[:-1])), f"{len(ROWS) - 1} named rows, at least "),
    "names exchanged": (
        ok(table([model(f"new {n}") if n < THIRD else row for n, row in enumerate(ROWS)])),
        f"name: {THIRD} of {len(ROWS)} names are gone",
    ),
    "cut inside quotes": (ok(TABLE[: TABLE.rindex(b'"')]), "not well-formed CSV"),
    "a required column renamed": (ok(with_header("Parameters", "Weights")), "parameters: required column is missing"),
    "a column emptied": (
        ok(table([{**row, "Training compute (FLOP)": ""} for row in ROWS])),
        "10 of 10 cells were empt",
    ),
    "organisations replaced": (ok(table([{**row, "Organization": "Acme"} for row in ROWS])), "organization: "),
    "an unknown code": (ok(table([{**row, "Model accessibility": "Half open"} for row in ROWS])), '"Half open" is '),
    "Latin-1": (ok(TABLE + b"T\xfclu\n"), f"not UTF-8 at offset {len(TABLE) + 1}"),
}


@pytest.mark.parametrize(("act", "message"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_does_not_pass_a_check_is_not_entered(unchanged: Paths, run: Run, act: Act, message: str) -> None:
    code, said = run(act, "--update")
    assert code == 1
    assert message in said
    assert len(said) < 3000


def cut_at_a_line_break(file: Path) -> None:
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-3]))


def cut_in_a_line(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


@pytest.mark.parametrize("spoil", [cut_at_a_line_break, cut_in_a_line])
def test_a_pull_does_not_build_upon_a_facts_file_that_was_cut(
    checkout: Paths, run: Run, spoil: Callable[[Path], None]
) -> None:
    spoil(facts_file(checkout))
    before = state(checkout)
    code, said = run(ok(table([*ROWS, model("BLOOMZ")])), "--update")
    assert (code, state(checkout)) == (1, before)
    assert "mend both; `git diff` shows what changed" in said


# --- archives ---


NEW = table([*ROWS, model("BLOOMZ")])


# --- the machine ---


def dying(monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    write = write_whole

    def die(path: Path, content: bytes) -> None:
        if path.name == broken:
            raise OSError(28, "No space left on device")
        write(path, content)

    monkeypatch.setattr(pull, "write_whole", die)


@pytest.mark.parametrize("broken", ["facts.csv", "lock.json"])
def test_a_pull_that_dies_between_its_writes_is_healed_by_the_next(
    checkout: Paths, run: Run, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    other, before = ok(table([*ROWS[:-1], model("BLOOMZ")])), newest(checkout)
    with monkeypatch.context() as patched:
        dying(patched, broken)
        assert run(other, "--update")[0] == 1
    pd.testing.assert_frame_equal(newest(checkout), before)
    assert run(other, "--update")[0] == 0
    healed = facts_file(checkout).read_bytes()
    assert b"BLOOMZ,name,BLOOMZ,,2026-11-21,\n" in healed
    assert b",2026-03-30,2026-11-21\n" in healed


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace"])
def test_a_full_disk_leaves_the_old_state_and_no_rest(
    unchanged: Paths, run: Run, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(call, full)
        code, said = run(ok(NEW), "--update")
    assert code == 1
    assert "No space left" in said


@pytest.mark.parametrize(
    ("today", "headers", "said"),
    [
        ("2020-01-01", {}, "the clock says 2020-01-01, but there is a snapshot of 2026-03-30"),
        ("2099-01-01", {"Date": "Sat, 21 Nov 2026 12:00:00 GMT"}, "it is 2026-11-21, this machine 2099-01-01; set the"),
        ("2026-11-21", {"Date": "Thu, 20 Nov 2026 23:00:00 GMT"}, ""),
    ],
)
def test_a_clock_that_is_wrong_is_noticed(
    checkout: Paths, run: Run, monkeypatch: pytest.MonkeyPatch, today: str, headers: dict[str, str], said: str
) -> None:
    monkeypatch.setattr(Clock, "now", classmethod(lambda *_: datetime.fromisoformat(f"{today}T12:00:00+00:00")))
    before = state(checkout)
    code, words = run(ok(NEW, **headers), "--update")
    assert (code, said in words) == (3 if said else 0, True)
    assert (state(checkout) == before) is bool(said)


# --- what was there before ---


def pulled(checkout: Paths, monkeypatch: pytest.MonkeyPatch, day: int, rows: list[Row]) -> None:
    """A live pull of those rows in November 2026."""
    monkeypatch.setattr(Clock, "now", classmethod(lambda *_: datetime(2026, 11, day, 12, tzinfo=UTC)))
    file = checkout.root / "notable_ai_models.csv"
    file.write_bytes(table(rows))
    url = load_sources(checkout)[SOURCE]
    pull_source(checkout, url, Request(files=(file,), update=True), lambda _: None)


def test_the_file_of_an_older_snapshot_is_refused_by_name(
    checkout: Paths, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulled(checkout, monkeypatch, 21, [ROWS[0] | {"Epochs": "7"}, *ROWS[1:]])
    monkeypatch.setattr(Clock, "now", classmethod(lambda *_: datetime(2026, 11, 23, 12, tzinfo=UTC)))
    before = state(checkout)
    code, said = run(ok(TABLE), "--update")
    assert code == 3
    assert "is the file of the snapshot of 2026-03-30 again, not that of 2026-11-21" in said
    assert "--as-of 2026-11-23" in said
    assert state(checkout) == before
    assert run(ok(TABLE), "--update", "--as-of", "2026-11-23")[0] == 0
    assert run(ok(TABLE), "--update")[0] == 0  # what is the latest now may be seen again
