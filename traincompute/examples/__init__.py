"""Questions that people ask of the dataset, each in SQL, pandas and R, and the search for them."""
