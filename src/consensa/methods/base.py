"""What all consensus methods share: labels in, checks, cut, numbering, confidence."""

from __future__ import annotations

import numbers
from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self, get_args

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from consensa._frames import collected
from consensa._messages import warn
from consensa._progress import begin_stage
from consensa._sklearn import BaseEstimator, ClusterMixin
from consensa._types import Outliers, check_parameters
from consensa._validation import as_cluster_numbers, auto_range, check_choice, check_n_clusters, is_auto
from consensa.choose.choose_cut import choose_cut, few_candidates
from consensa.choose.parameter import agreement_scores
from consensa.ensemble import Ensemble, as_ensemble
from consensa.evaluate.confidence import row_confidence
from consensa.evaluate.outliers import ScoredRows, row_outlier_scores
from consensa.methods.reporting import ReportMixin, timed
from consensa.methods.saving import SavableMixin, check_seed
from consensa.partition.labelling import label_objects
from consensa.partition.marking import mark_outliers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consensa.choose.separation import FeaturesOf
    from consensa.partition.cut import Cut
    from consensa.partition.dendrogram import Dendrogram
    from consensa.partition.labelling import Labeller

__all__ = ["ConsensusClusterer"]


class ConsensusClusterer(ReportMixin, SavableMixin, ClusterMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of all methods that combine a label matrix into one clustering.

    A method says in ``_consensus`` how an :class:`~consensa.Ensemble` becomes a :class:`~consensa.partition.Cut`; the
    base does the rest once for all. A method that cannot handle missing labels sets ``_handles_missing = False``.
    """

    n_clusters: Any
    missing: int | None
    cut_: Cut
    cluster_weights_: np.ndarray | None = None  # of the methods that weigh the base clusters
    _handles_missing: ClassVar[bool] = True
    _outliers: Outliers = "assign"

    @abstractmethod
    def _consensus(self, ensemble: Ensemble) -> Cut:
        """Turn an ensemble into something that can be cut."""

    @timed
    def fit(
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002 - scikit-learn's
        *,
        outliers: Outliers = "assign",
        features_of: FeaturesOf | None = None,
    ) -> Self:
        """Combine base clusterings.

        Parameters
        ----------
        X : label matrix of shape (n_objects, n_partitions), list of label vectors, or Ensemble
            One column per base clustering; -1, NaN, None and null are missing labels. Matrices larger than memory
            come as chunks (:func:`consensa.scale.as_chunks`), dask arrays or dask data frames.
        y : None
            Ignored.
        outliers : {"assign", "mark"}, default="assign"
            What becomes of objects that no cluster can claim (:func:`consensa.evaluate.outlier_scores`): they go to the
            cluster that suits them best, or get the label -1.
        features_of : callable or None, default=None
            Gives the features (n x d) of objects by their numbers, which rise, as ``X.__getitem__`` does for an array.
            Where n_clusters="auto", they tell more about the number of clusters than labels alone.

        Returns
        -------
        self
        """
        check_parameters(self)
        check_choice("outliers", outliers, get_args(Outliers))
        self._outliers = outliers
        k = self.n_clusters
        candidates, wanted = (auto_range(k), []) if is_auto(k) else (None, as_cluster_numbers(k))
        X = collected(X)
        begin_stage("consensus")
        ensemble = as_ensemble(X, missing=self.missing, sample=not self._needs_all_microclusters())
        _check_numbers(wanted, ensemble)
        if not self._handles_missing:
            check_complete(ensemble, type(self).__name__)
        self._remember_columns(X, ensemble)
        self.cut_, self.ensemble_, self.choice_ = self._consensus(ensemble), ensemble, None
        if not wanted:
            wanted = [self._choose_number(candidates, features_of)]
        begin_stage("labels")
        found = {number: self._label_objects(number) for number in wanted}
        return self._keep(found, several=np.ndim(k) > 0)

    def _choose_number(self, candidates: Any, features_of: FeaturesOf | None) -> int:
        begin_stage("choice of k")
        seed = _fixed_seed(self)
        self.choice_ = choose_cut(self.cut_, self.ensemble_, candidates, features_of=features_of, random_state=seed)
        return self.choice_.n_clusters

    def _keep(self, found: dict[int, tuple[Any, Labeller]], *, several: bool) -> Self:
        """Store the labels, and what labels other rows in the same way."""
        self._labellers = {number: labeller for number, (_, labeller) in found.items()}
        labels, (first, *_) = {number: labels for number, (labels, _) in found.items()}, found
        self.labels_ = labels if several else labels[first]
        self.n_clusters_ = [*found] if several else self._labellers[first].n_clusters
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
        labels = {k: self._label_objects(k)[0] for k in wanted}
        return labels if np.ndim(n_clusters) > 0 else labels[wanted[0]]

    def predict(self, X: Any) -> Any:
        """Label new objects that the same base clusterings have labelled.

        An object whose labels are those of an object of the fit gets the same label as that. Any other is labelled by
        the rule of ``cut_``, as the method itself labels objects beyond a sample (the nearest centre in the embedding,
        the cluster of the most similar leaves). Where a method has no rule, the object goes to the cluster whose
        members it meets most often, weighted by ``cluster_weights_`` where the method has them.

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
        X = collected(X)
        if not _is_plain(X) and len(X.shape) == 2:  # any other shape is refused as in fit
            validate_data(self, X, skip_check_array=True, reset=False)
        codes = self.ensemble_.encode(X)
        n_unknown = int(np.count_nonzero((codes < 0).all(axis=1)))
        if n_unknown:
            known = "have no label that the base clusterings know; they get label -1."
            warn(f"{n_unknown} of {len(codes)} objects {known}")
        if isinstance(self.labels_, dict):
            return {k: self.labeller(k)(codes) for k in self.labels_}
        return self.labeller()(codes)

    @property
    def confidence_(self) -> Any:
        """How clearly every object belongs to its cluster, in [0, 1]; see :func:`consensa.evaluate.confidence`."""
        check_is_fitted(self, "ensemble_")
        if isinstance(self.labels_, dict):
            return {k: self._confidence(self.labeller(k)) for k in self.labels_}
        return self._confidence(self.labeller())

    @property
    def outlier_scores_(self) -> Any:
        """How little company every object finds in any cluster, where a random one has 1.

        See :func:`consensa.evaluate.outlier_scores`.
        """
        check_is_fitted(self, "ensemble_")
        if isinstance(self.labels_, dict):
            return {k: self._outlier_scores(self.labeller(k)) for k in self.labels_}
        return self._outlier_scores(self.labeller())

    @property
    def dendrogram_(self) -> Dendrogram:
        """The tree behind the clusters, of the methods that have one."""
        check_is_fitted(self, "ensemble_")
        if self.cut_.tree is None:
            msg = f"{type(self).__name__} has no dendrogram with these parameters; cut_ says what it has."
            raise AttributeError(msg)
        return self.cut_.tree

    def labeller(self, n_clusters: int | None = None) -> Labeller:
        """Return the function that labels coded rows as the model does, in the fit and beyond.

        Parameters
        ----------
        n_clusters : int, default=None
            Which of several numbers of clusters; None for the fitted one, or the first of them.

        Returns
        -------
        Labeller
            Takes codes (n x M, int32, as from ``ensemble_.encode``), returns labels (int32).
        """
        check_is_fitted(self, "ensemble_")
        k = as_cluster_numbers(self._fitted_numbers()[0] if n_clusters is None else n_clusters)[0]
        if k not in self._labellers and k in self._fitted_numbers():  # of a model that was saved without
            self._labellers[k] = self._label_objects(k)[1]
        return self._labellers[k] if k in self._labellers else self._label_objects(k)[1]

    def _row_part(self) -> Any:
        return self

    def _needs_all_microclusters(self) -> bool:
        """Whether the method works on all microclusters, not on sums over rows and a sample of them."""
        return True

    def _by_agreement(
        self, cluster: Callable[[Any], Cut], value: Any, grid: Sequence[float], ensemble: Ensemble
    ) -> tuple[Any, dict[float, float]]:
        """Return the value of a parameter, and what its candidates scored if it is "auto".

        They are judged by the numbers of clusters asked for, or by a few of the candidates for them.
        """
        if not (isinstance(value, str) and value == "auto"):
            return value, {}
        k = self.n_clusters
        numbers = few_candidates(ensemble, auto_range(k)) if is_auto(k) else as_cluster_numbers(k)
        scores = agreement_scores(cluster, grid, ensemble, numbers)
        return max(grid, key=scores.__getitem__), scores

    def _fitted_numbers(self) -> list[int]:
        if self.choice_ is not None:
            return [self.choice_.n_clusters]
        return as_cluster_numbers(self.n_clusters)

    def _label_objects(self, n_clusters: int) -> tuple[Any, Labeller]:
        _check_numbers([n_clusters], self.ensemble_)
        labels, labeller = label_objects(self.cut_, n_clusters, self.ensemble_, self.cluster_weights_)
        return (labels, labeller) if self._outliers == "assign" else mark_outliers(labeller, self.ensemble_)

    def _confidence(self, labeller: Labeller) -> Any:
        return self.ensemble_.map_codes("confidence", row_confidence(labeller.of_fit, self.ensemble_), np.float64)

    def _outlier_scores(self, labeller: Labeller) -> Any:
        rule = labeller.unmarked.of_fit
        scores, _ = row_outlier_scores(rule, self.ensemble_)
        return self.ensemble_.map_codes("outlier_scores", ScoredRows(rule, scores), np.float64)

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


def _check_numbers(wanted: list[int], ensemble: Ensemble) -> None:
    """Refuse numbers of clusters that no method can make of the ensemble."""
    if not all(1 <= k <= ensemble.n_microclusters for k in wanted):
        check_n_clusters(wanted, ensemble.n_microclusters, "microclusters (distinct label rows)")


def _is_plain(X: Any) -> bool:
    """Whether scikit-learn has nothing to check or to remember of X."""
    return not hasattr(X, "shape") or hasattr(X, "__dask_graph__")


def check_complete(ensemble: Ensemble, method: str) -> None:
    """Refuse missing labels; objects without any label do not count, as they take no part."""
    absent = ensemble.sizes @ (ensemble.n_partitions - ensemble.n_observed)
    if absent:
        msg = (
            f"{method} cannot handle missing labels, and {absent} are missing: fill them, leave the incomplete base "
            "clusterings out, or use another method (EAC, LWEA and LWGP handle them)."
        )
        raise ValueError(msg)


def _fixed_seed(estimator: Any) -> int:
    """The seed of an estimator if it is a number, else 0: the choice of k draws nothing from a shared generator."""
    seed = estimator.get_params(deep=False).get("random_state")
    return int(seed) if isinstance(seed, numbers.Integral) else 0
