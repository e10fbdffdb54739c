"""Rows 2-15 and 37-42 of the fault list for downloads: refused, resumed, killed; what was there before stays intact. What
the transport makes of an answer is tested in test_fetch.py."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from click.testing import CliRunner, Result
from misbehaving_server import Act, MisbehavingServer, cut, endless, free_port, ok, reply, rest, vanish
from once import once_a_run
from release_folders import Release, sha256, write_index, write_release
from tiny_release import MODELS, write_tiny_build

from pipeline.base.paths import CHECKOUT
from traincompute.base import places
from traincompute.base.places import ReleaseError
from traincompute.cache import placement, store
from traincompute.cache.index import find_release, memory_file, parse_index, read_index
from traincompute.commands.releases import download, releases
from traincompute.network import transport
from traincompute.reader import load
from traincompute.verification.sums import SUMS

OLD, NEW = "2026.10.0", "2026.11.0"
Serve = Callable[[], str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two releases of a table of models and the index of both."""

    def make(folder: Path) -> Path:
        build = write_tiny_build(folder / "build", {"models": pa.concat_tables([MODELS] * 40)})
        releases = folder / "releases"
        write_index(releases, [write_release(build, releases, version) for version in (OLD, NEW)], serial=2)
        return releases

    return once_a_run(tmp_path_factory, "faults_downloads", make)


@pytest.fixture
def served(made: Path, tmp_path: Path) -> Path:
    """A copy of the releases that a test may spoil."""
    shutil.copytree(made, tmp_path / "served")
    return tmp_path / "served"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judged_once: None) -> Path:
    """An empty cache for the test, no pause between attempts, and sound releases judged once."""
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(transport, "READER", replace(transport.READER, backoff=0.0))
    return tmp_path / "cache"


@pytest.fixture
def serve(served: Path, server: MisbehavingServer) -> Serve:
    """Puts every file in the folder on the server as it is now; returns the address of the index."""

    def start() -> str:
        for path in served.rglob("*"):
            if path.is_file():
                server.script(f"/{path.relative_to(served).as_posix()}", static(path))
        return server.address("/releases.json")

    return start


@pytest.fixture
def earlier(served: Path, tmp_path: Path) -> Iterator[Path]:
    """An earlier download, which stays the same, byte for byte, whatever a test does."""
    result = run(str(served), OLD, tmp_path / "out")
    assert result.exit_code == 0, result.output
    folder = tmp_path / "out" / f"v{OLD}"
    before = hashes(folder)
    yield tmp_path / "out"
    assert hashes(folder) == before


def run(index: str, version: str, to: Path) -> Result:
    """Runs the command; ReleaseError ends it as it would in a shell."""
    return CliRunner().invoke(download, [version, "--index", index, "--to", str(to)])


def refused(index: str, to: Path, version: str = NEW) -> str:
    """The message with which a download is refused, leaving nothing of the release behind."""
    left = sorted(path.name for path in to.iterdir())
    result = run(index, version, to)
    assert isinstance(result.exception, ReleaseError), result.output
    assert sorted(path.name for path in to.iterdir()) == left
    return str(result.exception)


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path) for path in sorted(folder.iterdir())}


def static(path: Path) -> Act:
    """A web server's answer for a file, with ETag and ranges."""

    def act(exchange: Any) -> None:
        body = path.read_bytes()
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        about = {"ETag": tag, "Accept_Ranges": "bytes"}
        start = exchange.headers.get("range", "")
        if start and exchange.headers.get("if-range") == tag:
            offset = int(start.removeprefix("bytes=").removesuffix("-"))
            span = f"bytes {offset}-{len(body) - 1}/{len(body)}"
            return reply("206 Partial Content", body[offset:], Content_Range=span, **about)(exchange)
        return ok(body, **about)(exchange)

    return act


def flip(path: Path, position: int) -> None:
    content = bytearray(path.read_bytes())
    content[position] ^= 1
    path.chmod(0o644)
    path.write_bytes(content)


