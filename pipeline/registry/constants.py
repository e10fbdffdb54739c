"""Reads data/constants.yml: the constants behind the estimates and the derived columns, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.base.paths import Paths
from pipeline.base.yamlfile import load_yaml

Constants = Mapping[str, Mapping[str, Any]]


def load_constants(paths: Paths) -> Constants:
    """Subject → name → value. Raises DataError if the file is missing or is not valid YAML."""
    constants: Constants = load_yaml(paths.constants, paths.short(paths.constants))
    return constants
