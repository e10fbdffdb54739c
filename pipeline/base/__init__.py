"""What every other room builds on: paths, errors, names, dates, units, YAML and files."""
