"""What a build needs."""

from __future__ import annotations

import subprocess
import sys


def test_a_build_does_without_the_extras_of_other_commands() -> None:
    others = {"scipy", "threadpoolctl", "mkdocs", "vl_convert", "ibis"}
    code = "import sys, pipeline.build, pipeline.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "pandera" in loaded
    assert not others & set(loaded)
