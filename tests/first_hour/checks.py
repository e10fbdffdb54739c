"""What the package must answer on its own; run.py runs it in a fresh environment. Prints what fails, with exit code 1."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import parquet
from python_calamine import CalamineWorkbook

import traincompute as t
from traincompute.base.places import ReleaseError

COMMAND = Path(sys.executable).with_name("traincompute")
VERSION = version("traincompute")
JOBS = sorted((Path(__file__).parent / "jobs").iterdir())
LARGE = "is_notable and training_compute_flop >= 1e25"
# command → what it prints; each runs in the empty folder
COMMANDS = {
    "--version": f"traincompute {VERSION}, facts to 20",
    "--help": "export",
    "tables": "claims",
    "tables models": "training_compute_flop",
    f'sql "select count(*) as n from models where {LARGE}"': "n",
    "explain gpt-4": "Training compute: ",
    "examples energy": "Which trainings took most energy",
    "search deepseek": "deepseek-v",
    "match 'gpt 4' 'DeepSeek v3'": "deepseek-v3",
    "thresholds 1e25": "expected",
    "trends --quantity flop": "notable",
    "revisions gpt-4o": "training_compute_flop",
    "diff current current": "no difference",
    "convert '1e25 FLOP'": "petaflop/s-day",
    "verify current": "as its manifest says",
    "cite": "Epoch AI",
    "cite --apa": f"(Version {VERSION}) [Data set]",
    "cite --bibtex": "@dataset{traincompute_",
    "cite --csl": "https://epoch.ai/data/ai-models",
    "figures training-compute": "wrote figures/training-compute.svg",
    "export models --to models.csv": "wrote models.csv",
    "export models --to models.json": "wrote models.json",
    "export models --to models.parquet": "wrote models.parquet",
    "export models --to models.xlsx": "wrote models.xlsx",
    "export models --to models.dta": "wrote models.dta",
    "export trends --to growth.tex": "wrote growth.tex",
    "export frontier_models --to view.csv": "wrote view.csv",
}
# command → what its one line of error says
REFUSED = {
    "build": "`build` needs a checkout: clone the repository",
    "thresholds 1e25 --as-of 2025-05-06": "--as-of needs a checkout",
    "explain no-such-model-anywhere": "no model 'no-such-model-anywhere'",
    "revisions no-such-model-anywhere": "no model 'no-such-model-anywhere'",
    "sql 'select 1' --version 2020.1.0": "set TRAINCOMPUTE_INDEX=https://",
    "sql \"select name from models where hardware like '%A100%'\"": "hardware holds lists: list_contains(",
}


def main() -> None:
    """Every check; the median seconds of each command and the versions of the libraries go to found.json."""
    times = int(sys.argv[1])
    seconds = {words: command(words, shown, times) for words, shown in COMMANDS.items()}
    for words, said in REFUSED.items():
        refused(words, said)
    for job in JOBS:
        done(job)
    for check in (tables_have_their_types, queries_agree, exports_are_read_again, versions_are_found):
        check()
    libraries = {name: version(name) for name in ("pandas", "pyarrow", "duckdb", "click", "platformdirs")}
    Path("found.json").write_text(json.dumps({"seconds": seconds, "libraries": libraries}))


def run(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *shlex.split(line)], capture_output=True, text=True, timeout=60)


def command(words: str, shown: str, times: int) -> float:
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        done = run(words)
        taken.append(time.perf_counter() - start)
        assert done.returncode == 0, f"{words}: {done.stderr}"
        assert shown in done.stdout, f"{words} does not print {shown!r}: {done.stdout[:500]}"
    return round(statistics.median(taken), 3)


def done(job: Path) -> None:
    """What a person with that job types answers: each line `# > text` of the script stands in what is printed."""
    if job.suffix == ".sh" and not shutil.which("bash"):
        return
    interpreter = sys.executable if job.suffix == ".py" else "bash"
    path = os.pathsep.join([str(COMMAND.parent), os.environ["PATH"]])
    found = subprocess.run(
        [interpreter, *(["-e"] if job.suffix == ".sh" else []), job],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PATH": path},
    )
    assert found.returncode == 0, f"{job.name}: {found.stderr}"
    wanted = re.findall(r"^ *# ?> (.+)", job.read_text(), re.MULTILINE)
    missing = [text for text in wanted if text not in found.stdout]
    assert wanted, f"{job.name} says nothing of what it prints"
    assert not missing, f"{job.name} does not print {missing}: {found.stdout[:2000]}"


def refused(words: str, said: str) -> None:
    done = run(words)
    assert done.returncode in (1, 2), f"{words}: exit code {done.returncode}"
    assert said in done.stderr, f"{words}: {done.stderr}"
    assert done.stderr.count("\n") == 1, f"{words} says more than one line: {done.stderr}"


def tables_have_their_types() -> None:
    """pandas' dtypes are those of the Parquet files, whatever its version."""
    new = int(pd.__version__.split(".")[0]) >= 3
    kinds = {
        pa.string(): "str" if new else "object",
        pa.float64(): "float64",
        pa.int64(): "Int64",
        pa.bool_(): "boolean",
    }
    folder = Path(t.path("models")).parent
    for file in sorted(folder.glob("*.parquet")):
        frame, schema = t.load(file.stem), parquet.read_schema(file)
        wanted = {
            field.name: kinds.get(field.type, "datetime64[s]" if pa.types.is_date(field.type) else "object")
            for field in schema
        }
        assert frame.dtypes.astype(str).to_dict() == wanted, file.stem
    models = t.load("models")
    assert models.attrs["units"]["training_compute_flop"] == "FLOP"
    assert models["parameters"].isna().any()
    assert isinstance(models["organizations"].dropna().iloc[0], list)
    assert t.load("models", lists="joined")["organizations"].dropna().map(type).eq(str).all()