def entries_of(folder: Path) -> list[Release]:
    listed: list[Release] = json.loads((folder / "releases.json").read_bytes())["releases"]
    return listed


def test_a_download_over_http_is_the_release_byte_for_byte(serve: Serve, served: Path, tmp_path: Path) -> None:
    result = run(serve(), "latest", tmp_path / "out")
    assert result.exit_code == 0
    assert hashes(tmp_path / "out" / f"v{NEW}") == hashes(served / f"v{NEW}")


def test_a_second_download_fetches_the_index_alone(serve: Serve, server: MisbehavingServer, tmp_path: Path) -> None:
    address = serve()
    run(address, NEW, tmp_path / "one")
    count = len(server.requests)
    run(address, NEW, tmp_path / "two")
    assert [request.path for request in server.requests[count:]] == ["/releases.json"]


def test_fault_2_a_server_that_is_gone_leaves_what_was_downloaded(
    serve: Serve, served: Path, server: MisbehavingServer, earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = serve()
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", address)
    before = load("models")
    server.script("/releases.json", reply("503 Service Unavailable"))
    assert "HTTP 503 (attempt 4, the last); try again later" in refused(address, earlier)
    assert "no answer: " in refused(f"http://127.0.0.1:{free_port()}/", earlier)
    assert load("models").equals(before), "offline after the first use"


def test_fault_5_a_body_that_breaks_off_is_continued(
    serve: Serve, served: Path, server: MisbehavingServer, earlier: Path
) -> None:
    address = serve()
    path = served / f"v{NEW}" / "models.csv"
    body, tag = path.read_bytes(), f'"{sha256(path)[:16]}"'
    (served / "releases.json").touch()
    server.script(f"/v{NEW}/models.csv", cut(body, 1000, ETag=tag), static(path))
    forget_content(body)
    assert run(address, NEW, earlier).exit_code == 0
    asked = [request.headers.get("range") for request in server.requests if request.path.endswith("models.csv")]
    assert asked == [None, "bytes=1000-"]


def forget_content(body: bytes) -> None:
    """Removes some content from the cache, so that it must be downloaded."""
    shutil.rmtree(places.cache_folder() / "content" / hashlib.sha256(body).hexdigest(), ignore_errors=True)


def test_fault_5_one_that_always_breaks_off_leaves_nothing_but_the_part(
    serve: Serve, served: Path, server: MisbehavingServer, cache: Path, tmp_path: Path
) -> None:
    address, path = serve(), served / f"v{NEW}" / "models.csv"
    (tmp_path / "out").mkdir()
    server.script(f"/v{NEW}/models.csv", cut(path.read_bytes(), 1000, ETag='"a"'), vanish)
    message = refused(address, tmp_path / "out")
    assert "models.csv" in message
    assert "the last" in message
    assert [part.stat().st_size for part in (cache / "parts").glob("*.part")] == [1000]
    server.script(f"/v{NEW}/models.csv", static(path))
    assert run(address, NEW, tmp_path / "out").exit_code == 0
    assert "bytes=1000-" in server.headers("range")
    assert hashes(tmp_path / "out" / f"v{NEW}") == hashes(served / f"v{NEW}")


def test_fault_7_a_later_download_goes_on_where_the_server_knows_the_date_alone(
    serve: Serve, served: Path, server: MisbehavingServer, tmp_path: Path
) -> None:
    address, body = serve(), (served / f"v{NEW}" / "models.csv").read_bytes()
    dated = {"Last_Modified": "Mon, 03 Jun 2024 10:00:00 GMT"}
    (tmp_path / "out").mkdir()
    server.script(f"/v{NEW}/models.csv", cut(body, 1000, **dated), vanish)
    assert "what has arrived is kept" in refused(address, tmp_path / "out")
    server.script(f"/v{NEW}/models.csv", rest(body, **dated))
    assert run(address, NEW, tmp_path / "out").exit_code == 0
    assert dated["Last_Modified"] in server.headers("If-Range")
    assert hashes(tmp_path / "out" / f"v{NEW}") == hashes(served / f"v{NEW}")


def test_fault_6_a_file_that_was_cut_on_the_server_is_refused(serve: Serve, served: Path, earlier: Path) -> None:
    path = served / f"v{NEW}" / "models.csv"
    forget_content(path.read_bytes())
    size = path.stat().st_size
    path.write_bytes(path.read_bytes()[:-100])
    for index in (serve(), str(served)):
        assert f"has {size - 100} bytes, but {size} in the index" in refused(index, earlier)


@pytest.mark.parametrize("is_said_to_be_the_same", [False, True])
def test_fault_8_a_part_of_another_file_is_never_spliced(
    serve: Serve, served: Path, server: MisbehavingServer, tmp_path: Path, is_said_to_be_the_same: bool
) -> None:
    path = served / f"v{NEW}" / "models.csv"
    address, body = serve(), path.read_bytes()
    tag = f'"{sha256(path)[:16]}"' if is_said_to_be_the_same else '"of another"'
    server.script(f"/v{NEW}/models.csv", cut(b"x" * len(body), 1000, ETag=tag), static(path))
    assert run(address, NEW, tmp_path / "out").exit_code == 0
    assert (tmp_path / "out" / f"v{NEW}" / "models.csv").read_bytes() == body


def test_fault_10_an_endless_body_ends_at_the_size_in_the_index(
    serve: Serve, served: Path, server: MisbehavingServer, earlier: Path
) -> None:
    address = serve()
    forget_content((served / f"v{NEW}" / "models.csv").read_bytes())
    server.script(f"/v{NEW}/models.csv", endless)
    assert "goes on after byte" in refused(address, earlier)
    server.script("/releases.json", endless)
    assert "larger than the" in refused(address, earlier)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/models.csv", "http://example.org/models.csv", "file:///etc/hostname", "//localhost/a"]
)
def test_fault_11_an_index_from_outside_names_nothing_on_this_machine(served: Path, url: str) -> None:
    index = json.loads((served / "releases.json").read_bytes())
    index["releases"][0]["files"]["models.csv"]["url"] = url
    with pytest.raises(ReleaseError, match="refused address"):
        parse_index(json.dumps(index).encode(), "https://example.org/releases.json")


