"""Label matrices beyond memory: chunks from disk or dask in, the same answers out.

``LWGP(10).fit(as_chunks("labels.npy"))`` works like ``LWGP(10).fit(labels)``; see docs/scale.md. What is behind it
lives with the ensemble (``consensa.ensemble``); this is the door to it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa.ensemble.chunks import Chunks, as_chunks
from consensa.ensemble.ensemble import Ensemble
from consensa.ensemble.on_dask import DaskChunks
from consensa.ensemble.sums import GroupCounts
from consensa.evaluate.confidence import row_confidence
from consensa.evaluate.scores import cluster_anmi
from consensa.generate.chunked import generate_labels
from consensa.partition.labelling import label_objects as label_chunks

if TYPE_CHECKING:
    from consensa.methods.base import ConsensusClusterer

__all__ = [
    "ChunkedEnsemble",
    "Chunks",
    "DaskChunks",
    "as_chunks",
    "chunked_anmi",
    "chunked_confidence",
    "chunked_contingency",
    "generate_labels",
    "label_chunks",
]


class ChunkedEnsemble(Ensemble):
    """An :class:`~consensa.Ensemble` of anything that :func:`as_chunks` takes, whose objects stay where they are.

    Parameters
    ----------
    source : Chunks, or anything :func:`as_chunks` takes
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.
    sample : bool, default=False
        Whether sums over all rows and a sample of the distinct ones are enough.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.scale import ChunkedEnsemble, as_chunks
    >>> partitions = np.array([[1, 1], [1, 1], [2, 1], [2, 3]])
    >>> ensemble = ChunkedEnsemble(as_chunks(partitions, chunk_rows=3))
    >>> ensemble.sizes, ensemble.to_objects(np.array([7, 8, 9]))
    (array([2, 1, 1]), array([7, 7, 8, 9]))
    """

    def __init__(self, source: Any, *, missing: int | None = -1, sample: bool = False) -> None:
        super().__init__(as_chunks(source), missing=missing, sample=sample)


def chunked_confidence(labeller: Any, ensemble: Ensemble) -> Any:
    """:func:`consensa.evaluate.confidence` of the objects of an ensemble in chunks.

    Parameters
    ----------
    labeller : callable
        Labels coded rows, as from :func:`label_chunks`.
    ensemble : Ensemble

    Returns
    -------
    ndarray of shape (n_objects,), or a lazy dask array

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import LWGP
    >>> from consensa.scale import as_chunks
    >>> partitions = np.array([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]]).T
    >>> LWGP(2, random_state=0).fit(as_chunks(partitions, chunk_rows=2)).confidence_.round(2)
    array([1.  , 1.  , 0.  , 0.83, 0.83, 0.83])
    """
    return ensemble.map_codes("confidence", row_confidence(labeller, ensemble), np.float64)


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
    ensemble = Ensemble(as_chunks(source), missing=missing, sample=True)
    if ensemble.n_partitions != 2:
        msg = f"expected two columns, one for each clustering; got {ensemble.n_partitions}."
        raise ValueError(msg)
    n_first = int(ensemble.offsets[1])
    return sp.csr_array(ensemble.overlap[:n_first, n_first:])


def chunked_anmi(model: ConsensusClusterer, n_clusters: int | None = None, average: str = "sqrt") -> float:
    """Mean NMI of the labels of a model with all base clusterings, from sums over the rows.

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
    counts = ensemble.sum_rows(partial(GroupCounts, ensemble.offsets, model.labeller(n_clusters).of_fit))
    return cluster_anmi(counts.table(), ensemble.offsets, average)
