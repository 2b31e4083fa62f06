"""Consensus index of pairs of objects over subsamples: its distribution, PAC and the area under it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa._threads import row_ranges
from consensa.choose.k_choice import CDF_GRID
from consensa.ensemble.sampling import sample_objects

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["consensus_cdf", "consensus_cdfs", "delta_area", "pac"]

N_ROWS = 2048  # microclusters whose pairs are counted; more are sampled
_BLOCK = 256
_FEWEST = 5  # base clusterings with k clusters
_STEPS = CDF_GRID.size - 1


def consensus_cdfs(ensemble: Ensemble, n_clusters: np.ndarray) -> dict[int, np.ndarray] | None:
    """Return the distribution of the consensus index for every k, from the base clusterings that have k clusters.

    Parameters
    ----------
    ensemble : Ensemble
    n_clusters : ndarray of int
        The candidates k.

    Returns
    -------
    dict of ndarray of shape (101,), or None
        None unless every base clustering leaves some objects out (a subsample). Those k are missing of which there are
        fewer than five base clusterings. The co-association of an ensemble of any base clusterings does not depend on
        the k it is cut into, so it has no such curve.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> subsamples = np.array([[0, 0, 0, -1, 0], [0, 0, -1, 0, 0], [1, -1, 1, 1, 1], [-1, 1, 1, 1, -1]])
    >>> sorted(consensus_cdfs(Ensemble(subsamples), np.array([2, 3])))
    [2]
    """
    if ensemble.n_partitions < _FEWEST or np.any(np.all(ensemble.labels >= 0, axis=0)):
        return None
    widths = np.diff(ensemble.offsets)
    groups = {int(number): np.flatnonzero(widths == number) for number in n_clusters if number > 1}
    found = {number: consensus_cdf(ensemble, members) for number, members in groups.items() if members.size >= _FEWEST}
    return found or None


def consensus_cdf(ensemble: Ensemble, members: np.ndarray) -> np.ndarray:
    """Return the share of the pairs of objects whose consensus index is at most 0, 0.01, ..., 1.

    The consensus index of two objects is in how many of the base clusterings that label both they share a cluster.
    Pairs are counted over microclusters, in blocks; above 2,048 microclusters over a sample of them.

    Parameters
    ----------
    ensemble : Ensemble
    members : ndarray of int
        Numbers of base clusterings.

    Returns
    -------
    ndarray of shape (101,)
        NaN if no pair is ever labelled together.

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering, Machine Learning 52.
    https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> cdf = consensus_cdf(Ensemble([[0, 0, 1, 1], [0, 0, 1, -1], [0, 0, -1, 1]]), np.arange(3))
    >>> cdf[[0, 50, 100]].round(3)
    array([0.667, 0.667, 1.   ])
    """
    rows, counted = sample_objects(ensemble, N_ROWS)
    sizes = counted.astype(float)
    seen = (ensemble.labels[rows][:, members] >= 0).astype(np.float32)
    columns = np.concatenate([np.arange(ensemble.offsets[m], ensemble.offsets[m + 1]) for m in members])
    shared = sp.csr_array(ensemble.incidence[rows][:, columns], dtype=np.float32)
    everything = shared.T.toarray()
    counts = np.zeros(_STEPS + 1)
    for start, stop in row_ranges(rows.size, _BLOCK):
        both = seen[start:stop] @ seen.T
        index = np.divide(shared[start:stop] @ everything, both, out=np.zeros_like(both), where=both > 0)
        pairs = sizes[start:stop, None] * sizes / 2
        inside = np.arange(start, stop)
        pairs[inside - start, inside] = sizes[inside] * (sizes[inside] - 1) / 2
        pairs[both == 0] = 0.0
        step = np.ceil(index.astype(float) * _STEPS - 1e-4).astype(np.int64)
        counts += np.bincount(step.ravel(), pairs.ravel(), _STEPS + 1)
    total = counts.sum()
    return np.cumsum(counts) / total if total > 0 else np.full(_STEPS + 1, np.nan)


def pac(cdf: np.ndarray) -> float:
    """Proportion of ambiguous clustering: share of the pairs with a consensus index above 0.1, up to 0.9.

    Small values speak for a k, but it favours large k even where there are no clusters: never use it alone.

    Parameters
    ----------
    cdf : ndarray of shape (101,)
        Share of the pairs whose consensus index is at most 0, 0.01, ..., 1.

    Returns
    -------
    float
        In [0, 1].

    References
    ----------
    Şenbabaoğlu, Michailidis & Li (2014), Critical limitations of consensus clustering in class discovery, Scientific
    Reports 4, 6207. https://doi.org/10.1038/srep06207

    Examples
    --------
    >>> import numpy as np
    >>> round(pac(np.linspace(0, 1, 101)), 3)
    0.8
    """
    return float(cdf[_STEPS * 9 // 10] - cdf[_STEPS // 10])


def delta_area(cdfs: dict[int, np.ndarray]) -> dict[int, float]:
    """Return by how much the area under the distribution grows from the k before, relative to that.

    For the first k the area itself. Areas that fall count as no growth.

    Parameters
    ----------
    cdfs : dict of ndarray of shape (101,)
        By number of clusters: the share of the pairs whose consensus index is at most 0, 0.01, ..., 1.

    Returns
    -------
    dict of float by number of clusters

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering, Machine Learning 52.
    https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> import numpy as np
    >>> delta_area({2: np.full(101, 0.5), 3: np.full(101, 0.6)})
    {2: 0.5, 3: 0.2}
    """
    out: dict[int, float] = {}
    largest = 0.0
    for k in sorted(cdfs):
        area = float(np.mean(cdfs[k][:-1]))
        growth = max(area - largest, 0.0)
        out[k] = round(growth / largest if largest > 0 else area, 12)
        largest = max(largest, area)
    return out