@pytest.mark.parametrize("url", ["../models.csv", "/etc/hostname", "v1/../../models.csv"])
def test_fault_32_nor_does_a_local_one_leave_its_folder(served: Path, url: str) -> None:
    index = json.loads((served / "releases.json").read_bytes())
    index["releases"][0]["files"]["models.csv"]["url"] = url
    with pytest.raises(ReleaseError, match="outside the folder of the index"):
        parse_index(json.dumps(index).encode(), str(served / "releases.json"))


@pytest.mark.parametrize(
    "name", ["../models.csv", "/models.csv", "", ".", "..", "a/b", "a\\b", "a\n", "..a", "-a", "a" * 101, "ä"]
)
def test_fault_32_files_have_plain_names(served: Path, name: str) -> None:
    index = json.loads((served / "releases.json").read_bytes())
    files = index["releases"][0]["files"]
    files[name] = files.pop("models.csv")
    with pytest.raises(ReleaseError, match="is not a plain file name"):
        parse_index(json.dumps(index).encode(), str(served / "releases.json"))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda index: index.pop("serial"),
        lambda index: index.update(format=2),
        lambda index: index.update(name="other"),
        lambda index: index.update(latest="2030.1.0"),
        lambda index: index.update(releases=[*index["releases"], index["releases"][0]]),
        lambda index: index["releases"][0].update(version="../2026.10.0"),
        lambda index: index["releases"][0].update(channel="other"),
        lambda index: index["releases"][0].update(channel="vintage"),
        lambda index: index["releases"][0].update(version="vintage-2026-10-01"),
        lambda index: index["releases"][0].update(version="2026.10.0.1"),
        lambda index: index["releases"][0].update(version="2026.10.²"),
        lambda index: index["releases"][0]["files"]["models.csv"].update(bytes=-1),
        lambda index: index["releases"][0]["files"]["models.csv"].update(bytes=10**12),
        lambda index: index["releases"][0]["files"]["models.csv"].update(sha256="0"),
        lambda index: index["releases"][0]["files"].pop("manifest.json"),
        lambda index: index.update(releases=None),
    ],
)
def test_a_malformed_index_is_refused(served: Path, spoil: Callable[[dict[str, Any]], Any]) -> None:
    index = json.loads((served / "releases.json").read_bytes())
    spoil(index)
    for content in (json.dumps(index).encode(), b"[" * 100_000, b"<html>", b"\xff\xfe", b"null"):
        with pytest.raises(ReleaseError, match="the index cannot be used"):
            parse_index(content, str(served / "releases.json"))


