"""A sample of microclusters that needs no random numbers and does not depend on the order of the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["sample_microclusters"]


def sample_microclusters(ensemble: Ensemble, n_rows: int) -> np.ndarray:
    """Return the numbers of at most ``n_rows`` microclusters, rising; large ones are likelier to be among them.

    An exponential race: a microcluster of s objects arrives after -log(u) / s, with u from the hash of its labels, and
    the first ``n_rows`` are taken. The sample depends on the labels only.

    Parameters
    ----------
    ensemble : Ensemble
    n_rows : int

    Returns
    -------
    ndarray of shape (min(n_rows, n_microclusters),), int64

    References
    ----------
    Efraimidis & Spirakis (2006), Weighted random sampling with a reservoir, Information Processing Letters 97(5).
    https://doi.org/10.1016/j.ipl.2005.11.003

    Examples
    --------
    >>> from consensa import Ensemble
    >>> sample_microclusters(Ensemble([[0, 0, 1, 2], [0, 0, 1, 1]]), 5)
    array([0, 1, 2])
    """
    if ensemble.n_microclusters <= n_rows:
        return np.arange(ensemble.n_microclusters)
    u = (ensemble.hashes.astype(np.float64) + 1.0) / 2.0**64
    arrival = -np.log(np.minimum(u, 1.0)) / ensemble.sizes
    return np.sort(np.argpartition(arrival, n_rows)[:n_rows])
