"""What the package raises."""

from __future__ import annotations

import re

from pipeline.paths import CHECKOUT


def test_a_library_raises_no_error_of_the_command_line() -> None:
    """Outside the commands, nothing ends the process."""
    found = []
    for file in sorted([*(CHECKOUT / "traincompute").rglob("*.py"), *(CHECKOUT / "pipeline").rglob("*.py")]):
        name = file.relative_to(CHECKOUT).as_posix()
        if "/commands/" not in name and file.name not in ("cli.py", "options.py", "__main__.py", "workbook.py"):
            lines = file.read_text(encoding="utf-8").splitlines()
            found += [
                f"{name}: {line.strip()}" for line in lines if re.search(r"raise click\.|os\._exit|sys\.exit", line)
            ]
    assert found == []
