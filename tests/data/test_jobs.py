"""What five people with a job of theirs type, each in an empty folder with the build of the committed facts."""

from __future__ import annotations

from pathlib import Path

import pytest
from first_hour.checks import JOBS, done

from pipeline.base.paths import Paths

OFTEN = ("data_engineer", "economist")


@pytest.mark.parametrize("job", [job for job in JOBS if job.stem in OFTEN], ids=lambda job: job.stem)
def test_a_job_is_done(job: Path, real: Paths, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRAINCOMPUTE_DATA", str(real.processed))
    done(job)
