"""Agglomeration of a similarity that falls into unconnected pieces."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from consensa.partition._kernels_queue import rounded
from consensa.partition.agglomerate import agglomerate
from consensa.partition.dendrogram import Dendrogram
from consensa.relate.relation import Factored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consensa.relate.relation import Parted

__all__ = ["agglomerate_pieces"]


def agglomerate_pieces(
    relation: Parted, pieces: np.ndarray, between: Factored, sizes: np.ndarray | None = None, linkage: str = "average"
) -> Dendrogram:
    """Agglomerate every piece, then join the pieces by another similarity.

    Between pieces the first similarity is 0 and says nothing about which to join first; average linkage on the second
    one does, so that the answer does not depend on the order of the rows.

    Parameters
    ----------
    relation : Dense or WalkSimilarity
        Similarities of n_rows microclusters, 0 between pieces; asked for those within one piece at a time.
    pieces : ndarray of shape (n_rows,), int
        The piece of every microcluster, numbered from 0.
    between : Factored
        The similarity that decides in which order whole pieces are joined, of the same n_rows.
    sizes : ndarray of shape (n_rows,), default=None
        How many objects each microcluster stands for; None for 1.
    linkage : {"average", "complete", "single"}, default="average"
        Linkage inside the pieces.

    Returns
    -------
    Dendrogram
        The same as :func:`agglomerate` gives, up to the order of the last merges at similarity 0.

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> from consensa.relate import Dense
    >>> S = Dense(np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> other = Factored(sp.csr_array(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])))
    >>> agglomerate_pieces(S, np.array([0, 1, 2]), other).merges.tolist()
    [[1, 2], [0, 1]]
    """
    counts = np.ones(relation.n_rows, np.int64) if sizes is None else np.asarray(sizes)
    if pieces.max() == 0:
        return agglomerate(relation.within(np.arange(relation.n_rows)), counts, linkage)
    members = np.split(np.argsort(pieces, kind="stable"), np.cumsum(np.bincount(pieces))[:-1])
    members.sort(key=lambda rows: int(rows[0]))
    trees = [_merges(relation, rows, counts, linkage) for rows in members]
    inside = [merge for _, merge in heapq.merge(*trees, key=lambda item: item[0])]
    joins = _join(members, between, counts)
    merges = np.array([(a, b) for a, b, _ in inside], np.int64).reshape(-1, 2)
    similarities = np.array([similarity for *_, similarity in inside])
    return Dendrogram(np.vstack([merges, joins]), np.concatenate([similarities, np.zeros(len(joins))]), counts)


def _merges(
    relation: Parted, rows: np.ndarray, sizes: np.ndarray, linkage: str
) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, float]]]:
    """Merges inside one piece in their order, each with its rank among those of all pieces."""
    if rows.size == 1:
        return
    tree = agglomerate(relation.within(rows), sizes[rows], linkage)
    for (a, b), similarity in zip(rows[tree.merges].tolist(), tree.similarities.tolist(), strict=True):
        yield (-rounded(similarity), a, b), (a, b, similarity)


def _join(members: list[np.ndarray], between: Factored, sizes: np.ndarray) -> np.ndarray:
    """Merges of whole pieces: average linkage on their mean rows."""
    mass = np.array([sizes[rows].sum() for rows in members])
    column = np.repeat(np.arange(len(members)), [rows.size for rows in members])
    rows = np.concatenate(members)
    shares = sp.csr_array((sizes[rows] / mass[column], (column, rows)), shape=(len(members), between.n_rows))
    tree = agglomerate(Factored(sp.csr_array(shares @ between.factor)), mass)
    return np.array([piece[0] for piece in members])[tree.merges]
