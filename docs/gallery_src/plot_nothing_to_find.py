"""
Nothing to find
===============

A cloud without clusters, and what different ways make of it: k-means cuts it
into as many as it is told, a rule that has to choose at least two chooses two
or more. One cluster is an answer, too.
"""

# %%
# One cloud
# ---------
# 200 objects of one Gaussian in five dimensions, stretched along some axis.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score

from consensa import EnsembleClustering, significance

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5)) * [3.0, 1.5, 1.0, 1.0, 1.0]
cuts = {
    k: KMeans(k, n_init=10, random_state=0).fit_predict(X)
    for k in (2, 3, 4, 5)
}
scores = {k: silhouette_score(X, labels) for k, labels in cuts.items()}
print(
    "silhouettes:", {k: round(float(score), 2) for k, score in scores.items()}
)

# %%
# The silhouette has to choose one of them. ``significance`` need not, and a
# model that is asked for ``"tested"`` clusters has one.

found = significance(X, random_state=0)
print(found)
model = EnsembleClustering("tested", n_partitions=30, random_state=0).fit(X)
print("clusters:", model.n_clusters_)

# %%
# The cut of k-means looks like two clusters as soon as it is coloured.

best = max(scores, key=scores.get)
figure, panels = plt.subplots(
    1, 2, figsize=(9, 3.4), layout="constrained", sharey=True
)
for panel, labels, title in (
    (panels[0], cuts[best], f"k-means, best silhouette: {best}"),
    (panels[1], found.labels, f"tested: {found.n_clusters}"),
):
    panel.scatter(X[:, 0], X[:, 1], c=labels, s=14, cmap="viridis")
    panel.set(title=title, xlabel="first feature")
panels[0].set_ylabel("second feature")
plt.show()

# %%
# ``n_clusters="auto"`` is a guide: of a stretched cloud it may say two, with
# little confidence, and ``choice_.strength`` is the probability that there
# are clusters at all. The test has a known error. It knows one kind of data
# without clusters, though: one ellipsoid. A uniform square or a curved band is
# none, and may be split.

choice = EnsembleClustering("auto", random_state=0).fit(X).choice_
print(f"auto: {choice.verdict()}; clusters at all: {choice.strength:.2f}")
