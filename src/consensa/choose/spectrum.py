"""The leading eigenvalues of the graph of the ensemble, on a sample of its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import eigh

if TYPE_CHECKING:
    from consensa.choose.splits import SampledLinks

__all__ = ["leading_eigenvalues"]


def leading_eigenvalues(links: SampledLinks, n_values: int) -> np.ndarray:
    """Return the largest eigenvalues of D^-½ W D^-½, falling, in [0, 1], 0 beyond the last; W the links of the objects.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> from consensa.choose.splits import sampled_links
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]])
    >>> leading_eigenvalues(sampled_links(ensemble, np.ones(4), np.arange(2), np.array([3, 3])), 3)
    array([1., 1., 0.])
    """
    n_rows = links.counts.size
    B = links.factor()
    W = (B @ B.T).toarray()
    root = np.sqrt(links.counts)
    W *= root[:, None] * root
    W[np.diag_indices(n_rows)] -= links.own / links.counts
    degrees = np.maximum((W @ root) / root, 0.0)
    scale = np.divide(1.0, np.sqrt(degrees), out=np.zeros(n_rows), where=degrees > 0)
    W *= scale[:, None] * scale
    wanted = min(n_values, n_rows)
    found = eigh(W, eigvals_only=True, subset_by_index=(n_rows - wanted, n_rows - 1), overwrite_a=True, driver="evr")
    out = np.zeros(n_values)
    out[:wanted] = np.clip(found[::-1], 0.0, 1.0)
    return out
