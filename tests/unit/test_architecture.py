"""The order of the modules, and what commands may import before they run."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.paths import CHECKOUT
from traincompute.cli import MODULES

# each layer may import the layers after it, and modules of its own layer that do not import it back
LAYERS = [
    {"cli", "stages", "add_fact", "propose", "audit", "audit_checks", "status", "scale", "site", "calibrate",
     "calibration_plots", "thresholds", "trends_cli", "figures", "reproductions", "shape_of_code"},
    {"release"},
    {"build", "pull"},
    {"calibration_files"},
    {"datapackage", "croissant", "publish", "views", "querydoc", "sourcedoc", "methoddoc", "validate", "revisions", "holds",
     "bounds", "gates", "ledger", "adapters"},
    {"trends", "cached"},
    {"estimate", "derive", "models", "tables", "claims", "selection", "corrections", "identity", "facts", "normalize",
     "fragments", "compute_fragments", "sentences", "arithmetic", "evaluation"},
    {"tabular", "fetch", "transfer", "archive", "units", "dates", "sources", "schema", "vocab", "columnar"},
    {"names", "yamlfile", "errors", "fingerprint", "paths"},
]  # fmt: skip
DEPTH = {module: depth for depth, layer in enumerate(LAYERS) for module in layer}
# ledger and fragments are read by what stands beside or above them only
UPWARD = {("facts", "ledger")}


def imports(file: Path) -> set[str]:
    """The modules of the project that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] in ("pipeline", "traincompute")}


def test_every_module_has_a_layer() -> None:
    modules = {path.stem if path.is_file() else path.name for path in (CHECKOUT / "pipeline").iterdir()}
    assert modules - {"__init__", "__pycache__", "sql"} <= set(DEPTH)


@pytest.mark.parametrize("file", sorted((CHECKOUT / "pipeline").rglob("*.py")), ids=lambda p: p.stem)
def test_imports_go_one_way(file: Path) -> None:
    own = file.relative_to(CHECKOUT / "pipeline").parts[0].removesuffix(".py")
    for name in imports(file):
        parts = name.split(".")
        if parts[0] == "pipeline" and len(parts) > 1 and parts[1] in DEPTH and parts[1] != own and own in DEPTH:
            assert DEPTH[parts[1]] >= DEPTH[own] or (own, parts[1]) in UPWARD, f"{own} imports {parts[1]}"


def test_no_adapter_imports_another() -> None:
    for file in (CHECKOUT / "pipeline" / "adapters").glob("[a-z]*.py"):
        others = [name for name in imports(file) if name.startswith("pipeline.adapters.") and file.stem not in name]
        assert not others, file.name


def test_the_reader_does_not_depend_on_the_pipeline() -> None:
    for file in (CHECKOUT / "traincompute").rglob("*.py"):
        assert not [name for name in imports(file) if name.startswith("pipeline")], file.name


def test_only_the_fetching_modules_open_connections() -> None:
    users = {
        file.stem
        for file in (CHECKOUT / "pipeline").rglob("*.py")
        if "import requests" in file.read_text()
        or "import urllib3" in file.read_text()
        or "from urllib3" in file.read_text()
    }
    assert users <= {"fetch", "transfer", "hub_api"}


def test_one_module_of_the_reader_opens_connections() -> None:
    words = ("urllib.request", "urllib import request", "http.client", "import socket", "import requests")
    files = sorted((CHECKOUT / "traincompute").rglob("*.py"))
    assert [file.stem for file in files if any(word in file.read_text() for word in words)] == ["transport"]


@pytest.mark.parametrize("module", sorted(set(MODULES.values())))
def test_a_command_module_imports_nothing_heavy(module: str) -> None:
    heavy = ("pandas", "pyarrow", "pandera", "duckdb", "requests", "yaml")
    code = f"import sys, {module}; print([name for name in {heavy!r} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=CHECKOUT)
    allowed = {"yaml", "requests"} if module.startswith("pipeline.") else set()
    assert set(ast.literal_eval(result.stdout)) <= allowed
