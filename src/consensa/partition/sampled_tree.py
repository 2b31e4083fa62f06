"""Average linkage of label rows by a dense similarity, of a sample of them where there are many."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consensa._budget import check_dense_budget
from consensa._groups import first_members
from consensa._stored import check_fits, numbers_below
from consensa._threads import row_ranges, thread_map
from consensa._validation import check_fraction, check_integer
from consensa.ensemble.sampling import mixed_places, priority_sample, smallest_hashes
from consensa.partition._kernels_linkage import AVERAGE
from consensa.partition.agglomerate_dense import merge_matrix
from consensa.partition.components import set_apart
from consensa.partition.cut import StoredCut
from consensa.relate.nearness import DIGITS, group_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.ensemble import Ensemble
    from consensa.partition.dendrogram import Dendrogram
    from consensa.relate.nearness import GroupRule, Nearness

__all__ = ["SampledTree", "sampled_trees"]

_LABELLED_ROWS = 1 << 14  # at a time


def sampled_trees(
    ensemble: Ensemble, nearness: Nearness, max_microclusters: int = 4000, gini_thresholds: Sequence[float] = (1.0,)
) -> list[SampledTree]:
    """Join microclusters by the mean similarity of their objects, in one or several ways.

    Parameters
    ----------
    ensemble : Ensemble
    nearness : Nearness
    max_microclusters : int, default=4000
        Of more than these a sample of this size is joined: large microclusters are always in it, small ones by their
        hash and size, and each counts for those that are not (priority sampling). Every other microcluster goes to
        the cluster with the greatest mean similarity. The hash (:func:`~consensa.ensemble.sampling.mixed_places`) does
        not depend on the order of objects and base clusterings, nor on how often all of them stand there.
    gini_thresholds : sequence of float, default=(1.0,)
        One tree for each; see :func:`~consensa.partition.agglomerate`.

    Returns
    -------
    list of SampledTree
        With all microclusters as leaves where they are few.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import Ensemble
    >>> from consensa.relate import SharedClusters
    >>> ensemble = Ensemble([[0, 0, 1, 1, 2], [0, 0, 1, 2, 2]])
    >>> sampled_trees(ensemble, SharedClusters(ensemble.offsets, np.ones(6)))[0].cut(2)
    array([0, 1, 1, 1])
    """
    most = check_integer("max_microclusters", max_microclusters)
    thresholds = [check_fraction("gini_threshold", threshold) for threshold in gini_thresholds]
    rows, masses = np.arange(ensemble.n_microclusters), ensemble.sizes
    if rows.size > most or ensemble.leads is not None:
        known = smallest_hashes(ensemble.hashes, rows.size)  # as many as chunks keep
        known = rows if known is None else known
        chosen, masses = priority_sample(mixed_places(ensemble)[known], ensemble.sizes[known], min(most, known.size))
        rows = known[chosen]
    what = f"Agglomeration of {rows.size} microclusters"
    check_dense_budget(3 * 8 * rows.size**2, what, "Use a smaller max_microclusters, LWEA, EAC or LWGP.")
    similarity = nearness.similarity(ensemble.labels[rows]).similarity
    trees = merge_matrix(similarity, masses, AVERAGE, thresholds)
    return [SampledTree(tree, rows, masses, nearness, ensemble) for tree in trees]


@dataclass(frozen=True, eq=False)
class SampledTree(StoredCut):
    """The tree of a sample of the microclusters, or of all of them, which labels any other label row too.

    Parameters
    ----------
    dendrogram : Dendrogram
    rows : ndarray of shape (n_sampled,), int
        The microclusters that are its leaves.
    masses : ndarray of shape (n_sampled,), int64
        What each of them counts for.
    nearness : Nearness
    ensemble : Ensemble

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import SAL
    >>> rng = np.random.default_rng(0)
    >>> labels = np.where(rng.random((200, 5)) < 0.9, np.repeat([0, 1], 100)[:, None], rng.integers(2, size=(200, 5)))
    >>> tree = SAL(2, max_microclusters=10).fit(labels).cut_.first
    >>> tree.dendrogram.n_leaves, tree.cut(2).size == tree.ensemble.n_microclusters
    (10, True)
    """

    dendrogram: Dendrogram
    rows: np.ndarray
    masses: np.ndarray
    nearness: Nearness
    ensemble: Ensemble

    def check_parts(self) -> None:
        """Refuse leaves that are no microclusters, and similarities of other clusters."""
        fits = numbers_below(self.rows, self.ensemble.n_microclusters) and self.rows.shape == self.masses.shape
        check_fits(fits and self.rows.size == self.dendrogram.n_leaves, "the leaves of its tree")
        check_fits(np.array_equal(self.nearness.offsets, self.ensemble.offsets), "the clusters of its similarity")

    @property
    def limit(self) -> str:  # type: ignore[override]
        """What limits the number of clusters."""
        return super().limit if self._is_whole else "microclusters in the sample (max_microclusters)"

    @property
    def sizes(self) -> np.ndarray:
        """How many objects each microcluster has."""
        return self.ensemble.sizes

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return self.dendrogram.n_leaves

    @property
    def tree(self) -> Dendrogram:
        """The tree of the microclusters in the sample."""
        return self.dendrogram

    @property
    def tree_rows(self) -> np.ndarray:
        """The microclusters that are its leaves."""
        return self.rows

    @property
    def _is_whole(self) -> bool:
        """Whether all microclusters are leaves."""
        return self.rows.size == self.ensemble.n_microclusters and self.ensemble.leads is None

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels of all microclusters for a number of clusters, shape (n_microclusters,)."""
        self.check(n_clusters)
        if self._is_whole:
            return self.dendrogram.cut(n_clusters)
        rule = self.rule(n_clusters)
        labels = np.empty(self.ensemble.n_microclusters, np.int64)

        def work(piece: tuple[int, int]) -> None:
            labels[slice(*piece)] = rule(self.ensemble.labels[slice(*piece)])

        thread_map(work, row_ranges(labels.size, _LABELLED_ROWS))
        return labels

    def cut_rows(self, n_clusters: Sequence[int], rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
        """Cut some of the microclusters into several numbers of clusters; as :meth:`Cut.cut_rows`.

        Of several numbers at once, no row is set apart for a cluster that would be empty.
        """
        if self._is_whole:
            return super().cut_rows(n_clusters, rows, weights)
        labels = self.ensemble.labels[rows]
        if len(n_clusters) == 1:
            return [np.asarray(np.unique(self.rule(n_clusters[0])(labels), return_inverse=True)[1])]
        return self._cut_nested(n_clusters, labels)

    def _cut_nested(self, n_clusters: Sequence[int], codes: np.ndarray) -> list[np.ndarray]:
        """Cut label rows into several numbers of clusters at once: the sums of a cluster are those of its parts."""
        finest = self.dendrogram.cut(max(n_clusters))
        sums = self.nearness.sums(self.ensemble.labels[self.rows], self.masses, finest, codes)
        masses = np.bincount(finest, self.masses)
        first = first_members(finest, masses.size)
        found = []
        for k in n_clusters:
            parts = self.dendrogram.cut(k)[first]
            inside = np.zeros((masses.size, k))
            inside[np.arange(masses.size), parts] = 1.0 / np.bincount(parts, masses)[parts]
            found.append(np.unique(np.argmax((sums @ inside).round(DIGITS), axis=1), return_inverse=True)[1])
        return found

    def rule(self, n_clusters: int) -> GroupRule:
        """Return what labels any label rows: the cluster whose leaves they are most similar to on average."""
        self.check(n_clusters)
        if self.__dict__.get("_last", (0, None))[0] != n_clusters:
            sampled = self.ensemble.labels[self.rows]
            rule = group_rule(self.nearness, sampled, self.masses, self.dendrogram.cut(n_clusters))
            rows, labels = set_apart(rule(sampled), n_clusters)
            rule = replace(rule, apart_rows=sampled[rows], apart_labels=labels)
            self.__dict__["_last"] = (n_clusters, rule)  # asked for again, to compare cuts and then to label all rows
        found: GroupRule = self.__dict__["_last"][1]
        return found
