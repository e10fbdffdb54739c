"""Where data is read from and kept: what the environment says, the checkout, the package, in that order."""

from __future__ import annotations

from pathlib import Path

import pytest

from traincompute.base import places
from traincompute.base.errors import ReleaseError
from traincompute.base.files import cache_folder
from traincompute.base.places import default_folder, index_address
from traincompute.published import read_index


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout in use, without a build, and a package that carries nothing."""
    for name in ("DATA", "INDEX", "CACHE"):
        monkeypatch.delenv(f"TRAINCOMPUTE_{name}", raising=False)
    monkeypatch.setenv("TRAINCOMPUTE_ROOT", str(tmp_path / "checkout"))
    monkeypatch.setattr(places, "EMBEDDED", str(tmp_path / "carried"))
    monkeypatch.setattr(places, "BUILT_IN", str(tmp_path / "default_index.txt"))
    return tmp_path / "checkout"


def made(file: Path, text: str = "") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_the_cache_is_the_named_folder_or_that_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINCOMPUTE_CACHE", "~/cache")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("TRAINCOMPUTE_CACHE")
    assert cache_folder().name == "traincompute"


def test_a_dataset_is_the_named_one_that_of_the_checkout_or_what_the_package_carries(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert default_folder() is None
    carried = made(Path(places.EMBEDDED, "manifest.json")).parent
    assert default_folder() == str(carried)
    build = made(checkout / "data" / "processed" / "manifest.json").parent
    assert default_folder() == str(build)
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", "https://example.org")
    assert default_folder() is None, "its latest release is read"
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(checkout))
    assert default_folder() == str(checkout)
    monkeypatch.delenv("TRAINCOMPUTE_INDEX")
    assert default_folder() == str(checkout)
    monkeypatch.setenv("TRAINCOMPUTE_DATA", "/elsewhere")
    with pytest.raises(ReleaseError, match="TRAINCOMPUTE_DATA: /elsewhere is no folder"):
        default_folder()


def test_an_index_is_the_given_the_named_that_of_the_checkout_or_the_built_in(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index_address() == ""
    with pytest.raises(ReleaseError, match="no index of releases is known") as caught:
        read_index()
    assert caught.value.exit_code == 2
    made(Path(places.BUILT_IN), " https://built.in/a\n")
    assert index_address() == "https://built.in/a/releases.json"
    own = made(checkout / "data" / "processed" / "releases" / "releases.json")
    assert index_address() == str(own)
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", str(own.parent))
    assert index_address() == str(own), "a folder stands for the index in it"
    monkeypatch.setenv("TRAINCOMPUTE_INDEX", "https://example.org/r/")
    assert index_address() == "https://example.org/r/releases.json"
    assert index_address("https://example.org/other.json?v=1/") == "https://example.org/other.json?v=1/"
    assert index_address("/no/folder") == "/no/folder"
