"""What the commands of `traincompute curate`, and `discover`, print of what they have found, whole, and how they end."""

from __future__ import annotations

import json
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import pytest
from stand_ins import Ended, Stand, ended, just, stand_ins

from pipeline.commands import status as status_command
from pipeline.commands.audit import audit
from pipeline.commands.discover import discover
from pipeline.commands.evidence import evidence
from pipeline.commands.propose import propose
from pipeline.curate.evidence import OUTCOMES, Evidence, Finding
from pipeline.curate.propose import Candidate as Pair
from pipeline.curate.status import Section
from pipeline.hub.candidates import Candidate


@pytest.fixture
def stand(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Stand:
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path))
    stand = stand_ins(monkeypatch)
    stand("registry.context", load_context=just("context"))
    return stand


def indented(content: object) -> str:
    """JSON as the commands print it: a blank for each level, and ü as ü."""
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


FINDINGS: list[dict[str, Any]] = [
    {"rank": rank, "model_id": f"gpt-{rank}", "name": f"GPT-{rank} ü", "check": "slip", "stated": 3e23, "expected": 3e24,
     "ratio": 0.1, "evidence": f"says {rank}", "correction": correction}
    for rank, correction in ((1, ""), (2, "gpt-2-flop"), (3, ""))
]  # fmt: skip
NONE = "rank  model  check  stated  expected  ratio\n0 of 0 findings\n"
HEAD = "rank  model    check  stated  expected  ratio\n"
LINE = "{0}     GPT-{0} ü  slip     3e23      3e24    0.1\n      says {0}{1}\n"
OPEN = f"{HEAD}{LINE.format(1, '')}{LINE.format(3, '')}2 of 2 findings\n"
SECOND = f"{HEAD}{LINE.format(2, ' [dealt with: gpt-2-flop]')}1 of 1 findings\n"


@pytest.mark.parametrize(
    ("words", "end"),
    [
        (["--open"], (0, OPEN, "")),
        (["--gate"], (1, OPEN, "to do: read\n")),
        (["--json"], (0, indented(FINDINGS), "")),
        (["--model", "GPT-2 ü"], (0, SECOND, "")),
        (["--model", "GPT 2"], (0, SECOND, "")),
        (["--model", "gpt-2", "--gate"], (0, "nothing is open; all 1 findings are dealt with\n", "")),
        (["--model", "gpt-2", "--gate", "--json"], (0, "[]\n", "")),
        (["--as-of", "2025-01-01"], (0, NONE, "")),
        (["--report"], (0, "errata\n", "")),
    ],
)
def test_an_audit_has_what_is_wanted_and_a_gate_what_is_open(stand: Stand, words: list[str], end: Ended) -> None:
    stand("curate.audit", REMEDY="read", find=lambda _, day: [] if day else FINDINGS)
    stand("normalize.stage", normalize_tables=lambda _, day: day)
    stand("present.docs.errata", errata=just("errata\n"))
    assert ended(audit, *words) == end


ADD = "traincompute curate add-fact M"
MODEL = Candidate("M", "Läb", 7e9, date(2026, 1, 2), 12_345, "training_tokens", 4.2e22, ["M 7B"], [], "lab/m", ADD)
CANDIDATE = """hub_id  organization  parameters  created     downloads  expected_flop  needs
lab/m   Läb                   7B  2026-01-02     12,345         4.2e22  training_tokens
    traincompute curate add-fact M
1 of {} candidates
"""
TOGETHER = "--decline and --reason go together"
MARKDOWN = "| lab/m | Läb | 7B | 2026-01-02 | 12,345 | 4.2e22 | training_tokens | M 7B |"


def test_people_are_shown_forty_lines_and_scripts_all(stand: Stand, tmp_path: Path) -> None:
    (cache := tmp_path / "data" / "cache").mkdir(parents=True)
    (cache / "hub.jsonl").touch()
    stand("hub.engine", open_engine=just("engine"))
    stand("hub.discover", discover=lambda *given: [MODEL] * (41 if given[2].is_file() else 1))
    stand("curate.audit", REMEDY="read", find=just([FINDINGS[0]] * 41))
    stand("normalize.stage", normalize_tables=just(None))
    for command, what in ((discover, "candidates"), (audit, "findings")):
        assert ended(command)[1].endswith(f"\n40 of 41 {what}\n")
        assert len(json.loads(ended(command, "--json")[1])) == 41
    assert ended(discover, "--limit", "1") == (0, CANDIDATE.format(41), "")
    assert ended(discover, str(tmp_path)) == (0, CANDIDATE.format(1), "")
    lines = ended(discover, "--limit", "1", "--markdown")[1].splitlines()
    assert lines[0].startswith("1 of 41 models of the hub that the dataset lacks, ")
    assert (lines[4:6], lines[-3:]) == ([MARKDOWN, ""], [f"    {ADD}", "", "</details>"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--decline", "lab/m", "--reason", "a copy"], "data/raw/curated/declined.csv: lab/m is declined\n"),
        (["--decline", "lab/m"], TOGETHER),
        (["--reason", "a copy"], TOGETHER),
        ([".", "--decline", "lab/m", "--reason", "a copy"], TOGETHER),
        ([], "hub.jsonl does not exist; `traincompute dev hub"),
    ],
)
def test_a_model_is_declined_for_a_reason_or_a_listing_is_read(stand: Stand, words: list[str], said: str) -> None:
    declined: list[object] = []
    stand("hub.declined", decline=lambda _, *what: declined.append(what[:2]))
    code, out, err = ended(discover, *words)
    assert said in out + err
    assert (code, declined) == ((2, []) if err else (0, [("lab/m", "a copy")]))


