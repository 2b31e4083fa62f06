"""TOME: base clusterings and features together, refined twice and related by paths."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from consensa._random import draw_seeds
from consensa._validation import as_cluster_numbers, check_n_clusters
from consensa.ensemble import Ensemble
from consensa.generate import KMeansPartitions
from consensa.methods.ensemble_clustering import make_generator
from consensa.methods.features import FeatureClusterer
from consensa.partition import normalised_cut, path_similarity
from consensa.relate import refined_co_association

if TYPE_CHECKING:
    from consensa._types import Count, NClusters, RandomState

__all__ = ["TOME"]


@dataclass(eq=False, repr=False)
class TOME(FeatureClusterer):
    """Two-level refined co-association with a path-based transformation (a variant of the published method).

    Base clusterings of the features are combined with the features at hand: a pair in the same cluster counts by its
    closeness, a cluster by its compactness. Two objects are then as similar as the weakest link of the best path
    between them, and a normalised cut partitions them.

    Parameters
    ----------
    n_clusters : int or sequence of int, default=8
        Number of clusters; several give a dict of labels.
    generator : transformer, str or None, default=None
        Makes the label matrix from the features; a name of :data:`consensa.generate.GENERATORS`; None for
        :class:`~consensa.generate.KMeansPartitions` with
        ``n_partitions`` members.
    n_partitions : int, default=20 (base clusterings)
    n_init : int, default=10 (starts, of which the best is kept)
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32, or dict of them (numbered by size, then by first object)
    n_clusters_ : int or list of int
    choice_ : None
    confidence_ : ndarray of shape (n_samples,), or dict of them (how clearly objects belong to their clusters)
    cut_ : SpectralCut
    partitions_ : ndarray of shape (n_samples, n_partitions), int32
    generator_ : fitted transformer
    ensemble_ : Ensemble

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

    _layout: ClassVar[dict[str, Any]] = {"dtype": np.float64}
    n_clusters: NClusters = 8
    _: KW_ONLY
    generator: Any = None
    n_partitions: Count = 20
    n_init: Count = 10
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    @property
    def predict(self) -> Any:
        """Not there: objects are related by all their distances, which new ones have no part in."""
        msg = "TOME relates objects by their distances, and cannot label new ones; fit it on all objects."
        raise AttributeError(msg)

    def _predict(self, X: np.ndarray) -> Any:
        return self.predict(X)

    def _fit(self, X: np.ndarray) -> None:
        wanted = check_n_clusters(as_cluster_numbers(self.n_clusters), X.shape[0], "samples")
        generator_seed, method_seed = draw_seeds(self.random_state, 2)
        self.generator_ = make_generator(self, generator_seed, KMeansPartitions)
        self.partitions_ = np.asarray(self.generator_.fit_transform(X))
        self.ensemble_ = Ensemble(self.partitions_)
        similarity = path_similarity(refined_co_association(X, self.partitions_))
        self.cut_ = normalised_cut(similarity, n_init=self.n_init, random_state=method_seed)
        self.labels_ = self._cut(self.n_clusters)
        self.n_clusters_ = wanted if isinstance(self.labels_, dict) else wanted[0]
