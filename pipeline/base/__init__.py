"""What every room stands on: paths, errors, names, dates, units, YAML and files."""
