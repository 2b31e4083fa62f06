"""Random walker: regions that most objects agree on are seeds, every other object joins the seed it walks to first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import cg, splu

from consensa._groups import ranks_by_size
from consensa._validation import check_integer, check_positive
from consensa.partition.agglomerate import agglomerate
from consensa.partition.canonical import canonical_order
from consensa.partition.cut import Cut
from consensa.relate.coassociation import co_association
from consensa.relate.relation import Factored
from consensa.relate.trajectory import elite_neighbors

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble

__all__ = ["RandomWalkerCut", "random_walker"]

_SEEDS_PER_CLUSTER = 4
_DIRECT = 16_384  # unknowns; more of them are solved by conjugate gradients, whose memory grows linearly
_TIE = 10  # decimals in which probabilities are compared


def random_walker(ensemble: Ensemble, n_neighbors: int = 10, beta: float = 30.0) -> RandomWalkerCut:
    """Prepare the graph of neighbouring microclusters for random walks to seeds.

    Parameters
    ----------
    ensemble : Ensemble
    n_neighbors : int, default=10
        How many of its most similar microclusters each one is linked to; equally similar ones all stay.
    beta : float, default=30
        How steeply the weight of a link falls with the share of base clusterings that separate its ends:
        exp(-beta (1 - a)), times the number of pairs of objects.

    Returns
    -------
    RandomWalkerCut
        To be cut into any number of clusters.

    References
    ----------
    Abdala, Wattuya & Jiang (2010), Ensemble clustering via random walker consensus strategy, ICPR.
    https://doi.org/10.1109/ICPR.2010.354
    Grady (2006), Random walks for image segmentation, IEEE TPAMI 28(11). https://doi.org/10.1109/TPAMI.2006.233

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 2, 1, 1, 1]])
    >>> random_walker(ensemble).cut(2)
    array([0, 0, 1])
    """
    steepness = check_positive("beta", beta)
    graph = elite_neighbors(ensemble, check_integer("n_neighbors", n_neighbors)).tocoo()
    row, column = graph.coords
    observed, sizes = ensemble.n_observed.astype(float), ensemble.sizes.astype(float)
    agreement = graph.data / np.sqrt(observed[row] * observed[column])
    weights = np.exp(-steepness * (1 - agreement)) * sizes[row] * sizes[column]
    return RandomWalkerCut(ensemble, sp.csr_array(sp.coo_array((weights, (row, column)), shape=graph.shape)))


class RandomWalkerCut(Cut):
    """Microclusters in a symmetric graph of neighbours, shared out among any number of seed regions."""

    sizes: np.ndarray

    def __init__(self, ensemble: Ensemble, graph: sp.csr_array) -> None:
        self.sizes = ensemble.sizes
        self._similarity = co_association(ensemble)
        self._order = canonical_order(ensemble).rows
        self._graph = graph

    def seeds(self, n_clusters: int) -> np.ndarray:
        """Return the seed region of every microcluster, the heaviest first, -1 for none; shape (n_microclusters,).

        Microclusters of at least n / (4 k) objects are seeds; the bound is halved until there are 4 k of them, or all.
        Average linkage joins them into k regions, equally similar ones in :func:`canonical_order`: microclusters of one
        object tie often, and the order of the objects must not decide.
        """
        self.check(n_clusters)
        bound = float(self.sizes.sum()) / (_SEEDS_PER_CLUSTER * n_clusters)
        wanted = min(_SEEDS_PER_CLUSTER * n_clusters, self.sizes.size)
        while np.count_nonzero(self.sizes >= bound) < wanted:
            bound /= 2
        chosen = self._order[self.sizes[self._order] >= bound]
        tree = agglomerate(Factored(self._similarity.factor[chosen]), self.sizes[chosen])
        regions = tree.cut(n_clusters)
        mass = np.bincount(regions, self.sizes[chosen])
        seeds = np.full(self.sizes.size, -1)
        seeds[chosen] = ranks_by_size(mass, np.arange(mass.size))[regions]
        return seeds

    def probabilities(self, n_clusters: int) -> np.ndarray:
        """Return the probability that a walk from each microcluster reaches each seed region first.

        Where no seed can be reached, the mean similarity with the seed regions instead; (n_microclusters x n_clusters).
        """
        seeds = self.seeds(n_clusters)
        found = np.zeros((seeds.size, n_clusters))
        known = np.flatnonzero(seeds >= 0)
        found[known, seeds[known]] = 1.0
        component = connected_components(self._graph, directed=False)[1]
        reached = np.isin(component, component[known])
        walking = np.flatnonzero((seeds < 0) & reached)
        if walking.size:
            found[walking] = self._solve(walking, known, found[known])
        lost = np.flatnonzero(~reached)
        if lost.size:
            found[lost] = self._mean_similarity(lost, known, found[known])
        return found

    def cut(self, n_clusters: int) -> np.ndarray:
        """Give every microcluster to the seed region it reaches most probably, of equal ones the heaviest."""
        return np.argmax(np.round(self.probabilities(n_clusters), _TIE), axis=1)

    def _solve(self, walking: np.ndarray, known: np.ndarray, member: np.ndarray) -> np.ndarray:
        """Solve the Dirichlet problem L_UU X = W_US Y, in units of the degrees."""
        degrees = np.asarray(self._graph.sum(axis=1)).ravel()[walking]
        rows = self._graph[walking]
        within = sp.csr_array(sp.diags_array(1 / np.sqrt(degrees)) @ rows[:, walking])
        within = sp.csr_array(within @ sp.diags_array(1 / np.sqrt(degrees)))
        system = sp.csc_array(sp.eye_array(walking.size) - within)
        right = np.asarray(rows[:, known] @ member) / np.sqrt(degrees)[:, None]
        if walking.size <= _DIRECT:
            solved = splu(system, permc_spec="MMD_AT_PLUS_A", options={"SymmetricMode": True}).solve(right)
        else:
            solved = np.column_stack([cg(system, column, rtol=1e-10, maxiter=10_000)[0] for column in right.T])
        return np.asarray(solved) / np.sqrt(degrees)[:, None]

    def _mean_similarity(self, lost: np.ndarray, known: np.ndarray, member: np.ndarray) -> np.ndarray:
        mass = member * self.sizes[known][:, None]
        B = self._similarity.factor
        return np.asarray(B[lost] @ (B[known].T @ (mass / mass.sum(axis=0))))
