"""Agreement of clusterings: NMI, ARI, accuracy, error rate, and the mean NMI with an ensemble."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linear_sum_assignment

from consensa._budget import check_dense_budget
from consensa._groups import membership
from consensa._validation import check_choice
from consensa.ensemble import as_ensemble
from consensa.evaluate.contingency import contingency, members_of, split_table

if TYPE_CHECKING:
    from consensa._types import LabelMatrix, LabelVector
    from consensa.ensemble import Ensemble

__all__ = ["accuracy", "anmi", "ari", "error_rate", "nmi"]

_AVERAGES = ("sqrt", "max", "mean")


def nmi(a: LabelVector, b: LabelVector, average: str = "sqrt") -> float:
    """Normalised mutual information of two clusterings, in [0, 1].

    Parameters
    ----------
    a, b : label vectors of length n_objects
    average : {"sqrt", "max", "mean"}, default="sqrt"
        What the mutual information is divided by: the geometric mean, the larger or the arithmetic mean of the two
        entropies. The tables of the LWEC, PTA and MDEC papers were computed with "max".

    Returns
    -------
    float
        1 if both clusterings have one cluster, 0 if only one of them has.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles, JMLR 3. https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> nmi([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    >>> round(nmi([0, 0, 1, 1], [0, 0, 1, 2]), 4), round(nmi([0, 0, 1, 1], [0, 0, 1, 2], average="max"), 4)
    (0.8165, 0.6667)
    """
    return table_nmi(contingency(a, b), average)


def ari(a: LabelVector, b: LabelVector) -> float:
    """Adjusted Rand index of two clusterings: 1 for the same, about 0 for unrelated ones.

    Parameters
    ----------
    a, b : label vectors of length n_objects

    Returns
    -------
    float

    References
    ----------
    Hubert & Arabie (1985), Comparing partitions, Journal of Classification 2. https://doi.org/10.1007/BF01908075

    Examples
    --------
    >>> round(ari([0, 0, 1, 1], [0, 0, 1, 2]), 4)
    0.5714
    """
    return table_ari(contingency(a, b))


def accuracy(a: LabelVector, b: LabelVector) -> float:
    """Share of objects that agree when the clusters of the two clusterings are matched one to one as well as possible.

    Parameters
    ----------
    a, b : label vectors of length n_objects

    Returns
    -------
    float

    References
    ----------
    Kuhn (1955), The Hungarian method for the assignment problem, Naval Research Logistics Quarterly 2.
    https://doi.org/10.1002/nav.3800020109

    Examples
    --------
    >>> accuracy([0, 0, 1, 1], [1, 1, 0, 2])
    0.75
    """
    return _accuracy(contingency(a, b))


def _accuracy(counts: sp.csr_array) -> float:
    n_bytes = 8 * counts.shape[0] * counts.shape[1]
    check_dense_budget(n_bytes, "The matching of {} with {} clusters".format(*counts.shape), "Use nmi or ari instead.")
    table = counts.toarray()
    matched = table[linear_sum_assignment(table, maximize=True)].sum()
    return float(matched / table.sum())


def error_rate(a: LabelVector, b: LabelVector) -> float:
    """One minus :func:`accuracy`: the share of objects on the wrong side of the best one-to-one match.

    Parameters
    ----------
    a, b : label vectors of length n_objects

    Returns
    -------
    float

    References
    ----------
    Al-Razgan & Domeniconi (2006), Weighted clustering ensembles, SDM. https://doi.org/10.1137/1.9781611972764.23

    Examples
    --------
    >>> error_rate([0, 0, 1, 1], [1, 1, 0, 2])
    0.25
    """
    return 1.0 - accuracy(a, b)


def anmi(labels: LabelVector, partitions: LabelMatrix, average: str = "sqrt") -> float:
    """Mean NMI of a clustering with all base clusterings, each on the objects it labels.

    Parameters
    ----------
    labels : label vector of length n_objects
        NaN, None, null and -1 are left out.
    partitions : label matrix, list of label vectors, or Ensemble
    average : {"sqrt", "max", "mean"}, default="sqrt"

    Returns
    -------
    float

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles, JMLR 3. https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> round(anmi([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 1, 2]]), 4)
    0.9082
    """
    return _mean_nmi(partition_contingencies(labels, as_ensemble(partitions)), average)


def table_scores(table: sp.csr_array, average: str = "sqrt") -> dict[str, float]:
    """All scores of two clusterings from their contingency.

    Examples
    --------
    >>> table_scores(contingency([0, 0, 1, 1], [1, 1, 0, 0]))
    {'nmi': 1.0, 'ari': 1.0, 'accuracy': 1.0}
    """
    return {"nmi": table_nmi(table, average), "ari": table_ari(table), "accuracy": _accuracy(table)}


def cluster_anmi(table: np.ndarray, offsets: np.ndarray, average: str = "sqrt") -> float:
    """Mean NMI with all base clusterings from the numbers of common objects with all their clusters (k x n_c)."""
    return _mean_nmi(split_table(table, offsets), average)


def partition_contingencies(labels: LabelVector, ensemble: Ensemble) -> list[sp.csr_array]:
    """Contingency of a clustering with every base clustering, on the objects that both label."""
    return _with_members(members_of(labels, ensemble), ensemble)


def microcluster_anmi(labels: np.ndarray, ensemble: Ensemble, average: str = "sqrt") -> float:
    """:func:`anmi` of a clustering of the microclusters (n_microclusters, from 0).

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> microcluster_anmi(np.array([0, 1]), Ensemble([[3, 3, 5]]))
    1.0
    """
    members = membership(labels, int(labels.max(initial=-1)) + 1, ensemble.sizes)
    return _mean_nmi(_with_members(members, ensemble), average)


def _with_members(members: sp.csr_array, ensemble: Ensemble) -> list[sp.csr_array]:
    return split_table(sp.csc_array(members @ ensemble.incidence), ensemble.offsets)


def _mean_nmi(tables: list[sp.csr_array], average: str) -> float:
    return float(np.mean([table_nmi(table, average) for table in tables]))


def table_ari(table: sp.csr_array) -> float:
    """Adjusted Rand index of a contingency table (int64); 1 for an empty one."""
    return counts_ari(table.data, table.sum(axis=1), table.sum(axis=0))


def counts_ari(both: np.ndarray, of_a: np.ndarray, of_b: np.ndarray) -> float:
    """Adjusted Rand index from the objects of every cell of a contingency table, of its rows and of its columns.

    Examples
    --------
    >>> import numpy as np
    >>> counts_ari(np.array([2, 0, 0, 2]), np.array([2, 2]), np.array([2, 2]))
    1.0
    """
    together, in_a, in_b, everything = _pairs(both), _pairs(of_a), _pairs(of_b), _pairs(of_a.sum())
    if in_a == in_b and in_a in (0, everything):
        return 1.0
    # Python integers: the products overflow int64 from 70,000 objects on
    return 2 * (everything * together - in_a * in_b) / (everything * (in_a + in_b) - 2 * in_a * in_b)


def table_nmi(table: sp.csr_array, average: str) -> float:
    """Normalised mutual information of a contingency table; 0 for an empty one."""
    check_choice("average", average, _AVERAGES)
    n = table.sum()
    if n == 0:
        return 0.0
    in_a, in_b = np.asarray(table.sum(axis=1)).ravel(), np.asarray(table.sum(axis=0)).ravel()
    entropies = _entropy(in_a / n), _entropy(in_b / n)
    if min(entropies) == 0.0:
        return float(max(entropies) == 0.0)
    cells = table.tocoo()
    row, column = cells.coords
    share = cells.data / n
    expected = (in_a[row] / n) * (in_b[column] / n)
    shared = float(np.sum(share * np.log(share / expected)))
    scale = {"sqrt": np.sqrt(entropies[0] * entropies[1]), "max": max(entropies), "mean": sum(entropies) / 2}
    return float(np.clip(shared / scale[average], 0.0, 1.0))


def _entropy(shares: np.ndarray) -> float:
    present = shares[shares > 0]
    return 0.0 if present.size <= 1 else float(-np.sum(present * np.log(present)))


def _pairs(counts: np.ndarray) -> int:
    return int(np.sum(counts * (counts - 1) // 2))
