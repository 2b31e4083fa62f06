"""
My data does not fit into memory
================================

Features on disk, larger than memory: the base clusterings are fitted on a
sample and assigned to all rows chunk by chunk, the consensus reads the label
matrix in chunks, and the labels are those that a run in memory would give, bit
by bit. This example goes through the steps on a file that is small enough to
check it.
"""

# %%
# A file of features
# ------------------
# Half a million rows in a ``.npy`` file, written piece by piece, as they would
# come from an instrument or a database.

import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from consensa import LWGP
from consensa.evaluate import ari
from consensa.generate import KMeansPartitions
from consensa.scale import as_chunks, generate_labels

folder = Path(tempfile.mkdtemp())
n_rows, n_features, n_groups = 500_000, 8, 10
rng = np.random.default_rng(0)
centers = rng.normal(0, 3, (n_groups, n_features))
truth = rng.integers(n_groups, size=n_rows).astype(np.int8)
features = np.lib.format.open_memmap(
    folder / "features.npy",
    mode="w+",
    dtype=np.float32,
    shape=(n_rows, n_features),
)
for start in range(0, n_rows, 100_000):
    rows = slice(start, start + 100_000)
    features[rows] = centers[truth[rows]] + rng.normal(
        size=(100_000, n_features)
    )
features.flush()
del features
print(
    f"{(folder / 'features.npy').stat().st_size / 2**20:.0f} MiB of features"
)

# %%
# Base clusterings, on disk as well
# ---------------------------------
# ``generate_labels`` fits the generator on ``sample_size`` rows, which hashes
# of the row numbers choose, then labels all rows in chunks. The label matrix
# has one byte per entry here. If the run is stopped, the same call goes on
# where it was.

generator = KMeansPartitions(
    10, k_range=(5, 40), sample_size=20_000, random_state=0
)
start = time.perf_counter()
labels_file = generate_labels(
    folder / "features.npy",
    generator,
    folder / "labels.npy",
    chunk_rows=65_536,
)
seconds = time.perf_counter() - start
size = labels_file.stat().st_size / 2**20
print(f"{size:.0f} MiB of labels in {seconds:.1f} s")

# %%
# The consensus, in chunks
# ------------------------
# ``as_chunks`` takes paths, memory maps, Parquet files and folders, Zarr, dask
# arrays, and functions that return iterators. Every method takes what it
# returns. Progress is reported for every pass over the rows, so we can see
# what the passes are and what they take.

passes = {}


def watch(stage, _n_done, _n_rows):
    """Note when a pass began and when it was last heard of."""
    now = time.perf_counter()
    passes.setdefault(stage, [now, now])[1] = now


chunks = as_chunks(labels_file, chunk_rows=65_536, progress=watch)
model = LWGP(n_clusters=n_groups, random_state=0).fit(chunks)
print(model.ensemble_)
print(
    f"ARI with the groups that were generated: {ari(model.labels_, truth):.3f}"
)

# %%
# The same labels as in memory
# ----------------------------
# Here, the label matrix fits, and we can compare: with a fit in memory, and
# with other chunks.

in_memory = LWGP(n_clusters=n_groups, random_state=0).fit(np.load(labels_file))
other_chunks = LWGP(n_clusters=n_groups, random_state=0).fit(
    as_chunks(labels_file, chunk_rows=33_333)
)
print(
    "same labels as in memory:     ",
    np.array_equal(model.labels_, in_memory.labels_),
)
print(
    "same labels with other chunks:",
    np.array_equal(model.labels_, other_chunks.labels_),
)

# %%
# This is no accident. Every pass over the rows is a sum of whole numbers
# (overlaps of clusters, counts of distinct rows, 1 / degree in fixed point),
# and such sums do not depend on the order in which the parts are added.

print("distinct rows:", model.ensemble_.n_microclusters, "of", n_rows)

figure, (left, right) = plt.subplots(
    1, 2, figsize=(9, 3.2), layout="constrained"
)
names = list(passes)
first = passes[names[0]][0]
for place, name in enumerate(names):
    begin, end = passes[name]
    left.barh(place, end - begin, left=begin - first, color="#0072b2")
left.set_yticks(range(len(names)), names)
left.invert_yaxis()
left.set(
    xlabel="seconds since the first pass began", title="Passes over the rows"
)
sizes = np.sort(model.ensemble_.sizes)[::-1]
right.loglog(np.arange(1, sizes.size + 1), sizes, color="#d55e00")
right.set(
    xlabel="distinct rows, the most frequent first",
    ylabel="objects that share it",
    title="Why it is quick",
)
plt.show()

# %%
# Most objects share their row of labels with many others, so that a method
# sees thousands of rows instead of hundreds of thousands.
#
# Limits
# ------
# - Up to 200,000 distinct rows every method runs on chunks. Beyond,
#   transfer-cut methods (LWGP, MDEC with ``consensus="bg"``) go on with a
#   sample of them; the others say that they need all rows in one place.
# - ``n_clusters="auto"`` and ``predict`` need the ensemble in memory: choose k
#   on a sample of the rows.
# - The labels themselves, 4 bytes per object, are in memory, unless
#   ``as_chunks(..., new_array=...)`` makes an array on disk.
#
# :doc:`How far it goes </scale>` was measured up to 100 million objects. On
# the command line, from features to labels::
#
#     consensa run features.npy -k 10 -o labels.npy --memory 2GB

for path in folder.iterdir():
    path.unlink()
folder.rmdir()
