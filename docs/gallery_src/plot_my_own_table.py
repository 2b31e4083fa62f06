"""
My own table: numbers, categories, dates and gaps
=================================================

A table as people have it goes in as it is: no encoding, no scaling, no
imputation. The customers below are made up, in three groups; a tenth of the
cells is empty.
"""

# %%
# The table
# ---------
# Ids stand in the index here; a column of ids would be recognised, too.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from consensa import EnsembleClustering
from consensa.evaluate import ari
from consensa.report import plot_consensus

rng = np.random.default_rng(0)
n = 400
group = rng.choice(3, n, p=[0.5, 0.3, 0.2])
came = rng.normal(np.array([150, 900, 2000])[group], 100).round()
table = pd.DataFrame(
    {
        "age": rng.normal(np.array([24, 41, 68])[group], 5).round(),
        "income": rng.normal(np.array([14, 52, 27])[group], 5).round() * 1000,
        "plan": np.where(
            rng.random(n) < 0.7,
            np.array(["free", "plus", "basic"])[group],
            rng.choice(["free", "plus", "basic"], n),
        ),
        "newsletter": rng.random(n) < np.array([0.2, 0.7, 0.4])[group],
        "since": pd.Timestamp("2026-01-01") - pd.to_timedelta(came, "D"),
    },
    index=[f"customer {i}" for i in range(n)],
)
table = table.astype({"newsletter": object}).mask(
    rng.random(table.shape) < 0.1
)
print(table.head(3))

# %%
# One call
# --------
# What the columns were taken for is kept. Every base clustering looks at some
# of the columns, and compares rows by the values that they have.

model = EnsembleClustering("auto", n_partitions=40, random_state=0).fit(table)
print({column.name: column.kind for column in model.columns_})
print(f"{model.n_clusters_} clusters, ARI {ari(model.labels_, group):.2f}")

# %%
# Who is who
# ----------
# ``profile`` says what sets every cluster apart; names are kept, in saved
# models as well. ``model.report("report.html")`` is the same as a page.

for _, cluster in model.profile().iterrows():
    print(f"{cluster['name']} ({cluster['size']}): {cluster['description']}.")

fig, ax = plt.subplots(figsize=(5, 4.5))
plot_consensus(model, ax=ax)
fig.tight_layout()
plt.show()
