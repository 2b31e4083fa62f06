"""
Cell types from many Leiden runs
================================

Leiden gives another clustering for every resolution, every seed and every
neighbour graph. Instead of picking one, run it many times and combine the
runs: ``consensa.tl.consensus`` takes columns of ``adata.obs`` and writes the
consensus, a confidence for every cell and a graph that scanpy can use back
into the object.
"""

# %%
# Twelve Leiden runs
# ------------------
# 700 blood cells that come with scanpy, with cell types from the original
# study (``bulk_labels``). Three neighbour graphs, four resolutions on each,
# every run with a seed of its own.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import consensa
from consensa.evaluate import ari

with warnings.catch_warnings():
    # what scanpy and its packages say about coming changes
    warnings.simplefilter("ignore")
    import scanpy as sc

    adata = sc.datasets.pbmc68k_reduced()
    keys = []
    for n_neighbors in (8, 15, 30):
        sc.pp.neighbors(adata, n_neighbors, random_state=0)
        for resolution in (0.5, 1.0, 1.5, 2.0):
            keys.append(f"leiden_{n_neighbors}_{resolution}")
            sc.tl.leiden(
                adata,
                resolution,
                random_state=len(keys),
                key_added=keys[-1],
                flavor="igraph",
                n_iterations=2,
                directed=False,
            )

agreement = [
    ari(adata.obs[a], adata.obs[b])
    for i, a in enumerate(keys)
    for b in keys[:i]
]
print("clusters:", [adata.obs[key].nunique() for key in keys])
low, high, mean = np.min(agreement), np.max(agreement), np.mean(agreement)
print(f"ARI of two runs: {low:.2f} to {high:.2f}, {mean:.2f} on average")

# %%
# What the runs agree on
# ----------------------
# With ``n_clusters="auto"`` the number of clusters is chosen from the
# ensemble.

consensa.tl.consensus(
    adata,
    keys=keys,
    n_clusters="auto",
    method="lwea",
    key_added="coarse",
    random_state=0,
)
print(adata.obs["coarse"].value_counts().to_dict())
least = adata.obs["coarse_confidence"].quantile(0.05)
print(f"confidence at least {least:.2f} for 95 % of the cells")

# %%
# The chosen number is small, and the cells are certain: these are the borders
# that nearly all runs draw, whatever their resolution. It is a cautious answer
# rather than a complete one; see :doc:`plot_how_many_clusters`.
#
# Beyond that
# -----------
# Ask for more clusters, and the confidence says which of the further borders
# are firm.

consensa.tl.consensus(
    adata,
    keys=keys,
    n_clusters=8,
    method="lwea",
    key_added="fine",
    random_state=0,
)
print(
    adata.obs.groupby("fine", observed=True)["fine_confidence"]
    .describe()[["count", "min", "mean"]]
    .round(2)
)

# %%
# Against the annotation
# ----------------------
# The annotated types are not the truth either: they come from a comparison
# with sorted populations, and T cells of several kinds overlap.

types = adata.obs["bulk_labels"]
single = [ari(adata.obs[key], types) for key in keys]
print("ARI with the annotation:")
print(f"{np.min(single):.2f} to {np.max(single):.2f} in the twelve runs")
for key in ("coarse", "fine"):
    score, n_clusters = ari(adata.obs[key], types), adata.obs[key].nunique()
    print(f"{score:.2f} for the {n_clusters} clusters of {key!r}")

# %%
# At the left the cells on the UMAP that comes with the data, coloured by
# cluster, pale where there is little confidence. At the right, the cells of
# every annotated type in the clusters.

table = pd.crosstab(types, adata.obs["fine"])
table = table.iloc[table.to_numpy().argmax(axis=1).argsort(kind="stable")]
shares = table.to_numpy() / table.to_numpy().sum(axis=1, keepdims=True)
colours = [
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#6f55a3",
    "#8c564b",
]
places, certainty = (
    adata.obsm["X_umap"],
    adata.obs["fine_confidence"].to_numpy(),
)

figure, (left, right) = plt.subplots(
    1, 2, figsize=(10.5, 4.2), layout="constrained"
)
for cluster, colour in zip(
    adata.obs["fine"].cat.categories, colours, strict=True
):
    inside = (adata.obs["fine"] == cluster).to_numpy()
    left.scatter(
        *places[inside].T,
        color=colour,
        alpha=0.15 + 0.85 * certainty[inside],
        s=12,
        linewidths=0,
    )
    left.annotate(
        cluster,
        np.median(places[inside], axis=0),
        ha="center",
        va="center",
        weight="bold",
    )
left.set(
    xlabel="UMAP 1",
    ylabel="UMAP 2",
    title="Consensus of twelve Leiden runs",
    xticks=[],
    yticks=[],
)
right.imshow(shares, cmap="Blues", aspect="auto", vmin=0, vmax=1)
for (row, column), count in np.ndenumerate(table.to_numpy()):
    if count:
        colour = "w" if shares[row, column] > 0.6 else "k"
        right.text(
            column,
            row,
            count,
            ha="center",
            va="center",
            fontsize="small",
            color=colour,
        )
right.set_xticks(range(table.shape[1]), table.columns)
right.set_yticks(range(table.shape[0]), table.index, fontsize="small")
right.set(
    xlabel="consensus cluster", title="Annotated types (number of cells)"
)
plt.show()

# %%
# On with scanpy
# --------------
# ``adata.obsp["fine_connectivities"]`` holds how often neighbouring cells
# share a cluster, a sparse graph with a bounded number of links, which
# scanpy's tools find by its key: ``sc.tl.umap(adata, neighbors_key="fine")``,
# and likewise ``paga`` and ``leiden``. ``adata.write_h5ad`` keeps everything.

graph = adata.obsp["fine_connectivities"]
print(f"{graph.nnz / adata.n_obs:.1f} links per cell")
print("scanpy's entry:", adata.uns["fine"]["connectivities_key"])

# %%
# Limits
# ------
# - Runs of one algorithm on graphs of the same components share their faults:
#   what the graphs have merged, no consensus separates. More diverse ensembles
#   (other components, other genes, subsamples of the cells) tell more.
# - Confidence is relative to these runs. A rare type that every run merges
#   with a neighbour looks certain.
