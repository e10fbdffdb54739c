"""The order of the rooms, and imports of commands."""

from __future__ import annotations

import subprocess
import sys

from pipeline.paths import CHECKOUT
from traincompute.cli import MODULES

HEAVY = ("pandas", "pyarrow", "pandera", "duckdb", "requests", "yaml", "pydantic")


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=CHECKOUT, check=False)


def test_every_import_leads_down() -> None:
    result = run("import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))")
    assert result.returncode == 0, result.stdout


def test_a_command_module_imports_nothing_heavy() -> None:
    modules = sorted(set(MODULES.values()))
    result = run(
        f"import importlib, sys\nfor module in {modules!r}:\n    importlib.import_module(module)\n"
        f"    print(*[f'{{module}}: {{name}}' for name in {HEAVY!r} if name in sys.modules], end='')"
    )
    assert (result.stdout, result.stderr) == ("", "")
