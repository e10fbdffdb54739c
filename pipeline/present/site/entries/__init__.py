"""A static page with its own address for every model, organisation, country, chip and source, which needs no
JavaScript."""
