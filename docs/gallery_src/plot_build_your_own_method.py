"""
Weigh × relate × partition: build your own method
=================================================

A consensus method answers three questions. How much does each base cluster
count (*weigh*)? How are objects related (*relate*)? How is the relation cut
(*partition*)? The published methods are points on this grid, and the three
rooms of consensa are plain functions on arrays, so that any other point is a
few lines.
"""

# %%
# The parts
# ---------
# An ``Ensemble`` is made once of the label matrix: its distinct rows
# (microclusters) with their sizes, which cluster contains which of them, and
# how many objects every two clusters share.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from consensa import LWEA, LWGP, Ensemble
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions
from consensa.partition import agglomerate, normalised_cut, transfer_cut
from consensa.relate import cluster_graph, co_association, trajectories
from consensa.weigh import (
    crowd_weights,
    divergence_weights,
    entropy_weights,
    uniform_weights,
)

X, digit = load_digits(return_X_y=True)
k = 10
ensemble = Ensemble(KMeansPartitions(20, random_state=0).fit_transform(X))
print(ensemble)

# %%
# A known point: LWEA
# -------------------
# Entropy weights, co-association, average linkage. The same labels as the
# estimator, up to their names.

# weigh: one number per base cluster
weights = entropy_weights(ensemble, theta=0.4)
# relate: S = B Bᵀ, never multiplied out
similarity = co_association(ensemble, weights)
# partition: a tree, to be cut into any k
tree = agglomerate(similarity, ensemble.sizes, "average")
labels = ensemble.to_objects(tree.cut(k))

published = LWEA(k).fit_predict(ensemble)
print("the same clustering as LWEA:", ari(labels, published) == 1.0)

# %%
# Another relation and another partitioner with the same weights: LWGP.

graph = cluster_graph(ensemble, weights)
cut = transfer_cut(graph, ensemble.sizes, random_state=0)
labels = ensemble.to_objects(cut.cut(k))

published = LWGP(k, random_state=0).fit_predict(ensemble)
print("the same clustering as LWGP:", ari(labels, published) == 1.0)

# %%
# The whole grid
# --------------
# Four weightings with four ways to relate and partition. Some of the 16 points
# have a name, most have not.

weighings = {
    "uniform": uniform_weights(ensemble),
    "crowd agreement": crowd_weights(ensemble),
    "entropy": entropy_weights(ensemble),
    "divergence": divergence_weights(ensemble),
}
cuts = {
    "co-association,\naverage linkage": lambda w: agglomerate(
        co_association(ensemble, w), ensemble.sizes
    ),
    "co-association,\nnormalised cut": lambda w: normalised_cut(
        co_association(ensemble, w), ensemble.sizes, random_state=0
    ),
    "cluster graph,\ntransfer cut": lambda w: transfer_cut(
        cluster_graph(ensemble, w), ensemble.sizes, random_state=0
    ),
    "cluster graph,\nco-clustering": lambda w: transfer_cut(
        cluster_graph(ensemble, w),
        ensemble.sizes,
        both_sides=True,
        random_state=0,
    ),
}
named = {
    (0, 0): "EAC",
    (1, 0): "WEAC",
    (2, 0): "LWEA",
    (0, 1): "CSPA, spectral",
    (0, 2): "HGPA, tcut",
}
named |= {(2, 2): "LWGP", (0, 3): "HBGF"}

scores = np.array(
    [
        [
            ari(ensemble.to_objects(cut(w).cut(k)), digit)
            for cut in cuts.values()
        ]
        for w in weighings.values()
    ]
)

figure, axes = plt.subplots(figsize=(8.5, 3.8), layout="constrained")
image = axes.imshow(scores, cmap="viridis", aspect="auto")
axes.set_xticks(range(len(cuts)), cuts)
axes.set_yticks(range(len(weighings)), weighings)
for (row, column), value in np.ndenumerate(scores):
    name = named.get((row, column), "")
    dark = value < scores.min() + 0.6 * np.ptp(scores)
    axes.text(
        column,
        row,
        f"{name}\n{value:.2f}",
        ha="center",
        va="center",
        color="w" if dark else "k",
        fontsize="small",
    )
axes.set(
    xlabel="relate and partition",
    ylabel="weigh",
    title="One ensemble of the digits, 16 methods",
)
figure.colorbar(image, label="ARI with the digits")
plt.show()

# %%
# One ensemble of one data set: this picture shows that the choice matters, not
# which one is best.
#
# A weighting of your own
# -----------------------
# A weighting is any array with one number per base cluster. For example: let a
# cluster count more if it is small, since two objects that meet in a small
# cluster are likely to be near.

weights = 1 / np.sqrt(ensemble.cluster_sizes)
tree = agglomerate(co_association(ensemble, weights), ensemble.sizes)
labels = ensemble.to_objects(tree.cut(k))
print(f"small clusters count more: ARI {ari(labels, digit):.2f}")

# %%
# A relation of your own
# ----------------------
# A relation is ``Factored`` (S = B Bᵀ), ``Bipartite`` (microclusters x
# clusters) or ``Dense`` (a matrix); partitioners say which they take. Here the
# mean of two similarities, of random walks (as in PTA) and of shared clusters.

from consensa.relate import Dense

walks = trajectories(ensemble, cap=20).similarity().similarity
shared = (
    co_association(ensemble, entropy_weights(ensemble)).to_dense().similarity
)
tree = agglomerate(Dense((walks + shared) / 2), ensemble.sizes)
labels = ensemble.to_objects(tree.cut(k))
print(f"walks and shared clusters: ARI {ari(labels, digit):.2f}")

# %%
# Microclusters are related as single objects would be, and counted by
# ``ensemble.sizes``; ``ensemble.to_objects`` hands the labels back. Average
# linkage and the two cuts form no matrix on ``Factored`` and ``Bipartite``
# relations; ``Dense`` needs one of microclusters x microclusters and refuses
# what would not fit.
#
# To make a method of it, with parameters, checks, confidence and a report, see
# :doc:`how to add a method </project/adding_a_method>`.
