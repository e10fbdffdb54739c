"""What a pull reads, compares with the lock and writes down, on a source of three models. Its faults are in
tests/faults/test_pull.py."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import Any

import plain_source
import pytest

from pipeline.base.errors import DataError, SourceError
from pipeline.base.paths import CHECKOUT, Paths
from pipeline.pull import snapshot
from pipeline.pull.fetch import Fetched, FetchError
from pipeline.pull.snapshot import Request, Upstream, pull_source
from pipeline.registry.sources import Source

FIELDS = {"name": ("Model",), "parameters": ("Parameters",)}
URL = "https://acme.org/data/models.csv"
ALL, FEW = b"Model,Parameters\nGPT-2,1.5e9\nBERT,3.4e8\nOPT,1.75e11\n", b"Model,Parameters\nGPT-2,1.5e9\n"
OTHER = ALL.replace(b"3.4e8", b"3.35e8")


def source(*urls: str, **given: Any) -> Source:
    return plain_source.source(urls=urls or (URL,), fields=FIELDS, **given)


Pull = Callable[..., list[str]]


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (tmp_path / "schemas").symlink_to(CHECKOUT / "schemas")
    return Paths(tmp_path)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Sets the clock to noon of that day."""

    def set_to(day: str) -> None:
        class Clock(datetime):
            @classmethod
            def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
                return datetime.fromisoformat(f"{day}T12:00:00.5+00:00")

        monkeypatch.setattr(snapshot, "datetime", Clock)

    set_to("2026-11-21")
    return set_to


