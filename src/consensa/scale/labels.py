"""Labels of the objects and their confidence, chunk by chunk."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from consensa.evaluate.confidence import clearness
from consensa.evaluate.meeting import mean_of_others
from consensa.methods.numbering import numbers_by_size
from consensa.relate.bipartite import transfer_to_rows
from consensa.scale.ensemble import LookUp
from consensa.sums import GroupCounts

__all__ = ["chunked_confidence", "label_chunks"]


def label_chunks(cut: Any, n_clusters: int, ensemble: Any) -> tuple[Any, Any]:
    """Cut a consensus and hand the labels to the objects.

    Parameters
    ----------
    cut : Dendrogram, SpectralCut or anything else with ``cut``
    n_clusters : int
    ensemble : ChunkedEnsemble

    Returns
    -------
    labels : ndarray of shape (n_objects,), int32, or a lazy dask array
    labeller : callable
        Labels coded rows in the same way.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import agglomerate
    >>> from consensa.relate import co_association
    >>> from consensa.scale import ChunkedEnsemble, as_chunks
    >>> ensemble = ChunkedEnsemble(as_chunks(np.array([[1, 0], [1, 0], [3, 2], [3, 2]])))
    >>> label_chunks(agglomerate(co_association(ensemble), ensemble.sizes), 2, ensemble)[0]
    array([0, 0, 1, 1], dtype=int32)
    """
    if ensemble.is_sample:
        return ensemble.number(cut.rule(n_clusters))
    numbers = numbers_by_size(cut.cut(n_clusters), ensemble.sizes)
    labeller = LookUp(ensemble.table, numbers, np.int32(-1))
    return ensemble.map_codes("assign", labeller, np.int32), labeller


def chunked_confidence(labeller: Any, ensemble: Any) -> Any:
    """:func:`consensa.evaluate.confidence` of the objects of a chunked ensemble.

    Parameters
    ----------
    labeller : callable
        Labels coded rows, as from :func:`label_chunks`.
    ensemble : ChunkedEnsemble

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
    new = partial(GroupCounts, ensemble.offsets, labeller)
    total = ensemble.sum_rows(new)
    return ensemble.map_codes("confidence", Clearness(ensemble.offsets, labeller, *total.finish()), np.float64)


@dataclass(frozen=True)
class Clearness:
    """Confidence of label rows, each on its own."""

    offsets: np.ndarray
    labeller: Any
    sums: np.ndarray
    sizes: np.ndarray

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        n_observed = np.count_nonzero(codes >= 0, axis=1)
        meeting = transfer_to_rows(codes, self.offsets, np.ones(int(self.offsets[-1])), self.sums.T)
        meeting *= np.sqrt(n_observed)[:, None]
        labels = self.labeller(codes)
        group = np.maximum(labels, 0)
        value = clearness(mean_of_others(meeting, group, self.sizes), group)
        value[labels < 0] = 0.0
        return value
