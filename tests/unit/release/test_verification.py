"""When a release is verified: how long that may take, which signature is looked at, and what is said where it ends early."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from traincompute.verification import verify
from traincompute.verification.bounded import BoundedError, Limits
from traincompute.verification.verify import content_problems, verify_release

MEGABYTE = 1_000_000
UNSIGNED = "SHA256SUMS.sig: is missing"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bytes, Limits]]:
    """What the bounded process was asked for; it finds nothing wrong."""
    calls: list[tuple[str, bytes, Limits]] = []

    def run(task: str, data: bytes, limits: Limits) -> list[str]:
        calls.append((task, data, limits))
        return []

    monkeypatch.setattr(verify, "run_bounded", run)
    return calls


@pytest.fixture
def signers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRAINCOMPUTE_SIGNERS", raising=False)


def test_a_small_release_has_eight_seconds_and_a_large_one_more_for_each_megabyte(
    tmp_path: Path, asked: list[tuple[str, bytes, Limits]]
) -> None:
    content_problems(tmp_path)
    for name in ("models.csv", "models.parquet"):
        (tmp_path / name).write_bytes(os.urandom(4 * MEGABYTE))
    (tmp_path / "link").symlink_to(tmp_path / "models.csv")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "more").write_bytes(os.urandom(MEGABYTE))
    content_problems(tmp_path)
    content_problems(tmp_path, seconds=0.5)
    assert [limits for _, _, limits in asked] == [
        Limits(8.0, 800 * MEGABYTE),
        Limits(10.0, 800 * MEGABYTE),
        Limits(0.5, 800 * MEGABYTE),
    ]


def test_a_file_with_a_hole_gets_no_time_for_what_it_pretends_to_hold(
    tmp_path: Path, asked: list[tuple[str, bytes, Limits]]
) -> None:
    with (tmp_path / "models.csv").open("wb") as file:
        file.truncate(4000 * MEGABYTE)
    content_problems(tmp_path)
    assert asked[0][2].seconds == pytest.approx(8.0, abs=0.01)


def test_the_whole_path_of_the_folder_is_judged(
    tmp_path: Path, asked: list[tuple[str, bytes, Limits]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert content_problems(Path()) == []
    assert asked[0][:2] == ("traincompute.verification.contents:problems_of", os.fsencode(tmp_path.resolve()))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("stopped after 8 s", "stopped after 8 s; --timeout SECONDS allows it more time"),
        ("it needs more than 800 MB of memory", "it needs more than 800 MB of memory"),
    ],
)
def test_a_release_that_took_too_much_is_not_verified(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, message: str, said: str
) -> None:
    def stop(*_: object) -> None:
        raise BoundedError(message)

    monkeypatch.setattr(verify, "run_bounded", stop)
    assert content_problems(tmp_path) == [f"{tmp_path}: cannot be verified: {said}"]


@pytest.mark.usefixtures("asked", "signers")
def test_a_signature_is_looked_at_where_there_is_or_should_be_one(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("")
    assert verify_release(tmp_path) == []
    assert verify_release(tmp_path, signed=True) == [UNSIGNED]
    assert verify_release(tmp_path, tmp_path / "keys") == [UNSIGNED]
    (tmp_path / "SHA256SUMS.sig").symlink_to(tmp_path / "nowhere")
    assert verify_release(tmp_path) == [UNSIGNED]
    (tmp_path / "SHA256SUMS.sig").unlink()
    (tmp_path / "SHA256SUMS.sig").write_text("signature")
    (told,) = verify_release(tmp_path)
    assert "nobody is known who may sign" in told


@pytest.mark.usefixtures("signers")
def test_what_the_signature_lacks_is_told_after_what_the_contents_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify, "run_bounded", lambda *_: ["models.csv: is missing"])
    assert verify_release(tmp_path, signed=True) == ["models.csv: is missing", UNSIGNED]
    monkeypatch.setattr(verify, "signature_fault", lambda *_: "")
    assert verify_release(tmp_path, signed=True) == ["models.csv: is missing"]


@pytest.mark.usefixtures("asked")
def test_who_may_sign_is_as_given_or_else_as_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def named(_: Path, __: Path, signers: Path | None) -> str:
        return str(signers)

    monkeypatch.setattr(verify, "signature_fault", named)
    monkeypatch.setenv("TRAINCOMPUTE_SIGNERS", "known")
    assert verify_release(tmp_path, tmp_path / "given") == [str(tmp_path / "given")]
    assert verify_release(tmp_path, signed=True) == ["known"]
