"""Scores of clusterings that do not fit into memory: contingencies, summed over chunks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp

from consensa.evaluate.scores import cluster_anmi
from consensa.scale.ensemble import ChunkedEnsemble
from consensa.sums import GroupCounts

if TYPE_CHECKING:
    from consensa.methods.base import ConsensusClusterer

__all__ = ["chunked_anmi", "chunked_contingency"]


def chunked_contingency(source: Any, missing: int | None = -1) -> sp.csr_array:
    """Count the objects in every pair of clusters of two clusterings, chunk by chunk.

    Parameters
    ----------
    source : label matrix of two columns: Chunks, or anything :func:`as_chunks` takes
    missing : int or None, default=-1
        The integer that stands for no label; such objects are left out.

    Returns
    -------
    csr_array of shape (n_clusters_a, n_clusters_b), int64
        For ``consensa.evaluate.scores.table_scores``.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.evaluate.scores import table_scores
    >>> from consensa.scale import as_chunks
    >>> table = chunked_contingency(as_chunks(np.array([[0, 5], [0, 5], [1, 6], [1, 6]]), chunk_rows=3))
    >>> table.toarray(), table_scores(table)["nmi"]
    (array([[2, 0],
           [0, 2]]), 1.0)
    """
    ensemble = ChunkedEnsemble(source, missing=missing, sample=True)
    if ensemble.n_partitions != 2:
        msg = f"expected two columns, one for each clustering; got {ensemble.n_partitions}."
        raise ValueError(msg)
    n_first = int(ensemble.offsets[1])
    return sp.csr_array(ensemble.overlap[:n_first, n_first:])


def chunked_anmi(model: ConsensusClusterer, n_clusters: int | None = None, average: str = "sqrt") -> float:
    """Mean NMI of the labels of a model that was fitted on chunks with all base clusterings.

    Parameters
    ----------
    model : fitted estimator
    n_clusters : int, default=None
        Which of several numbers of clusters; None for the only one.
    average : {"sqrt", "max", "mean"}, default="sqrt"

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import LWGP
    >>> from consensa.scale import as_chunks
    >>> partitions = np.array([[0, 0, 1, 1], [0, 0, 1, 2]]).T
    >>> round(chunked_anmi(LWGP(2, random_state=0).fit(as_chunks(partitions))), 4)
    0.9082
    """
    ensemble = model.ensemble_
    counts = ensemble.sum_rows(partial(GroupCounts, ensemble.offsets, model.labeller(n_clusters)))
    return cluster_anmi(counts.table(), ensemble.offsets, average)
