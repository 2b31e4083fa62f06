"""A hypergraph learned near the given one, with exactly as many components as clusters are wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from consensa._budget import check_dense_budget
from consensa._groups import segment_sums
from consensa._random import draw_seed
from consensa._rows import GUARD, unit_rows
from consensa._validation import check_integer, check_n_clusters, check_positive
from consensa.partition.components import component_eigenvectors, join_components, split_groups
from consensa.partition.cut import Cut
from consensa.partition.eigenpairs import largest_eigenpairs
from consensa.partition.kmeans import weighted_kmeans

if TYPE_CHECKING:
    from consensa._random import RandomState
    from consensa.ensemble import Ensemble

__all__ = ["StructuredCut", "StructuredHypergraph", "simplex_rows", "structured_cut"]

_PRESENT = 1e-9  # memberships below this are no link
_SMALLEST_SHARE = 1e-3  # of the distance to the ensemble that a clustering counts with at least


class StructuredHypergraph(NamedTuple):
    """A learned hypergraph."""

    memberships: np.ndarray  # (n_microclusters x n_base_clusters); rows sum to their numbers of labels
    components: np.ndarray  # of every microcluster
    embedding: np.ndarray  # leading singular vectors (n_microclusters x n_clusters), rows per object
    shares: np.ndarray  # how far every base clustering was changed, relative to the mean
    lam: float  # the last weight of the structure
    n_iter: int


def structured_cut(
    ensemble: Ensemble, lam: float = 0.1, *, max_rounds: int = 50, n_init: int = 10, random_state: RandomState = None
) -> StructuredCut:
    """Prepare the learning of a hypergraph of microclusters and clusters that falls into k components.

    Parameters
    ----------
    ensemble : Ensemble
    lam : float, default=0.1
        First weight of the structure; it grows while there are too few components.
    max_rounds : int, default=50
        Largest number of rounds.
    n_init : int, default=10
        Starts of k-means, for the case that k components are not reached.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    StructuredCut
        To be cut into any number of clusters.

    Notes
    -----
    A variant after the idea of CESHL: minimise the sum over the clusterings m of ||H_m - Z_m||² / a_m plus 2 lam
    tr(Fᵀ L F), where L is the normalised Laplacian of the graph of objects and clusters, over memberships H >= 0 whose
    rows keep their sum, orthonormal F with k columns, and shares a > 0 that sum to M. All three have closed forms;
    they are updated in turns, with a ``lam`` that is doubled while there are fewer than k components; a step to more
    than k is taken back and tried again with a smaller growth (or half the first ``lam``). A membership can only arise
    in a cluster that shares an object with one of the object's own. Distances in F are multiplied by the total degree,
    so that ``lam`` does not depend on the number of objects.

    References
    ----------
    Zhou, Wang, Du & Li (2022), Clustering ensemble via structured hypergraph learning, Information Fusion 78.
    https://doi.org/10.1016/j.inffus.2021.09.003

    Examples
    --------
    >>> from consensa import Ensemble
    >>> ensemble = Ensemble([[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    >>> structured_cut(ensemble, random_state=0).cut(2)
    array([0, 0, 1])
    """
    cells = ensemble.n_microclusters * ensemble.n_base_clusters
    check_dense_budget(
        80 * cells,
        f"The learned hypergraph of {ensemble.n_microclusters} microclusters and {ensemble.n_base_clusters} clusters",
        "LWGP and HBGF work on the given one, which is sparse.",
    )
    seed = draw_seed(random_state)
    rounds, starts = check_integer("max_rounds", max_rounds), check_integer("n_init", n_init)
    return StructuredCut(ensemble, check_positive("lam", lam), rounds, starts, seed)


@dataclass(frozen=True, eq=False)
class StructuredCut(Cut):
    """An ensemble whose hypergraph is learned anew for every number of clusters."""

    ensemble: Ensemble
    lam: float
    max_rounds: int
    n_init: int
    seed: int
    _learned: dict[int, StructuredHypergraph] = field(default_factory=dict, repr=False)

    @property
    def sizes(self) -> np.ndarray:
        """How many objects each microcluster has."""
        return self.ensemble.sizes

    def learn(self, n_clusters: int) -> StructuredHypergraph:
        """Return the hypergraph learned for a number of clusters."""
        check_n_clusters([n_clusters], self.ensemble.n_base_clusters, "base clusters (columns of the hypergraph)")
        if n_clusters not in self._learned:
            self._learned[n_clusters] = _learn(self.ensemble, n_clusters, self.lam, self.max_rounds)
        return self._learned[n_clusters]

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the components, the lightest joined where there are more; k-means where there are fewer."""
        self.check(n_clusters)
        learned = self.learn(n_clusters)
        if int(learned.components.max()) + 1 >= n_clusters:
            return join_components(learned.components, self.sizes, n_clusters)
        points = unit_rows(learned.embedding, guard=GUARD)
        rng = np.random.default_rng([self.seed, n_clusters])
        labels = weighted_kmeans(points, self.sizes, n_clusters, n_init=self.n_init, random_state=rng)
        return split_groups(labels, n_clusters)


def simplex_rows(targets: np.ndarray, costs: np.ndarray, totals: np.ndarray) -> np.ndarray:
    """Bring rows to given sums: minimise the sum of (h - target)² / cost over h >= 0 with sum h = total.

    Targets (n_rows x n_columns) are -inf where h must be 0; costs of the columns and totals of the rows are above 0.

    Examples
    --------
    >>> import numpy as np
    >>> simplex_rows(np.array([[1.0, 0.4, -0.2]]), np.ones(3), np.ones(1)).round(2)
    array([[0.8, 0.2, 0. ]])
    """
    levels = targets / costs
    order = np.argsort(-levels, axis=1, kind="stable")
    ranked = np.take_along_axis(levels, order, axis=1)
    mass = np.cumsum(costs[order], axis=1)
    reached = np.cumsum(np.where(np.isfinite(ranked), np.take_along_axis(targets, order, axis=1), 0.0), axis=1)
    level = (reached - totals[:, None]) / mass
    last = np.maximum(np.count_nonzero(ranked > level, axis=1), 1) - 1
    shift = level[np.arange(last.size), last]
    return np.maximum(np.where(np.isfinite(targets), targets, 0.0) - costs * shift[:, None], 0.0) * np.isfinite(targets)


def _learn(ensemble: Ensemble, n_clusters: int, lam: float, max_rounds: int) -> StructuredHypergraph:
    """Update embedding, memberships and shares in turns until there are ``n_clusters`` components."""
    Z = ensemble.incidence.toarray().astype(float)
    linked = sp.csr_array((ensemble.overlap > 0).astype(np.int8))
    allowed = (ensemble.incidence @ linked).toarray() > 0
    totals, sizes = ensemble.n_observed.astype(float), ensemble.sizes.astype(float)
    H, shares = Z, np.ones(ensemble.n_partitions)
    kept, growth = (H, shares, 0.0), 2.0
    for n_iter in range(max_rounds + 1):
        components, of_column = _components(H)
        n_found = int(components.max()) + 1
        if n_found == n_clusters or n_iter == max_rounds or (n_found > n_clusters and n_iter == 0):
            break
        if n_found > n_clusters:
            H, shares, before = kept
            growth = np.sqrt(growth)
            lam = before * growth if before > 0 else lam / 2
            of_column = _components(H)[1]
        elif n_iter > 0:
            kept = H, shares, lam
            lam *= growth
        rows, columns = _embed(H, totals, sizes, n_clusters, of_column)
        distances = _squared_distances(rows, columns) * float(sizes @ totals)
        costs = shares[ensemble.owner]
        allowed &= of_column >= 0
        H = simplex_rows(np.where(allowed, Z - lam * costs * distances, -np.inf), costs, totals)
        shares = _shares((sizes[:, None] * (H - Z) ** 2).sum(axis=0), ensemble)
    rows = _embed(H, totals, sizes, n_clusters, of_column)[0]
    return StructuredHypergraph(H, components, rows, shares, lam, n_iter)


def _components(H: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Connected component of every row and column through the memberships; -1 for columns without any."""
    links = sp.csr_array(H > _PRESENT)
    graph = sp.csr_array(sp.block_array([[None, links], [links.T, None]], format="csr"))
    found = connected_components(graph, directed=False)[1]
    used, rows = np.unique(found[: H.shape[0]], return_inverse=True)
    columns = found[H.shape[0] :]
    place = np.minimum(np.searchsorted(used, columns), used.size - 1)
    return np.asarray(rows), np.where(used[place] == columns, place, -1)


def _embed(
    H: np.ndarray, totals: np.ndarray, sizes: np.ndarray, n_clusters: int, of_column: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of F / sqrt(degree): the leading singular vectors of D_x^-1/2 H D_y^-1/2, of length 1/sqrt 2."""
    degrees = sizes @ H
    root = np.divide(1.0, np.sqrt(degrees), out=np.zeros(degrees.size), where=of_column >= 0)
    scaled = H * np.sqrt(sizes / totals)[:, None] * root
    known = component_eigenvectors(of_column, np.sqrt(degrees))
    values, right = largest_eigenpairs(scaled.T @ scaled, n_clusters, known)
    left = H @ (root[:, None] * right) / np.sqrt(np.maximum(values, 1e-12)) / totals[:, None]
    return left / np.sqrt(2), root[:, None] * right / np.sqrt(2)


def _squared_distances(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    squares = (rows**2).sum(axis=1)[:, None] + (columns**2).sum(axis=1)
    return np.maximum(squares - 2 * rows @ columns.T, 0.0)


def _shares(changes: np.ndarray, ensemble: Ensemble) -> np.ndarray:
    """How far every clustering was changed, relative to the mean; none counts for nothing."""
    lengths = np.sqrt(segment_sums(changes, ensemble.offsets))
    mean = float(lengths[np.diff(ensemble.offsets) > 0].mean())  # a clustering without any label has no say
    return np.maximum(lengths / mean, _SMALLEST_SHARE) if mean > 0 else np.ones(lengths.size)
