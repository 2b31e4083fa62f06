"""Connected components of a graph, groups of exactly the wanted number, and labels that leave no cluster empty."""

from __future__ import annotations

import heapq

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from consensa import _budget
from consensa._groups import first_members

__all__ = [
    "best_columns",
    "column_components",
    "component_eigenvectors",
    "component_masses",
    "eigenvector_bytes",
    "join_components",
    "join_masses",
    "row_components",
    "set_apart",
    "split_groups",
]

_FEW = 64  # eigenvectors
_COPIES = 3  # of eigenvectors, at the peak


def eigenvector_bytes(n: int, n_pairs: int) -> int:
    """Bytes for some eigenvectors of a graph of n nodes, with what is made of them."""
    return 8 * _COPIES * n * n_pairs


def component_eigenvectors(components: np.ndarray, root_degrees: np.ndarray) -> np.ndarray:
    """Eigenvectors of eigenvalue 1 of a normalised graph: roots of the degrees on each component, of length 1.

    A node without a component has -1. If all of them would be more than the memory budget allows, only some are there:
    who needs them all is refused when asking for so many.

    Examples
    --------
    >>> import numpy as np
    >>> component_eigenvectors(np.array([0, 0, 1]), np.array([3.0, 4.0, 2.0]))
    array([[0.6, 0. ],
           [0.8, 0. ],
           [0. , 1. ]])
    """
    n_components = int(components.max()) + 1
    if eigenvector_bytes(components.size, n_components) > _budget.DENSE_BUDGET:
        n_components = min(n_components, _FEW)
    vectors = np.zeros((components.size, n_components))
    linked = np.flatnonzero((components >= 0) & (components < n_components))
    vectors[linked, components[linked]] = root_degrees[linked]
    return vectors / np.linalg.norm(vectors, axis=0)


def column_components(affinity: sp.csr_array | np.ndarray) -> np.ndarray:
    """Connected component of every column with any weight; -1 for the others.

    Examples
    --------
    >>> import numpy as np
    >>> column_components(np.array([[2.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]))
    array([0, 1, 0])
    """
    used = np.asarray(affinity.sum(axis=1)).ravel() > 0
    component = np.full(used.size, -1)
    if not isinstance(affinity, np.ndarray):
        component[used] = connected_components(affinity[used][:, used], directed=False)[1]
        return component
    left, n_found = np.flatnonzero(used), 0
    while left.size:
        reached, left = left[:1], left[1:]
        while reached.size:  # of a full graph that is two looks at some rows, where scipy would copy the matrix
            component[reached] = n_found
            linked = (
                affinity[reached[0], left] if reached.size == 1 else affinity[np.ix_(reached, left)].max(axis=0)
            ) > 0
            reached, left = left[linked], left[~linked]
        n_found += 1
    return component


def row_components(matrix: sp.csr_array | np.ndarray, of_column: np.ndarray) -> np.ndarray:
    """Component of every row: that of its first column with a weight; empty rows join the first component."""
    if isinstance(matrix, np.ndarray):
        filled, first = matrix.any(axis=1), np.argmax(matrix > 0, axis=1)
    else:
        linked = sp.csr_array(matrix > 0)
        filled = np.diff(linked.indptr) > 0
        first = np.zeros(linked.shape[0], np.int64)
        first[filled] = linked.indices[linked.indptr[:-1][filled]]
    return np.where(filled, of_column[first], 0)


def set_apart(labels: np.ndarray, n_clusters: int) -> tuple[np.ndarray, np.ndarray]:
    """Choose a row for every label that no row has: the last row of the largest group, of equal ones the first.

    Examples
    --------
    >>> import numpy as np
    >>> set_apart(np.array([0, 0, 2, 2, 2]), 4)
    (array([4, 1]), array([1, 3]))
    """
    labels = labels.copy()
    rows = []
    unused = np.setdiff1d(np.arange(n_clusters), labels)
    for new in unused:
        rows.append(int(np.flatnonzero(labels == np.argmax(np.bincount(labels)))[-1]))
        labels[rows[-1]] = new
    return np.array(rows, np.int64), unused


def component_masses(components: np.ndarray, sizes: np.ndarray, at_least: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Number of objects and first row of every component, of ``at_least`` so many: the last may hold no row.

    Examples
    --------
    >>> import numpy as np
    >>> component_masses(np.array([1, 0, 1]), np.array([2, 5, 3]))
    (array([5., 5.]), array([1, 0]))
    """
    n_components = max(int(components.max()) + 1, at_least)
    return np.bincount(components, sizes, n_components), first_members(components, n_components)


def join_masses(mass: np.ndarray, first: np.ndarray, n_clusters: int) -> np.ndarray:
    """Join the lightest components until ``n_clusters`` are left; of equal ones the later first.

    Examples
    --------
    >>> import numpy as np
    >>> join_masses(np.array([5.0, 1.0, 2.0]), np.array([0, 1, 2]), 2)
    array([0, 1, 1])
    """
    group = np.arange(mass.size)
    queue = [(mass[c], -first[c], [c]) for c in range(mass.size)]
    heapq.heapify(queue)
    for _ in range(mass.size - n_clusters):
        light, light_first, members = heapq.heappop(queue)
        heavy, heavy_first, others = heapq.heappop(queue)
        members += others
        heapq.heappush(queue, (light + heavy, max(light_first, heavy_first), members))
    for _, _, members in queue:
        group[members] = members[0]
    return np.asarray(np.unique(group, return_inverse=True)[1])


def split_groups(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Set rows apart until there are ``n_clusters`` groups; see :func:`set_apart`.

    Examples
    --------
    >>> import numpy as np
    >>> split_groups(np.array([0, 0, 2, 2, 2]), 4)
    array([0, 3, 1, 1, 2])
    """
    labels = np.unique(labels, return_inverse=True)[1]
    rows, apart = set_apart(labels, n_clusters)
    labels[rows] = apart
    return np.asarray(labels)


def join_components(components: np.ndarray, sizes: np.ndarray, n_clusters: int) -> np.ndarray:
    """Label rows by their components, of which the lightest are joined; see :func:`join_masses`.

    Examples
    --------
    >>> import numpy as np
    >>> join_components(np.array([0, 1, 2, 2]), np.array([5, 1, 1, 1]), 2)
    array([0, 1, 1, 1])
    """
    return join_masses(*component_masses(components, sizes), n_clusters)[components]


def best_columns(scores: np.ndarray) -> np.ndarray:
    """Label every row by its largest score (ties: the first column); a column without rows gets the row it costs least.

    There are no more columns than rows, and every column gets a row.

    Examples
    --------
    >>> import numpy as np
    >>> best_columns(np.array([[0.9, 0.1], [0.6, 0.4], [0.8, 0.2]]))
    array([0, 1, 0])
    """
    # differences below the last digits of the scores are ties, so that rounding decides nothing
    rounded = np.round(scores, 12)
    labels = np.argmax(rounded, axis=1)
    sizes = np.bincount(labels, minlength=scores.shape[1])
    for column in np.flatnonzero(sizes == 0):
        loss = rounded.max(axis=1) - rounded[:, column]
        loss[sizes[labels] == 1] = np.inf
        row = int(np.argmin(loss))
        sizes[labels[row]] -= 1
        sizes[column] += 1
        labels[row] = column
    return labels
