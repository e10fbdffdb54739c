"""Faults in a pull, from the wire to the committed facts: the result is the old state, byte for byte, or the new
one."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import os
import time
import tracemalloc
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pandas as pd
import pytest
from checkouts import copy_checkout, normalized
from misbehaving_server import Act, MisbehavingServer, cut, free_port, ok, reply, unframed

from pipeline.base.errors import DataError
from pipeline.base.paths import Paths
from pipeline.base.whole_files import replace_file
from pipeline.normalize.facts import load_facts, vintage
from pipeline.pull import snapshot as pull
from pipeline.pull.fetch import Limits, fetch
from pipeline.pull.snapshot import Request, pull_source
from pipeline.pull.tabular import join_readings
from pipeline.registry.frames import Tables
from pipeline.registry.limits import HEADER
from pipeline.registry.sources import load_lock, load_sources
from traincompute.cli import main

GOLDEN = Path(__file__).parents[1] / "golden" / "epoch_models.csv"
TABLE = GOLDEN.read_bytes()
ROWS = list(csv.DictReader(io.StringIO(TABLE.decode())))
PLACE = "/epoch.ai/data/notable_ai_models.csv"
SOURCE = "epoch_notable"
PATIENT = Limits(deadline=120, backoff=0.01)
BUSY = reply("503 Service Unavailable")

Row = dict[str, str]
State = dict[str, tuple[str, int]]
Run = Callable[..., tuple[int, str]]


class Clock(datetime):
    """A clock that stands still, after the snapshots of the fixture."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:
        return datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def checkout(small_template: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    paths = copy_checkout(small_template, tmp_path / "checkout")
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    monkeypatch.setattr(pull, "fetch", partial(fetch, limits=PATIENT))
    monkeypatch.setattr(pull, "datetime", Clock)
    return paths


def state(paths: Paths) -> State:
    """Hash and modification time of everything below data/ except the cache."""
    files = (
        path for path in sorted((paths.root / "data").rglob("*")) if path.is_file() and paths.cache not in path.parents
    )
    return {str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}


@pytest.fixture
def unchanged(checkout: Paths) -> Iterator[Paths]:
    """The checkout; no file in it may have been touched when the test is over."""
    before = state(checkout)
    assert len(before) > 20
    yield checkout
    assert state(checkout) == before


@pytest.fixture
def run(
    checkout: Paths, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Run:
    """`traincompute pull epoch_notable --mirror …`: exit code and all output. `act` is what the server does."""

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
    """A file with those rows, with the columns of the golden file."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, columns or list(ROWS[0]), restval="", lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode()


def model(name: str, **cells: str) -> Row:
    """A row about a language model; cells are given by the first word of their columns."""
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


def latest(paths: Paths) -> str:
    snapshots = json.loads(paths.lock.read_text())[SOURCE]["snapshots"]
    return max(snapshots)


def records(paths: Paths) -> set[str]:
    lines = csv.DictReader(io.StringIO(facts_file(paths).read_text(encoding="utf-8")))
    return {line["record"] for line in lines if not line["until"]}


def newest(paths: Paths) -> pd.DataFrame:
    """What the newest snapshots say, as a build reads them."""
    sources, lock = load_sources(paths), load_lock(paths)
    found = vintage(load_facts(paths, sources, lock), sources, lock, None)
    return found[["source_id", "record", "field", "value_text", "locator", "since", "snapshot"]]


# --- the network ---


@pytest.mark.parametrize(("act", "reason"), [(BUSY, "HTTP 503"), (None, "Connection refused")])
def test_fault_02_without_the_server_the_last_known_good_stays_and_a_warning_says_so(
    unchanged: Paths, run: Run, act: Act | None, reason: str
) -> None:
    code, said = run(act)
    assert code == 0
    assert "warning: " in said
    assert "keeping the last known good snapshot of 2026-03-30" in said
    code, said = run(act, "--strict")
    assert code == 3
    assert reason in said


def test_fault_02_without_a_last_known_good_it_is_an_error(checkout: Paths, run: Run) -> None:
    lock = json.loads(checkout.lock.read_text())
    del lock[SOURCE]
    checkout.lock.write_text(json.dumps(lock))
    before = state(checkout)
    assert run(BUSY)[0] == 3
    assert state(checkout) == before


@pytest.mark.parametrize("status", ["404 Not Found", "403 Forbidden"])
def test_fault_04_a_refusal_is_not_asked_again(
    unchanged: Paths, run: Run, server: MisbehavingServer, status: str
) -> None:
    code, said = run(reply(status))
    assert (code, len(server.requests)) == (0, 1)
    assert f"HTTP {status[:3]}" in said
    assert run(reply(status), "--strict")[0] == 3


def test_fault_05_a_body_shorter_than_announced_is_not_read(unchanged: Paths, run: Run) -> None:
    code, said = run(cut(TABLE, 2000), "--update")
    assert code == 0
    assert "keeping the last known good" in said


@pytest.mark.parametrize("keep", [3, 9])
def test_fault_06_a_short_body_without_a_length_is_rejected(unchanged: Paths, run: Run, keep: int) -> None:
    short = table(ROWS[:keep])  # it ends where a row ends: its form is valid
    code, said = run(unframed(short))
    assert code == 3
    assert "does not match the locked" in said
    code, said = run(unframed(short), "--update")
    assert code == 1
    assert f"epoch_notable: {keep} named rows, at least {round(len(ROWS) * 0.98)} expected ({len(ROWS)} before)" in said


def test_fault_06_a_short_body_is_rejected_by_the_row_floor_of_the_real_source(
    unchanged: Paths, tmp_path: Path
) -> None:
    file = tmp_path / "notable_ai_models.csv"
    file.write_bytes(table([*ROWS, model("BLOOMZ")]))
    real = load_sources(Paths())[SOURCE]
    with pytest.raises(DataError, match="named rows, at least 900 expected"):
        pull_source(unchanged, real, Request(files=(file,), update=True), lambda _: None)


def test_fault_09_not_modified_touches_nothing(checkout: Paths, run: Run, server: MisbehavingServer) -> None:
    code, said = run(ok(table([*ROWS, model("BLOOMZ")]), ETag='"v2"'), "--update")
    assert (code, latest(checkout)) == (0, "2026-11-21")
    assert f"snapshot 2026-11-21: {len(ROWS) + 1} records" in said
    before = state(checkout)
    code, said = run(reply("304 Not Modified"))
    assert code == 0
    assert "unchanged since the snapshot of 2026-11-21" in said
    assert server.headers("If-None-Match") == ["", '"v2"']
    assert state(checkout) == before


def test_fault_09_the_same_file_again_touches_nothing(unchanged: Paths, run: Run) -> None:
    code, said = run(ok(TABLE), "--update")
    assert code == 0
    assert "unchanged since the snapshot of 2026-03-30" in said


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (ok(b"<!DOCTYPE html><title>Sign in</title>", Content_Type="text/html"), "text/html"),
        (ok(b"<!DOCTYPE html><title>Sign in</title>"), "HTML page"),
    ],
    ids=["as HTML", "as CSV"],
)
def test_fault_12_an_html_page_is_rejected(unchanged: Paths, run: Run, act: Act, message: str) -> None:
    code, said = run(act, "--update")
    assert code == 0
    assert message in said
    assert "keeping the last known good" in said
    assert run(act, "--update", "--strict")[0] == 3


def test_fault_12_another_text_is_rejected_by_its_header(unchanged: Paths, run: Run) -> None:
    code, said = run(ok(b"Too many requests, come back later\n"), "--update")
    assert code == 1
    assert "required column is missing" in said


def test_fault_13_a_file_that_contradicts_the_lock_shows_both_hashes(unchanged: Paths, run: Run) -> None:
    other = table(ROWS[:-1])
    code, said = run(ok(other))
    assert code == 3
    assert hashlib.sha256(TABLE).hexdigest() in said
    assert hashlib.sha256(other).hexdigest() in said
    assert "--update" in said


def test_fault_13_update_accepts_it_as_a_new_snapshot(checkout: Paths, run: Run) -> None:
    other = table([*ROWS, model("BLOOMZ", parameters="176000000000.0")])
    assert run(ok(other), "--update")[0] == 0
    snapshots = json.loads(checkout.lock.read_text())[SOURCE]["snapshots"]
    assert list(snapshots) == ["2026-03-30", "2026-11-21"]
    assert [entry["live"] for entry in snapshots.values()] == [False, True]
    (entry,) = snapshots["2026-11-21"]["files"].values()
    assert (entry["sha256"], entry["size"]) == (hashlib.sha256(other).hexdigest(), len(other))
    assert "BLOOMZ,parameters,176000000000.0,,2026-11-21,\n" in facts_file(checkout).read_text()
    assert "BLOOMZ" in set(newest(checkout)["record"])


def test_fault_13_a_snapshot_of_history_is_locked_too(unchanged: Paths, run: Run) -> None:
    code, said = run(ok(table(ROWS[:-1])), "--as-of", "2026-03-30")
    assert code == 3
    assert "does not match the locked" in said


# --- the contents of the file ---


def test_fault_16_a_file_cut_at_the_end_of_a_row_stops_at_the_gate(unchanged: Paths, run: Run) -> None:
    code, said = run(ok(table(ROWS[:-1])), "--update")
    assert code == 1
    assert f"{len(ROWS) - 1} named rows" in said
    assert "look whether the file is cut" in said


def cut_at_a_line_break(file: Path) -> None:
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:-3]))


def cut_in_a_line(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def damaged(file: Path) -> None:
    file.write_bytes(b"\xff" + file.read_bytes())


def without_a_cell(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"BLOOMZ\n")


@pytest.mark.parametrize("spoil", [cut_at_a_line_break, cut_in_a_line, damaged, without_a_cell])
def test_fault_16_a_pull_does_not_build_upon_a_facts_file_that_was_cut(
    checkout: Paths, run: Run, spoil: Callable[[Path], None]
) -> None:
    spoil(facts_file(checkout))
    before = state(checkout)
    code, said = run(ok(table([*ROWS, model("BLOOMZ")])), "--update")
    assert (code, state(checkout)) == (1, before)
    assert "mend both; `git diff` shows what changed" in said


def test_fault_16_a_lock_that_is_gone_does_not_take_the_history_with_it(checkout: Paths, run: Run) -> None:
    checkout.lock.unlink()
    before = facts_file(checkout).read_bytes()
    code, said = run(ok(table([*ROWS, model("BLOOMZ")])), "--update")
    assert (code, facts_file(checkout).read_bytes()) == (1, before)
    assert "does not fit data/raw/lock.json" in said
    with pytest.raises(
        DataError,
        match=r"lock.json does not know its snapshots; `git diff` shows what changed",
    ):
        load_facts(checkout, load_sources(checkout), load_lock(checkout))


def test_fault_16_many_names_gone_stop_at_the_gate(unchanged: Paths, run: Run) -> None:
    lost = len(ROWS) // 3
    renamed = [model(f"new name {number}") if number < lost else row for number, row in enumerate(ROWS)]
    code, said = run(ok(table(renamed)), "--update")
    assert code == 1
    assert f"name: {lost} of {len(ROWS)} names are gone" in said


def with_header(old: str, new: str) -> bytes:
    head, body = TABLE.split(b"\n", 1)
    columns = [new if column == old else column for column in head.decode().split(",")]
    assert columns != head.decode().split(",")
    return ",".join(columns).encode() + b"\n" + body


@pytest.mark.parametrize(
    ("content", "message"),
    [  # unit/pull/test_tabular.py has more of each kind
        (TABLE[: TABLE.rindex(b'"')], "not well-formed CSV"),
        (TABLE[: TABLE.rindex(b",")], f"row {len(ROWS) + 1}: "),
        (with_header("Parameters", "Weights"), "parameters: required column is missing; expected one of: Parameters"),
        (with_header("Confidence", "System"), "columns ['Model', 'System'] both stand for name"),
        (TABLE + "Tülu\n".encode("latin-1"), f"not UTF-8 at offset {len(TABLE) + 1}"),
    ],
    ids=["cut inside quotes", "cut in a row", "column missing", "two columns for one field", "Latin-1"],
)
def test_fault_17_18_20_a_table_that_cannot_be_read_whole_is_refused(
    unchanged: Paths, run: Run, content: bytes, message: str
) -> None:
    code, said = run(ok(content), "--update")
    assert code == 1
    assert message in said


def test_fault_18_a_new_column_is_reported_and_kept_out(checkout: Paths, run: Run) -> None:
    before = facts_file(checkout).read_text()
    rows = [{**row, "Context window": "128000"} for row in ROWS]
    code, said = run(ok(table(rows, [*ROWS[0], "Context window"])), "--update")
    assert code == 0
    assert "columns not known: Context window; add them to data/raw/epoch_notable/source.yml" in said
    assert facts_file(checkout).read_text() == before


def test_fault_18_a_lost_column_stops_the_pull_unless_its_limit_allows_it(checkout: Paths, run: Run) -> None:
    quantities = sum(row["Hardware quantity"] != "" for row in ROWS)
    rest = [column for column in ROWS[0] if column != "Hardware quantity"]
    code, said = run(ok(table(ROWS, rest)), "--update")
    assert code == 1
    assert f"hardware_quantity: {quantities} of {quantities} cells were emptied, at most 0.5 of them expected" in said
    (checkout.raw / SOURCE / "limits.csv").write_text(f"{','.join(HEADER)}\nhardware_quantity,1,1,0,0,taken out\n")
    code, said = run(ok(table(ROWS, rest)), "--update")
    assert code == 0
    assert f"warning: epoch_notable: nothing states hardware_quantity any more ({quantities} facts" in said


STRANGE = [
    model("thousands", parameters="1,000"),
    model("power of ten", flop="10^25"),
    model("unit", flop="1e25 FLOP"),
    model("tokens", data="1.5T tokens"),
    model("full width", parameters="１２３"),
    model("too many digits", parameters="9" * 5000),
    model("words", parameters="billions"),
    model("too large", flop="1e400"),
    model("no such day", date="2024-02-30"),
    model("day or month", date="01/02/2024"),
    model("next century", date="2124-01-01"),
    model("year", date="2019"),
    model("month", date="05/2019"),
]


# names as they come, and as they are kept
NAMES = {
    unicodedata.normalize("NFD", "Tülu 2"): "Tülu 2",
    "GPT\u200b-J\ufeff": "GPT-J",
    "\u202eOPT-IML\u202c": "OPT-IML",
    "Falcon\u00a040B ": "Falcon 40B",
    "Qwen 72B\n": "Qwen 72B",
    "\u0410lexNet": "\u0410lexNet",  # with a Cyrillic А
    "\ufb01ne": "\ufb01ne",  # NFC keeps a ligature; only NFKC would not
}


@pytest.fixture(scope="module")
def strange(small_template: Paths, tmp_path_factory: pytest.TempPathFactory) -> tuple[Paths, Tables]:
    """A checkout into which all of these were pulled, and what is made of it."""
    start = time.process_time()
    paths = copy_checkout(small_template, tmp_path_factory.mktemp("strange") / "checkout")
    file = paths.root / "notable_ai_models.csv"
    file.write_bytes(table([*ROWS, *STRANGE, *map(model, NAMES)]))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pull, "datetime", Clock)
        assert pull_source(paths, load_sources(paths)[SOURCE], Request(files=(file,), update=True), lambda _: None)
    made = normalized(paths)
    assert time.process_time() - start < 20
    return paths, made


def test_fault_22_23_24_strange_cells_are_converted_or_quarantined_and_their_rows_kept(
    strange: tuple[Paths, Tables],
) -> None:
    made = strange[1]
    models = made["models"].set_index("name")
    assert {row["Model"] for row in STRANGE} <= set(models.index)
    assert models.loc["thousands", "parameters"] == 1000
    assert models.loc[["power of ten", "unit"], "training_compute_flop"].tolist() == [1e25, 1e25]
    assert models.loc["tokens", "dataset_size"] == 1.5e12
    assert models.loc["full width", "parameters"] == 123
    assert str(models.loc["year", "publication_date"])[:10] == "2019-01-01"
    assert models.loc["year", "publication_date_precision"] == "year"
    notes = made["claims"].set_index("record")["note"]
    for name in ("thousands", "power of ten", "unit", "tokens", "full width"):
        assert (notes[name] != "").any(), name
    held = made["quarantine"].set_index("record")
    quarantined = ["too many digits", "words", "too large", "no such day", "day or month", "next century", "month"]
    assert set(held.index) & {row["Model"] for row in STRANGE} == set(quarantined)
    assert (held.loc[quarantined, "reason"] != "").all()
    assert pd.isna(models.loc[["too many digits", "words"], "parameters"]).all()
    assert pd.isna(models.loc[["no such day", "day or month", "next century", "month"], "publication_date"]).all()


def test_fault_23_a_cell_of_a_megabyte_is_refused_with_its_row_and_column(unchanged: Paths, run: Run) -> None:
    start = time.process_time()
    code, said = run(ok(table([*ROWS, model("too long", parameters="9" * 2_000_000)])), "--update")
    assert code == 1
    assert f"row {len(ROWS) + 2}: Parameters " in said
    assert "2000000 characters in one cell" in said
    assert len(said) < 1000
    assert time.process_time() - start < 10


def test_fault_26_names_are_nfc_and_trimmed_and_a_homoglyph_stays_a_model_of_its_own(
    strange: tuple[Paths, Tables],
) -> None:
    paths, made = strange
    assert set(NAMES.values()) <= records(paths)
    assert not set(NAMES) - set(NAMES.values()) & records(paths)
    models = made["models"].set_index("name")
    assert models.loc["\u0410lexNet", "model_id"] != models.loc["AlexNet", "model_id"]
    assert models.loc["AlexNet", "training_compute_flop"] == 4.7e17
    assert pd.isna(models.loc["\u0410lexNet", "training_compute_flop"])


def test_fault_26_28_names_that_become_equal_are_told_apart(checkout: Paths, run: Run) -> None:
    rows = [model("Yi 34B", link="https://a.org"), model("Yi\u00a034B\n", link="https://b.org")]
    assert run(ok(table([*ROWS, *rows])), "--update")[0] == 0
    assert {"Yi 34B @ https://a.org", "Yi 34B @ https://b.org"} <= records(checkout)


# --- archives ---


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def in_zip(members: dict[str, bytes]) -> Act:
    return ok(zipped(members), Content_Type="application/zip")


def test_fault_31_32_of_an_archive_with_several_tables_the_right_one_is_read(checkout: Paths, run: Run) -> None:
    new = table([*ROWS, model("BLOOMZ")])
    members = {"README.md": b"CC BY", "data/all_ai_models.csv": table(ROWS[:2]), "data/notable_ai_models.csv": new}
    code, said = run(in_zip(members), "--update")
    assert code == 0, said
    assert "BLOOMZ" in records(checkout)
    before = state(checkout)
    code, said = run(in_zip({"notable_ai_models.csv": new}))  # repacked, the same table
    assert code == 0
    assert "unchanged" in said
    assert state(checkout) == before


def test_fault_31_32_an_archive_with_one_table_needs_no_name(checkout: Paths, run: Run) -> None:
    assert run(in_zip({"export.csv": table([*ROWS, model("BLOOMZ")])}), "--update")[0] == 0
    assert "BLOOMZ" in records(checkout)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"notable_ai_models.csv": b"0" * 60_000_000}, "unpacks to more than"),
        ({"../notable_ai_models.csv": TABLE}, "'../notable_ai_models.csv': path with"),
        ({"/etc/notable_ai_models.csv": TABLE}, "absolute path"),
        ({"a.csv": TABLE, "b.csv": TABLE}, "does not have one notable_ai_models.csv; it holds a.csv, b.csv"),
        ({"a/notable_ai_models.csv": TABLE, "b/notable_ai_models.csv": TABLE}, "does not have one notable_ai_models"),
        ({"notes.txt": TABLE}, "no member ends in .csv"),
    ],
    ids=["bomb", "parent folder", "absolute", "none of that name", "two of that name", "no table"],
)
def test_fault_31_32_a_hostile_or_unclear_archive_is_refused(
    unchanged: Paths, run: Run, members: dict[str, bytes], message: str
) -> None:
    code, said = run(in_zip(members), "--update")
    assert code == 1
    assert message in said
    assert not (unchanged.root.parent / "notable_ai_models.csv").exists()


@pytest.mark.parametrize(
    "act",
    [
        reply("302 Found", Location="http://[zz]/"),
        reply("503 Service Unavailable", Retry_After="²"),
    ],
    ids=["address", "wait"],
)
def test_fault_56_an_answer_that_cannot_be_read_keeps_the_last_known_good(unchanged: Paths, run: Run, act: Act) -> None:
    code, said = run(act)
    assert code == 0
    assert "keeping the last known good snapshot of 2026-03-30" in said


# --- the machine ---


@pytest.mark.parametrize("broken", ["facts.csv"])
def test_fault_37_38_a_pull_that_dies_between_its_writes_is_healed_by_the_next(
    checkout: Paths, run: Run, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    other = table([*ROWS[:-1], model("BLOOMZ")])
    before = newest(checkout)
    write = replace_file

    def die(path: Path, text: str) -> None:
        if path.name == broken:
            raise OSError(28, "No space left on device")
        write(path, text)

    monkeypatch.setattr(pull, "replace_file", die)
    server.script(PLACE, ok(other))
    request = Request(mirror=server.address(""), update=True)
    with pytest.raises(OSError, match="No space left"):
        pull_source(checkout, load_sources(checkout)[SOURCE], request, lambda _: None)
    monkeypatch.setattr(pull, "replace_file", write)
    pd.testing.assert_frame_equal(newest(checkout), before)
    assert run(ok(other), "--update")[0] == 0
    healed = facts_file(checkout).read_bytes()
    assert b"BLOOMZ,name,BLOOMZ,,2026-11-21,\n" in healed
    assert b",2026-03-30,2026-11-21\n" in healed


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace"])
def test_fault_38_a_full_disk_leaves_the_old_state_and_no_rest(
    unchanged: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = tmp_path / "notable_ai_models.csv"
    file.write_bytes(table([*ROWS, model("BLOOMZ")]))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(call, full)
    with pytest.raises(OSError, match="No space left"):
        pull_source(unchanged, load_sources(unchanged)[SOURCE], Request(files=(file,), update=True), lambda _: None)


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.mkdir"])
def test_fault_132_a_cache_that_fails_is_no_last_known_good(
    unchanged: Paths, run: Run, monkeypatch: pytest.MonkeyPatch, call: str, error: int
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(error, os.strerror(error))

    with monkeypatch.context() as patched:
        patched.setattr(call, fail)
        code, said = run(ok(table([*ROWS, model("BLOOMZ")])), "--update")
    assert code == 3
    assert os.strerror(error) in said
    assert f"look at the space and permissions of {unchanged.cache}" in said
    assert "last known good" not in said


def test_fault_39_a_source_that_was_pulled_meanwhile_keeps_its_lock(
    checkout: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = load_sources(checkout)
    slow = checkout.root / "notable_ai_models.csv"
    slow.write_bytes(table([*ROWS, model("BLOOMZ")]))
    read = join_readings

    def meanwhile(parts: list[object]) -> object:
        monkeypatch.setattr(pull, "join_readings", read)
        hardware = Request(files=(GOLDEN.parent / "epoch_hardware.csv",), as_of=Clock.now().date())
        assert pull_source(checkout, sources["epoch_hardware"], hardware, lambda _: None)
        return read(parts)  # type: ignore[arg-type]

    monkeypatch.setattr(pull, "join_readings", meanwhile)
    assert pull_source(checkout, sources[SOURCE], Request(files=(slow,), update=True), lambda _: None)
    lock = json.loads(checkout.lock.read_text())
    assert [max(lock[name]["snapshots"]) for name in (SOURCE, "epoch_hardware")] == ["2026-11-21"] * 2


def test_fault_42_a_clock_that_was_set_back_is_noticed(
    unchanged: Paths, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Clock, "now", classmethod(lambda *_: datetime(2020, 1, 1, tzinfo=UTC)))
    code, said = run(ok(table([*ROWS, model("BLOOMZ")])), "--update")
    assert code == 3
    assert "the clock says 2020-01-01, but there is a snapshot of 2026-03-30" in said


def test_fault_58_a_clock_that_is_wrong_is_noticed_by_the_date_of_the_answer(
    unchanged: Paths, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Clock, "now", classmethod(lambda *_: datetime(2099, 1, 1, tzinfo=UTC)))
    answer = ok(table([*ROWS, model("BLOOMZ")]), Date="Sat, 21 Nov 2026 12:00:00 GMT")
    code, said = run(answer, "--update")
    assert code == 3
    assert "the server says that it is 2026-11-21, this machine 2099-01-01; set the clock" in said


@pytest.mark.parametrize("date", ["Thu, 20 Nov 2026 23:00:00 GMT", "soon", ""])
def test_fault_58_a_clock_that_is_right_or_cannot_be_compared_is_believed(checkout: Paths, run: Run, date: str) -> None:
    code, said = run(ok(table([*ROWS, model("BLOOMZ")]), Date=date), "--update")
    assert code == 0, said
    assert latest(checkout) == "2026-11-21"


def test_fault_58_nor_is_a_wrong_day_noted_where_nothing_has_changed(
    checkout: Paths, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(ok(table([*ROWS, model("BLOOMZ")]), ETag='"v1"'), "--update")[0] == 0
    before = state(checkout)
    monkeypatch.setattr(Clock, "now", classmethod(lambda *_: datetime(2099, 1, 1, tzinfo=UTC)))
    code, _ = run(reply("304 Not Modified", Date="Sat, 21 Nov 2026 12:00:00 GMT"))
    assert code == 3
    assert state(checkout) == before


def test_fault_62_a_file_of_gigabytes_is_not_read(unchanged: Paths, tmp_path: Path) -> None:
    file = tmp_path / "notable_ai_models.csv"
    file.touch()
    os.truncate(file, 1 << 30)
    tracemalloc.start()
    with pytest.raises(DataError, match=r"notable_ai_models\.csv: larger than 200 MB"):
        pull_source(unchanged, load_sources(unchanged)[SOURCE], Request(files=(file,), update=True), lambda _: None)
    assert tracemalloc.get_traced_memory()[1] < 50_000_000
    tracemalloc.stop()


def test_fault_64_a_smaller_pull_that_dies_between_its_writes_says_how_to_heal(
    checkout: Paths, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(ok(table([*ROWS, model("BLOOMZ", parameters="1.76e11")])), "--update")[0] == 0
    write, smaller, sources = replace_file, ok(table([*ROWS, model("BLOOMZ")])), load_sources(checkout)

    def die(path: Path, text: str) -> None:
        if path.name == "lock.json":
            raise OSError(28, "No space left on device")
        write(path, text)

    with monkeypatch.context() as patch:
        patch.setattr(pull, "replace_file", die)
        assert run(smaller, "--update")[0] == 1
    with pytest.raises(
        DataError, match=r"is cut; if a pull was broken off, run `traincompute pull epoch_notable --upd"
    ):
        load_facts(checkout, sources, load_lock(checkout))
    assert run(smaller, "--update")[0] == 0
    assert len(load_facts(checkout, sources, load_lock(checkout)))
    assert "1.76e11" not in facts_file(checkout).read_text(encoding="utf-8")


def test_fault_51_a_column_that_was_emptied_stops_a_pull_with_a_message_about_it(checkout: Paths, run: Run) -> None:
    (checkout.raw / SOURCE / "limits.csv").write_text(f"{','.join(HEADER)}\ntraining_compute_flop,0.05,1,0,0,\n")
    before = state(checkout)
    emptied = [{**row, "Training compute (FLOP)": ""} for row in ROWS]
    code, said = run(ok(table(emptied)), "--update")
    assert code == 1
    assert (
        "training_compute_flop: 10 of 10 cells were emptied, at most 0.05 of them expected; look whether the column"
        in said
    )
    assert state(checkout) == before


# --- what was there before ---


def pulled(checkout: Paths, monkeypatch: pytest.MonkeyPatch, day: int, rows: list[Row]) -> None:
    """A live pull of those rows on that day of November 2026, from a file."""
    monkeypatch.setattr(Clock, "now", classmethod(lambda *_: datetime(2026, 11, day, 12, tzinfo=UTC)))
    file = checkout.root / "notable_ai_models.csv"
    file.write_bytes(table(rows))
    url = load_sources(checkout)[SOURCE]
    pull_source(checkout, url, Request(files=(file,), update=True), lambda _: None)


def test_fault_79_the_file_of_an_older_snapshot_is_refused_by_name(
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


def many(count: int) -> list[Row]:
    return [*ROWS, *(model(f"model {number}", parameters="1e9") for number in range(count))]


def test_fault_80_small_losses_on_one_day_are_held_against_the_day_before(
    checkout: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulled(checkout, monkeypatch, 21, many(484))  # 500 with those of the golden file
    pulled(checkout, monkeypatch, 23, many(475))
    with pytest.raises(DataError, match=r"482 named rows, at least 490 expected \(500 before\)"):
        pulled(checkout, monkeypatch, 23, many(466))
    pulled(checkout, monkeypatch, 23, many(476))
    pulled(checkout, monkeypatch, 24, many(468))  # on the next day it is held against that day
