"""What `write_site` puts in a folder for the dataset of golden/site, and what it tells of older snapshots. What takes
its time (the engine, the docs and the processes beside it) has small things in its place."""

from __future__ import annotations

import base64
import gc
import gzip
import hashlib
import json
import runpy
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pandas as pd
import pytest
from site_by_hand import SITE, fill

from pipeline.paths import CHECKOUT, Paths
from pipeline.present.site import engine, pages, records, schema, vintages, write
from traincompute.base.errors import InputError
from traincompute.base.places import DUCKDB_NAME

MANIFEST = {
    "version": "2026.11.0",
    "as_of": "2026-03-30",
    "tables": {},
    "lock_sha256": "0",
    "release": {"date": "2026-04-01"},
}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "build" / DUCKDB_NAME
    file.parent.mkdir()
    with duckdb.connect(str(file)) as connection:
        fill(connection)
    return file


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    def docs(root: Path, downloads: Sequence[str], figures: Sequence[str]) -> dict[str, bytes]:
        return {"docs/index.html": f"{root == CHECKOUT} {downloads} {figures}".encode()}

    monkeypatch.setattr(pages, "write_pages", docs)
    monkeypatch.setattr(engine, "engine_files", lambda database: {"data/engine.js": database.name.encode()})


def called(script: bytes) -> tuple[str, Any]:
    """The function that a script calls, and what it hands to it."""
    function, _, rest = script.decode().removeprefix("traincompute.").partition("(")
    return function, json.loads(f"[{rest.removesuffix(');' + chr(10))}]")


def inflated(script: bytes) -> tuple[str, str, Any]:
    function, (key, packed) = called(script)
    return function, key, json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.mark.usefixtures("small_parts")
def test_the_folder_has_the_pages_and_what_they_load(database: Path, tmp_path: Path) -> None:
    (database.parent / "manifest.json").write_text(json.dumps(MANIFEST))
    (database.parent / "models.csv").write_text("a")
    (database.parent / "models.parquet").write_text("b")
    target, told = tmp_path / "site", list[str]()
    target.mkdir()
    (target / "index.html").write_text("an older traincompute explorer")
    (target / "mine.txt").write_text("mine")
    written = write.write_site(database, target, "https://example.org/tc/", told.append)
    files = {str(file.relative_to(target)): file.read_bytes() for file in target.rglob("*") if file.is_file()}
    assert files.pop("mine.txt") == b"mine"
    assert written[:3] == (str(target), len(files), sum(map(len, files.values())))
    first = ["index.html", "explorer.css", "theme.js", "explorer.js", "data/models.js"]
    assert sorted(write.first_view(files)) == sorted(first)
    assert written.first_view_gzip_bytes == sum(len(gzip.compress(files[name], 6, mtime=0)) for name in first)
    says = ["1 of 4, models", "2 of 4, docs", "3 of 4, what older snapshots held", f"4 of 4, {len(files):,} files"]
    assert told == says
    assert files["docs/index.html"] == b"True ['data/tables/models.parquet', 'data/tables/models.csv'] []"
    assert (files["data/tables/models.csv"], files["data/engine.js"]) == (b"a", DUCKDB_NAME.encode())
    html = sorted(name for name in files if name.endswith(".html"))
    assert files["sitemap.txt"].decode().split() == [f"https://example.org/tc/{name}" for name in html]
    assert {"api/models/gpt.json", "models/gpt.html", "sources/index.html", "sql.html"} <= files.keys()
    assert "data/vintages.js" not in files
    seen_by_explorer(files)


