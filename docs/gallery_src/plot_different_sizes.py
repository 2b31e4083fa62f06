"""
My clusters have very different sizes
=====================================

Some consensus methods cut a graph into parts of *equal* size. That is how they
were published (CSPA, HGPA and MCLA rest on the graph partitioners METIS and
hMETIS), and it is fine if your clusters are of similar size. If they are not,
it is wrong by construction: a large cluster is split, small ones are merged.
The registry says which methods do it.
"""

# %%
# Which methods force equal sizes?
# --------------------------------

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from consensa import CSPA, HGPA, MCLA, compare_methods
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions
from consensa.methods import METHODS

print(
    "forced:",
    ", ".join(name for name, method in METHODS.items() if method.balanced),
)

# %%
# Four clusters of 400, 150, 60 and 30 objects
# --------------------------------------------
# They are far apart, so this is easy for the eye. The ensemble: 30 k-means
# clusterings with random numbers of clusters. k-means itself likes clusters of
# similar size, so most of its clusterings cut the large cluster into pieces.

SIZES = [400, 150, 60, 30]


def draw(seed):
    """Draw the objects, their true clusters and an ensemble of them."""
    X, truth = make_blobs(
        SIZES, centers=[[0, 0], [7, 0], [0, 7], [7, 7]], random_state=seed
    )
    return X, truth, KMeansPartitions(30, random_state=seed).fit_transform(X)


X, truth, partitions = draw(0)
names = ["cspa", "mcla", "hgpa", "lwea", "eac", "lwgp"]
quick = {"hgpa": {"n_init": 1}}
comparison = compare_methods(
    partitions, 4, names, truth=truth, parameters=quick, random_state=0
)
for name, labels in comparison.labels.items():
    kind = "equal sizes forced" if METHODS[name].balanced else "free"
    score = comparison.results[name].ari
    print(f"{name:5} {kind:18} {np.bincount(labels)}, ARI {score:.2f}")

# %%
# Clusters are numbered by size, and coloured by their number:

figure, axes = plt.subplots(
    1, 4, figsize=(11, 3), layout="constrained", sharex=True, sharey=True
)
shown = {"truth": truth} | {
    name: comparison.labels[name] for name in ("cspa", "lwea", "lwgp")
}
for panel, (name, labels) in zip(axes, shown.items(), strict=True):
    for cluster, (colour, marker) in enumerate(
        zip(("#0072b2", "#e69f00", "#009e73", "#cc79a7"), "os^D", strict=True)
    ):
        inside = labels == cluster
        panel.scatter(
            *X[inside].T, s=9, color=colour, marker=marker, linewidths=0
        )
    panel.set(
        title=name if name == "truth" else METHODS[name].estimator,
        xlabel="first feature",
    )
axes[0].set_ylabel("second feature")
plt.show()

# %%
# CSPA has to make four parts of 160 objects. LWEA forces nothing and yet cuts
# the large cluster: its weights favour clusters that no other base clustering
# splits, and here the large cluster is split in most of them. EAC and LWGP
# find the four clusters in this draw.
#
# Not by luck: several draws
# --------------------------
# The three methods have a variant without the balance, a ``partitioner`` that
# makes a spectral cut of the same graph.

candidates = {
    "CSPA": CSPA(4, random_state=0),
    "MCLA": MCLA(4, random_state=0),
    "HGPA": HGPA(4, n_init=1, random_state=0),
    "CSPA, spectral": CSPA(4, partitioner="spectral", random_state=0),
    "MCLA, spectral": MCLA(4, partitioner="spectral", random_state=0),
    "HGPA, tcut": HGPA(4, partitioner="tcut", random_state=0),
} | {
    METHODS[name].estimator: METHODS[name].load()(4)
    for name in ("lwea", "eac", "lwgp")
}
candidates["LWGP"].set_params(random_state=0)

scores = {name: [] for name in candidates}
for seed in range(1, 6):
    _, truth, partitions = draw(seed)
    for name, method in candidates.items():
        scores[name].append(ari(method.fit_predict(partitions), truth))

figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
for place, (name, values) in enumerate(scores.items()):
    forced = place < 3
    colour = "#d55e00" if forced else "#0072b2"
    axes.scatter(
        values, np.full(len(values), place), color=colour, alpha=0.5, s=22
    )
    axes.scatter(np.mean(values), place, color=colour, marker="|", s=300)
    print(f"{name:15} mean ARI {np.mean(values):.2f}")
axes.set_yticks(range(len(scores)), scores)
axes.invert_yaxis()
axes.set(
    xlabel="ARI with the true clusters, 5 draws (bar: mean)",
    title="Equal sizes forced (orange), or not (blue)",
)
plt.show()

# %%
# What to do
# ----------
# - If you do not know the sizes, choose a method that the registry does not
#   call balanced, or the free ``partitioner``.
# - "Not balanced" is no guarantee. Compare several methods
#   (``compare_methods``), and look at the sizes that come out.
# - If you *want* groups of equal size, CSPA and its kin are the right tools;
#   ``imbalance`` says how strictly.
#
# These clusters are far apart; where they overlap, everything is harder, and
# small clusters are lost first.