@pytest.fixture
def pull(paths: Paths, tmp_path: Path, clock: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> Pull:
    """Enters files of these contents; returns what is said. Nothing waits for the disk."""
    monkeypatch.setattr(os, "fsync", lambda _: None)

    def enter(*contents: bytes, of: Source | None = None, **how: Any) -> list[str]:
        files = [tmp_path / f"{number}.csv" for number, _ in enumerate(contents)]
        for file, content in zip(files, contents, strict=True):
            file.write_bytes(content)
        said: list[str] = []
        changed = pull_source(paths, of or source(), Request(files=tuple(files), **how), said.append)
        assert changed == ("unchanged" not in said[-1])
        return said

    return enter


def ledger(paths: Paths) -> list[str]:
    return (paths.raw / "acme" / "facts.csv").read_text().splitlines()[1:]


def locked(paths: Paths) -> dict[str, Any]:
    entry: dict[str, Any] = json.loads(paths.lock.read_text())["acme"]
    return entry


def test_the_lock_says_which_bytes_the_facts_are_from_and_when_they_came(pull: Pull, paths: Paths) -> None:
    pull(FEW, as_of=date(2024, 7, 16))
    assert pull(ALL, update=True) == ["acme: snapshot 2026-11-21: 3 records, 6 facts (4 new, 0 gone since the latest)"]
    assert ledger(paths)[-2:] == ["OPT,name,OPT,,2026-11-21,", "OPT,parameters,1.75e11,,2026-11-21,"]
    file = {"sha256": hashlib.sha256(ALL).hexdigest(), "md5": hashlib.md5(ALL).hexdigest(), "size": 52, "etag": ""}
    assert locked(paths)["lines"] == 6
    first, second = locked(paths)["snapshots"].items()
    assert (first[0], first[1]["live"]) == ("2024-07-16", False)
    live = {"retrieved_at": "2026-11-21T12:00:00+00:00", "live": True, "files": {URL: file}}
    assert second == ("2026-11-21", live)
    assert paths.lock.read_text().startswith('{\n "acme": {\n  "lines": 6,')


def test_a_further_look_at_the_same_file_is_noted_once_a_day(
    pull: Pull, paths: Paths, clock: Callable[[str], None]
) -> None:
    pull(ALL)
    before = paths.lock.read_bytes()
    assert pull(ALL) == ["acme: unchanged since the snapshot of 2026-11-21"]
    assert paths.lock.read_bytes() == before
    for day in ("2026-11-23", "2026-11-22"):  # a clock that is set back takes no look back
        clock(day)
        pull(ALL)
        assert locked(paths)["snapshots"]["2026-11-21"]["looked_at"] == "2026-11-23"


def test_a_snapshot_of_history_passes_no_gate_and_one_of_today_does(
    pull: Pull, paths: Paths, clock: Callable[[str], None]
) -> None:
    strict = source(gates={"max_shrink": 0})
    pull(ALL, as_of=date(2026, 11, 20))
    with pytest.raises(DataError, match="1 named rows, at least 3 expected"):
        pull(FEW, of=strict, update=True)
    pull(FEW, of=strict, as_of=date(2026, 11, 19))
    assert list(locked(paths)["snapshots"]) == ["2026-11-19", "2026-11-20"]
    assert "warning" not in "".join(pull(b"Model\nGPT-2\n", as_of=date(2026, 11, 18)))
    clock("2026-11-19")
    with pytest.raises(SourceError, match=r"the clock says 2026-11-19, but there is a snapshot of 2026-11-20"):
        pull(OTHER, update=True)


def test_gates_hold_a_pull_against_the_latest_snapshot_and_the_last_of_another_day(
    pull: Pull, clock: Callable[[str], None]
) -> None:
    half = source(gates={"max_shrink": 0.5})
    pull(ALL + b"PaLM,5.4e11\n", as_of=date(2026, 11, 19))
    pull(ALL, as_of=date(2026, 11, 20))
    pull(b"".join(ALL.splitlines(True)[:3]), of=half, update=True)  # half of 3 are 2
    with pytest.raises(DataError) as refused:
        pull(FEW, of=half, update=True)
    (problem,) = refused.value.problems
    assert problem.reason == "1 named rows, at least 2 expected (3 before)"
    clock("2026-11-22")
    pull(FEW, of=half, update=True)


@pytest.mark.parametrize(
    ("fields", "content", "told"),
    [
        (
            {"accessibility": ("Model accessibility",)},
            "Model,Model accessibility\nGPT-5.4-Cyber,Trusted testers\n",
            r'0.csv \[GPT-5.4-Cyber\]: accessibility "Trusted testers": .*schemas/vocab/accessibility.yml',
        ),
        (
            {"numerical_format": ("Numerical format",)},
            "Model,Numerical format\nDeepSeek V4.1 Flash,FP3\n",
            r'0.csv \[DeepSeek V4.1 Flash\]: numerical_format "FP3": .*schemas/vocab/numerical_formats.yml',
        ),
        (
            {"training_compute_confidence": ("Confidence",)},
            'Model,Confidence\nGrok 4.7,"Likely, Certain"\n',
            r'0.csv \[Grok 4.7\]: training_compute_confidence "Likely, Certain": .*schemas/vocab/confidence.yml',
        ),
        (
            {"training_flop": ("Training compute (FLOP)",)},
            "Model,Training compute (FLOP)\nGPT-6 Astra,1e27\n",
            r'0.csv \[GPT-6 Astra\]: training_flop "1e27": no such field; .*schemas/models.yml',
        ),
    ],
)
def test_fault_121_what_the_build_would_refuse_is_refused_before_anything_is_entered(
    pull: Pull, paths: Paths, fields: dict[str, tuple[str, ...]], content: str, told: str
) -> None:
    pull(ALL, as_of=date(2026, 8, 19))
    before = [file.read_bytes() for file in (paths.lock, paths.raw / "acme" / "facts.csv")]
    strange = replace(source(), fields=FIELDS | fields)
    for how in ({"update": True}, {"as_of": date(2026, 9, 25)}, {"as_of": date(2026, 8, 1)}):
        with pytest.raises(DataError) as refused:
            pull(content.encode(), of=strange, **how)
        assert re.search(told, str(refused.value))
        assert [file.read_bytes() for file in (paths.lock, paths.raw / "acme" / "facts.csv")] == before


def test_what_the_build_sets_aside_is_entered_and_named_once(pull: Pull, paths: Paths) -> None:
    """AbLang's two sizes stand in one cell upstream; the date is later than the snapshot that has it."""
    more = {"dataset_size": ("Size",), "publication_date": ("Date",), "accessibility": ("Access",)}
    of = replace(source(), fields=FIELDS | more)
    rows = 'Model,Size,Date,Access\nAbLang,"2260275840,2290000001",2022-01-22,Limited access\nGrok 4.7,,2026-11-29,\n'
    said = "\n".join(pull(rows.encode(), of=of))
    assert "2 new cells that the build will set aside" in said
    assert '[AbLang]: dataset_size "2260275840,2290000001"' in said
    assert '[Grok 4.7]: publication_date "2026-11-29": 2026-11-29 is later than 2026-11-21' in said
    assert "Grok 4.7,publication_date,2026-11-29,,2026-11-21," in ledger(paths)
    assert "set aside" not in "".join(pull(rows.encode() + b"GPT-2,,,\n", of=of, update=True))


@pytest.mark.parametrize("day", ["2026-11-20", "2026-11-21"], ids=["the newest again", "a later one"])
def test_fault_122_no_day_from_the_newest_snapshot_on_skips_a_gate(pull: Pull, paths: Paths, day: str) -> None:
    half = source(gates={"max_shrink": 0.5})
    pull(ALL, as_of=date(2026, 11, 20))
    before = paths.lock.read_bytes()
    with pytest.raises(DataError, match="1 named rows, at least 2 expected"):
        pull(FEW, of=half, as_of=date.fromisoformat(day), update=True)
    assert paths.lock.read_bytes() == before
    pull(OTHER, of=half, as_of=date.fromisoformat(day), update=True)
    assert locked(paths)["snapshots"][day]["live"] == (day == "2026-11-21")
    pull(FEW, of=half, as_of=date(2026, 11, 19))  # history


def test_a_pipe_is_no_file(paths: Paths, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "models.csv")
    with pytest.raises(DataError, match=r"models\.csv: not a file on disk"):
        pull_source(paths, source(), Request(files=(tmp_path / "models.csv",)), print)


def test_more_of_the_same_file_is_read_where_its_day_is_named(pull: Pull, paths: Paths) -> None:
    day, names = date(2026, 3, 30), replace(source(), fields={"name": ("Model",)})
    pull(ALL, as_of=day, of=names)
    assert len(ledger(paths)) == 3
    for how in ({"as_of": day}, {"update": True}):
        assert pull(ALL, **how) == ["acme: unchanged since the snapshot of 2026-03-30"]
    pull(ALL, as_of=day, update=True)
    assert len(ledger(paths)) == 6


def test_a_day_has_the_files_of_its_lock(pull: Pull, paths: Paths) -> None:
    pull(ALL, as_of=date(2026, 3, 30))
    pull(OTHER, as_of=date(2026, 3, 29))  # another day, of which nothing is locked
    with pytest.raises(SourceError, match=r"0\.csv: sha256 \w{64} does not match the locked \w{64} \(data/raw/lock"):
        pull(OTHER, as_of=date(2026, 3, 30))
    assert len(ledger(paths)) == 7


def test_a_file_of_an_older_snapshot_is_refused_unless_it_is_that_of_the_latest_too(pull: Pull) -> None:
    days = [date(2026, 11, day) for day in (17, 18, 19, 20)]
    for day, content in zip(days, (FEW, ALL, FEW, ALL), strict=True):
        pull(content, as_of=day)
    assert pull(ALL, update=True) == ["acme: unchanged since the snapshot of 2026-11-20"]
    with pytest.raises(SourceError) as refused:
        pull(FEW, update=True)
    told = "the file of the snapshot of 2026-11-19 again, not that of 2026-11-20: the server may serve an old copy"
    assert told in str(refused.value)
    assert str(refused.value).endswith("enter it with --as-of 2026-11-21")
    pull(FEW, update=True, as_of=date(2026, 11, 21))


def test_of_several_files_each_has_the_name_of_its_address(pull: Pull, paths: Paths) -> None:
    two = source(URL, "https://acme.org/more.csv")
    pull(FEW, OTHER, of=two)
    files = locked(paths)["snapshots"]["2026-11-21"]["files"]
    assert {url: entry["size"] for url, entry in files.items()} == {URL: len(FEW), two.urls[1]: len(OTHER)}
    pull(ALL, of=two, as_of=date(2026, 1, 1))  # other files than the addresses
    assert list(locked(paths)["snapshots"]["2026-01-01"]["files"]) == ["0.csv"]
    with pytest.raises(SourceError, match="does not match the locked none"):
        pull(FEW, OTHER, of=two, as_of=date(2026, 1, 1))


def test_of_several_files_one_may_stay_as_it_was_in_older_snapshots(pull: Pull) -> None:
    two = source(URL, "https://acme.org/more.csv")
    for day, other in ((17, FEW), (18, OTHER)):
        pull(ALL, other, of=two, as_of=date(2026, 11, day))
    pull(ALL, b"Model,Parameters\nPaLM,5.4e11\n", of=two, update=True)


@pytest.mark.parametrize(
    ("mirror_paths", "asked"),
    [((), "http://localhost/acme.org/more.csv"), (("a.csv", "b/c.csv"), "http://localhost/b/c.csv")],
)
def test_a_file_is_asked_for_where_it_is_with_what_the_lock_knows_of_it(
    pull: Pull, paths: Paths, monkeypatch: pytest.MonkeyPatch, mirror_paths: tuple[str, ...], asked: str
) -> None:
    more = "https://acme.org/more.csv?v=1"
    two = source(URL, more, mirror_paths=mirror_paths, media_types=("text/csv",))
    tags, seen = {URL: '"v1"'}, list[tuple[Any, ...]]()

    def fetch(url: str, cache: Path, *, content_types: tuple[str, ...], progress: object, **known: str) -> Fetched:
        seen.append((url, content_types, known))
        file = paths.root / "fetched.csv"
        file.write_bytes(OTHER if "models" in url or url.endswith("a.csv") else FEW)
        return Fetched(file, "", 0, tags.get(url, ""), url, False)

    monkeypatch.setattr(snapshot, "fetch", fetch)
    pull(of=two)
    new = {"etag": "", "known_sha256": ""}
    assert seen == [(url, ("text/csv",), new) for url in (URL, more)]
    assert locked(paths)["snapshots"]["2026-11-21"]["files"][URL]["etag"] == '"v1"'
    seen.clear()
    pull(of=two, mirror="http://localhost/")
    assert seen[1] == (asked, ("text/csv",), {"etag": "", "known_sha256": hashlib.sha256(FEW).hexdigest()})
    assert seen[0][2] == {"etag": '"v1"', "known_sha256": hashlib.sha256(OTHER).hexdigest()}


def test_what_cannot_be_had_keeps_the_last_known_good_unless_there_is_none_or_that_is_no_choice(
    pull: Pull, paths: Paths, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> Fetched:
        raise FetchError(URL, "HTTP 503", "try again later")

    monkeypatch.setattr(snapshot, "fetch", fail)
    said: list[str] = []
    with pytest.raises(SourceError, match="HTTP 503"):
        pull_source(paths, source(), Request(), said.append)
    for day in (date(2026, 3, 30), date(2024, 7, 16), date(2025, 5, 6)):
        pull(ALL, as_of=day)
    assert not pull_source(paths, source(), Request(), said.append)
    assert said == [
        f"warning: {URL}: HTTP 503; try again later",
        "warning: acme: keeping the last known good snapshot of 2026-03-30; --strict makes this an error",
    ]
    with pytest.raises(SourceError, match="HTTP 503"):
        pull_source(paths, source(), Request(strict=True), said.append)


@pytest.mark.parametrize(("served", "fits"), [("19", True), ("23", True), ("18", False), ("24", False)])
def test_a_clock_may_be_off_by_two_days(clock: object, served: str, fits: bool) -> None:
    at = datetime.fromisoformat(f"2026-11-{served}T12:00:00.5+00:00")
    upstream = [Upstream(URL, b"", "somewhere"), Upstream(URL, b"", "elsewhere", date=at)]
    if fits:
        snapshot._check_clock(upstream)
    else:
        with pytest.raises(SourceError, match=f"^elsewhere: the server says that it is 2026-11-{served}, this machine"):
            snapshot._check_clock(upstream)


def test_a_file_may_be_as_large_as_a_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.csv"
    file.write_bytes(b"x" * 1_000_000)
    monkeypatch.setattr(snapshot, "LARGEST_FILE", 1_000_000)
    assert len(snapshot._content(file, URL)) == 1_000_000
    file.write_bytes(b"x" * 1_000_001)
    with pytest.raises(DataError, match=r"a\.csv: larger than 1 MB; look whether it is the right file"):
        snapshot._content(file, URL)


@pytest.mark.parametrize(
    ("members", "found"),
    [
        (["models.csv"], 0),
        (["export.csv"], 0),
        (["a/other.csv", "a/models.csv"], 1),
        (
            ["other.csv", "old-models.csv"],
            "the archive does not have one models.csv; it holds old-models.csv, other.csv",
        ),
        (["a/models.csv", "b/models.csv"], "the archive does not have one models.csv; it holds a/models.csv, b/models"),
        (["../models.csv"], "'../models.csv': path with an empty, '.' or '..' part; fetch it again; if that"),
        (["notes.txt"], f"{URL}: no member ends in .csv; fetch it again; if that does not help, tell its publisher"),
    ],
)
def test_of_an_archive_the_member_of_the_name_is_read_or_the_only_one(
    tmp_path: Path, members: list[str], found: int | str
) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for number, name in enumerate(members):
            archive.writestr(name, str(number))
    file = tmp_path / "served"
    file.write_bytes(buffer.getvalue())
    if isinstance(found, int):
        assert snapshot._content(file, f"{URL}?v=2") == str(found).encode()
    else:
        with pytest.raises(DataError) as refused:
            snapshot._content(file, URL)
        assert found in str(refused.value)
    assert snapshot._content(file, "https://acme.org/models.xlsx") == buffer.getvalue()


def test_a_ledger_that_does_not_fit_its_lock_is_built_upon_by_no_pull(pull: Pull, paths: Paths) -> None:
    file = paths.raw / "acme" / "facts.csv"
    pull(ALL)
    whole, cut = (
        file.read_text(),
        "mend both; `git diff` shows what changed",
    )
    lines = whole.splitlines(keepends=True)
    for text, reason in (
        ("".join(lines[:-1]), "data/raw/acme/facts.csv: it does not fit data/raw/lock.json: one of them is cut"),
        (whole[:-1], "the last line has no line break: the file is cut"),
        (f"{whole}BLOOM\n", "damaged: "),
        (f'{whole}"BLOOM\n', "damaged: "),
    ):
        file.write_text(text)
        with pytest.raises(DataError) as refused:
            pull(OTHER, update=True)
        assert reason in str(refused.value)
        assert str(refused.value).endswith(cut)
    file.write_text(whole)
    pull(OTHER, update=True)
    paths.lock.unlink()
    with pytest.raises(DataError, match="does not fit"):
        pull(FEW)
    assert len(ledger(paths)) == 6
