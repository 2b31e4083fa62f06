"""What all methods on features share: cut again, label new objects, confidence, report, save."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._frames import row_names
from consensa._sklearn import BaseEstimator, ClusterMixin
from consensa._types import check_parameters
from consensa._validation import as_cluster_numbers, check_n_clusters
from consensa.ensemble.chunks import as_chunks
from consensa.ensemble.numbering import number_by_size
from consensa.evaluate.confidence import confidence
from consensa.methods.reporting import FeaturesInMemory, ReportMixin, timed
from consensa.methods.saving import SavableMixin

if TYPE_CHECKING:
    from consensa.ensemble import Ensemble
    from consensa.ensemble.numbering import Rows
    from consensa.partition.cut import Cut
    from consensa.partition.dendrogram import Dendrogram

__all__ = ["EachObject", "FeatureClusterer", "hand_on"]


class EachObject:
    """Rows that stand for one object each.

    Parameters
    ----------
    n_objects : int
    """

    def __init__(self, n_objects: int) -> None:
        self.sizes = np.ones(n_objects, np.int64)

    def to_objects(self, values: np.ndarray) -> np.ndarray:
        """Hand the value of every row to its object."""
        return np.asarray(values)


def hand_on(model: Any, kind: Any, **given: Any) -> Any:
    """Return an estimator with the parameters that a model has too, and those given."""
    known, own = kind().get_params(deep=False), model.get_params(deep=False)
    return kind(**{name: own[name] for name in known if name in own} | given)


class FeatureClusterer(ReportMixin, SavableMixin, ClusterMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of all methods that start from features.

    After ``fit`` there are ``labels_``, ``cut_`` (a :class:`~consensa.partition.Cut`) and ``ensemble_``, the base
    clusterings behind it.
    """

    takes_features = True
    labels_: Any
    cut_: Cut
    ensemble_: Ensemble
    generator_: Any = None
    cluster_weights_: np.ndarray | None = None
    _layout: ClassVar[dict[str, Any]] = {}  # how features are read in fit
    _chunk_rows: int | None = None  # of label rows that are combined at a time; None for all

    @timed
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Cluster X.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        check_parameters(self)
        values = self._read(X)
        self._features = FeaturesInMemory(values, row_names(X))
        self._fit(values)
        return self

    def _read(self, X: Any) -> np.ndarray:
        """Check the features of the fit."""
        return check_features(self, X, **self._layout)

    def _read_new(self, X: Any) -> Any:
        """Check the features of new objects."""
        return check_features(self, X, reset=False)

    @abstractmethod
    def _fit(self, X: np.ndarray) -> None:
        """Cluster features that are checked, and keep what is fitted."""

    def combine_in_chunks(self, chunk_rows: int) -> None:
        """Let ``fit`` go through the base clusterings in chunks: the same labels in less memory.

        Without it, methods that need but a sample of many distinct label rows keep all of them.

        Parameters
        ----------
        chunk_rows : int
        """
        self._chunk_rows = chunk_rows

    def _to_combine(self, partitions: Any) -> Any:
        """Hand base clusterings to the method that combines them."""
        return partitions if self._chunk_rows is None else as_chunks(partitions, self._chunk_rows)

    @property
    def _rows(self) -> Rows:
        """What the rows of ``cut_`` stand for."""
        return EachObject(self.cut_.sizes.size)

    def cut(self, n_clusters: Any) -> Any:
        """Cut the fitted consensus into other numbers of clusters, without fitting again.

        Parameters
        ----------
        n_clusters : int or sequence of int

        Returns
        -------
        ndarray of shape (n_samples,), int32, or dict of them by number of clusters
        """
        check_is_fitted(self, "labels_")
        return self._cut(n_clusters)

    def _cut(self, n_clusters: Any) -> Any:
        wanted = check_n_clusters(as_cluster_numbers(n_clusters), self.cut_.n_clusters_max, self.cut_.limit)
        labels = {k: number_by_size(self.cut_.cut(k), self._rows) for k in wanted}
        return labels if np.ndim(n_clusters) > 0 else labels[wanted[0]]

    def predict(self, X: Any) -> Any:
        """Label new objects.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32, or dict of them by number of clusters
        """
        check_is_fitted(self, "labels_")
        return self._predict(self._read_new(X))

    @abstractmethod
    def _predict(self, X: np.ndarray) -> Any:
        """Label new objects, whose features are checked."""

    @property
    def confidence_(self) -> Any:
        """How clearly every object belongs to its cluster, in [0, 1]; see :func:`consensa.evaluate.confidence`."""
        check_is_fitted(self, "labels_")
        if isinstance(self.labels_, dict):
            return {k: confidence(labels, self.ensemble_) for k, labels in self.labels_.items()}
        return confidence(self.labels_, self.ensemble_)

    @property
    def dendrogram_(self) -> Dendrogram:
        """The tree behind the clusters, of the methods that have one."""
        check_is_fitted(self, "labels_")
        if self.cut_.tree is None:
            msg = f"{type(self).__name__} has no dendrogram with these parameters; cut_ says what it has."
            raise AttributeError(msg)
        return self.cut_.tree
