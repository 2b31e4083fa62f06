"""From features to a consensus clustering: a generator and a method in one estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._random import draw_seeds
from consensa._validation import as_cluster_numbers, check_n_clusters, is_auto
from consensa.generate import KMeansPartitions
from consensa.generate.base import label_new_data
from consensa.methods.consensus import make_method
from consensa.methods.registry import DEFAULT_METHOD
from consensa.methods.reporting import FeaturesInMemory, ReportMixin, timed
from consensa.methods.saving import SavableMixin

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["EnsembleClustering"]


class EnsembleClustering(ReportMixin, SavableMixin, ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Robust clustering of features: many base clusterings, combined into one.

    Parameters
    ----------
    n_clusters : int, sequence of int or "auto", default=8
        Number of clusters; several give a dict of labels. "auto" chooses it, "auto:2:20" among
        these; see :func:`~consensa.choose_k`.
    generator : transformer or None, default=None
        Makes the label matrix from the features; None for :class:`~consensa.generate.KMeansPartitions` with
        ``n_partitions`` members.
    method : str or estimator, default="sal"
        Name of a method, or a consensus estimator; its ``n_clusters`` is set to the one given here.
    n_partitions : int, default=100
        Number of base clusterings of the default generator.
    random_state : int, RandomState, Generator or None, default=None
        Seed of generator and method. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of base clusterings computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first object. With several ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
    choice_ : KChoice or None
        How the number of clusters was chosen, if it was.
    confidence_ : ndarray of shape (n_samples,)
        How clearly every object belongs to its cluster.
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The base clusterings.
    generator_, consensus_ : fitted estimators

    See Also
    --------
    consensa.consensus : Combine clusterings that already exist.

    References
    ----------
    Huang, Wang & Lai (2018), Locally weighted ensemble clustering, IEEE Trans. Cybernetics 48(5).
    https://doi.org/10.1109/TCYB.2017.2702343

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa import EnsembleClustering
    >>> model = EnsembleClustering(n_clusters=3, n_partitions=20, random_state=0).fit(load_iris().data)
    >>> model.labels_.shape
    (150,)
    """

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        generator: Any = None,
        method: Any = DEFAULT_METHOD,
        n_partitions: int = 100,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.generator = generator
        self.method = method
        self.n_partitions = n_partitions
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @timed
    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Generate base clusterings of X and combine them.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = check_features(self, X)
        if not is_auto(self.n_clusters):
            check_n_clusters(as_cluster_numbers(self.n_clusters), X.shape[0], "samples")
        self.generator_, method = self.make_parts()
        self._features = FeaturesInMemory(X)
        return self._combine(np.asarray(self.generator_.fit_transform(X)), method)

    def make_parts(self) -> tuple[Any, Any]:
        """Return the generator and the consensus method, seeded as ``fit`` does, but not fitted.

        Returns
        -------
        generator, method : estimators
        """
        generator_seed, method_seed = draw_seeds(self.random_state, 2)
        method = self._make_consensus(method_seed)  # its errors come before the long part
        return self._make_generator(generator_seed), method

    def _combine(self, partitions: Any, method: Any) -> Self:
        self.partitions_ = partitions
        self.consensus_ = method.fit(partitions)
        self.labels_ = self.consensus_.labels_
        self.n_clusters_ = self.consensus_.n_clusters_
        self.choice_ = getattr(self.consensus_, "choice_", None)
        return self

    def predict(self, X: Any) -> Any:
        """Label new data: by every base clustering first, then by the consensus.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), int32, or dict of them by number of clusters

        Notes
        -----
        Only for generators that can label new data, which have a method ``transform``: those that keep centres.
        """
        check_is_fitted(self, ["consensus_", "generator_"])
        X = check_features(self, X, reset=False)
        return self.consensus_.predict(label_new_data(self.generator_, X))

    @property
    def confidence_(self) -> Any:
        """How clearly every object belongs to its cluster, in [0, 1]."""
        check_is_fitted(self)
        return self.consensus_.confidence_

    def cut(self, n_clusters: Any) -> Any:
        """Cut the fitted consensus into other numbers of clusters, without fitting again.

        Parameters
        ----------
        n_clusters : int or sequence of int

        Returns
        -------
        ndarray of shape (n_samples,), int32, or dict of them by number of clusters
        """
        check_is_fitted(self)
        return self.consensus_.cut(n_clusters)

    def _make_generator(self, seed: int) -> Any:
        if self.generator is None:
            return KMeansPartitions(self.n_partitions, random_state=seed, n_jobs=self.n_jobs, verbose=self.verbose)
        generator = clone(self.generator)
        given = {"random_state": seed, "n_jobs": self.n_jobs}
        known = generator.get_params(deep=False)
        return generator.set_params(**{k: v for k, v in given.items() if k in known and known[k] is None})

    def _make_consensus(self, seed: int) -> Any:
        if isinstance(self.method, str):
            return make_method(self.method, self.n_clusters, seed, {})
        if not hasattr(self.method, "get_params") or isinstance(self.method, type):
            msg = f"method={self.method!r} is not allowed: give the name of a method or a consensus estimator."
            raise ValueError(msg)
        method = clone(self.method)
        known = method.get_params(deep=False)
        seeding = {"random_state": seed} if "random_state" in known and known["random_state"] is None else {}
        return method.set_params(n_clusters=self.n_clusters, **seeding)
