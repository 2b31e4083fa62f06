"""
How many clusters?
==================

The number of clusters is the question that clustering cannot answer from one
run. An ensemble knows a little more: how long a number of clusters survives in
the tree, how well the cuts agree with the base clusterings, whether two halves
of them say the same. ``choose_k`` puts these curves side by side and combines
them by a fixed rule; ``n_clusters="auto"`` is the same inside a method.

It is right where clusters are well separated. Elsewhere it is a proposal, and
this example shows both.
"""

# %%
# Where it works: clusters far apart
# ----------------------------------
# Five Gaussian clusters, and an ensemble of 30 k-means clusterings, each with
# another number of clusters. None of them needs to have the right number.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits, make_blobs

from consensa import LWEA, choose_k
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions

centers = [[0, 0], [8, 0], [0, 8], [8, 8], [4, 16]]
blobs, _ = make_blobs(600, centers=centers, random_state=0)
partitions = KMeansPartitions(30, random_state=0).fit_transform(blobs)

choice = choose_k(partitions, "lwea", k_range=(2, 10), random_state=0)
print(choice)

# %%
# Every column is one piece of evidence, the last line says what each of them
# would choose by itself. They agree.
#
# Where it is a proposal: real data
# ---------------------------------
# The ten handwritten digits. Here the answer is known, and the data do not
# fall into clusters as clearly: people write the same digit in several ways,
# and different digits alike.

X, digit = load_digits(return_X_y=True)
model = LWEA(n_clusters="auto:2:30").fit(
    KMeansPartitions(30, random_state=0).fit_transform(X)
)
print(model.choice_.summary())
print(f"chosen: {model.n_clusters_}, digits: {np.unique(digit).size}")

# %%
# Look at the curves before you rely on the number. Each is scaled to [0, 1]
# here; the thick line is their combination, which the choice maximises.

from consensa.report import plot_k_curves

figure, axes = plt.subplots(
    1, 2, figsize=(10, 3.8), layout="constrained", sharey=True
)
plot_k_curves(LWEA(n_clusters="auto:2:10").fit(partitions), axes[0])
plot_k_curves(model, axes[1])
axes[0].set_title("Five clusters far apart")
axes[1].set_title("Handwritten digits")
axes[1].set_ylabel("")
curves, names = axes[0].get_legend_handles_labels()
for panel in axes:
    panel.get_legend().remove()
figure.legend(
    curves[:-1],
    names[:-1],
    loc="outside lower center",
    ncols=3,
    fontsize="small",
)
plt.show()

# %%
# At the left the curves stand out at one and the same k, or level off there.
# At the right they have several peaks, at different k: that is what a doubtful
# choice looks like. In such a case it is more honest to report two or three
# numbers; one fit gives them all.

labels = model.cut([8, 10, 12, 16])
for k, found in labels.items():
    print(f"k = {k:2}: ARI with the digits {ari(found, digit):.3f}")

# %%
# When not to trust it
# --------------------
# - :doc:`Choice of k </choice_of_k>` says how often it is right, on which
#   data, and how far its probabilities can be trusted.
# - Single curves have a bias each. The stability likes k = 2, the agreement
#   the mean k of the base clusterings. So none decides alone.
# - If all base clusterings have the same number of clusters, the answer is in
#   the input. Let k vary, as ``KMeansPartitions`` does.
# - Small clusters beside a large one are easily missed by LWEA; EAC and LWGP
#   found them in our tests.
#
# For subsampled ensembles (``SubsamplePartitions``) there are two more curves,
# Monti's PAC and delta area. PAC favours large k even where there are no
# clusters, and never decides alone.

from consensa.generate import SubsamplePartitions

subsamples = [
    SubsamplePartitions(
        n_partitions=10, n_clusters=k, random_state=k
    ).fit_transform(blobs)
    for k in range(2, 9)
]
print(choose_k(np.hstack(subsamples), "eac", k_range=(2, 8), random_state=0))