def queries_agree() -> None:
    models = t.load("models")
    by_pandas = int((models["is_notable"] & (models["training_compute_flop"] >= 1e25)).sum())
    by_sql = t.sql(f"select count(*) as n from models where {LARGE}")
    assert by_sql["n"].tolist() == [by_pandas]
    assert by_pandas > 10
    name = t.sql("select name from models where model_id = $id", parameters={"id": "gpt-4"})["name"]
    assert name.tolist()[0].startswith("GPT-4")


def exports_are_read_again() -> None:
    """Each by a reader of its own: the same rows, and the sum of compute to the last digit."""
    models = t.load("models")
    read = {
        "csv": pd.read_csv(
            "models.csv", low_memory=False, float_precision="round_trip"
        ),  # older pandas miss the last digit
        "json": pd.read_json("models.json", precise_float=True),
        "parquet": pd.read_parquet("models.parquet"),
        "xlsx": sheet("models.xlsx", "models"),
        "dta": pd.read_stata("models.dta"),
    }
    for kind, frame in read.items():
        assert list(frame.columns) == list(models.columns), kind
        assert frame["model_id"].astype("object").tolist() == models["model_id"].tolist(), kind
        flop = frame["training_compute_flop"].astype("float64")
        assert flop.sum() == models["training_compute_flop"].sum(), kind


def sheet(file: str, name: str) -> pd.DataFrame:
    """A sheet as the file has it: pandas' own reader makes whole numbers of floats, which above 2**63 leaves texts for gaps."""
    heading, *rows = CalamineWorkbook.from_path(file).get_sheet_by_name(name).to_python()
    return pd.DataFrame([[None if cell == "" else cell for cell in row] for row in rows], columns=heading)


def versions_are_found() -> None:
    assert VERSION in t.cite()
    for asked in (VERSION, "2020.1.0"):  # the wheel carries a build
        with suppress(ReleaseError):
            t.load("models", version=asked)
            raise AssertionError("a version that is not here is loaded")


if __name__ == "__main__":
    main()