def test_fault_13_one_flipped_byte_anywhere_is_refused(serve: Serve, served: Path, cache: Path, earlier: Path) -> None:
    chance = random.Random(13)
    for path in sorted((served / f"v{NEW}").iterdir()):
        content = path.read_bytes()
        shutil.rmtree(cache / "content", ignore_errors=True)
        flip(path, chance.randrange(len(content)))
        for index in (serve(), str(served)):
            message = refused(index, earlier)
            assert sha256(path) in message, "the hash received"
            assert hashlib.sha256(content).hexdigest() in message, "the hash expected"
        assert not list((cache / "parts").iterdir())
        path.write_bytes(content)


def test_fault_14_an_older_index_is_refused(
    serve: Serve, served: Path, server: MisbehavingServer, earlier: Path
) -> None:
    address = serve()
    new = (served / "releases.json").read_bytes()
    assert run(address, NEW, earlier).exit_code == 0
    write_index(served, entries_of(served)[:1], serial=1)
    for index in (address, str(served)):
        message = refused(index, earlier, OLD)
        assert "serial 1" in message
        assert "serial 2" in message
    assert CliRunner().invoke(releases, ["--index", address]).exit_code == 1
    (served / "releases.json").write_bytes(new)
    assert run(address, OLD, earlier).exit_code == 0


def spoil_latest(index: dict[str, Any]) -> None:
    index["serial"] += 1
    index["latest"] = OLD


def spoil_content(index: dict[str, Any]) -> None:
    index["releases"][0]["date"] = "2026-01-01"


def spoil_release(index: dict[str, Any]) -> None:
    index["serial"] += 1
    changed = "0" * 64
    index["releases"][1]["manifest_sha256"] = index["releases"][1]["files"]["manifest.json"]["sha256"] = changed


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (spoil_latest, f"its latest release is {OLD}, but {NEW} was seen before"),
        (spoil_content, "not the one that was seen before under the same serial 2"),
        (spoil_release, f"release {NEW} was changed"),
    ],
)
def test_fault_14_an_index_that_contradicts_an_earlier_one_is_refused(
    served: Path, earlier: Path, spoil: Callable[[dict[str, Any]], None], words: str
) -> None:
    index = json.loads((served / "releases.json").read_bytes())
    spoil(index)
    (served / "releases.json").write_text(json.dumps(index))
    assert words in refused(str(served), earlier)


def test_fault_14_the_message_says_how_to_begin_anew(served: Path, earlier: Path) -> None:
    write_index(served, entries_of(served), serial=1)
    memory = memory_file(str(served / "releases.json"))
    assert f"remove {memory}" in refused(str(served), earlier)
    memory.unlink()
    assert run(str(served), NEW, earlier).exit_code == 0


