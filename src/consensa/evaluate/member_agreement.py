"""How well clusterings agree with every base clustering, corrected for chance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consensa.ensemble.sums import incidence_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import scipy.sparse as sp

    from consensa.ensemble import Ensemble

__all__ = ["member_agreement"]

_EQUAL = 1e-9
_FEW = 0.2  # share of the rows that a cut may put elsewhere than the one before: then only these are counted


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
    filled = np.diff(ensemble.offsets) > 0
    starts, widths = ensemble.offsets[:-1][filled], np.diff(ensemble.offsets)[filled]
    # from the last on, where the cuts of a tree are finest: the counts of the others follow from those
    backwards = [_adjusted(table, starts, widths) for table in _tables([*cuts][::-1], ensemble, rows, counts)]
    return np.array(backwards[::-1])


def _tables(
    cuts: Iterable[np.ndarray], ensemble: Ensemble, rows: np.ndarray | None, counts: np.ndarray | None
) -> Iterator[np.ndarray]:
    """Objects of every cluster of a cut in every base cluster: a table (n_clusters x n_base_clusters) per cut."""
    rows = np.arange(ensemble.n_microclusters) if rows is None else rows
    sizes = ensemble.sizes[rows] if counts is None else counts
    incidence = incidence_of(ensemble.labels[rows], ensemble.offsets)
    before, table = np.zeros(rows.size, int), np.zeros((1, 0), int)
    for labels in cuts:
        shape = (int(labels.max()) + 1, incidence.shape[1])
        joins = _joins(before, labels, before.max() + 1)
        other = np.flatnonzero(joins[before] != labels)
        if table.size and other.size < _FEW * rows.size:
            table = _joined(table, joins, shape[0])
            if other.size:
                _add(table, incidence[other], labels[other], sizes[other])
                _add(table, incidence[other], joins[before[other]], -sizes[other])
        else:
            table = np.zeros(shape, np.int64)
            _add(table, incidence, labels, sizes)
        before = labels
        yield table


def _joins(fine: np.ndarray, coarse: np.ndarray, n_fine: int) -> np.ndarray:
    """Return a coarse cluster of every fine one: that of some of its members, the only one where it lies in one."""
    found = np.zeros(n_fine, coarse.dtype)
    found[fine] = coarse
    return found


def _joined(table: np.ndarray, joins: np.ndarray, n_clusters: int) -> np.ndarray:
    """Add up the rows of a table that are joined.

    Examples
    --------
    >>> import numpy as np
    >>> _joined(np.array([[1, 0], [2, 2], [0, 3]]), np.array([0, 1, 0]), 2)
    array([[1, 3],
           [2, 2]])
    """
    firsts, fine = np.full(n_clusters, -1), np.arange(joins.size)
    firsts[joins[::-1]] = fine[::-1]
    out = table[firsts]
    out[firsts < 0] = 0
    for row in np.flatnonzero(firsts[joins] != fine):
        out[joins[row]] += table[row]
    return out


def _add(table: np.ndarray, incidence: sp.csr_array, labels: np.ndarray, sizes: np.ndarray) -> None:
    """Add rows to the counts of clusters of a cut in base clusters, each ``sizes`` times."""
    of_row = np.repeat(np.arange(labels.size), np.diff(incidence.indptr))
    np.add.at(table.reshape(-1), (table.shape[1] * labels)[of_row] + incidence.indices, sizes[of_row])


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
    # where there is no room for chance: 1 for the same clusters, 0 where only one of the two has any
    same = (np.abs(2 * shared - cut_entropy - member_entropy) < _EQUAL).astype(float)
    return np.asarray(np.divide(shared - by_chance, room, out=same, where=room > _EQUAL))


def _xlogx(counts: np.ndarray) -> np.ndarray:
    largest = int(counts.max(initial=0))
    if largest < counts.size:  # fewer different counts than counts: each is looked up
        return np.asarray(_xlogx_of(np.arange(largest + 1)).take(counts))
    return _xlogx_of(counts)


def _xlogx_of(counts: np.ndarray) -> np.ndarray:
    return np.asarray(counts * np.log(np.maximum(counts, 1)))