def seen_by_explorer(files: Mapping[str, bytes]) -> None:
    """What the scripts below data/ hand to the pages."""
    function, [shown] = called(files["data/models.js"])
    sums = hashlib.sha256(json.dumps(MANIFEST).encode()).hexdigest()
    cited = shown["about"].pop("citation")
    assert "Version 2026.11.0 [data set]. Released 2026-04-01" in cited
    assert sums in cited
    days = {"as_of": "2026-03-30", "newest": "2026-03-30", "entered": ""}
    about = {"version": "2026.11.0", **days, "licence": "CC BY 4.0", "vintages": False, "tiers": True}
    assert (function, shown["about"]) == ("receive", about)
    assert shown["settings"]["thresholds"][1] == {
        "column": "training_compute_flop",
        "flop": 1e25,
        "label": "EU AI Act",
        "source": "Regulation (EU) 2024/1689, article 51(2)",
    }
    assert {"draws", "seed", "z90", "bands", "since"} < shown["settings"]["trend"].keys()
    function, [asked] = called(files["data/schema.js"])
    assert (function, asked["about"] | {"citation": None}) == ("receiveSchema", about | {"citation": None})
    assert len(asked["questions"]) > 20
    assert called(files["data/records.js"])[0] == "receiveRecords"
    function, key, tiers = inflated(files["data/tiers.js"])
    assert (function, key, tiers["rows"][0][0]) == ("receiveJson", "tiers", "llama")
    function, key, shard = inflated(files["data/models/24.js"])
    assert (function, key, list(shard["models"])) == ("receiveJson", "models/24", ["gpt"])


@pytest.mark.usefixtures("small_parts")
def test_of_a_database_alone_there_is_a_site(database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with duckdb.connect(str(database)) as connection:
        connection.execute("drop view models_completed")
    monkeypatch.setattr(write, "_vintages", lambda *_: nullcontext(lambda: b"older"))
    monkeypatch.setattr(write, "_linked_files", lambda *_: {})
    for module, name in ((records, "read_records"), (schema, "read_schema")):
        monkeypatch.setattr(module, name, lambda *_: {})
    write.write_site(database, tmp_path / "site")
    _, [shown] = called((tmp_path / "site" / "data" / "models.js").read_bytes())
    assert shown["about"] == {
        "version": "unknown",
        "as_of": None,
        "newest": None,
        "entered": None,
        "licence": "CC BY 4.0",
        "citation": None,
        "vintages": True,
        "tiers": False,
    }
    older = (tmp_path / "site" / "data" / "vintages.js").read_bytes()
    assert called(older) == ("receiveJson", ["vintages", base64.b64encode(b"older").decode()])
    assert not (tmp_path / "site" / "sitemap.txt").exists()
    assert not (tmp_path / "site" / "data" / "tiers.js").exists()
    (tmp_path / "site" / "index.html").write_text("another")
    with pytest.raises(InputError, match=r"index\.html is another page; name an empty folder with --to$"):
        write.write_site(database, tmp_path / "site")


def test_a_dataset_that_is_no_release_has_no_day_of_one() -> None:
    told = write.about({key: value for key, value in MANIFEST.items() if key != "release"} | {"sha256": "5" * 64})
    assert (told["version"], told["newest"]) == ("2026.11.0", "2026-03-30")
    assert "Released" not in told["citation"]


def test_older_snapshots_of_this_checkout_are_read_beside_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, ...]] = []

    @contextmanager
    def beside(*words: str) -> Iterator[Callable[[], bytes]]:
        asked.append(words)
        yield lambda: b"older"

    monkeypatch.setattr(write, "beside", beside)
    lock = hashlib.sha256(Paths(CHECKOUT).lock.read_bytes()).hexdigest()
    for as_of, said in ((None, ""), ("2026-03-30", "2026-03-30")):
        with write._vintages(Path("/a"), {"lock_sha256": lock, "as_of": as_of}) as read:
            assert read() == b"older"
        assert asked.pop() == ("pipeline.present.site.vintages", "/a", said)
    for manifest in ({"lock_sha256": "0" * 64, "as_of": None}, {}):
        with write._vintages(Path("/a"), manifest) as read:
            assert read() == b""