@pytest.mark.parametrize("more", [0, 1])
def test_fault_15_a_swapped_manifest_is_refused(
    serve: Serve, served: Path, cache: Path, earlier: Path, more: int
) -> None:
    shutil.rmtree(cache / "content")
    ours, other = (served / f"v{version}" / "manifest.json" for version in (NEW, OLD))
    wanted, size = sha256(ours), ours.stat().st_size
    ours.write_bytes(other.read_bytes()[:size].ljust(size + more))  # of the same length or a longer one
    by_hash = f"sha256 is {sha256(ours)}, but {wanted} in the index"
    by_length = f"has {size + 1} bytes, but {size} in the index"
    for index in (serve(), str(served)):
        assert (by_length if more else by_hash) in refused(index, earlier)


def test_fault_15_an_index_that_mixes_releases_is_refused(
    served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").mkdir()
    old, new = entries_of(served)
    files = new["files"] | {"manifest.json": old["files"]["manifest.json"]}
    write_index(served, [old, new | {"files": files}], serial=3)
    assert f"release {NEW} mixes two releases" in refused(str(served), tmp_path / "out")
    mixed = new | {"files": files, "manifest_sha256": old["manifest_sha256"]}
    write_index(served, [old, mixed], serial=3)
    assert "two of them have the same manifest" in refused(str(served), tmp_path / "out")
    other = new["files"]["models.parquet"] | {"sha256": new["files"]["models.csv"]["sha256"]}
    write_index(served, [old, new | {"files": new["files"] | {"models.parquet": other}}], serial=5)
    assert "mixes files of several releases: models.parquet" in refused(str(served), tmp_path / "out")
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(served))
    with pytest.raises(ReleaseError, match="mixes files of several releases"):
        load("models", NEW)
    write_index(served, [mixed], serial=9)
    memory_file(str(served / "releases.json")).unlink()
    assert f"has the manifest of release {OLD}" in refused(str(served), tmp_path / "out")


