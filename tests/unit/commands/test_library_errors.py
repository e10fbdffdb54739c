"""What the package raises."""

from __future__ import annotations

import re

from pipeline.paths import CHECKOUT
from traincompute.cli import MODULES


def test_a_library_raises_no_error_of_the_command_line() -> None:
    """Outside the commands, nothing ends the process."""
    commands = {f"{module.replace('.', '/')}.py" for module in MODULES.values()}
    commands |= {"traincompute/cli.py", "traincompute/__main__.py", "traincompute/commands/options.py"}
    commands |= {"pipeline/pull/workbook.py"}  # a process of its own, which has a limit of memory
    files = {file.relative_to(CHECKOUT).as_posix() for room in ("traincompute", "pipeline") for file in
             (CHECKOUT / room).rglob("*.py")}  # fmt: skip
    ends = re.compile(r"raise click\.|os\._exit|sys\.exit")
    assert [name for name in files - commands if ends.search((CHECKOUT / name).read_text(encoding="utf-8"))] == []
