"""Stage 2: refuses tables that break their schemas and reports every problem at once."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from pipeline.config import Config
from pipeline.errors import DataError
from pipeline.frames import Tables
from pipeline.validate.cells import check_table
from pipeline.validate.origin import nowhere, origin_of
from pipeline.validate.references import check_references

MODELS = "models"


def check_tables(context: Config, made: Tables, claims: pd.DataFrame | None = None) -> Tables:
    """The tables, unchanged. Raises DataError with every cell and every row that breaks a rule of its schema, and with
    the facts among the claims that a row of models comes from."""
    origins = {} if claims is None else {MODELS: origin_of(context.paths, claims, context.schemas[MODELS])}
    problems = [
        problem
        for name, frame in made.items()
        for problem in check_table(frame, context.schemas[name], context.vocabularies, origins.get(name, nowhere))
    ]
    if problems:
        raise DataError(problems)
    return made


def check_stated(context: Config, made: Tables) -> None:
    """Raises DataError for a cell of models that no source can state, before anything is worked out from it."""
    table = context.schemas[MODELS]
    stated = {column.name for column in table.columns if not column.derived}
    problems = check_table(made[MODELS], replace(table, rules=()), context.vocabularies)
    DataError.raise_any(problem for problem in problems if problem.field in stated)


def check_links(context: Config, made: Tables) -> None:
    """Raises DataError if a table refers to a row of another table that does not exist."""
    if problems := check_references(made, context.schemas):
        raise DataError(problems)
