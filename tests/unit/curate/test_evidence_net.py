"""evidence --net: figures at permalinks that a server on loopback answers. What a network may do to an answer is tested
in tests/faults/test_fetch.py."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from checkouts import copy_checkout
from click.testing import CliRunner
from misbehaving_server import Act, MisbehavingServer, drip, endless, ok, reply, serve

from pipeline.base.paths import Paths
from pipeline.curate import snapshots
from traincompute.cli import group

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CARD = b"# DeepSeek-V3\nWe pre-train on 14.8 trillion tokens,\nwith 671B parameters, of which 37B are active.\n"
WHERE = f"/raw.githubusercontent.com/lab/card/{COMMIT}/model%20card.md"
LINK = f"https://github.com/lab/card/blob/{COMMIT}/model%20card.md"
HEADER = "record,field,value_text,locator,since,until,reference,evidence,accessed"
DAY = "2026-11-21"
OPEN_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
# a figure at its line, one that stands elsewhere, one that the file does not print
FACTS = (("training_tokens", "14.8T", "L2"), ("parameters_active", "37B", "L2"), ("parameters", "617B", "L3"))

Look = Callable[..., tuple[int, str]]


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with serve() as running:
        yield running


@pytest.fixture
def root(small_template: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A checkout without curated facts, in which nothing is fetched twice."""
    paths = copy_checkout(small_template, tmp_path / "checkout")
    for file in paths.curated.glob("facts*.csv"):
        file.unlink()
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))
    monkeypatch.setattr(snapshots, "LIMITS", snapshots.LIMITS._replace(attempts=1))
    return paths


@pytest.fixture
def look(root: Paths, server: MisbehavingServer) -> Look:
    """`traincompute curate evidence --net --mirror …` on facts, where the server has `act` for the model card."""

    def run(act: Act, *facts: tuple[str, str, str]) -> tuple[int, str]:
        server.script(WHERE, act)
        with (root.curated / "facts_from_2023.csv").open("w", encoding="utf-8", newline="") as file:
            rows = [["DeepSeek-V3", f, v, "README", DAY, "", f"{LINK}#{at}", "seen", DAY] for f, v, at in facts]
            csv.writer(file).writerows([HEADER.split(","), *rows])
        done = CliRunner().invoke(group, ["curate", "evidence", "--net", "--mirror", server.address("")])
        return done.exit_code, done.output

    return run


def told(output: str) -> list[str]:
    """What the command says of each figure that it did not find, in the order of the facts."""
    return [line.split("] ", 1)[1].partition("; https:")[0] for line in output.splitlines() if "] " in line]


def test_figures_are_looked_up_at_their_lines_and_each_file_is_fetched_once(
    look: Look, server: MisbehavingServer
) -> None:
    code, output = look(ok(CARD), *FACTS)
    assert code == 1
    assert told(output) == [
        "parameters_active 37B: moved (line 3)",
        "parameters 617B: not there (the file does not print it)",
    ]
    assert next(line.split() for line in output.splitlines() if line.startswith("all")) == ["all", "1", "1", "1", "0"]
    assert [request.path for request in server.requests] == [WHERE]


def test_a_figure_at_its_line_is_no_fault(look: Look) -> None:
    assert look(ok(CARD), FACTS[0])[0] == 0


def test_a_permalink_that_leads_nowhere_is_a_fault(look: Look) -> None:
    code, output = look(reply("404 Not Found"), FACTS[0])
    assert (code, told(output)) == (1, ["training_tokens 14.8T: not there (no such file or commit)"])


@pytest.mark.parametrize("status", ["403 Forbidden", "503 Service Unavailable"])
def test_a_server_that_does_not_answer_the_question_is_no_fault(look: Look, status: str) -> None:
    code, output = look(reply(status), FACTS[0])
    assert code == 0
    assert f"not at hand (HTTP {status[:3]}" in output
    assert "not at hand: https://github.com/lab/card; give copies with --snapshots" in output


def test_a_body_without_an_end_is_cut_off(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "LIMITS", snapshots.LIMITS._replace(max_bytes=100_000))
    code, output = look(endless, FACTS[0])
    assert code == 0
    assert told(output) == ["training_tokens 14.8T: not at hand (goes on after the limit of 100000 bytes)"]


def test_a_body_that_comes_drop_by_drop_is_given_up(look: Look, monkeypatch: pytest.MonkeyPatch) -> None:
    """The deadline counts, although every drop comes in time and the figure has arrived long since."""
    monkeypatch.setattr(snapshots, "LIMITS", snapshots.LIMITS._replace(deadline=1.0))
    code, output = look(drip(OPEN_HEAD + CARD, b"x"), FACTS[0])
    assert code == 0
    assert "not at hand (not done within the deadline of 1 s)" in output


def test_a_redirect_to_another_address_that_may_not_be_fetched_is_refused(look: Look) -> None:
    code, output = look(reply("302 Found", Location="http://example.org/card.md"), FACTS[0])
    assert code == 0
    assert "refused address" in output


def test_a_mirror_is_of_the_net(root: Paths) -> None:
    done = CliRunner().invoke(group, ["curate", "evidence", "--mirror", "http://127.0.0.1:1"])
    assert done.exit_code == 2
    assert "--mirror needs --net" in done.output
