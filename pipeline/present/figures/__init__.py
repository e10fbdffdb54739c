"""The figures, each drawn from a query on the published dataset."""
