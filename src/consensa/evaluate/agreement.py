"""How well cuts into k clusters agree with every base clustering, corrected for chance."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._messages import ConsensaWarning

if TYPE_CHECKING:
    from collections.abc import Iterable

    from consensa.ensemble import Ensemble

__all__ = ["cuts_of_rows", "member_agreement", "smallest_accepted"]

_ACCEPTED_BY = 0.25  # share of the base clusterings
_EQUAL = 1e-9


def cuts_of_rows(cut: Any, n_clusters: list[int], rows: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Cut some of the microclusters into several numbers of clusters, to compare them rather than to use them.

    Parameters
    ----------
    cut : Dendrogram, SpectralCut or anything with ``cut(n_clusters)``
        Where it has ``cut_rows``, only these rows are cut.
    n_clusters : list of int
    rows : ndarray of shape (n_rows,), int
        Numbers of microclusters.
    counts : ndarray of shape (n_rows,), int
        How many objects each of them stands for.

    Returns
    -------
    list of ndarray of shape (n_rows,)
        Labels 0, 1, ... without gaps.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import Dendrogram
    >>> tree = Dendrogram(np.array([[0, 2], [0, 1]]), np.array([0.9, 0.4]), np.array([1, 1, 1]))
    >>> cuts_of_rows(tree, [2, 3], np.array([1, 2]), np.ones(2, int))
    [array([1, 0]), array([0, 1])]
    """
    if hasattr(cut, "cut_rows"):
        found: list[np.ndarray] = cut.cut_rows(n_clusters, rows, counts)
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)  # nobody uses these labels
        return [np.unique(cut.cut(k)[rows], return_inverse=True)[1] for k in n_clusters]


def member_agreement(
    cuts: Iterable[np.ndarray], ensemble: Ensemble, rows: np.ndarray | None = None, counts: np.ndarray | None = None
) -> np.ndarray:
    """Return the adjusted mutual information of every cut with every base clustering.

    Mutual information over the geometric mean of the entropies, both less what chance alone would give: about
    (k - 1)(k' - 1) / 2n for k and k' clusters of n objects. Without that the agreement grows with k.

    Parameters
    ----------
    cuts : iterable of ndarray of shape (n_rows,), int
        Labels 0, 1, ... of the microclusters in ``rows``.
    ensemble : Ensemble
    rows : ndarray of shape (n_rows,), int, default=None
        Numbers of microclusters; None for all.
    counts : ndarray of shape (n_rows,), int, default=None
        How many objects of each count; None for all.

    Returns
    -------
    ndarray of shape (n_cuts, n_members)
        One column per base clustering that has any label.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles, JMLR 3. https://doi.org/10.1162/153244303321897735
    Vinh, Epps & Bailey (2010), Information theoretic measures for clusterings comparison, JMLR 11.
    https://jmlr.org/papers/v11/vinh10a.html
    Miller (1955) for the bias of the mutual information of independent variables.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 1, 2]])
    >>> member_agreement([np.array([0, 1, 1]), np.array([0, 1, 2])], ensemble).round(3)
    array([[1.  , 0.74],
           [0.74, 1.  ]])
    """
    rows = np.arange(ensemble.n_microclusters) if rows is None else rows
    sizes = (ensemble.sizes[rows] if counts is None else counts).astype(float)
    incidence = ensemble.incidence[rows]
    filled = np.diff(ensemble.offsets) > 0
    starts, widths = ensemble.offsets[:-1][filled], np.diff(ensemble.offsets)[filled]
    out = []
    for labels in cuts:
        k = int(labels.max()) + 1
        members = sp.csr_array((sizes, (labels, np.arange(rows.size))), shape=(k, rows.size))
        out.append(_adjusted(np.asarray((members @ incidence).todense()), starts, widths))
    return np.array(out)


def smallest_accepted(agreement: np.ndarray) -> int:
    """Return the first row that a quarter of the columns likes no less than the row with the best mean.

    With base clusterings of many different k the mean agreement is largest near *their* mean k. The smallest k that a
    quarter of them accepts is free of that, and does not depend on how many there are.

    Parameters
    ----------
    agreement : ndarray of shape (n_candidates, n_members)

    Returns
    -------
    int
        Number of the row.

    Examples
    --------
    >>> import numpy as np
    >>> smallest_accepted(np.array([[0.1, 0.1, 0.1, 0.1], [0.9, 0.3, 0.3, 0.3], [0.8, 0.5, 0.5, 0.5]]))
    1
    """
    best = agreement[int(np.argmax(np.round(agreement.mean(axis=1), 9)))]
    accepted = np.mean(agreement >= best - _EQUAL, axis=1) >= _ACCEPTED_BY
    return int(np.flatnonzero(accepted)[0])


def _adjusted(table: np.ndarray, starts: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Adjusted mutual information from the counts (clusters of the cut x base clusters), one per base clustering."""
    of_cut = np.add.reduceat(table, starts, axis=1)
    of_member = table.sum(axis=0)
    n = np.maximum(of_cut.sum(axis=0), 1.0)
    k = np.count_nonzero(of_cut, axis=0)
    cut_entropy = np.log(n) - _xlogx(of_cut).sum(axis=0) / n
    member_entropy = np.log(n) - np.add.reduceat(_xlogx(of_member), starts) / n
    joint_entropy = np.log(n) - np.add.reduceat(_xlogx(table).sum(axis=0), starts) / n
    shared = cut_entropy + member_entropy - joint_entropy
    smaller = np.maximum(np.minimum(cut_entropy, member_entropy), 0.0)
    by_chance = np.minimum(np.maximum(k - 1, 0) * (widths - 1) / (2 * n), smaller)
    scale = np.sqrt(np.maximum(cut_entropy * member_entropy, 0.0))
    room = scale - by_chance
    same = (np.abs(shared - scale) < _EQUAL).astype(float)
    return np.asarray(np.divide(shared - by_chance, room, out=same, where=room > _EQUAL))


def _xlogx(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts * np.log(np.maximum(counts, 1.0)))
