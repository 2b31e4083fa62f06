"""What all consensus methods share: labels in, checks, cut, numbering, confidence."""

from __future__ import annotations

import numbers
from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from consensa._validation import as_cluster_numbers, auto_range, check_n_clusters, is_auto
from consensa.ensemble import Ensemble, as_ensemble
from consensa.evaluate.assign import assign_labels
from consensa.evaluate.choose_k import choose_cut
from consensa.evaluate.confidence import confidence
from consensa.methods.numbering import number_by_size
from consensa.methods.reporting import ReportMixin, timed
from consensa.methods.saving import SavableMixin, check_seed

__all__ = ["ConsensusClusterer", "Cut"]


class Cut(Protocol):
    """What a partitioner returns: something that can be cut into any number of clusters."""

    def cut(self, n_clusters: int) -> np.ndarray:
        """Return a label for every microcluster."""


class ConsensusClusterer(ReportMixin, SavableMixin, ClusterMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of all methods that combine a label matrix into one clustering.

    A method says in ``_consensus`` how an :class:`~consensa.Ensemble` becomes something that can be cut; the base
    does the rest once for all. A method that cannot handle missing labels sets ``_handles_missing = False``.
    """

    n_clusters: Any
    missing: int | None
    _handles_missing: ClassVar[bool] = True

    @abstractmethod
    def _consensus(self, ensemble: Ensemble) -> Cut:
        """Turn an ensemble into a dendrogram or a graph cut."""

    @timed
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Combine base clusterings.

        Parameters
        ----------
        X : label matrix of shape (n_objects, n_partitions), list of label vectors, or Ensemble
            One column per base clustering; -1, NaN, None and null are missing labels.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        candidates = auto_range(self.n_clusters) if is_auto(self.n_clusters) else None
        wanted = [] if is_auto(self.n_clusters) else as_cluster_numbers(self.n_clusters)
        ensemble = as_ensemble(X, missing=self.missing)
        check_n_clusters(wanted, ensemble.n_microclusters, "microclusters (distinct label rows)")
        if not self._handles_missing:
            check_complete(ensemble, type(self).__name__)
        self._remember_columns(X, ensemble)
        self._cut = self._consensus(ensemble)
        self.ensemble_ = ensemble
        self.choice_ = None
        if not wanted:
            self.choice_ = choose_cut(self._cut, ensemble, candidates, random_state=_fixed_seed(self))
            wanted = [self.choice_.n_clusters]
        found = self.cut(wanted)
        several = np.ndim(self.n_clusters) > 0
        self.labels_ = found if several else found[wanted[0]]
        self.n_clusters_ = wanted if several else _n_found(found[wanted[0]])
        return self

    def cut(self, n_clusters: Any) -> Any:
        """Cut the fitted consensus into other numbers of clusters, without fitting again.

        Parameters
        ----------
        n_clusters : int or sequence of int

        Returns
        -------
        ndarray of shape (n_objects,), int32, or dict of them by number of clusters
        """
        check_is_fitted(self, "ensemble_")
        wanted = as_cluster_numbers(n_clusters)
        check_n_clusters(wanted, self.ensemble_.n_microclusters, "microclusters (distinct label rows)")
        labels = {k: number_by_size(self._cut.cut(k), self.ensemble_) for k in wanted}
        return labels if np.ndim(n_clusters) > 0 else labels[wanted[0]]

    def predict(self, X: Any) -> Any:
        """Label new objects that the same base clusterings have labelled.

        An object whose labels are those of an object of the fit gets the same label as that; any other goes to the
        cluster whose members it meets most often, weighted by ``cluster_weights_`` where the method has them.

        Parameters
        ----------
        X : label matrix of shape (n_new, n_partitions), list of label vectors, or Ensemble
            The same columns as in ``fit``. Labels never seen there count as missing.

        Returns
        -------
        ndarray of shape (n_new,), int32, or dict of them by number of clusters
            -1 for objects without any known label, with a warning.
        """
        check_is_fitted(self, "ensemble_")
        if not _is_plain(X) and len(X.shape) == 2:  # any other shape is refused as in fit
            validate_data(self, X, skip_check_array=True, reset=False)
        return assign_labels(X, self.labels_, self.ensemble_, getattr(self, "cluster_weights_", None))

    @property
    def confidence_(self) -> Any:
        """How clearly every object belongs to its cluster, in [0, 1]; see :func:`consensa.evaluate.confidence`."""
        check_is_fitted(self, "ensemble_")
        if isinstance(self.labels_, dict):
            return {k: confidence(labels, self.ensemble_) for k, labels in self.labels_.items()}
        return confidence(self.labels_, self.ensemble_)

    def _consensus_again(self) -> Cut:
        """Make the cut of a loaded model that was saved without it."""
        check_seed(self)
        return self._consensus(self.ensemble_)

    def _remember_columns(self, X: Any, ensemble: Ensemble) -> None:
        if _is_plain(X):
            self.n_features_in_ = ensemble.n_partitions
            self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        else:
            validate_data(self, X, skip_check_array=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def _is_plain(X: Any) -> bool:
    """Whether scikit-learn has nothing to check or to remember of X."""
    return isinstance(X, (list, tuple, Ensemble)) or not hasattr(X, "shape")


def check_complete(ensemble: Ensemble, method: str) -> None:
    """Refuse missing labels; objects without any label do not count, as they take no part."""
    absent = ensemble.sizes @ (ensemble.n_partitions - ensemble.n_observed)
    if absent:
        msg = (
            f"{method} cannot handle missing labels, and {absent} are missing: fill them, leave the incomplete base "
            "clusterings out, or use another method (EAC, LWEA and LWGP handle them)."
        )
        raise ValueError(msg)


def _n_found(labels: np.ndarray) -> int:
    return int(labels.max()) + 1


def _fixed_seed(estimator: Any) -> int:
    """The seed of an estimator if it is a number, else 0: the choice of k draws nothing from a shared generator."""
    seed = getattr(estimator, "random_state", None)
    return int(seed) if isinstance(seed, numbers.Integral) else 0
