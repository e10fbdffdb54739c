"""What is said of faults in data."""

import pickle

from pipeline.base.errors import DataError, Problem


def test_problems_survive_the_way_from_another_process() -> None:
    error = DataError([Problem("facts.csv:2", "GPT-3", "parameters", "many", "not a number", "write digits")])
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.problems, str(copy)) == (error.problems, str(error))
