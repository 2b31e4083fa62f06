"""Supra-consensus of CSPA, HGPA and MCLA."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from consensa._random import as_generator
from consensa._validation import check_choice
from consensa.evaluate import AgreementChoice
from consensa.methods.balanced import BalancedConsensus
from consensa.methods.cspa import CSPA
from consensa.methods.hgpa import HGPA
from consensa.methods.mcla import MCLA

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["SupraConsensus"]


class SupraConsensus(BalancedConsensus):
    """Supra-consensus: the one of CSPA, HGPA and MCLA that agrees most with the base clusterings.

    All three run; the agreement is the mean NMI with the base clusterings (ANMI), which needs no truth.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=2
        Number of clusters, not more than base clusters; several give a dict of labels, each chosen for itself.
    partitioner : {"auto", "balanced", "free"}, default="auto"
        "balanced": METIS and Mt-KaHyPar, which **force clusters of nearly equal size** and need the extras ``metis``
        and ``hypergraph``. "free": the spectral cut of each method, which does not. "auto": balanced, each method
        with a warning free where its package is not installed.
    imbalance : float or None, default=None
        For METIS and Mt-KaHyPar: by what share a cluster may exceed the mean size; None for the default of each.
    n_init : int, default=10
        Number of partitionings that METIS tries, or starts of k-means in a spectral embedding.
    random_state : int, RandomState, Generator or None, default=None
        Seed.
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
    winner_ : AgreementChoice
        ``chosen(k)`` is the name of the method taken for k clusters, ``scores(k)`` the agreement of all three.
    ensemble_ : Ensemble

    See Also
    --------
    CSPA, HGPA, MCLA : The three methods.

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles - a knowledge reuse framework for combining multiple partitions, JMLR 3.
    https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from consensa import SupraConsensus
    >>> partitions = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], ["a", "a", "a", "b", "b", "b"]]
    >>> model = SupraConsensus(n_clusters=2, partitioner="free", random_state=0).fit(partitions)
    >>> model.labels_, model.winner_.chosen(2)
    (array([0, 0, 0, 1, 1, 1], dtype=int32), 'CSPA')
    """

    _balanced: ClassVar[str] = "balanced"
    _free: ClassVar[str] = "free"

    def _consensus(self, ensemble: Ensemble) -> AgreementChoice:
        check_choice("partitioner", self.partitioner, ("auto", "balanced", "free"))
        seed = int(as_generator(self.random_state).integers(2**31 - 1))
        members = [self._member(cls, seed) for cls in (CSPA, HGPA, MCLA)]
        cuts = {type(member).__name__: member._consensus(ensemble) for member in members}  # noqa: SLF001 - own kin
        self.winner_ = AgreementChoice(cuts, ensemble)
        return self.winner_

    def _member(self, cls: type[BalancedConsensus], seed: int) -> Any:
        named = {"auto": "auto", "balanced": cls._balanced, "free": cls._free}
        return cls(
            self.n_clusters,
            partitioner=named[self.partitioner],
            imbalance=self.imbalance,
            n_init=self.n_init,
            random_state=seed,
        )
