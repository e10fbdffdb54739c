"""The static site: explorer, SQL, estimate, figures, docs, one page per thing, and the API."""
