"""
I have clusterings from three tools
===================================

Three people have clustered the same objects, each with a tool of their own.
The tools disagree on the number of clusters, use different names for them, and
one leaves some objects out. Which clustering do they support together, which
tool is nearest to it, and on which objects do they disagree?

consensa needs nothing but the three columns of labels.
"""

# %%
# Three clusterings of one table
# ------------------------------
# The objects are the 1,797 handwritten digits that come with scikit-learn.
# k-means makes 10 clusters, Ward's linkage 12, which a colleague has named by
# letters, and HDBSCAN finds its own number and calls what it cannot place
# noise (-1).

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA

# ten colours that colour-blind readers can tell apart
COLOURS = [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#6f55a3",
    "#8c564b",
    "#a01d5d",
    "#7f9a00",
]

X, digit = load_digits(return_X_y=True)
reduced = PCA(20, random_state=0).fit_transform(X)

letters = np.array(list("ABCDEFGHIJKL"))
tools = pd.DataFrame(
    {
        "k-means": KMeans(10, n_init=10, random_state=0).fit_predict(X),
        "Ward": letters[AgglomerativeClustering(12).fit_predict(X)],
        "HDBSCAN": HDBSCAN(
            min_cluster_size=10, min_samples=3, copy=True
        ).fit_predict(reduced),
    }
)
print(tools.head())

# %%
# One clustering that they support
# --------------------------------
# The frame goes in as it is: numbers and letters may stand side by side, and
# -1 is read as *no label here*, so that HDBSCAN has a say on the objects that
# it places, and none on the others.

from consensa import EAC

model = EAC(n_clusters=10).fit(tools)
print(model.ensemble_)
print("clusters of", np.bincount(model.labels_), "objects")

# %%
# An object that shares its three labels with another is treated like it. Such
# groups are *microclusters*, and there are far fewer of them than objects; all
# computations run on them.
#
# Which tool is nearest to the consensus?
# ---------------------------------------
# ``partition_reliability`` compares every column with the consensus, and with
# the other columns. An agreement (ARI) of 1 means the same clustering; crowd
# agreement is 1 for the tool that the other tools agree with most.

from consensa.evaluate import ari, partition_reliability

found = partition_reliability(model.labels_, model.ensemble_)
table = pd.DataFrame(
    {
        "clusters": found.n_clusters,
        "left out": found.missing.round(3),
        "ARI with consensus": found.ari.round(3),
        "crowd agreement": found.crowd_agreement.round(3),
    },
    index=pd.Index(found.name, name="tool"),
)
print(table)

# %%
# Which objects are disputed?
# ---------------------------
# ``confidence_`` is near 1 where the tools put an object with the rest of its
# cluster, and near 0 where it belongs as much to another. With three tools it
# can take few values only; it is a rough guide that sorts the objects.

confidence = model.confidence_
order = np.argsort(confidence, kind="stable")
print(f"{np.mean(confidence > 0.9):.0%} are undisputed (above 0.9)")
print(f"{np.mean(confidence < 0.1):.0%} are open (below 0.1)")

# %%
# The table at the left shows the disputed part of the objects: one column per
# object, one row per tool, coloured by the consensus cluster that the label of
# the tool mostly belongs to. Where a column has one colour, the tools agree.
# At the right are the eight objects with the least confidence.

from consensa.evaluate import cluster_reliability

clusters = cluster_reliability(model.labels_, model.ensemble_)
codes = model.ensemble_.encode(tools)
nearest = np.where(
    codes >= 0, clusters.match[codes + model.ensemble_.offsets[:-1]], np.nan
)
rows = np.column_stack([model.labels_, nearest])
disputed = order[:150]
disputed = disputed[
    np.lexsort((confidence[disputed], model.labels_[disputed]))
]

figure = plt.figure(figsize=(9, 3.2), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[2, 1])
axes = left.subplots()
colours = ListedColormap(COLOURS).with_extremes(bad="0.88")
image = axes.imshow(
    rows[disputed].T,
    aspect="auto",
    cmap=colours,
    vmin=-0.5,
    vmax=9.5,
    interpolation="nearest",
)
axes.set_yticks(range(4), ["consensus", *tools.columns])
axes.set(
    xlabel="the 150 objects with the least confidence",
    title="What each tool says (grey: nothing)",
)
left.colorbar(image, ax=axes, ticks=range(10), label="cluster")
for place, panel in zip(order[:8], right.subplots(2, 4).flat, strict=True):
    panel.imshow(X[place].reshape(8, 8), cmap="gray_r")
    panel.set_axis_off()
right.suptitle("Least certain", fontsize="large")
plt.show()

# %%
# Was it worth it?
# ----------------
# Here, unlike in practice, the digits are known, and we can look.

for name, labels in [*tools.items(), ("consensus", model.labels_)]:
    print(f"{name:10} ARI with the digits {ari(labels, digit):.3f}")

# %%
# Objects that a tool leaves out do not count for it in this table, which
# flatters HDBSCAN. And three tools are few: the consensus of a handful of
# clusterings is a fair summary of them, not always better than the best one.
# If you can make more clusterings (other seeds, other numbers of clusters,
# other parts of the data), do: most of what is known about ensembles is about
# tens of members. :doc:`plot_which_samples_are_uncertain` does that.
#
# The same from a terminal, with a CSV of the three columns::
#
#     consensa combine tools.csv -k 10 --method eac -o labels.csv
