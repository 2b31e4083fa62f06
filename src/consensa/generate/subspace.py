"""Feature subspaces: random, and stratified by similar features."""

from __future__ import annotations

import numpy as np
from sklearn.cluster import KMeans

from consensa._threads import library_threads

__all__ = ["draw_subspace", "feature_strata"]


def draw_subspace(
    n_features: int, fraction: float, rng: np.random.Generator, strata: np.ndarray | None = None
) -> np.ndarray:
    """Draw a share of the features without replacement.

    Parameters
    ----------
    n_features : int
    fraction : float
        Share of the features, in (0, 1]; at least one feature is drawn.
    rng : numpy Generator
    strata : ndarray of shape (n_features,), int, default=None
        Group of every feature; every group gives its share, and at least one feature while there is room.

    Returns
    -------
    ndarray of int
        Numbers of the features, rising.

    References
    ----------
    Ho (1998), The random subspace method, IEEE TPAMI 20(8). https://doi.org/10.1109/34.709601
    Jing, Tian & Huang (2015), Stratified feature sampling method for ensemble clustering of high dimensional data,
    Pattern Recognition 48(11). https://doi.org/10.1016/j.patcog.2015.05.006

    Examples
    --------
    >>> import numpy as np
    >>> draw_subspace(6, 0.5, np.random.default_rng(0)).size
    3
    >>> strata = np.array([0, 0, 0, 0, 1, 1])
    >>> np.bincount(strata[draw_subspace(6, 0.5, np.random.default_rng(0), strata)])
    array([2, 1])
    """
    n_wanted = max(1, round(fraction * n_features))
    if strata is None:
        return np.sort(rng.choice(n_features, n_wanted, replace=False))
    drawn = [
        rng.choice(members, max(1, round(fraction * members.size)), replace=False)
        for members in (np.flatnonzero(strata == g) for g in np.unique(strata))
    ]
    chosen = rng.permutation(np.concatenate(drawn))[:n_wanted]
    rest = np.setdiff1d(np.arange(n_features), chosen)
    more = rng.choice(rest, n_wanted - chosen.size, replace=False)
    return np.sort(np.concatenate([chosen, more]))


def feature_strata(X: np.ndarray, n_strata: int, seed: int) -> np.ndarray:
    """Group similar features by k-means on the standardised columns.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_strata : int
        Number of groups; never more than features.
    seed : int

    Returns
    -------
    ndarray of shape (n_features,), int

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.arange(9.0), np.arange(9.0) % 2
    >>> strata = feature_strata(np.column_stack([a, a + 1, b, 2 * b]), 2, seed=0)
    >>> bool(strata[0] == strata[1] != strata[2] == strata[3])
    True
    """
    spread = X.std(axis=0)
    columns = ((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).T
    n_groups = min(n_strata, np.unique(columns, axis=0).shape[0])
    with library_threads(1):
        return np.asarray(KMeans(n_groups, n_init=3, random_state=seed).fit_predict(columns))
