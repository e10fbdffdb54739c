"""The figures, each drawn from the published dataset."""
