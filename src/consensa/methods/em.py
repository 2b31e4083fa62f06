"""Mixture model of label rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consensa._random import draw_seeds
from consensa.methods.base import ConsensusClusterer
from consensa.partition.mixture import MixtureCut

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["EMConsensus"]


class EMConsensus(ConsensusClusterer):
    """Mixture model of the labels, fitted by expectation maximisation.

    Within a consensus cluster the labels by the base clusterings are independent, each with its own distribution. An
    object goes to the cluster that is most probable given its labels. Grows linearly with the number of objects.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters; several give a dict of labels, each searched on its own.
    smoothing : float, default=0.01
        What is added to every count of a label in a cluster.
    n_init : int, default=10
        Number of starts; the one with the largest likelihood is kept.
    tol : float, default=1e-6
        Stop when the log-likelihood grows by less than this share.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.
    missing : int or None, default=-1
        The integer that stands for a missing label; None if nothing is missing.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,), int32
        Clusters numbered by size, then by first object; -1 for objects without any label. With several
        ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_objects,)
        How clearly every object belongs to its cluster.
    mixture_ : MixtureCut
        ``mixture_.mixture(k)`` has the probabilities of the clusters for every microcluster, the distributions of the
        labels, the log-likelihood and the BIC.
    ensemble_ : Ensemble

    See Also
    --------
    ECC : The same model with hard assignments and clusters of equal prior probability.

    Notes
    -----
    A missing label takes no part in the product of the probabilities. If a component is the most probable one of no
    object, it gets the microcluster that loses the least probability, so that there are always k clusters.

    References
    ----------
    Topchy, Jain & Punch (2005), Clustering ensembles: models of consensus and weak partitions, IEEE TPAMI 27(12).
    https://doi.org/10.1109/TPAMI.2005.237

    Examples
    --------
    >>> from consensa import EMConsensus
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> EMConsensus(n_clusters=2, random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    def __init__(
        self,
        n_clusters: Any = 2,
        *,
        smoothing: float = 0.01,
        n_init: int = 10,
        tol: float = 1e-6,
        random_state: RandomState = None,
        missing: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.smoothing = smoothing
        self.n_init = n_init
        self.tol = tol
        self.random_state = random_state
        self.missing = missing

    def _consensus(self, ensemble: Ensemble) -> MixtureCut:
        options = {"smoothing": self.smoothing, "n_init": self.n_init, "tol": self.tol}
        self.mixture_ = MixtureCut(ensemble, draw_seeds(self.random_state, 1)[0], options)
        return self.mixture_