def test_fault_15_a_folder_of_another_release_is_not_filled_up(served: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(served / f"v{OLD}", out / f"v{NEW}")
    before = hashes(out / f"v{NEW}")
    assert "holds something else" in refused(str(served), out)
    assert hashes(out / f"v{NEW}") == before


# One process that imports everything once and forks a child per step, or for every fifth; each child is killed before its
# n-th disk operation.
KILLER = """
import os, signal, sys
from click.testing import CliRunner
from traincompute.network import transport  # what a child would import, so that it is not counted
from traincompute.cache import folders, placement, store
from traincompute.commands.releases import download
address, root, every = sys.argv[1:]
placement.check_contents = lambda *_: None  # three files are no whole release; to judge them writes nothing
STEPS = {"open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chmod", "os.truncate"}
for number in range(1, 1000, int(every)):
    child = os.fork()
    if not child:
        place = os.path.join(root, f"step-{number}")
        os.environ["TRAINCOMPUTE_CACHE"] = os.path.join(place, "cache")
        left = number
        def count(event, values):
            global left
            if event in STEPS and any(str(value).startswith(place) for value in values):
                left -= 1
                if not left:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        done = CliRunner().invoke(download, ["2026.11.0", "--index", address, "--to", os.path.join(place, "out")])
        os._exit(0 if done.exit_code == 0 else 3)
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        sys.exit(os.waitstatus_to_exitcode(status))
"""


LEAN = ("manifest.json", "models.csv", "models.parquet")


def lean(served: Path) -> None:
    """Leaves three files and their sums in the index: they cover every kind of step."""
    entries = entries_of(served)
    for entry in entries:
        sums = served / f"v{entry['version']}" / SUMS
        lines = [line for line in sums.read_text().splitlines(keepends=True) if line.split()[1] in LEAN]
        sums.write_text("".join(lines))
        about = {"bytes": sums.stat().st_size, "sha256": sha256(sums)}
        entry["files"] = {name: entry["files"][name] for name in LEAN} | {SUMS: entry["files"][SUMS] | about}
    write_index(served, entries, serial=3)


def test_fault_37_sigkill_at_every_step_on_the_disk_heals(
    serve: Serve, served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lean(served)
    monkeypatch.setattr(placement, "check_contents", lambda *_: None)
    address, root = serve(), tmp_path / "killed"
    command = [sys.executable, "-c", KILLER, address, str(root), "5"]
    subprocess.run(command, check=True, env=os.environ | {"PYTHONPATH": str(CHECKOUT)}, timeout=300)
    steps = sorted(root.iterdir(), key=lambda path: int(path.name.removeprefix("step-")))
    assert len(steps) > 5, "three files: each is opened, written, moved into place and copied"
    complete = {name: found for name, found in hashes(served / f"v{NEW}").items() if name in (*LEAN, SUMS)}
    for step in steps:
        out = step / "out"
        if (out / f"v{NEW}").exists():
            assert hashes(out / f"v{NEW}") == complete, step.name
        monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(step / "cache"))
        assert run(address, NEW, out).exit_code == 0, step.name
        assert hashes(out / f"v{NEW}") == complete, step.name
        assert [path.name for path in out.iterdir()] == [f"v{NEW}"], step.name
        assert not list((step / "cache" / "parts").iterdir()), step.name


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_fault_37_a_download_that_is_ended_in_the_middle_of_a_body_is_resumed(
    serve: Serve, served: Path, server: MisbehavingServer, earlier: Path, cache: Path, end: signal.Signals
) -> None:
    address, path = serve(), served / f"v{NEW}" / "models.csv"
    body = path.read_bytes()
    forget_content(body)

    def half(exchange: Any) -> None:
        exchange.head("200 OK", {"Content-Length": str(len(body)), "ETag": f'"{sha256(path)[:16]}"'})
        exchange.send(body[:1000])
        exchange.closing.wait(150)

    server.script(f"/v{NEW}/models.csv", half)
    part = cache / "parts" / f"{sha256(path)}.part"
    with started(address, earlier) as process:
        until = time.monotonic() + 120
        while not (part.exists() and part.stat().st_size) and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(end)
        assert process.wait(60) != 0
    assert part.stat().st_size == 1000
    if end == signal.SIGINT:
        assert [path.name for path in earlier.iterdir()] == [f"v{OLD}"]
    assert not (earlier / f"v{NEW}").exists()
    server.script(f"/v{NEW}/models.csv", static(path))
    assert run(address, NEW, earlier).exit_code == 0
    assert "bytes=1000-" in server.headers("range")
    assert sorted(path.name for path in earlier.iterdir()) == [f"v{OLD}", f"v{NEW}"]


def started(address: str, to: Path, **env: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "traincompute.cli", "download", NEW, "--index", address, "--to", str(to)]
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT), **env}
    hears = partial(
        signal.signal, signal.SIGINT, signal.default_int_handler
    )  # also where the tests run in the background
    return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=hears)


@pytest.mark.parametrize(("name", "call"), [("replace", 1), ("replace", 5), ("hardlink_to", 1), ("mkdir", 3)])
def test_fault_38_a_full_disk_leaves_the_old_state_and_no_rest(
    serve: Serve, cache: Path, earlier: Path, monkeypatch: pytest.MonkeyPatch, name: str, call: int
) -> None:
    address = serve()
    shutil.rmtree(cache / "content")
    real, count = getattr(Path, name), [0]

    def failing(self: Path, *args: Any, **kwargs: Any) -> Any:
        count[0] += 1
        if count[0] == call:
            raise OSError(28, "No space left on device", str(self))
        return real(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Path, name, failing)
        result = run(address, NEW, earlier)
    if name != "hardlink_to":  # copies are made outside the cache
        assert isinstance(result.exception, ReleaseError)
        assert "No space left on device; check space" in str(result.exception)
        assert [path.name for path in earlier.iterdir()] == [f"v{OLD}"]
        assert not list((cache / "parts").glob("*"))
    assert run(address, NEW, earlier).exit_code == 0


