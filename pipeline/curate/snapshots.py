"""Texts of public repositories at a commit: from a folder of copies, or from the net."""

from __future__ import annotations

import io
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from traincompute.web import FetchError, Limits, fetch

RAW = "raw.githubusercontent.com"
# of a text; a technical report with pictures may have half as many bytes
LIMITS = Limits(deadline=90, max_bytes=64_000_000)
POINTER = b"version https://git-lfs"


class NotAtHandError(Exception):
    """The text cannot be read here, which says nothing about it."""


class NotThereError(Exception):
    """There is no such commit, or no such file in it."""


class Snapshots:
    """A folder with git directories or work trees: OWNER/NAME or OWNER+NAME, with or without .git, or one folder below.
    What is not there comes from the net, if that is asked for, or from a mirror of it."""

    def __init__(self, folder: Path | None, net: bool, mirror: str = "") -> None:
        self.folder, self.net = folder, net
        self.host = f"{mirror.rstrip('/')}/{RAW}" if mirror else f"https://{RAW}"
        self.read = lru_cache(self._read)  # many facts of one file follow each other

    def _read(self, repository: str, commit: str, path: str) -> tuple[str, ...]:
        """The lines of a text, or the pages of a PDF. Raises NotAtHandError or NotThereError."""
        copy = self._copy(repository)
        if not copy and not self.net:
            raise NotAtHandError("no copy of the repository")
        body = _from_copy(copy, commit, path) if copy else _from_net(f"{self.host}/{repository}/{commit}/{quote(path)}")
        if body.startswith(POINTER):
            raise NotAtHandError("the copy has a pointer for the file")
        return _pages(body) if body.startswith(b"%PDF") else tuple(body.decode("utf-8", "replace").split("\n"))

    def _copy(self, repository: str) -> Path | None:
        names = [] if not self.folder else [repository, repository.replace("/", "+")]
        places = [self.folder / f"{name}{end}" for name in names for end in ("", ".git") if self.folder]
        places += [below for place in places if place.is_dir() for below in place.iterdir()]
        return next((place for place in places if (place / "HEAD").is_file() or (place / ".git").exists()), None)


def _from_copy(copy: Path, commit: str, path: str) -> bytes:
    if _git(copy, "cat-file", "-e", f"{commit}^{{commit}}").returncode:
        raise NotThereError("the copy of the repository has no such commit")
    result = _git(copy, "cat-file", "blob", f"{commit}:{path}")
    if result.returncode:
        raise NotThereError("no such file in that commit")
    return result.stdout


def _git(copy: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(copy), *words], capture_output=True, check=False)


def _from_net(address: str) -> bytes:
    try:
        fetch(address, body := io.BytesIO(), LIMITS)
        return body.getvalue()
    except FetchError as error:
        if "HTTP 404" in error.reason:
            raise NotThereError("no such file or commit") from error
        raise NotAtHandError(error.reason) from error


def _pages(body: bytes) -> tuple[str, ...]:
    if not shutil.which("pdftotext"):
        raise NotAtHandError("a PDF, and pdftotext (poppler) is not installed")
    result = subprocess.run(["pdftotext", "-layout", "-", "-"], input=body, capture_output=True, check=False)
    if result.returncode:
        raise NotAtHandError("a PDF that pdftotext does not read")
    return tuple(result.stdout.decode("utf-8", "replace").split("\f"))
