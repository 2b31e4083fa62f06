"""Random ensembles for hypothesis: many ties, missing labels, empty ids, one-cluster and duplicate columns."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp


@st.composite
def ensembles(draw, max_objects=24, max_partitions=5, max_clusters=5, missing=False):
    """Label matrix (n x M, int64) in which every object has a label; -1 is missing."""
    n = draw(st.integers(1, max_objects))
    n_partitions = draw(st.integers(1, max_partitions))
    lowest = -1 if missing else 0
    labels = draw(hnp.arrays(np.int64, (n, n_partitions), elements=st.integers(lowest, max_clusters - 1)))
    bare = (labels < 0).all(axis=1)
    labels[bare, 0] = 0
    return labels


def noisy_ensemble(rng, n_objects=60, n_partitions=6, n_groups=4, n_clusters=(3, 9), noise=0.15, missing=0.0):
    """Base clusterings that split a hidden grouping, each with some objects misplaced and some left out."""
    truth = rng.integers(n_groups, size=n_objects)
    columns = []
    for _ in range(n_partitions):
        k = int(rng.integers(*n_clusters))
        column = (truth * 7 + rng.integers(2, size=n_objects)) % k
        moved = rng.random(n_objects) < noise
        column[moved] = rng.integers(k, size=moved.sum())
        column[rng.random(n_objects) < missing] = -1
        columns.append(column)
    labels = np.stack(columns, axis=1)
    labels[(labels < 0).all(axis=1), 0] = 0
    return labels, truth


def nested_ensemble(rng, n_rows=60, noise=0.04, missing=0.0):
    """Twelve clusterings of four groups that stand out at k = 2, 3 and 4, and most rows twice; labels and groups."""
    truth = rng.integers(4, size=n_rows)
    pairs, three = np.array([0, 0, 1, 1])[truth], np.array([0, 0, 1, 2])[truth]
    halves = [truth * 2 + rng.integers(2, size=n_rows) for _ in range(4)]
    labels = np.stack([*[pairs] * 3, *[three] * 2, *[truth] * 3, *halves], axis=1)
    moved = rng.random(labels.shape) < noise
    labels[moved] = rng.integers(8, size=moved.sum())
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1), 5] = 0
    rows = rng.permutation(np.concatenate([np.arange(n_rows), rng.integers(n_rows, size=n_rows)]))
    return labels[rows], truth[rows]
