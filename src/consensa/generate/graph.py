"""Sparse neighbour graphs of data: the scaled exponential similarity kernel, and plain similarities."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.stats import rankdata

from consensa._magnitude import even_rows, ordinary_scale, times_power
from consensa._rows import squared_lengths, unit_rows
from consensa._threads import row_ranges
from consensa._validation import check_choice
from consensa.generate import _kernels_graph as kernels

__all__ = ["scaled_exponential_graph", "similarity_graph"]

_BLOCK_ENTRIES = 1 << 22  # 16 MiB of distances at a time
_KEPT_BLOCKS = 8
_SLACK = 1e-5  # relative to squared norms: what single precision can be off by
_TINY = np.finfo(float).eps


def scaled_exponential_graph(X: np.ndarray, n_neighbors: int, mu: float, variant: str = "code") -> sp.csr_array:
    r"""Link every row to its neighbours by the scaled exponential similarity kernel.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_neighbors : int
        Neighbours of every row, below n_samples; a link from either side is kept.
    mu : float
        Width of the kernel.
    variant : {"code", "paper"}, default="code"
        "paper": :math:`\exp(-d/(\mu\epsilon))` with Euclidean distances, links to the nearest rows. "code", behind the
        published tables: the normal density of the *squared* distance with standard deviation :math:`\mu\epsilon`,
        and links to the rows of largest affinity. :math:`\epsilon_{ij}` is the mean of the distance and of the two
        mean distances to the nearest neighbours.

    Returns
    -------
    csr_array of shape (n_samples, n_samples)
        Symmetric, no self-links.

    Notes
    -----
    Distances are computed in blocks in single precision; the neighbours that matter are then compared exactly in
    double precision. Nothing n x n is held.

    References
    ----------
    Huang, Wang, Lai & Kwoh (2022), Toward multidiversified ensemble clustering of high-dimensional data, IEEE Trans.
    Cybernetics 52(11), Eq. 1-3. https://doi.org/10.1109/TCYB.2021.3049633

    Examples
    --------
    >>> import numpy as np
    >>> graph = scaled_exponential_graph(np.array([[0.0], [1.0], [5.0]]), 1, 0.5, variant="paper")
    >>> graph.toarray().round(3)
    array([[0.   , 0.135, 0.   ],
           [0.135, 0.   , 0.069],
           [0.   , 0.069, 0.   ]])
    """
    check_choice("variant", variant, ("code", "paper"))
    rows = _Rows(X)
    near, squared = rows.nearest(n_neighbors)
    if variant == "paper":
        distance = np.sqrt(squared)
        radius = distance.mean(axis=1)
        width = (radius[:, None] + radius[near] + distance) / 3
        return _symmetric(near, np.exp(-distance / (mu * np.maximum(width, _TINY))))
    strongest, density = rows.strongest(near, squared.mean(axis=1) + _TINY, mu)
    return _symmetric(strongest, times_power(density, -2 * rows.exponent))


def similarity_graph(X: np.ndarray, n_neighbors: int, metric: str) -> sp.csr_array:
    """Link every row to its nearest rows by a plain similarity; negative similarities do not link.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
    n_neighbors : int
        Neighbours of every row; a link from either side is kept.
    metric : {"cosine", "correlation", "spearman"}

    Returns
    -------
    csr_array of shape (n_samples, n_samples)

    References
    ----------
    Huang, Wang, Lai & Kwoh (2022), Toward multidiversified ensemble clustering of high-dimensional data, IEEE Trans.
    Cybernetics 52(11), Fig. 5. https://doi.org/10.1109/TCYB.2021.3049633

    Examples
    --------
    >>> import numpy as np
    >>> similarity_graph(np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]), 1, "cosine").toarray().round(3)
    array([[0.   , 0.707, 0.   ],
           [0.707, 0.   , 0.707],
           [0.   , 0.707, 0.   ]])
    """
    check_choice("metric", metric, ("cosine", "correlation", "spearman"))
    rows = np.asarray(rankdata(X, axis=1)) if metric == "spearman" else X
    if metric != "cosine":
        rows = even_rows(rows)
        rows = rows - rows.mean(axis=1, keepdims=True)
    units = _Rows(unit_rows(even_rows(rows)))
    near, squared = units.nearest(n_neighbors)
    return _symmetric(near, np.maximum(1 - times_power(squared, 2 * units.exponent) / 2, _TINY))


class _Rows:
    """Rows of data and their blocks of single-precision distances, which are kept while they are few.

    All distances are those of X * 2**-exponent, with values of up to 1, so that what is added to them is small.
    """

    def __init__(self, X: np.ndarray) -> None:
        X, self.exponent = ordinary_scale(np.asarray(X, float), keep=0)
        self._exact = np.ascontiguousarray(X - X.mean(axis=0))
        self._single = self._exact.astype(np.float32)
        self._norms = squared_lengths(self._single)
        self._slack = _SLACK * (self._norms + self._norms.max()).astype(float)
        self._ranges = row_ranges(X.shape[0], max(1, _BLOCK_ENTRIES // X.shape[0]))
        self._kept: dict[int, np.ndarray] = {}

    def nearest(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest other rows, and their squared distances, both (n, k)."""
        near, squared = np.empty((self._norms.size, k), np.int32), np.empty((self._norms.size, k))
        for start, stop in self._ranges:
            rows = slice(start, stop)
            block = self._block(start, stop)
            kernels.nearest_rows(block, self._exact, start, self._slack[rows], near[rows], squared[rows])
        return near, squared

    def strongest(self, near: np.ndarray, radius: np.ndarray, mu: float) -> tuple[np.ndarray, np.ndarray]:
        """The rows of largest affinity, as many as there are nearest ones, and their affinities, both (n, k)."""
        chosen, affinity = np.empty(near.shape, np.int32), np.empty(near.shape)
        for start, stop in self._ranges:
            rows = slice(start, stop)
            block = self._block(start, stop)
            kernels.strongest_rows(
                block, self._exact, start, self._slack[rows], near[rows], radius, mu, chosen[rows], affinity[rows]
            )
        return chosen, affinity

    def _block(self, start: int, stop: int) -> np.ndarray:
        if start in self._kept:
            return self._kept[start]
        block = self._single[start:stop] @ self._single.T
        block *= -2
        block += self._norms
        block += self._norms[start:stop, None]
        if len(self._ranges) <= _KEPT_BLOCKS:
            self._kept[start] = block
        return block


def _symmetric(neighbours: np.ndarray, affinity: np.ndarray) -> sp.csr_array:
    n, k = neighbours.shape
    rows = np.repeat(np.arange(n), k)
    graph = sp.csr_array((affinity.ravel(), (rows, neighbours.ravel())), shape=(n, n))
    return sp.csr_array(graph.maximum(graph.T))
