"""Labels for new objects: the cluster whose members they meet most often in the base clusterings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consensa._messages import warn
from consensa._validation import check_cluster_weights
from consensa.ensemble.microclusters import MicroclusterTable
from consensa.evaluate.association import crowd_of
from consensa.relate.nearness import SharedClusters, group_rule

if TYPE_CHECKING:
    from consensa._types import LabelMatrix
    from consensa.ensemble import Ensemble

__all__ = ["assign_labels"]


def assign_labels(new: LabelMatrix, labels: Any, ensemble: Ensemble, cluster_weights: np.ndarray | None = None) -> Any:
    """Extend a consensus to new objects that the same base clusterings have labelled.

    An object whose labels are those of a microcluster gets the label of that microcluster. Any other goes to the
    cluster with the largest mean co-association, weighted if the clusters are; equal ones to the smaller number.

    Parameters
    ----------
    new : label matrix of shape (n_new, n_partitions), or Ensemble
        Labels by the same base clusterings, in the same order. Labels never seen count as missing.
    labels : ndarray of shape (n_objects,), int, or dict of them
        The consensus, one label for all objects of a microcluster; -1 for objects without any label.
    ensemble : Ensemble
        What the consensus was made from.
    cluster_weights : ndarray of shape (n_base_clusters,), default=None
        Weights of the base clusters, at least 0; None for 1.

    Returns
    -------
    ndarray of shape (n_new,), int32, or dict of them
        -1 for objects without any known label, with one warning.

    References
    ----------
    Fred & Jain (2005), Combining multiple clusterings using evidence accumulation, IEEE TPAMI 27(6).
    https://doi.org/10.1109/TPAMI.2005.113

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble(np.array([["a", 0], ["a", 0], ["b", 1], ["b", 2]], dtype=object))
    >>> assign_labels(np.array([["a", 1], ["z", 2]], dtype=object), np.array([0, 0, 1, 1]), ensemble)
    array([0, 1], dtype=int32)
    """
    table = MicroclusterTable.of(ensemble.labels)
    rows = table.add(ensemble.encode(new))
    n_unknown = int(np.count_nonzero(rows < 0))
    if n_unknown:
        warn(f"{n_unknown} of {rows.size} objects have no label that the base clusterings know; they get label -1.")
    weights = check_cluster_weights(cluster_weights, ensemble.n_base_clusters)
    nearness = SharedClusters(ensemble.offsets, weights / (weights.max() or 1.0))

    def label(found: np.ndarray) -> np.ndarray:
        of_row = np.append(_row_labels(table.rows, found, ensemble, nearness), np.int32(-1))
        return np.asarray(of_row[rows])

    return {k: label(found) for k, found in labels.items()} if isinstance(labels, dict) else label(labels)


def _row_labels(rows: np.ndarray, labels: np.ndarray, ensemble: Ensemble, nearness: SharedClusters) -> np.ndarray:
    """Label of every distinct row: the microclusters of the ensemble first, then rows that none of its objects has."""
    out = np.empty(rows.shape[0], np.int32)
    row_map = ensemble.row_map
    known = row_map >= 0
    out[row_map[known]] = np.asarray(labels)[known]
    other = rows[ensemble.n_microclusters :]
    if other.size:
        crowd = crowd_of(labels, ensemble)
        closest = group_rule(nearness, ensemble.labels[crowd.row], crowd.count, crowd.group)
        out[ensemble.n_microclusters :] = np.unique(labels[labels >= 0])[closest(other)]
    return out
