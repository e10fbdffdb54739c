"""The first hour of a stranger: the wheel alone in a fresh environment and an empty folder, without network.

    python tests/first_hour/run.py                       # makes the wheel from the build in data/processed
    python tests/first_hour/run.py --wheel dist/*.whl --lowest
    python tests/first_hour/run.py --times 7 --json      # the median of each command in seconds

Needs nothing but Python and pip. `--lowest` installs the oldest libraries that pyproject.toml allows.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TOOLS = ["python-calamine"]  # reads again what was exported to Excel
# whoever connects fails, in this process and in those that it starts
NO_NETWORK = (
    "import socket\n\ndef refuse(*_):\n    raise OSError('no network here')\n\nsocket.socket.connect = refuse\n"
)


def main() -> None:
    """Ends with exit code 1 where something does not answer."""
    options = _options()
    with tempfile.TemporaryDirectory(prefix="first-hour-") as name:
        folder = Path(name)
        wheel = options.wheel or make_wheel(folder / "wheel")
        limits = ["-c", str(ROOT / "constraints-lowest.txt")] if options.lowest else options.limits
        python = fresh_environment(folder / "environment", wheel, limits)
        checked = subprocess.run([python, HERE / "checks.py", str(options.times)], cwd=_empty(folder), env=_env(folder))
        if checked.returncode:
            sys.exit(checked.returncode)
        found = json.loads((folder / "empty" / "found.json").read_text())
        size = wheel.stat().st_size / 1e6
    if options.json:
        print(json.dumps(found["seconds"]))
        return
    libraries = ", ".join(f"{name} {version}" for name, version in found["libraries"].items())
    print(f"first hour with {wheel.name} ({size:.1f} MB), {libraries}: {len(found['seconds'])} commands answer")


def make_wheel(folder: Path) -> Path:
    """The wheel of this checkout with its build. Raises CalledProcessError where there is none."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob("*.whl")
    return wheel


def fresh_environment(folder: Path, wheel: Path, limits: Sequence[str]) -> Path:
    """The Python of an environment with the wheel, its extra for Excel and their dependencies alone, within limits that pip
    understands."""
    venv.create(folder, with_pip=True, symlinks=os.name != "nt")
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    words = ["install", "-q", "--disable-pip-version-check", *limits, f"{wheel}[excel]", *TOOLS]
    subprocess.run([python, "-m", "pip", *words], check=True, stderr=subprocess.PIPE, env=_unset())
    return python


def _empty(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def _env(folder: Path) -> dict[str, str]:
    """The environment of the stranger, who has set nothing and has no network."""
    (folder / "offline").mkdir()
    (folder / "offline" / "sitecustomize.py").write_text(NO_NETWORK)
    return {**_unset(), "PYTHONPATH": str(folder / "offline"), "PIP_NO_INDEX": "1", "HOME": str(folder / "home")}


def _unset() -> dict[str, str]:
    """The environment without what would let the fresh one see other packages or datasets."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("TRAINCOMPUTE_", "PYTHON"))}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wheel", type=Path, help="the wheel to install; by default it is made")
    parser.add_argument("--lowest", action="store_true", help="with the versions of constraints-lowest.txt")
    parser.add_argument("--with", dest="limits", nargs=1, default=[], metavar="SPEC", help="with this too: 'pandas<3'")
    parser.add_argument("--times", type=int, default=1, help="how often each command runs")
    parser.add_argument("--json", action="store_true", help="print the median seconds of each command")
    return parser.parse_args()


if __name__ == "__main__":
    main()
