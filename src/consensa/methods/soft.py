"""What WSPA and WBPA share: LAC on features, soft clusterings, a partitioner, feature weights of the consensus."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from consensa._features import FeatureWeightsMixin, check_features
from consensa._random import draw_seeds
from consensa._validation import auto_range, check_choice, check_integer, check_n_clusters, is_auto
from consensa.ensemble import Ensemble
from consensa.evaluate import choose_k, confidence, consensus_feature_weights
from consensa.generate import KMeansPartitions, LACPartitions
from consensa.methods.numbering import number_by_size
from consensa.methods.reporting import FeaturesInMemory, ReportMixin, timed
from consensa.methods.saving import SavableMixin, check_seed
from consensa.partition import normalised_cut, transfer_cut
from consensa.partition.agglomerate_rows import average_linkage
from consensa.partition.metis import metis, require_pymetis
from consensa.relate.posteriors import SoftEnsemble, soft_ensemble

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from consensa._random import RandomState
    from consensa.evaluate import KChoice
    from consensa.methods.base import Cut

__all__ = ["PARTITIONERS", "SoftConsensus", "combine_posteriors", "partition_soft"]

PARTITIONERS = ("metis", "tcut", "spectral", "average")
_WHAT = "distinct rows of posteriors"
_CHOOSER = "lwgp"  # whose cuts are judged where the number of clusters is chosen
_CHOOSER_PARTITIONS = 50


def partition_soft(
    ensemble: SoftEnsemble,
    relations: Mapping[str, Callable[[SoftEnsemble], Any]],
    *,
    partitioner: str,
    imbalance: float | None,
    n_init: int,
    random_state: RandomState,
) -> Cut:
    """Hand a partitioner the relation that the method has for it."""
    relation = relations[check_choice("partitioner", partitioner, PARTITIONERS)](ensemble)
    if partitioner == "average":
        return average_linkage(relation, ensemble.sizes)
    if partitioner == "metis":
        return metis(relation, ensemble.sizes, imbalance=imbalance, n_init=n_init, random_state=random_state)
    cut = transfer_cut if partitioner == "tcut" else normalised_cut
    return cut(relation, ensemble.sizes, n_init=n_init, random_state=random_state, hashes=ensemble.hashes)


def combine_posteriors(
    posteriors: Iterable[Any], n_clusters: Any, consensus: Callable[[SoftEnsemble], Cut]
) -> np.ndarray:
    """From soft clusterings to labels, numbered by size; "auto" chooses k on the most probable clusters."""
    given = posteriors if hasattr(posteriors, "ndim") else list(posteriors)
    ensemble = soft_ensemble(given)
    if is_auto(n_clusters):
        hard = np.column_stack([np.argmax(P, axis=1) for P in given])
        n_clusters = choose_k(hard, _CHOOSER, auto_range(n_clusters), random_state=0).n_clusters
    k = check_integer("n_clusters", n_clusters)
    check_n_clusters([k], ensemble.n_rows, _WHAT)
    return number_by_size(consensus(ensemble).cut(k), ensemble)


class SoftConsensus(ReportMixin, SavableMixin, FeatureWeightsMixin, ClusterMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of the methods that combine locally adaptive clusterings of features."""

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        partitioner: str = "metis",
        n_partitions: int = 20,
        inverse_h: Any = None,
        standardize: bool = True,
        imbalance: float | None = None,
        n_init: int = 10,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.partitioner = partitioner
        self.n_partitions = n_partitions
        self.inverse_h = inverse_h
        self.standardize = standardize
        self.imbalance = imbalance
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @abstractmethod
    def _consensus(self, ensemble: SoftEnsemble, random_state: RandomState) -> Cut:
        """Turn soft clusterings into a dendrogram or a graph cut."""

    @timed
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Cluster X once for every value of h and combine the clusterings.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = check_features(self, X, dtype=np.float64, order="C")
        if check_choice("partitioner", self.partitioner, PARTITIONERS) == "metis":
            require_pymetis()
        self._features = FeaturesInMemory(X)
        generator_seed, method_seed = draw_seeds(self.random_state, 2)
        Z = np.asarray(StandardScaler().fit_transform(X)) if self.standardize else X
        self.choice_ = _choose_for_features(Z, self.n_clusters, method_seed) if is_auto(self.n_clusters) else None
        k = self.n_clusters if self.choice_ is None else self.choice_.n_clusters
        self.generator_ = self._make_generator(k, generator_seed)
        self.partitions_ = np.asarray(self.generator_.fit_transform(Z))
        ensemble = soft_ensemble(self.generator_.posteriors(Z))
        self._rows = ensemble
        self._cut = self._consensus(ensemble, method_seed)
        self.labels_ = self.cut(k)
        self.n_clusters_ = int(self.labels_.max()) + 1
        self.feature_weights_ = consensus_feature_weights(
            self.labels_, self.partitions_, self.generator_.feature_weights_
        )
        return self

    def cut(self, n_clusters: int) -> np.ndarray:
        """Cut the fitted consensus into another number of clusters, without clustering the features again.

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        ndarray of shape (n_samples,), int32
        """
        check_is_fitted(self, "partitions_")
        k = check_integer("n_clusters", n_clusters)
        check_n_clusters([k], self._rows.n_rows, _WHAT)
        return number_by_size(self._cut.cut(k), self._rows)

    @property
    def confidence_(self) -> np.ndarray:
        """How clearly every object belongs to its cluster, in [0, 1]; see :func:`consensa.evaluate.confidence`."""
        check_is_fitted(self, "labels_")
        return confidence(self.labels_, Ensemble(self.partitions_))

    def _consensus_again(self) -> Cut:
        """Make the cut of a loaded model that was saved without it."""
        check_seed(self)
        return self._consensus(self._rows, draw_seeds(self.random_state, 2)[1])

    def _make_generator(self, n_clusters: int, seed: int) -> LACPartitions:
        return LACPartitions(
            n_clusters,
            self.n_partitions,
            inverse_h=self.inverse_h,
            n_init=self.n_init,
            random_state=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )


def _choose_for_features(X: np.ndarray, n_clusters: str, seed: int) -> KChoice:
    """Choose k before the clusterings are made, which all have k clusters: on k-means clusterings of many k."""
    partitions = KMeansPartitions(_CHOOSER_PARTITIONS, random_state=seed).fit_transform(X)
    return choose_k(partitions, _CHOOSER, auto_range(n_clusters), random_state=seed)
