"""Balanced k-way hypergraph partitioning by Mt-KaHyPar, through the package mtkahypar."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from consensa._budget import check_dense_budget
from consensa._messages import warn
from consensa._random import draw_seed
from consensa._validation import check_choice, check_integer, check_positive, check_sizes
from consensa.partition.components import split_groups
from consensa.partition.cut import Cut

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["HypergraphCut", "hypergraph_cut", "require_mtkahypar"]

_IMBALANCE = 0.05  # hMETIS's UBfactor of 5 in the published experiments
_BYTES_PER_PIN = 100  # a Python integer in a list, and the hypergraphs inside the partitioner
_ONE_AT_A_TIME = threading.Lock()  # the partitioner is one per process


def hypergraph_cut(
    incidence: sp.csr_array,
    sizes: np.ndarray | None = None,
    *,
    objective: str = "cut",
    imbalance: float | None = None,
    n_init: int = 5,
    random_state: RandomState = None,
) -> HypergraphCut:
    """Prepare a hypergraph, whose rows are cut into parts of nearly equal weight through the fewest hyperedges.

    Parameters
    ----------
    incidence : csr_array of shape (n_rows, n_hyperedges)
        A row lies on the hyperedges where it has an entry; the values do not matter.
    sizes : ndarray of shape (n_rows,), int, default=None
        How many equal objects each row stands for: its weight in the balance. None for 1.
    objective : {"cut", "km1"}, default="cut"
        What is minimised: how many hyperedges are cut, into how many parts ever, or the sum over the hyperedges of
        the parts they touch, less one.
    imbalance : float or None, default=None
        By what share a part may outweigh the mean; None for 0.05.
    n_init : int, default=5
        Number of partitionings that are tried; the best one is kept.
    random_state : int, RandomState, Generator or None, default=None

    Returns
    -------
    HypergraphCut
        To be cut into any number of clusters.

    Notes
    -----
    The deterministic mode of the partitioner, on one thread, has no seed of its own: the tries after the first differ
    by a random order of the rows. Hyperedges with a single row can never be cut and are left out. Where parts come back
    without rows (many clusters of few rows), rows of the largest parts are set apart, with a warning.

    References
    ----------
    Gottesbüren, Heuer, Maas, Sanders & Schlag (2024), Scalable high-quality hypergraph partitioning, ACM Transactions
    on Algorithms 20(1). https://doi.org/10.1145/3626527

    Examples
    --------
    >>> import numpy as np, scipy.sparse as sp
    >>> pairs = sp.csr_array(np.array([[1, 0, 1], [1, 0, 0], [0, 1, 1], [0, 1, 0]]))
    >>> labels = hypergraph_cut(pairs, random_state=0).cut(2)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    require_mtkahypar()
    check_choice("objective", objective, ("cut", "km1"))
    weights = check_sizes(sizes, incidence.shape[0])
    excess = _IMBALANCE if imbalance is None else check_positive("imbalance", imbalance)
    n_bytes = _BYTES_PER_PIN * incidence.nnz
    check_dense_budget(n_bytes, f"The hypergraph of {incidence.nnz} pins", 'partitioner="tcut" does without it.')
    pins = sp.csc_array(incidence)
    pins.sort_indices()
    edges = [edge.tolist() for edge in np.split(pins.indices, pins.indptr[1:-1]) if edge.size > 1]
    seed = draw_seed(random_state)
    return HypergraphCut(edges, weights, objective, excess, check_integer("n_init", n_init), seed)


@dataclass(frozen=True, eq=False)
class HypergraphCut(Cut):
    """A hypergraph, given by the rows on every hyperedge, that is cut into any number of parts."""

    edges: list[list[int]]
    sizes: np.ndarray
    objective: str
    imbalance: float
    n_init: int
    seed: int

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of the rows for a number of clusters, shape (n_rows,)."""
        self.check(n_clusters)
        n_rows = self.sizes.size
        if n_clusters in (1, n_rows):
            return np.arange(n_rows) % n_clusters
        rng = np.random.default_rng([self.seed, n_clusters])
        orders = [np.arange(n_rows), *(rng.permutation(n_rows) for _ in range(self.n_init - 1))]
        tries = [self._partition(n_clusters, order) for order in orders]
        labels = min(tries, key=lambda found: found[0])[1]
        n_found = np.unique(labels).size
        if n_found < n_clusters:
            empty = n_clusters - n_found
            warn(f"Mt-KaHyPar left {empty} of the {n_clusters} clusters without objects; the largest were split.")
        return split_groups(labels, n_clusters)

    def _partition(self, n_clusters: int, order: np.ndarray) -> tuple[int, np.ndarray]:
        """Number the rows by their place in an order; return what was cut, and the part of every row."""
        package, partitioner = require_mtkahypar(), _initialise()
        context = partitioner.context_from_preset(package.PresetType.DETERMINISTIC_QUALITY)
        context.logging = False
        objective = package.Objective.CUT if self.objective == "cut" else package.Objective.KM1
        context.set_partitioning_parameters(n_clusters, self.imbalance, objective)
        place = np.argsort(order)
        edges = [place[edge].tolist() for edge in self.edges]
        weights = self.sizes[order].tolist()
        with _ONE_AT_A_TIME:
            graph = partitioner.create_hypergraph(context, len(weights), len(edges), edges, weights, [1] * len(edges))
            found = graph.partition(context)
        cost = found.cut() if self.objective == "cut" else found.km1()
        return int(cost), np.asarray(found.get_partition(), dtype=np.int64)[place]


def require_mtkahypar() -> Any:
    """Import mtkahypar, or say which extra brings it."""
    try:
        import mtkahypar
    except ImportError as error:
        msg = (
            "Hypergraph partitioning needs the package mtkahypar. Install it with `pip install mtkahypar`, "
            'or choose another partitioner, for example "tcut".'
        )
        raise ImportError(msg) from error
    return mtkahypar


@cache
def _initialise() -> Any:
    """Start the partitioner, once per process."""
    return require_mtkahypar().initialize(1, print_warnings=False)
