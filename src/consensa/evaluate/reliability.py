"""Which base clusterings, and which of their clusters, a consensus can be built on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa.ensemble import as_ensemble
from consensa.evaluate.contingency import object_labels
from consensa.evaluate.scores import partition_contingencies, table_ari, table_nmi
from consensa.weigh.entropy import entropy_weights
from consensa.weigh.ncai import crowd_agreement

if TYPE_CHECKING:
    from consensa._types import LabelMatrix, LabelVector
    from consensa.ensemble import Ensemble

__all__ = [
    "ClusterReliability",
    "PartitionReliability",
    "cluster_reliability",
    "partition_reliability",
    "table_reliability",
]


@dataclass(frozen=True, eq=False)
class ClusterReliability:
    """What speaks for every base cluster: arrays of shape (n_base_clusters,).

    Parameters
    ----------
    partition : ndarray of int
        The base clustering it belongs to.
    label : ndarray of object
        Its label there, as the user wrote it.
    size : ndarray of int64
        Number of objects.
    eci : ndarray of float
        Ensemble-driven cluster index in (0, 1]: 1 for a cluster that no other clustering splits.
    crowd_agreement : ndarray of float
        NCAI of its clustering in [0, 1].
    match : ndarray of int
        The consensus cluster most like it (largest Jaccard index), by place in the sorted order of the labels; -1 if
        none of its objects has a label in the consensus.
    jaccard : ndarray of float
        Common objects of the two, divided by the objects of either.
    purity : ndarray of float
        Largest share of its objects that lie in one consensus cluster.

    Examples
    --------
    >>> cluster_reliability([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 0, 1]]).purity.round(2)
    array([1.  , 1.  , 0.67, 1.  ])
    """

    partition: np.ndarray
    label: np.ndarray
    size: np.ndarray
    eci: np.ndarray
    crowd_agreement: np.ndarray
    match: np.ndarray
    jaccard: np.ndarray
    purity: np.ndarray


@dataclass(frozen=True, eq=False)
class PartitionReliability:
    """What speaks for every base clustering: a tuple of names and arrays of shape (n_partitions,).

    Parameters
    ----------
    name : tuple of str
        Column names, or the numbers of the columns.
    n_clusters : ndarray of int64
        Number of clusters.
    missing : ndarray of float
        Share of the objects without a label in it.
    crowd_agreement : ndarray of float
        NCAI in [0, 1]: how much it agrees with the other base clusterings, the best set to 1.
    eci : ndarray of float
        Mean ensemble-driven cluster index of its objects, in (0, 1].
    nmi, ari : ndarray of float
        Agreement with the consensus, on the objects that both label.

    Examples
    --------
    >>> partition_reliability([0, 0, 1, 1], [[0, 0, 1, 1], [0, 0, 0, 1]]).n_clusters
    array([2, 2])
    """

    name: tuple[str, ...]
    n_clusters: np.ndarray
    missing: np.ndarray
    crowd_agreement: np.ndarray
    eci: np.ndarray
    nmi: np.ndarray
    ari: np.ndarray


def cluster_reliability(labels: LabelVector, partitions: LabelMatrix, *, theta: float = 0.4) -> ClusterReliability:
    """Describe every base cluster by its certainty and by its likeness to the consensus.

    Parameters
    ----------
    labels : label vector of length n_objects
        The consensus; -1, NaN, None and null for none.
    partitions : label matrix, list of label vectors, or Ensemble
    theta : float, default=0.4
        How slowly the ensemble-driven cluster index falls with the uncertainty.

    Returns
    -------
    ClusterReliability
        Arrays of shape (n_base_clusters,).

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5).
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> found = cluster_reliability([0, 0, 0, 1, 1, 1], [[0, 0, 0, 1, 1, 1], ["a", "a", "b", "b", "b", "b"]])
    >>> found.label.tolist(), found.match.tolist(), found.jaccard.tolist()
    ([0, 1, 'a', 'b'], [0, 1, 0, 1], [1.0, 1.0, 0.666..., 0.75])
    """
    ensemble = as_ensemble(partitions)
    codes = object_labels(labels, ensemble)
    common = np.asarray(sp.hstack(partition_contingencies(labels, ensemble)).todense())
    sizes = ensemble.cluster_sizes
    either = np.bincount(codes[codes >= 0])[:, None] + sizes - common
    jaccard = common / either
    best = jaccard.max(axis=0, initial=0.0)
    return ClusterReliability(
        partition=ensemble.owner,
        label=np.array([word for known in ensemble.vocabularies for word in known.labels.tolist()], dtype=object),
        size=sizes,
        eci=entropy_weights(ensemble, theta),
        crowd_agreement=crowd_agreement(ensemble)[ensemble.owner],
        match=np.where(best > 0, jaccard.argmax(axis=0), -1) if common.size else np.full(sizes.size, -1),
        jaccard=best,
        purity=common.max(axis=0, initial=0) / sizes,
    )


def partition_reliability(labels: LabelVector, partitions: LabelMatrix, *, theta: float = 0.4) -> PartitionReliability:
    """Describe every base clustering by its agreement with the others and with the consensus.

    Parameters
    ----------
    labels : label vector of length n_objects
        The consensus; -1, NaN, None and null for none.
    partitions : label matrix, list of label vectors, or Ensemble
    theta : float, default=0.4
        How slowly the ensemble-driven cluster index falls with the uncertainty.

    Returns
    -------
    PartitionReliability
        Arrays of shape (n_partitions,).

    References
    ----------
    Huang, Lai & Wang (2015), Combining multiple clusterings via crowd agreement estimation and multi-granularity
    link analysis, Neurocomputing 170. https://doi.org/10.1016/j.neucom.2014.05.094

    Examples
    --------
    >>> found = partition_reliability([0, 0, 0, 1, 1, 1], [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, -1, -1]])
    >>> found.missing.round(2).tolist(), found.nmi.round(2).tolist(), found.ari.round(2).tolist()
    ([0.0, 0.33], [1.0, 0.35], [1.0, 0.0])
    """
    ensemble = as_ensemble(partitions)
    return table_reliability(partition_contingencies(labels, ensemble), ensemble, theta)


def table_reliability(tables: list[sp.csr_array], ensemble: Ensemble, theta: float = 0.4) -> PartitionReliability:
    """:func:`partition_reliability` of a clustering that is known by its contingency with every base clustering."""
    sizes = ensemble.cluster_sizes
    labelled = np.bincount(ensemble.owner, sizes, ensemble.n_partitions)
    certain = np.bincount(ensemble.owner, sizes * entropy_weights(ensemble, theta), ensemble.n_partitions)
    return PartitionReliability(
        name=ensemble.names,
        n_clusters=np.diff(ensemble.offsets),
        missing=1.0 - labelled / ensemble.n_objects,
        crowd_agreement=crowd_agreement(ensemble),
        eci=np.divide(certain, labelled, out=np.zeros(labelled.size), where=labelled > 0),
        nmi=np.array([table_nmi(table, "sqrt") for table in tables]),
        ari=np.array([table_ari(table) for table in tables]),
    )
