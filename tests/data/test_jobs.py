"""What five people with a job of theirs type, each in an empty folder with the build of the committed facts. Each line
`# > text` of a script stands in what the script prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.paths import Paths

JOBS = sorted((Path(__file__).parent / "jobs").iterdir())


@pytest.mark.parametrize("job", JOBS, ids=lambda job: job.stem)
def test_a_job_is_done(job: Path, real: Paths, tmp_path: Path) -> None:
    command = [sys.executable, job] if job.suffix == ".py" else ["bash", "-e", job]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "TRAINCOMPUTE_DATA": str(real.processed)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert [
        line
        for line in re.findall(r"^ *# ?> (.+)", job.read_text(), re.MULTILINE)
        if " ".join(line.split()) not in said
    ] == []
