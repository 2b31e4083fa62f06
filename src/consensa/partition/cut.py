"""The Cut: what a partitioner returns, and everything that may be asked of it."""

from __future__ import annotations

import dataclasses
import warnings
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from consensa._messages import ConsensaWarning
from consensa._stored import Stored
from consensa._validation import check_n_clusters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consensa.partition.dendrogram import Dendrogram

__all__ = ["Cut", "Rule", "StoredCut"]


class Rule(Protocol):
    """Labels label rows that were not in the fit, each by itself."""

    @property
    def n_labels(self) -> int:
        """Labels are below this."""

    def __call__(self, codes: np.ndarray) -> np.ndarray:
        """Return the label of every row (n x M, int32, -1 = missing), -1 for a row without any label."""


class Cut(Stored):
    """Rows (microclusters) that can be cut into any number of clusters, without fitting again.

    Whatever makes clusters of an ensemble ends in one of these: a tree, a spectrum, a graph for METIS, a search. The
    estimators keep it as ``cut_``; labels, chunks, ``predict``, the choice of k, the report and saved models ask it,
    and nothing else.

    Attributes
    ----------
    sizes : ndarray of shape (n_rows,)
        How many objects each row stands for.
    limit : str
        What limits the number of clusters, for the error message.

    Examples
    --------
    >>> from consensa import LWEA
    >>> cut = LWEA(n_clusters=2).fit([[0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2]]).cut_
    >>> cut.sizes, cut.n_clusters_max, cut.cut(2), cut.tree is cut, cut.rule(2)
    (array([2, 2, 1, 1]), 4, array([0, 1, 1, 1]), True, None)
    """

    limit: str = "microclusters (distinct label rows)"

    if TYPE_CHECKING:  # a field of some cuts, a property of others

        @property
        def sizes(self) -> np.ndarray:
            """How many objects each row stands for, shape (n_rows,)."""

    @property
    def n_clusters_max(self) -> int:
        """Largest number of clusters it can be cut into."""
        return int(self.sizes.size)

    @abstractmethod
    def cut(self, n_clusters: int) -> np.ndarray:
        """Return the labels 0, 1, ... of the rows for a number of clusters, shape (n_rows,)."""

    def cut_rows(self, n_clusters: Sequence[int], rows: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:  # noqa: ARG002 - what a quick cut needs
        """Cut some of the rows into several numbers of clusters, to compare these rather than to use the labels.

        Parameters
        ----------
        n_clusters : sequence of int
        rows : ndarray of shape (n_sampled,), int
        weights : ndarray of shape (n_sampled,)
            How many objects each of them stands for, where a quicker cut of these rows alone is made.

        Returns
        -------
        list of ndarray of shape (n_sampled,)
            Labels without gaps.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConsensaWarning)  # nobody uses these labels
            return [np.asarray(np.unique(self.cut(k)[rows], return_inverse=True)[1]) for k in n_clusters]

    @property
    def tree(self) -> Dendrogram | None:
        """The tree behind the clusters, whose leaves are :attr:`tree_rows`; None where there is none."""
        return None

    @property
    def tree_rows(self) -> np.ndarray:
        """Rows that are the leaves of the tree, shape (n_leaves,): all, unless the tree is that of a sample."""
        return np.arange(self.sizes.size)

    def cut_for(self, n_clusters: int) -> Cut:  # noqa: ARG002 - of the cuts that choose
        """Return the cut whose clusters these are: itself, unless it chooses among several."""
        return self

    def rule(self, n_clusters: int) -> Rule | None:  # noqa: ARG002 - of the cuts that have one
        """Return what labels rows that were not in the fit, as :meth:`cut` labels those that were.

        None where there is no such rule; such rows then go to the cluster whose members they meet most often.
        """
        return None

    def state(self) -> dict[str, Any] | None:
        """Return what the cut can be built from again, for a file; None where it has to be made again."""
        return None

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Build the cut again from :meth:`state`."""
        msg = f"a {cls.__name__} cannot be built from {len(state)} parts; it is made again from the ensemble."
        raise ValueError(msg)

    def check(self, n_clusters: int) -> None:
        """Refuse a number of clusters that it cannot be cut into."""
        if not 1 <= n_clusters <= self.n_clusters_max:
            check_n_clusters([n_clusters], self.n_clusters_max, self.limit)


class StoredCut(Cut):
    """A cut that is no more than its fields: a frozen dataclass, kept in files as it is."""

    def state(self) -> dict[str, Any]:
        """Return the fields."""
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # all of these are dataclasses
        return {field.name: getattr(self, field.name) for field in fields}

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Self:
        """Build the cut again from its fields."""
        cut = cls(**state)
        cut.check_parts()
        return cut

    def check_parts(self) -> None:
        """Refuse fields of a file that do not fit together."""
