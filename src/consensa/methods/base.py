"""What all consensus methods share: labels in, checks, cut, numbering, confidence."""

from __future__ import annotations

import numbers
from abc import ABCMeta, abstractmethod
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from consensa._frames import collected
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
            One column per base clustering; -1, NaN, None and null are missing labels. Matrices larger than memory
            come as chunks (:func:`consensa.scale.as_chunks`), dask arrays or dask data frames.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        candidates = auto_range(self.n_clusters) if is_auto(self.n_clusters) else None
        wanted = [] if is_auto(self.n_clusters) else as_cluster_numbers(self.n_clusters)
        X = collected(X)
        ensemble = self._read(X)
        check_n_clusters(wanted, ensemble.n_microclusters, "microclusters (distinct label rows)")
        if not self._handles_missing:
            check_complete(ensemble, type(self).__name__)
        self._remember_columns(X, ensemble)
        self._cut = self._consensus(ensemble)
        self.ensemble_ = ensemble
        self._labellers: dict[int, Any] = {}
        self.choice_ = None
        if not wanted:
            self.choice_ = choose_cut(self._cut, ensemble, candidates, random_state=_fixed_seed(self))
            wanted = [self.choice_.n_clusters]
        found = self.cut(wanted)
        several = np.ndim(self.n_clusters) > 0
        self.labels_ = found if several else found[wanted[0]]
        self.n_clusters_ = wanted if several else _n_found(found[wanted[0]], wanted[0], ensemble)
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
        if self.ensemble_.is_chunked:
            labels = {k: self._label_chunks(k) for k in wanted}
        else:
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
        self._check_in_memory("predict")
        X = collected(X)
        if not _is_plain(X) and len(X.shape) == 2:  # any other shape is refused as in fit
            validate_data(self, X, skip_check_array=True, reset=False)
        return assign_labels(X, self.labels_, self.ensemble_, getattr(self, "cluster_weights_", None))

    @property
    def confidence_(self) -> Any:
        """How clearly every object belongs to its cluster, in [0, 1]; see :func:`consensa.evaluate.confidence`."""
        check_is_fitted(self, "ensemble_")
        if isinstance(self.labels_, dict):
            return {k: self._confidence(k, labels) for k, labels in self.labels_.items()}
        return self._confidence(as_cluster_numbers(self.n_clusters_)[0], self.labels_)

    def _needs_all_microclusters(self) -> bool:
        """Whether the method works on all microclusters, not on sums over rows and a sample of them."""
        return True

    def _read(self, X: Any) -> Ensemble:
        from consensa.scale.chunks import is_chunked

        if not is_chunked(X):
            return as_ensemble(X, missing=self.missing)
        if is_auto(self.n_clusters):
            msg = (
                "n_clusters='auto' needs the ensemble in memory, and it was given in chunks: call choose_k on a sample "
                "of the rows, then give the number it finds."
            )
            raise ValueError(msg)
        from consensa.scale import ChunkedEnsemble

        return ChunkedEnsemble(X, missing=self.missing, sample=not self._needs_all_microclusters())

    def _check_in_memory(self, what: str) -> None:
        if self.ensemble_.is_chunked:
            msg = (
                f"{what} needs the ensemble in memory, and this model was fitted in chunks: fit it on a sample of the "
                "rows, or use its labels_ and labeller."
            )
            raise ValueError(msg)

    def _label_chunks(self, n_clusters: int) -> Any:
        from consensa.scale import label_chunks

        labels, self._labellers[n_clusters] = label_chunks(self._cut, n_clusters, self.ensemble_)
        return labels

    def _confidence(self, n_clusters: int, labels: Any) -> Any:
        if not self.ensemble_.is_chunked:
            return confidence(labels, self.ensemble_)
        from consensa.scale import chunked_confidence

        return chunked_confidence(self.labeller(n_clusters), self.ensemble_)

    def labeller(self, n_clusters: int | None = None) -> Any:
        """Return the function that labels coded rows, of a model that was fitted on chunks.

        Parameters
        ----------
        n_clusters : int, default=None
            Which of several numbers of clusters; None for the first.

        Returns
        -------
        callable
            Takes codes (n x M, int32), returns labels (int32).
        """
        check_is_fitted(self, "ensemble_")
        if not self._labellers:
            msg = "only a model that was fitted on chunks has a labeller; use labels_ and cut."
            raise ValueError(msg)
        return self._labellers[as_cluster_numbers(self.n_clusters)[0] if n_clusters is None else n_clusters]

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
    return isinstance(X, (list, tuple, Ensemble)) or not hasattr(X, "shape") or hasattr(X, "__dask_graph__")


def check_complete(ensemble: Ensemble, method: str) -> None:
    """Refuse missing labels; objects without any label do not count, as they take no part."""
    absent = ensemble.sizes @ (ensemble.n_partitions - ensemble.n_observed)
    if absent:
        msg = (
            f"{method} cannot handle missing labels, and {absent} are missing: fill them, leave the incomplete base "
            "clusterings out, or use another method (EAC, LWEA and LWGP handle them)."
        )
        raise ValueError(msg)


def _n_found(labels: Any, wanted: int, ensemble: Ensemble) -> int:
    """Count the clusters that came out; labels in chunks are not read for it, the cuts made of them keep to k."""
    return wanted if ensemble.is_chunked else int(labels.max()) + 1


def _fixed_seed(estimator: Any) -> int:
    """The seed of an estimator if it is a number, else 0: the choice of k draws nothing from a shared generator."""
    seed = getattr(estimator, "random_state", None)
    return int(seed) if isinstance(seed, numbers.Integral) else 0
