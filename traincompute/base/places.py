"""Where datasets and releases are found. Paths are texts here: a command without pathlib starts sooner."""

from __future__ import annotations

import os

from traincompute.base.errors import ReleaseError

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


def processed_folder() -> str:
    """Where the checkout in use has its build: $TRAINCOMPUTE_ROOT, else the one that this package lies in."""
    root = os.path.abspath(os.environ.get("TRAINCOMPUTE_ROOT") or os.path.dirname(PACKAGE))
    return os.path.join(root, "data", "processed")


def default_folder() -> str | None:
    """The folder of the release or build that is read where no version is asked for: $TRAINCOMPUTE_DATA, the build of
    the checkout, the one that the package carries. None where there is none, or $TRAINCOMPUTE_INDEX names an index.
    Raises ReleaseError where $TRAINCOMPUTE_DATA is no folder."""
    given = os.environ.get("TRAINCOMPUTE_DATA")
    if given and not os.path.isdir(given):
        raise ReleaseError(f"TRAINCOMPUTE_DATA: {given} is no folder; name that of a release or build", 2)
    folders = () if os.environ.get("TRAINCOMPUTE_INDEX") else (processed_folder(), EMBEDDED)
    return given or next(filter(holds_dataset, folders), None)


def holds_dataset(folder: str) -> bool:
    """Whether a folder holds a release or a build."""
    return os.path.isfile(os.path.join(folder, MANIFEST))


def is_folder(text: str) -> bool:
    """Whether the text is a folder or could be nothing else: no version has a separator or begins with a point."""
    return os.path.isdir(text) or (not is_remote(text) and (os.sep in text or text.startswith((".", "~"))))


def is_remote(address: str) -> bool:
    """Whether it is an address on the net and no file or folder."""
    return "://" in address


def built_in_index() -> str:
    """The address of the index that the package was built with; "" where it names none."""
    if not os.path.isfile(BUILT_IN):
        return ""
    with open(BUILT_IN, encoding="utf-8") as file:
        return file.read().strip()


def index_address(given: str | None = None) -> str:
    """The address of the index: the given one, $TRAINCOMPUTE_INDEX, that of the checkout, or the one that the package
    was built with; "" where there is none. A folder stands for the releases.json in it."""
    own = os.path.join(processed_folder(), "releases", INDEX_NAME)
    known = os.environ.get("TRAINCOMPUTE_INDEX") or (own if os.path.isfile(own) else built_in_index())
    address = given or known
    if is_remote(address):
        return address if address.split("?")[0].endswith(".json") else f"{address.rstrip('/')}/{INDEX_NAME}"
    path = os.path.abspath(os.path.expanduser(address)) if address else ""
    return os.path.join(path, INDEX_NAME) if os.path.isdir(path) else path
