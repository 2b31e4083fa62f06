"""Probability trajectories: random walks over the reliable links between microclusters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, reverse_cuthill_mckee

from consensa._budget import check_dense_budget
from consensa._messages import warn
from consensa._threads import n_threads, row_ranges, thread_map
from consensa._validation import check_choice, check_integer
from consensa.relate import _kernels_trajectory as kernels
from consensa.relate.cluster_lists import cluster_lists
from consensa.relate.relation import Bipartite, Dense
from consensa.relate.slow_modes import WalkPlan, apply_walks
from consensa.relate.walk_blocks import Block, walk_lengths
from consensa.relate.walk_similarity import MEASURES, WalkSimilarity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from consensa.ensemble import Ensemble

__all__ = ["Trajectories", "elite_neighbors", "trajectories", "transition_matrix"]

_CHUNK_CELLS = 1 << 23  # cells of the buffer in which one thread collects links
_SPEED = 6e9  # multiplications and additions per second and thread, for the announcement of long runs
_LONG = 600.0  # seconds
_OR_ALL = ", or 'all' to keep all links"


def trajectories(
    ensemble: Ensemble, n_neighbors: int | str | None = None, n_steps: int | None = None, *, cap: int | None = None
) -> Trajectories:
    """Prepare random walks over the elite neighbours of the microclusters.

    Parameters
    ----------
    ensemble : Ensemble
    n_neighbors : int, "all" or None, default=None
        K, how many of its strongest links a microcluster keeps; None for floor(sqrt(n_microclusters) / 2).
    n_steps : int or None, default=None
        T, length of the walks; None for floor(sqrt(n_microclusters) / 2).
    cap : int or None, default=None
        Largest value of K and T where they are not given; the published code has 20, the paper none.

    Returns
    -------
    Trajectories

    References
    ----------
    Huang, Lai & Wang (2016), Robust ensemble clustering using probability trajectories, IEEE TKDE 28(5),
    Algorithm 1. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import Ensemble
    >>> walk = trajectories(Ensemble([[0, 0, 1, 1], [0, 1, 1, 2]]), n_neighbors=1, n_steps=2)
    >>> walk.similarity().similarity.round(2)
    array([[1.  , 0.  , 0.77, 0.  ],
           [0.  , 1.  , 0.  , 0.77],
           [0.77, 0.  , 1.  , 0.  ],
           [0.  , 0.77, 0.  , 1.  ]])
    """
    usual = max(1, math.isqrt(ensemble.n_microclusters) // 2)
    if cap is not None:
        usual = min(usual, check_integer("cap", cap))
    length = usual if n_steps is None else check_integer("n_steps", n_steps)
    graph = elite_neighbors(ensemble, usual if n_neighbors is None else n_neighbors)
    return Trajectories(ensemble, graph, transition_matrix(graph, ensemble.sizes), length)


def elite_neighbors(ensemble: Ensemble, n_neighbors: int | str) -> sp.csr_array:
    """Link every microcluster to those it agrees with in the most base clusterings.

    A link stays when its count reaches the ``n_neighbors``-th largest one of either end; equal counts all stay.
    No matrix of all microclusters is formed: links are counted through the lists of the clusters.

    Parameters
    ----------
    ensemble : Ensemble
    n_neighbors : int or "all"
        K, at least 1; with as many as there are microclusters all links stay.

    Returns
    -------
    csr_array of shape (n_microclusters, n_microclusters), int32
        In how many base clusterings the two ends share a cluster; symmetric, without a diagonal. A base clustering
        in which a label is missing does not count.

    References
    ----------
    Huang, Lai & Wang (2016), IEEE TKDE 28(5), Definitions 5-7. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    >>> elite_neighbors(ensemble, 1).toarray()
    array([[0, 2, 0, 0],
           [2, 0, 2, 0],
           [0, 2, 0, 2],
           [0, 0, 2, 0]], dtype=int32)
    """
    n = ensemble.n_microclusters
    n_kept = n if n_neighbors == "all" else min(check_integer("n_neighbors", n_neighbors, otherwise=_OR_ALL), n)
    lists = cluster_lists(ensemble)
    chunks = row_ranges(n, max(1, _CHUNK_CELLS // n))
    thresholds, lengths = np.empty(n, np.int32), np.empty(n, np.int64)
    n_links = sum(thread_map(lambda chunk: kernels.elite_thresholds(lists, *chunk, n_kept, thresholds), chunks))
    check_dense_budget(48 * n_links, f"The graph of up to {2 * n_links} links", "Keep fewer neighbours (n_neighbors).")

    def collect(chunk: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        columns, agreements = np.empty((2, (chunk[1] - chunk[0]) * n), np.int32)
        used = kernels.elite_links(lists, *chunk, thresholds, lengths, columns, agreements)
        return columns[:used].copy(), agreements[:used].copy()

    columns, agreements = zip(*thread_map(collect, chunks), strict=True)
    pointers = np.concatenate([[0], np.cumsum(lengths)])
    return sp.csr_array((np.concatenate(agreements), np.concatenate(columns), pointers), shape=(n, n))


def transition_matrix(graph: sp.csr_array, sizes: np.ndarray) -> sp.csr_array:
    """Walk along a link with a probability that grows with its weight and the size of the other end.

    Parameters
    ----------
    graph : csr_array of shape (n_microclusters, n_microclusters)
        Weights of the links; no diagonal.
    sizes : ndarray of shape (n_microclusters,)

    Returns
    -------
    csr_array of shape (n_microclusters, n_microclusters)
        Rows sum to 1, or to 0 where there is no link.

    References
    ----------
    Huang, Lai & Wang (2016), IEEE TKDE 28(5), Definition 8. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> links = sp.csr_array(np.array([[0.0, 0.0, 0.7], [0.0, 0.0, 0.7], [0.7, 0.7, 0.0]]))
    >>> transition_matrix(links, np.array([4, 1, 2])).toarray()
    array([[0. , 0. , 1. ],
           [0. , 0. , 1. ],
           [0.8, 0.2, 0. ]])
    """
    drawn = graph.data * np.asarray(sizes, dtype=float)[graph.indices]
    weighted = sp.csr_array((drawn, graph.indices, graph.indptr), shape=graph.shape)
    totals = np.asarray(weighted.sum(axis=1)).ravel()
    weighted.data /= np.repeat(totals, np.diff(graph.indptr))
    return weighted


@dataclass(frozen=True, eq=False)
class Trajectories:
    """Random walks from every microcluster: where each may be after 1, 2, ... T steps.

    The walks themselves are never stored. Two microclusters are similar when their walks are, by the cosine or another
    measure. Walks of different connected components never meet (similarity 0); a microcluster without any link is
    similar to itself only.

    Parameters
    ----------
    ensemble : Ensemble
    graph : csr_array of shape (n_microclusters, n_microclusters), int32
        Links between elite neighbours.
    transition : csr_array of shape (n_microclusters, n_microclusters)
        P, probabilities of one step.
    n_steps : int
        T, length of the walks.

    Notes
    -----
    The inner products of the walks are G = Σ P^t (P^t)ᵀ over t = 1..T, which is the nest G ← P (I + G) Pᵀ. With the
    sparse P it costs O(T nnz Ñ) and two matrices; the similarity to the clusters needs only G times one vector per
    cluster and the diagonal of G, without any Ñ x Ñ matrix. After some steps only the slowest modes are left of a walk:
    in components of 400 microclusters and more, as many steps are walked as it takes to be right to 1e-10 with the
    eigenvectors of these modes for the others, which is checked for 32 walks; often 8 of 50. All sums are in double
    precision.

    References
    ----------
    Huang, Lai & Wang (2016), IEEE TKDE 28(5), Definitions 8-11. https://doi.org/10.1109/TKDE.2015.2503753

    Examples
    --------
    >>> from consensa import Ensemble
    >>> trajectories(Ensemble([[0, 0, 1, 1], [0, 1, 1, 2]]), 1, 3).to_clusters().matrix.round(2)
    array([[0.5 , 0.42, 1.  , 0.42, 0.  ],
           [0.5 , 0.42, 0.  , 0.5 , 0.83],
           [0.42, 0.5 , 0.83, 0.5 , 0.  ],
           [0.42, 0.5 , 0.  , 0.42, 1.  ]])
    """

    ensemble: Ensemble
    graph: sp.csr_array
    transition: sp.csr_array
    n_steps: int

    @property
    def components(self) -> np.ndarray:
        """Connected component of every microcluster, numbered from 0, shape (n_microclusters,)."""
        return np.asarray(connected_components(self.graph, directed=False)[1])

    def similarity(self, measure: str = "cosine") -> Dense:
        """Compare the walks of all pairs of microclusters, within the memory budget.

        Parameters
        ----------
        measure : {"cosine", "dice", "tanimoto"}, default="cosine"
            With the inner product p and the lengths a and b of two walks: p / (a b), as published; 2 p / (a² + b²); or
            p / (a² + b² - p), which tell walks of different lengths apart too.

        Returns
        -------
        Dense
            PTS, between 0 and 1; 1 for a walk and itself, 0 for walks that never meet.
        """
        check_choice("measure", measure, tuple(MEASURES))
        n = self.ensemble.n_microclusters
        check_dense_budget(
            2 * 8 * n**2,
            f"The {n} x {n} trajectory similarity",
            "PTGP does without it; LWEA and LWGP are cheaper still.",
        )
        found, similarity = self.by_component(measure), np.eye(n)
        for rows in found.components:
            triangle = found.within(rows)
            for i in range(rows.size - 1):
                similarity[rows[i], rows[i + 1 :]] = similarity[rows[i + 1 :], rows[i]] = triangle.row(i)
        return Dense(similarity)

    def by_component(self, measure: str = "cosine") -> WalkSimilarity:
        """Compare the walks as :meth:`similarity` does, of one connected component at a time, in half the memory.

        Parameters
        ----------
        measure : {"cosine", "dice", "tanimoto"}, default="cosine"

        Returns
        -------
        WalkSimilarity
            What :func:`~consensa.partition.agglomerate_pieces` takes.
        """
        return WalkSimilarity(self.ensemble.n_microclusters, self._planned(n_products=1.5), measure)

    def to_clusters(self, measure: str = "cosine", *, size_weighted: bool = False) -> Bipartite:
        """Compare every microcluster with every cluster: the mean similarity to the microclusters in it.

        Parameters
        ----------
        measure : {"cosine", "dice", "tanimoto"}, default="cosine"
            As for :meth:`similarity`; all but the cosine form its matrix.
        size_weighted : bool, default=False
            Take the mean over the objects of the cluster instead of its microclusters.

        Returns
        -------
        Bipartite
            With a dense matrix of shape (n_microclusters, n_base_clusters).
        """
        n, n_clusters = self.ensemble.n_microclusters, self.ensemble.n_base_clusters
        check_dense_budget(3 * 8 * n * n_clusters, f"The {n} x {n_clusters} graph of PTGP", "Use LWGP instead.")
        means = self._cluster_means(size_weighted=size_weighted)
        if measure != "cosine":
            return Bipartite(self.similarity(measure).similarity @ means)
        planned = self._planned(n_products=1.0)
        matrix = means.toarray()
        for block, plan in planned:
            norms = walk_lengths(block, plan)
            inside = sp.csr_array(means[block.members])
            columns = np.unique(inside.indices)
            scaled = inside[:, columns].toarray() / norms[:, None]
            matrix[np.ix_(block.members, columns)] = (
                apply_walks(block.P, plan.weights, scaled) + plan.apply(scaled)
            ) / norms[:, None]
        return Bipartite(np.maximum(matrix, 0.0, out=matrix))  # below 0 by rounding, as in WalkSimilarity

    def _cluster_means(self, *, size_weighted: bool) -> sp.csr_array:
        """Share of every microcluster in every cluster it lies in; columns sum to 1."""
        Z = self.ensemble.incidence
        sizes = self.ensemble.sizes if size_weighted else np.ones(Z.shape[0], np.int64)
        mass = np.repeat(sizes, np.diff(Z.indptr)).astype(float)
        totals = np.bincount(Z.indices, mass, Z.shape[1])
        return sp.csr_array((mass / totals[Z.indices], Z.indices, Z.indptr), shape=Z.shape)

    def _blocks(self) -> Iterator[Block]:
        """Connected components with at least one link, as matrices of their own; linked rows stand close together."""
        component = self.components
        near = reverse_cuthill_mckee(sp.csr_array(self.graph), symmetric_mode=True)
        order = near[np.argsort(component[near], kind="stable")]
        P = sp.csr_array(self.transition[order][:, order])
        P.sort_indices()
        sizes = self.ensemble.sizes.astype(float)
        masses = (sizes * (self.graph @ sizes))[order]
        ends = np.searchsorted(component[order], np.arange(component.max() + 2))
        for first, last in pairwise(ends):
            if last - first > 1:
                low, high = P.indptr[first], P.indptr[last]
                steps = kernels.Transition(
                    (P.indptr[first : last + 1] - low).astype(np.int64),
                    (P.indices[low:high] - first).astype(np.int32),
                    P.data[low:high],
                )
                yield Block(order[first:last], steps, masses[first:last])

    def _planned(self, n_products: float) -> list[tuple[Block, WalkPlan]]:
        """Blocks, and how their walks are summed up, with a warning before walks that take long."""
        planned = [(block, block.plan(self.n_steps)) for block in self._blocks()]
        cells = sum(plan.weights.size * block.P.data.size * block.members.size for block, plan in planned)
        seconds = 2.0 * n_products * cells / (_SPEED * n_threads())
        if seconds > _LONG:
            warn(
                f"{self.n_steps} steps over {self.ensemble.n_microclusters} microclusters and {self.graph.nnz // 2} "
                f"links will take about {seconds / 3600:.1f} hours. Fewer neighbours and steps take less: give "
                "n_neighbors and n_steps, or cap=20 as in the published code."
            )
        return planned