PAIR = Pair("P3", 99.6, ("CALM", "CaLM"), ("calm", "calm-2"), "ü", "CaLM,,same", "CaLM,,distinct")
ONE = """P3 100  CALM  |  CaLM
    look alike: ü
    if one:  CaLM,,same
    if two:  CaLM,,distinct
1 open; paste one line of each into data/raw/curated/identities.csv (a `distinct` line needs a reason)
"""


@pytest.mark.parametrize(("pairs", "said"), [([], "0 open\n"), ([PAIR], ONE)])
def test_a_pair_comes_with_the_two_lines_of_which_one_decides_it(stand: Stand, pairs: list[Pair], said: str) -> None:
    stand("curate.propose", find_candidates=just(pairs), RULES={"P3": "look alike"})
    assert ended(propose) == (len(pairs), said, "")
    assert ended(propose, "--json") == (len(pairs), indented([pair._asdict() for pair in pairs]), "")


SEEN = {
    kind: Finding("f.csv:2", "GPT", "epochs", "1ü", f"https://github.com/lab/{kind[:5]}/blob/0/a#L1", kind, "why")
    for kind in OUTCOMES
}
MOVED, GONE, AWAY = (f"f.csv:2 [GPT] epochs 1ü: {kind} (why); {SEEN[kind].reference}\n" for kind in OUTCOMES[1:])
HANDS = "not at hand: https://github.com/lab/not a; give {}copies with --snapshots\nnot checkable here: 2 DOI\n"
COUNTS = """field   found  moved  not there  not at hand
epochs      1      1          1            1
all         1      1          1            1
"""


def test_a_figure_that_is_not_where_it_was_seen_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Evidence(list(SEEN.values()), {"arXiv": 0, "DOI": 2})
    monkeypatch.setattr("pipeline.curate.evidence.check_evidence", just(found))
    assert ended(evidence) == (1, COUNTS + MOVED + GONE + HANDS.format("--net, or "), "")
    assert ended(evidence, "--net", "--mirror", "x") == (1, COUNTS + MOVED + GONE + AWAY + HANDS.format(""), "")
    listed = {"findings": [finding._asdict() for finding in found.findings], "elsewhere": found.elsewhere}
    assert ended(evidence, "--json") == (1, indented(listed), "")
    assert ended(evidence, "--mirror", "x")[2].endswith("Error: --mirror needs --net\n")
    for outcome, exit_code in zip(OUTCOMES, (0, 1, 1, 0), strict=True):
        monkeypatch.setattr("pipeline.curate.evidence.check_evidence", just(Evidence([SEEN[outcome]], {"DOI": 0})))
        code, out, _ = ended(evidence)
        assert (code, out.endswith("\nnot checkable here: nothing\n")) == (exit_code, True)
        assert ("not at hand: " in out) == (outcome == "not at hand")


SECTIONS = {name: Section(name, "", "mend") for name in ("few", "cut", "counted", "none")}
LISTS: dict[str, Any] = {
    "few": {"total": 2, "rows": [{"name": "GPT ü", "flop": 3e23}, {"name": 7, "flop": "unknown"}]},
    "cut": {"total": 2, "rows": [{"name": "GPT"}]},
    "counted": {"total": 9, "rows": [{"field": "epochs", "count": 4}]},
    "none": {"total": 0, "rows": []},
}
ANSWERS = {
    "organizations": [{"total": 8, "category": 3, "country": 4}, {}, {}],
    "voices": [{"field": "parameters", "supported": 1, "total": 8}],
}
SOURCE = ("source_id", "built", "snapshot", "age_days", "looked_at", "records", "pullable")
KNOWN = ("a", "2026-01-02", date(2026, 3, 30), 5, "2026-04-01", 12, True)
SOURCES = [dict(zip(SOURCE, row, strict=True)) for row in (KNOWN, ("b", None, None, None, None, 0, False))]
STANDING = """sources
  source_id  snapshot                age  last looked at  records  pulled           pending
  a          2026-03-30       5 days old  2026-04-01           12  pulled by URL    the dataset was built with 2026-01-02: run traincompute build
  b          no snapshot yet                                    0  entered by hand

few: 2 (mend)
  name      flop
  GPT ü     3e23
  7      unknown

cut: 2, the first 1 (mend)
  name
  GPT

counted: 9 (mend)
  field   count
  epochs      4

none: 0

organisations: 3 of 8 without a category, 4 without a country
parameters of notable language models since 2020 with two or more publishers: 1 of 8 (12.5%)
"""


def test_the_status_is_that_of_a_day_and_only_reads_the_dataset(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def note(what: object, answer: Any) -> Any:
        asked.append(what)
        return answer

    monkeypatch.setattr(duckdb, "connect", lambda *_, **how: note(how, nullcontext()))
    monkeypatch.setattr(status_command, "dataset_file", just("file"))
    stand("registry.sources", load_lock=just({}))
    stand(
        "curate.status", ORGANIZATIONS="organizations", VOICES="voices", SECTIONS=SECTIONS,
        read_rows=lambda _, query: ANSWERS[query], read_sources=lambda _, __, day: note(day, SOURCES),
        read_section=lambda _, section, limit: note(limit, LISTS[section.title]),
    )  # fmt: skip
    assert ended(status_command.status, "--today", "2026-04-04") == (0, STANDING, "")
    assert asked == [{"read_only": True}, date(2026, 4, 4), 20, 20, 20, 20]
    said = ended(status_command.status, "--json", "--limit", "0")[1]
    assert list(found := json.loads(said)) == ["sources", *SECTIONS, "organizations", "voices"]
    assert (said, found["few"], asked[-1]) == (indented(found), LISTS["few"], 0)