DAYS = [date(2022, 9, 1), date(2024, 7, 16), date(2025, 5, 6), date(2026, 3, 30)]
# what the claims that won said on each day: model, name, day of publication, FLOP
WON = {
    DAYS[0]: [("a", "A", "2020-05-28", 3.14e23), ("lost", "Lost", None, None)],
    DAYS[1]: [("a", "A", "2020-05-28", 3.14e23), ("b", "B", "1970-01-02", None)],
    DAYS[2]: [("a", "A", "2020-05-28", 1.23456789012345e20), ("lost", "Lost", None, None)],
}
LEDGER = pd.read_csv(SITE / "ledger.csv", keep_default_na=False, dtype=str)
NOTABLE = "epoch_notable"
SUBJECTS = {"epoch": SimpleNamespace(subject="models"), "chips": SimpleNamespace(subject="hardware")}
FIXES = [{"field": "name"}, {"field": "epochs"}]
CONTEXT: Any = SimpleNamespace(lock="lock", paths=None, sources=SUBJECTS, corrections=FIXES)


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Puts a few facts in the place of what the checkout holds; gives what was read of them, and with which
    corrections."""
    read: list[Any] = []

    def read_ledger(context: Any, rows: pd.DataFrame) -> SimpleNamespace:
        assert (list(rows.index), list(rows)) == (list(range(len(rows))), list(LEDGER))
        read.append(list(rows["said"]))
        return SimpleNamespace(ledger=rows.assign(text=rows.index), readings=rows[["said"]].set_axis(["code"], axis=1))

    def select_claims(context: Any, vintage: Any, fixes: Any, day: date) -> pd.DataFrame:
        assert vintage == ("vintage", day)
        read.append(fixes)
        rows = [
            {"model_id": key, "field": field, "value" if field == "training_compute_flop" else "code": cell}
            for key, *cells in WON[day]
            for field, cell in zip(vintages.FIELDS, cells, strict=True)
            if cell is not None
        ]
        others = pd.DataFrame({"model_id": ["a", "b"], "source_id": [NOTABLE, "epoch"]})
        return pd.concat([others, pd.DataFrame(rows).assign(status="selected")], ignore_index=True)

    found: dict[str, Any] = {
        "config.locked_snapshots": lambda lock, source: DAYS if (lock, source) == ("lock", NOTABLE) else [],
        "config.load_config": lambda paths: CONTEXT,
        "normalize.stage.load_ledger": lambda context: LEDGER,
        "normalize.stage.read_vintage": lambda context, read, day: ("vintage", day),
        "normalize.stage.read_ledger": read_ledger,
        "normalize.stage.select_claims": select_claims,
    }
    for place, stand_in in found.items():
        monkeypatch.setattr(f"pipeline.{place}", stand_in)
        monkeypatch.setattr(vintages, place.rpartition(".")[2], stand_in)
    return read


def test_what_older_snapshots_held(ledger: list[Any]) -> None:
    told = vintages.read_vintages(CONTEXT, ["a", "b"], None)
    assert told["days"] == ["2022-09-01", "2024-07-16", "2025-05-06"], "the newest is what the page has"
    # 18,410 days from 1970 to 2020-05-28; twelve digits are published
    first, last = ["A", 18410, 3.14e23, True], ["A", 18410, 1.23456789012e20, True]
    lost = ["Lost", None, None, False]
    ours = [[0, 0, 1, *first], [0, 2, 2, *last], [1, 1, 1, "B", 1, None, False]]
    assert told["spans"] == [*ours, [2, 0, 0, *lost], [2, 2, 2, *lost]]
    gone = {"organizations": [["X", "Y"]], "domains": [["Vision"]], "countries": [None]}
    assert told["gone"] == {"model_id": ["lost"], **gone}
    assert ledger[0] == ["Lost"], "what sources of models say of the fields that are told"
    assert ledger[1] == [{"field": "name"}]
    assert ledger[-1] == ["Z", "", "Vision", "X;Y"], "the lists of the models gone, the newest last"
    assert vintages.read_vintages(CONTEXT, ["a"], DAYS[2])["days"] == ["2022-09-01", "2024-07-16"]
    assert vintages.read_vintages(CONTEXT, ["a"], date(2025, 5, 5))["days"] == ["2022-09-01"]


@pytest.mark.usefixtures("ledger")
@pytest.mark.parametrize(("as_of", "days"), [("", 3), ("2025-05-06", 2)])
def test_the_process_prints_what_a_page_inflates(
    as_of: str, days: int, database: Path, capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["vintages", str(database), as_of])
    try:
        runpy.run_path(str(vintages.__file__), run_name="__main__")
    finally:
        gc.enable()
    told = json.loads(gzip.decompress(capsysbinary.readouterr().out))
    assert len(told["days"]) == days
    assert told["gone"]["model_id"] == ["a", "b", "lost"], "the dataset has other models"
    assert {row for row, *_ in told["spans"]} == {5, 6, 7}, "after those of the dataset, in their order"