def test_fault_38_a_disk_that_fills_up_in_a_body(
    serve: Serve, cache: Path, earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = serve()
    shutil.rmtree(cache / "content")

    def full(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", full)
        assert "No space left on device; check space" in refused(address, earlier)
    assert run(address, NEW, earlier).exit_code == 0


def test_fault_38_no_folder_can_be_made_there(served: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("a file, no folder")
    result = run(str(served), NEW, tmp_path / "file")
    assert result.exit_code != 0
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", str(tmp_path / "file" / "cache"))
    result = run(str(served), NEW, tmp_path / "out")
    assert isinstance(result.exception, ReleaseError)
    assert "check space and permissions" in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_fault_39_a_part_that_another_process_fills_is_left_to_it(served: Path, cache: Path, tmp_path: Path) -> None:
    import fcntl

    entry = find_release(read_index(str(served)), NEW).files["models.csv"]
    part = cache / "parts" / f"{entry.sha256}.part"
    part.parent.mkdir(parents=True)
    with part.open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        other.write(b"half of")
        other.flush()
        assert sha256(store.obtain(entry)) == entry.sha256
        assert part.read_bytes() == b"half of"


def test_fault_39_a_system_without_file_locks_downloads_all_the_same(
    serve: Serve, served: Path, tmp_path: Path
) -> None:
    arguments = ["traincompute", "download", NEW, "--index", serve(), "--to", str(tmp_path / "out")]
    code = (
        f"import sys; sys.modules['fcntl'] = None; sys.argv = {arguments!r}; from traincompute.cache import placement; "
        "placement.check_contents = lambda *_: None; from traincompute.cli import main; main()"
    )
    env = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert hashes(tmp_path / "out" / f"v{NEW}") == hashes(served / f"v{NEW}")


def test_fault_40_a_bit_that_flipped_in_the_cache_is_noticed(
    serve: Serve, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", serve())
    before = load("models")
    (file,) = cache.glob("content/*/models.parquet")
    flip(file, 100)
    assert load("models").equals(before)
    memory = memory_file(places.index_address())
    flip(memory, 100)
    assert load("models").equals(before)
    folder = CliRunner().invoke(download, [NEW]).stdout.split(":")[0]
    flip(Path(folder) / "models.csv", 5)
    assert CliRunner().invoke(download, [NEW]).exit_code == 0
    listed = find_release(read_index(), NEW).files
    assert hashes(Path(folder)) == {name: entry.sha256 for name, entry in listed.items()}


def test_fault_40_a_bit_that_flipped_in_a_local_release_is_noticed(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(served))
    wanted = sha256(served / f"v{NEW}" / "models.parquet")
    flip(served / f"v{NEW}" / "models.parquet", 100)
    with pytest.raises(ReleaseError, match=wanted):
        load("models")


def test_fault_41_settings_of_the_machine_change_no_byte(serve: Serve, served: Path, tmp_path: Path) -> None:
    address = serve()
    own = {"TZ": "Asia/Kolkata", "LANG": "tr_TR.UTF-8", "PYTHONHASHSEED": "7"}
    with started(address, tmp_path / "out", **own) as process:
        assert process.communicate()[1] == b""
    assert hashes(tmp_path / "out" / f"v{NEW}") == hashes(served / f"v{NEW}")


@pytest.mark.parametrize("year", [1970, 2099])
def test_fault_42_no_clock_matters(
    serve: Serve, served: Path, earlier: Path, monkeypatch: pytest.MonkeyPatch, year: int
) -> None:
    address = serve()
    monkeypatch.setattr(time, "time", lambda: (year - 1970) * 31_556_952.0)
    assert run(address, NEW, earlier).exit_code == 0
    assert hashes(earlier / f"v{NEW}") == hashes(served / f"v{NEW}")
