"""The methods of estimating the training compute, one file each; a method that does not apply says what is missing.

Each has its name, `METHOD`, and `estimate`, which gives a result (see results.py) for each of `estimation_rows`."""

from __future__ import annotations

from pipeline.impute.methods import base_model, hardware, operation_count

# Of one training by itself, the preferred one first. A new method is a file here, a line in this list and a test.
OF_ONE_RUN = [operation_count, hardware]
# The first that applies is taken: the compute of the base models, too, else the run's own alone
PHYSICAL = [base_model.METHOD, *(method.METHOD for method in OF_ONE_RUN)]
