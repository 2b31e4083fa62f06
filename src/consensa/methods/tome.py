"""Two-level refined co-association with a path-based transformation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._random import draw_seeds
from consensa._validation import as_cluster_numbers, check_integer, check_n_clusters
from consensa.ensemble import Ensemble
from consensa.evaluate import confidence
from consensa.methods.ensemble_clustering import EnsembleClustering
from consensa.methods.numbering import number_by_size
from consensa.partition import normalised_cut, path_similarity
from consensa.relate import refined_co_association

if TYPE_CHECKING:
    from consensa._random import RandomState

__all__ = ["TOME"]


class TOME(EnsembleClustering):
    """Two-level refined co-association with a path-based transformation (a variant of the published method).

    Base clusterings of the features are combined with the features at hand: a pair in the same cluster counts by its
    closeness, a cluster by its compactness. Two objects are then as similar as the weakest link of the best path
    between them, and a normalised cut partitions them.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        Number of clusters; several give a dict of labels.
    generator : transformer or None, default=None
        Makes the label matrix from the features; None for :class:`~consensa.generate.KMeansPartitions` with
        ``n_partitions`` members.
    n_partitions : int, default=20
        Number of base clusterings of the default generator.
    n_init : int, default=10
        Starts of k-means in the normalised cut.
    random_state : int, RandomState, Generator or None, default=None
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of base clusterings computed at a time.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
        Clusters numbered by size, then by first object. With several ``n_clusters`` a dict of such arrays.
    n_clusters_ : int or list of int
        Number of clusters found.
    confidence_ : ndarray of shape (n_samples,)
        How clearly every object belongs to its cluster, by the base clusterings.
    partitions_ : ndarray of shape (n_samples, n_partitions)
        The base clusterings.
    generator_ : fitted transformer

    See Also
    --------
    EnsembleClustering : Any method that needs the base clusterings only.

    Notes
    -----
    The structure (refinement of pairs and of clusters, paths, spectral clustering) is that of the paper; the formulas
    of the weights are our own, because the published ones are not known to us, so no published figure is claimed.
    Needs matrices of n_samples x n_samples. Paths follow chains of near objects, so outliers and bridges matter.

    References
    ----------
    Zhong, Yue, Zhang & Lei (2015), A clustering ensemble: two-level-refined co-association matrix with path-based
    transformation, Pattern Recognition 48(8). https://doi.org/10.1016/j.patcog.2015.02.014

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from consensa import TOME
    >>> from consensa.evaluate import ari
    >>> X, truth = make_moons(200, noise=0.05, random_state=0)
    >>> ari(TOME(n_clusters=2, random_state=0).fit_predict(X), truth)
    1.0
    """

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        generator: Any = None,
        n_partitions: int = 20,
        n_init: int = 10,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.generator = generator
        self.n_partitions = n_partitions
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Generate base clusterings of X and combine them with the distances in X.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        X = check_features(self, X, dtype=np.float64)
        wanted = check_n_clusters(as_cluster_numbers(self.n_clusters), X.shape[0], "samples")
        n_init = check_integer("n_init", self.n_init)
        generator_seed, method_seed = draw_seeds(self.random_state, 2)
        self.generator_ = self._make_generator(generator_seed)
        self.partitions_ = np.asarray(self.generator_.fit_transform(X))
        similarity = path_similarity(refined_co_association(X, self.partitions_))
        self._cut = normalised_cut(similarity, n_init=n_init, random_state=method_seed)
        found = self.cut(wanted)
        several = np.ndim(self.n_clusters) > 0
        self.labels_ = found if several else found[wanted[0]]
        self.n_clusters_ = wanted if several else wanted[0]
        return self

    @property
    def predict(self) -> Any:
        """Not there: objects are related by all their distances, which new ones have no part in."""
        msg = "TOME relates objects by their distances, and cannot label new ones; fit it on all objects."
        raise AttributeError(msg)

    def cut(self, n_clusters: Any) -> Any:
        """Cut the fitted consensus into other numbers of clusters, without fitting again.

        Parameters
        ----------
        n_clusters : int or sequence of int

        Returns
        -------
        ndarray of shape (n_samples,), int32, or dict of them by number of clusters
        """
        check_is_fitted(self, "partitions_")
        objects = Ensemble(np.arange(len(self.partitions_)).reshape(-1, 1))
        wanted = check_n_clusters(as_cluster_numbers(n_clusters), objects.n_objects, "samples")
        labels = {k: number_by_size(self._cut.cut(k), objects) for k in wanted}
        return labels if np.ndim(n_clusters) > 0 else labels[wanted[0]]

    @property
    def confidence_(self) -> Any:
        """How clearly every object belongs to its cluster, in [0, 1]; see :func:`consensa.evaluate.confidence`."""
        check_is_fitted(self, "partitions_")
        ensemble = Ensemble(self.partitions_)
        if isinstance(self.labels_, dict):
            return {k: confidence(labels, ensemble) for k, labels in self.labels_.items()}
        return confidence(self.labels_, ensemble)
