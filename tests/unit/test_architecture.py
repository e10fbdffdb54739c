"""What an import linter cannot see; the order of the rooms is the contract in pyproject.toml."""

from __future__ import annotations

import ast
import graphlib
import os
import re
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

from pipeline.base.paths import CHECKOUT
from pipeline.present.docs.architecture import reduced
from traincompute.cli import MODULES

HEAVY = ("pandas", "pyarrow", "pandera", "duckdb", "requests", "yaml")
SOURCES = sorted([*(CHECKOUT / "pipeline").rglob("*.py"), *(CHECKOUT / "traincompute").rglob("*.py")])
MOST_INNER_IMPORTS = 15  # of heavy libraries, outside commands/; each has a reason beside it
MOST_TYPE_CHECKING = 13
INDENTED = re.compile(rf"^ +(?:import|from) (?:{'|'.join((*HEAVY[:4], 'numpy'))})\b", re.MULTILINE)


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Runs import-linter on a checkout, whose packages take precedence over the installed ones."""
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    wide = {**os.environ, "COLUMNS": "200"}  # it breaks lines where a terminal would
    return subprocess.run([sys.executable, "-c", code], cwd=root, env=wide, capture_output=True, text=True)


def copied(root: Path) -> Path:
    """A copy of this checkout's code below `root`, where a test may break it."""
    for file in [CHECKOUT / "pyproject.toml", *SOURCES]:
        target = root / file.relative_to(CHECKOUT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    return root


def test_every_import_leads_down() -> None:
    result = lint_imports(CHECKOUT)
    assert result.returncode == 0, result.stdout


WRONG = {  # upward, sideways, from the reader to the pipeline, and from one adapter to another
    "pipeline.base.names": "pipeline.normalize.claims",
    "pipeline.pull.gates": "pipeline.validate.cells",
    "traincompute.reader": "pipeline.base.paths",
    "pipeline.pull.adapters.top500": "pipeline.pull.adapters.epoch_models",
}


def test_each_wrong_import_breaks_the_contract(tmp_path: Path) -> None:
    root = copied(tmp_path)
    for module, other in WRONG.items():
        with (root / f"{module.replace('.', '/')}.py").open("a") as file:
            file.write(f"\nimport {other}\n")
    result = lint_imports(root)
    assert result.returncode == 1, result.stdout
    assert "3 broken" in result.stdout
    assert dict(re.findall(r"^- +(\S+) -> (\S+)", result.stdout, re.MULTILINE)) == WRONG


def test_a_room_without_a_place_breaks_the_contract(tmp_path: Path) -> None:
    (copied(tmp_path) / "pipeline" / "attic").mkdir()
    (tmp_path / "pipeline" / "attic" / "__init__.py").touch()
    result = lint_imports(tmp_path)
    assert result.returncode == 1, result.stdout
    assert "1 broken" in result.stdout


def test_a_command_module_imports_nothing_heavy() -> None:
    """One process imports them one after another: the first that is named is the one to blame."""
    code = (
        f"import importlib, sys\nfor module in {sorted(set(MODULES.values()))!r}:\n    importlib.import_module(module)\n"
        f"    print(*[f'{{module}}: {{name}}' for name in {HEAVY!r} if name in sys.modules], end='')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    assert result.stdout == ""


def test_the_reader_names_the_pipeline_in_its_tables_of_commands_and_options_only() -> None:
    files = [file.name for file in (CHECKOUT / "traincompute").rglob("*.py") if '"pipeline.' in file.read_text()]
    assert sorted(files) == ["cli.py", "needs.py"]


@pytest.mark.parametrize("room", ["base", "registry"])
def test_what_quick_commands_stand_on_does_without_pandas(room: str) -> None:
    """add-fact and a build with nothing to do read only declarations."""
    heavy = {"columnar.py", "digits.py", "frames.py"}
    files = [file for file in (CHECKOUT / "pipeline" / room).glob("*.py") if file.name not in heavy]
    assert not [
        file.name
        for file in files
        if re.search(r"^(import|from) (pandas|numpy|pyarrow|duckdb)", file.read_text(), re.M)
    ]


def inner_imports(file: Path) -> list[str]:
    """The imports of heavy libraries inside functions, with their lines."""
    text = file.read_text()
    if not INDENTED.search(text):
        return []
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    nodes = {
        node for function in functions for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom)
    }
    names = [(n.lineno, n.module or "" if isinstance(n, ast.ImportFrom) else n.names[0].name) for n in nodes]
    return [f"{file}:{line}" for line, name in sorted(names) if name.split(".")[0] in (*HEAVY[:4], "numpy")]


def test_what_a_room_imports_stands_at_its_head() -> None:
    rooms = [file for file in SOURCES if file.parent.name != "commands"]
    found = [place for file in rooms for place in inner_imports(file)]
    assert len(found) <= MOST_INNER_IMPORTS, "\n".join(found)
    assert all(
        "#" in Path(file).read_text().splitlines()[int(line) - 1] for file, line in (p.split(":") for p in found)
    )
    assert sum("if TYPE_CHECKING" in file.read_text() for file in SOURCES) <= MOST_TYPE_CHECKING


@pytest.mark.parametrize("package", ["pipeline", "traincompute"])
def test_a_room_says_its_job_in_one_sentence(package: str) -> None:
    for file in (CHECKOUT / package).glob("**/*/__init__.py"):
        tree = ast.parse(file.read_text())
        sentence = ast.get_docstring(tree)
        assert sentence, file
        assert "\n\n" not in sentence, file
        assert len(tree.body) == 1, f"{file}: what a room offers is in its modules"


def test_no_module_imports_itself_around_a_corner() -> None:
    """With a cycle of modules, the order in which they are imported would matter."""
    graph = grimp.build_graph("pipeline", "traincompute", cache_dir=None)
    arrows = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    graphlib.TopologicalSorter(arrows).prepare()  # raises CycleError with the circle


def test_an_arrow_that_follows_from_others_is_left_out() -> None:
    assert reduced({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_a_test_stands_in_a_folder_of_tests() -> None:
    beside = [file.name for file in (CHECKOUT / "tests").glob("test_*.py")]
    assert not beside, "pytest looks into the folders of tests alone (`testpaths`); put it into one of them"
