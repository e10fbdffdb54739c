"""An economist: growth since 2010 and a table for a paper."""

import numpy as np

import traincompute as t

models = t.load("models")
known = models[models["is_notable"] & models["training_compute_flop"].notna() & (models["publication_date"] >= "2010")]
years = (known["publication_date"] - known["publication_date"].min()).dt.days / 365.25
slope = np.polyfit(years, np.log10(known["training_compute_flop"]), 1)[0]
print(f"{10**slope:.1f} times a year, from {len(known)} models" if 2 < 10**slope < 8 else "no growth")
# > times a year, from

trends = t.load("trends")
print(trends[["quantity", "growth_per_year", "growth_low", "growth_high"]].head(3))
# > growth_per_year

print(models.attrs["units"]["training_cost_usd"])
# > USD
print(t.cite(style="bibtex").splitlines()[0])
# > @dataset{traincompute_
