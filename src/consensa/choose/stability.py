"""How well two halves of the base clusterings agree on k clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa._random import as_generator
from consensa._threads import thread_map
from consensa.ensemble.sampling import sample_objects
from consensa.evaluate.scores import counts_ari
from consensa.partition.agglomerate import agglomerate
from consensa.relate.relation import Dense
from consensa.weigh import entropy_weights

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import Dendrogram

__all__ = ["stability"]

N_ROWS = 128  # microclusters that the trees are built on


def stability(
    ensemble: Ensemble, n_clusters: np.ndarray, *, n_resamples: int = 10, random_state: RandomState = None
) -> np.ndarray:
    """Split the base clusterings into halves at random and compare what both halves make of k clusters.

    Each half is combined by average linkage on its locally weighted co-association, on the objects of about 128
    microclusters where there are more; the score is the adjusted Rand index, which is about 0 for unrelated
    clusterings. So the cost does not grow with the number of objects or with the cost of the method.

    Parameters
    ----------
    ensemble : Ensemble
        At least two base clusterings.
    n_clusters : ndarray of int
        The candidates k.
    n_resamples : int, default=10
        Number of splits.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    ndarray of shape (n_resamples, n_candidates)
        NaN where k exceeds the number of microclusters in the sample, and for k = 1.

    References
    ----------
    Ben-Hur, Elisseeff & Guyon (2002), A stability based method for discovering structure in clustered data, PSB 7.
    https://doi.org/10.1142/9789812799623_0002
    Lange, Roth, Braun & Buhmann (2004), Stability-based validation of clustering solutions, Neural Computation 16(6).
    https://doi.org/10.1162/089976604773717621

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2]])
    >>> stability(ensemble, np.array([2, 3]), n_resamples=1, random_state=0)
    array([[1., 1.]])
    """
    rows, sizes = sample_objects(ensemble, N_ROWS)
    labels = ensemble.labels[rows]
    weights = entropy_weights(ensemble, 0.4)
    rng = as_generator(random_state)
    halves = [np.array_split(rng.permutation(ensemble.n_partitions), 2) for _ in range(n_resamples)]

    def compare(pair: list[np.ndarray]) -> np.ndarray:
        one, other = (agglomerate(_half(labels, weights, ensemble.offsets, half), sizes) for half in pair)
        return np.array([_agreement(one, other, sizes, int(number)) for number in n_clusters])

    return np.array(thread_map(compare, halves))


def _half(labels: np.ndarray, weights: np.ndarray, offsets: np.ndarray, members: np.ndarray) -> Dense:
    """Weighted co-association of some rows by some base clusterings."""
    similarity = np.zeros((labels.shape[0], labels.shape[0]))
    for m in members:
        column = labels[:, m]
        weight = np.append(weights[offsets[m] : offsets[m + 1]], 0.0)[column]  # the last one, 0, where it is missing
        similarity += (column[:, None] == column) * weight
    observed = np.maximum(np.count_nonzero(labels[:, members] >= 0, axis=1), 1)
    scale = 1 / np.sqrt(observed)
    similarity *= scale
    similarity *= scale[:, None]
    return Dense(similarity)


def _agreement(one: Dendrogram, other: Dendrogram, sizes: np.ndarray, k: int) -> float:
    """Adjusted Rand index of two cuts, every row counted as often as it has objects."""
    if not 1 < k <= sizes.size:
        return np.nan
    a, b = one.cut(k), other.cut(k)
    counts = (np.bincount(key, sizes).astype(np.int64) for key in (a * k + b, a, b))
    return counts_ari(*counts)
