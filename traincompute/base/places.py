"""Where releases come from and where their files are kept: the dataset at hand, the index in use, and the cache of this
machine. Paths are texts here: a command that needs none of pathlib starts sooner."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from traincompute.base.errors import ReleaseError as ReleaseError

if TYPE_CHECKING:
    from pathlib import Path

INDEX_NAME = "releases.json"
DUCKDB_NAME = "traincompute.duckdb"
SQL_NAME = "traincompute.sql"  # the statements that define what is in it
MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
SIGNATURE = "SHA256SUMS.sig"
PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
BUILT_IN = os.path.join(PACKAGE, "default_index.txt")  # written into the wheel where the maker named an index
EMBEDDED = os.path.join(PACKAGE, "dataset")  # the release or build that the wheel was made with
CARRIED_FIGURES = os.path.join(EMBEDDED, "figures")


class CacheError(ReleaseError):
    """The cache cannot be read or written."""

    def __init__(self, reason: object) -> None:
        super().__init__(f"the cache cannot be used: {reason}; name a folder of yours with TRAINCOMPUTE_CACHE")


def cache_folder() -> Path:
    """$TRAINCOMPUTE_CACHE, else the cache folder of this user and system. Raises CacheError for a user without a
    home."""
    from pathlib import Path  # as above

    try:
        if given := os.environ.get("TRAINCOMPUTE_CACHE"):
            return Path(given).expanduser().absolute()

        from platformdirs import user_cache_path

        return Path(user_cache_path("traincompute"))
    except RuntimeError as error:
        raise CacheError("this user has no home") from error


def default_folder() -> str | None:
    """The folder of the release or build that is read where no version is asked for: $TRAINCOMPUTE_DATA, the build of
    the checkout, the one that the package carries. None where there is none, or $TRAINCOMPUTE_INDEX names an index.
    Raises ReleaseError where $TRAINCOMPUTE_DATA is a pipe."""
    given = os.environ.get("TRAINCOMPUTE_DATA")
    if given and is_odd(given):
        raise ReleaseError(f"TRAINCOMPUTE_DATA: {given} is neither a file nor a folder")
    if given or os.environ.get("TRAINCOMPUTE_INDEX"):
        return given or None
    return next((folder for folder in (processed_folder(), EMBEDDED) if holds_dataset(folder)), None)


def is_odd(path: str | os.PathLike[str]) -> bool:
    """Whether something other than a file or a folder is there: a pipe, which would be waited for without end."""
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def holds_dataset(folder: str) -> bool:
    """Whether a folder holds a release or a build."""
    return os.path.isfile(os.path.join(folder, MANIFEST))


def is_path(text: str) -> bool:
    """Whether the text can only be a path: no version has a separator or begins with a point."""
    return not is_remote(text) and (os.sep in text or text.startswith((".", "~")))


def is_remote(address: str) -> bool:
    """Whether it is an address on the net and no file or folder."""
    return "://" in address


def processed_folder() -> str:
    """Where the checkout in use has its build."""
    return os.path.join(checkout_root(), "data", "processed")


def checkout_root() -> str:
    """The root of the checkout in use: $TRAINCOMPUTE_ROOT, else the folder that this package lies in."""
    return os.path.abspath(os.environ.get("TRAINCOMPUTE_ROOT") or os.path.dirname(PACKAGE))


def in_checkout() -> bool:
    """Whether there is a checkout in use: one with facts to build from."""
    return os.path.isdir(os.path.join(checkout_root(), "data", "raw"))


def own_releases() -> str:
    """The index of the checkout in use, whether it exists or not."""
    return os.path.join(processed_folder(), "releases", INDEX_NAME)


def index_address(given: str | None = None) -> str:
    """The address of the index in use, where a folder stands for the releases.json in it: `given`,
    $TRAINCOMPUTE_INDEX, the checkout's own, the one that the package was built with.

    Raises ReleaseError where there is none."""
    address = given or os.environ.get("TRAINCOMPUTE_INDEX")
    if not address and os.path.isfile(own_releases()):
        address = own_releases()
    address = address or built_in_index()
    if not address:
        raise ReleaseError(
            "no index of releases is known; give its address or folder: set TRAINCOMPUTE_INDEX=https://…/releases.json,"
            " or use --index; in a checkout `traincompute dev release VERSION` makes one",
            2,
        )
    if is_remote(address):
        return address if address.split("?")[0].endswith(".json") else address.rstrip("/") + "/" + INDEX_NAME
    path = os.path.abspath(os.path.expanduser(address))
    return os.path.join(path, INDEX_NAME) if os.path.isdir(path) else path


def built_in_index() -> str:
    """The address of the index that the package was built with; "" where it names none."""
    if not os.path.isfile(BUILT_IN):
        return ""
    with open(BUILT_IN, encoding="utf-8") as file:
        return file.read().strip()
