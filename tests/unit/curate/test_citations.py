"""check-citations: spellings that agree, and permalinks."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from checkouts import copy_checkout
from click.testing import CliRunner
from misbehaving_server import Act, MisbehavingServer, ok, reply, serve

from pipeline.curate.citations import amounts, prints
from pipeline.paths import Paths
from traincompute.cli import group

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CARD = b"# DeepSeek-V3\nWe pre-train on 14.8 trillion tokens,\nwith 671B parameters, of which 37B are active.\n"
WHERE = f"/raw.githubusercontent.com/lab/card/{COMMIT}/model%20card.md"
LINK = f"https://github.com/lab/card/blob/{COMMIT}/model%20card.md"
HEADER = "record,field,value_text,locator,since,until,reference,evidence,accessed"
DAY = "2026-11-21"
Look = Callable[..., tuple[int, str]]


@pytest.mark.parametrize("text", ["15t, 15tn, 15 trillion, 15万亿, 15兆", "1.5 × 10^13, 1.5 x 10¹³, 1.5e13"])
def test_a_number_has_the_size_that_its_scale_says(text: str) -> None:
    assert [number * scale for number, scale in amounts(text)] == pytest.approx([15e12] * (text.count(",") + 1))


@pytest.mark.parametrize(
    ("kind", "text", "value", "locator", "is_so"),
    [
        ("number", "with **32** billion active", "32B", "", True),
        ("number", "over $3.3 \\times 10^{21}$ FLOPs", "3.3e21 FLOP", "", True),
        ("number", "| 7B | 1.2 | 83.4 |", "1.2T", "", True),  # the head of the table has the scale
        ("number", "1,400K GPU hours", "1.4M", "", True),
        ("number", "14.8 billion", "14.8T", "", False),
        ("number", "8 of 64", "H100", "", False),
        ("number", "| 256K | 150K |", "38.4B", "256K × 150K", True),
        ("number", "| 256K | 150K |", "99B", "256K × 150K", False),  # another product
        ("string", "trained on A100s", "H100", "", False),
        ("date", "2024.12.26: we release", "2024-12-26", "", True),
        ("date", "December 2024", "2024-12-26", "", False),
    ],
)
def test_spellings_that_agree(kind: str, text: str, value: str, locator: str, is_so: bool) -> None:
    assert prints(text, kind, value, locator) is is_so


@pytest.fixture
def server() -> Iterator[MisbehavingServer]:
    with serve() as running:
        yield running


@pytest.fixture
def look(small_template: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: MisbehavingServer) -> Look:
    """Checks facts; the server has `act` for the model card."""
    paths = copy_checkout(small_template, tmp_path / "checkout")
    for file in paths.curated.glob("facts*.csv"):
        file.unlink()
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(paths.root))

    def run(act: Act, *facts: tuple[str, str, str]) -> tuple[int, str]:
        server.script(WHERE, act)
        with (paths.curated / "facts_from_2023.csv").open("w", encoding="utf-8", newline="") as file:
            rows = [["DeepSeek-V3", f, v, "README", DAY, "", f"{LINK}#{at}", "seen", DAY] for f, v, at in facts]
            csv.writer(file).writerows([HEADER.split(","), *rows])
        done = CliRunner().invoke(group, ["curate", "check-citations", "--mirror", server.address("")])
        return done.exit_code, done.output

    return run


def test_figures_are_looked_up_at_their_lines_and_each_file_is_fetched_once(
    look: Look, server: MisbehavingServer
) -> None:
    facts = (("training_tokens", "14.8T", "L2"), ("parameters_active", "37B", "L2"), ("parameters", "617B", "L1-L3"))
    code, output = look(ok(CARD), *facts)
    assert code == 1
    said = " ".join(output.split())
    assert "figures that their line or page does not print: 2 (correct the permalink or the fact)" in said
    assert f"DeepSeek-V3 parameters_active 37B {LINK}#L2 not there it is in line 3" in said
    assert f"DeepSeek-V3 parameters 617B {LINK}#L1-L3 not there the file does not print it" in said
    assert [request.path for request in server.requests] == [WHERE]
    assert look(ok(CARD), facts[0])[0] == 0


@pytest.mark.parametrize(
    ("act", "code", "said"),
    [
        (reply("404 Not Found"), 1, "not there HTTP 404"),
        (reply("503 Service Unavailable"), 0, "not read HTTP 503"),
        (ok(b"%PDF-1.7 no pages"), 1, "not there the file does not print it"),
    ],
)
def test_a_file_that_is_gone_is_a_fault_and_one_that_cannot_be_read_is_none(
    look: Look, monkeypatch: pytest.MonkeyPatch, act: Act, code: int, said: str
) -> None:
    monkeypatch.setattr("shutil.which", lambda _: "true")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: type("Done", (), {"stdout": b"no page"}))
    ended, output = look(act, ("training_tokens", "14.8T", "L2"))
    assert ended == code
    assert said in " ".join(output.split())
