"""Ensemble clustering based on dense representation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa.methods.base import ConsensusClusterer
from consensa.partition import normalised_cut
from consensa.relate import dense_representation

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble
    from consensa.partition import SpectralCut

__all__ = ["DREC"]


class DREC(ConsensusClusterer):
    """Ensemble clustering based on dense representation.

    Microclusters are represented by each other by a ridge regression that is robust to bad columns; a normalised cut
    partitions the angles of that representation.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=2
        Number of clusters; several give a dict of labels from one decomposition. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    lam : float, default=100.0
        Price of large coefficients; the authors search 0.01 to 1000.
    alpha : int, default=2
        The similarity is the cosine to the power 2 ``alpha``.
    use_sizes : bool, default=False
        Count every microcluster as many times as it has objects; published without.
    n_init : int, default=10
        Starts of k-means in the embedding.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    choice_ : KChoice or None
        How it was chosen, if it was.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    ensemble_ : Ensemble

    See Also
    --------
    DLWECDL : Low rank instead of ridge, with weighted clusters.

    References
    ----------
    Zhou, Zheng & Pan (2019), Ensemble clustering based on dense representation, Neurocomputing 357.
    https://doi.org/10.1016/j.neucom.2019.04.078

    Examples
    --------
    >>> from consensa import DREC
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> DREC(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        lam: float = 100.0,
        alpha: int = 2,
        use_sizes: bool = False,
        n_init: int = 10,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.alpha = alpha
        self.use_sizes = use_sizes
        self.n_init = n_init
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> SpectralCut:
        similarity = dense_representation(ensemble, self.lam, alpha=self.alpha)
        return normalised_cut(
            similarity,
            ensemble.sizes if self.use_sizes else None,
            n_init=self.n_init,
            random_state=self.random_state,
            hashes=ensemble.hashes,
        )
