"""Base clusterings by any clusterer that follows scikit-learn's conventions, on all objects or on random parts."""

from __future__ import annotations

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid

from consensa._magnitude import ordinary_scale
from consensa._random import as_generator, draw_seeds
from consensa._threads import library_threads
from consensa.generate.base import PartitionGenerator, open_store
from consensa.generate.kmeans import draw_cluster_numbers

if TYPE_CHECKING:
    from consensa._types import Count, Directory, Fraction, KRange, RandomState

__all__ = ["EstimatorPartitions", "SubsamplePartitions", "check_clusterer", "cluster_rows", "describe", "seeded"]


@dataclass(eq=False, repr=False)
class EstimatorPartitions(PartitionGenerator):
    """Base clusterings by given clusterers, or by one clusterer with many settings of its parameters.

    Parameters
    ----------
    estimators : clusterer or list of clusterers
        With ``fit_predict``, or ``fit`` and ``labels_``. They are copied; where their ``random_state`` is None, every
        member gets a seed of its own. Negative labels, as the noise of HDBSCAN, are missing labels.
    param_grid : dict of lists, list of such dicts, or None, default=None
        Values of the parameters of every clusterer; all combinations are used.
    n_partitions : int or None, default=None
        Number of base clusterings: the settings are gone through from the first, again and again, with new seeds.
        None for every setting once.
    directory : path or None, default=None
        Save every finished member there, and take those that are there already: a stopped run goes on where it was.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    members_ : list of clusterers (the setting of every member, not fitted)

    References
    ----------
    Strehl & Ghosh (2003), Cluster ensembles, JMLR 3. https://doi.org/10.1162/153244303321897735

    Examples
    --------
    >>> from sklearn.cluster import DBSCAN, KMeans
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import EstimatorPartitions
    >>> X = load_iris().data
    >>> EstimatorPartitions(KMeans(), {"n_clusters": [3, 4, 5]}, n_partitions=6, random_state=0).fit_transform(X).shape
    (150, 6)
    >>> EstimatorPartitions([KMeans(3), DBSCAN(0.4)], random_state=0).fit_transform(X).min(axis=0)
    array([ 0, -1], dtype=int32)
    """

    _fitted = "members_"
    _scale_free = False  # parameters of clusterers may be in the units of the features
    estimators: Any = None
    param_grid: Any = None
    n_partitions: Count | None = None  # type: ignore[assignment]  # None for every setting once
    _: KW_ONLY
    directory: Directory = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        settings = self._settings()
        n_members = len(settings) if self.n_partitions is None else self.n_partitions
        seeds = draw_seeds(self.random_state, n_members)
        self.members_ = [seeded(settings[m % len(settings)], seed) for m, seed in enumerate(seeds)]
        tasks = [(X, member, None, m) for m, member in enumerate(self.members_)]
        origin = {"members": [repr(member) for member in self.members_]}
        store = open_store(self.directory, X, self.random_state, origin)
        return np.stack(self._run(cluster_rows, tasks, "clusterings", store), axis=1)

    def _settings(self) -> list[Any]:
        """Copies of the clusterers with every combination of parameters."""
        given = list(self.estimators) if isinstance(self.estimators, (list, tuple)) else [self.estimators]
        for estimator in given:
            check_clusterer(estimator)
        if not given:
            msg = "estimators=[] is not allowed: give at least one clusterer."
            raise ValueError(msg)
        grid = [{}] if self.param_grid is None else list(ParameterGrid(self.param_grid))
        return [clone(estimator).set_params(**values) for estimator in given for values in grid]

    def _member_names(self) -> list[str]:
        return [f"{type(member).__name__.lower()}{m}" for m, member in enumerate(self.members_)]


def check_clusterer(estimator: Any) -> None:
    """Refuse what cannot be copied and fitted."""
    if isinstance(estimator, type) or not (hasattr(estimator, "get_params") and hasattr(estimator, "fit")):
        msg = (
            f"{estimator!r} is not a clusterer: give an estimator with the methods of scikit-learn, for example "
            "sklearn.cluster.KMeans(8)."
        )
        raise ValueError(msg)


def seeded(estimator: Any, seed: int) -> Any:
    """Copy an estimator; where its ``random_state``, or that of a part of it, is None, it gets a seed."""
    copy = clone(estimator)
    unset = [
        name
        for name, value in copy.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    ]
    return copy.set_params(**dict.fromkeys(unset, seed))


def describe(estimator: Any) -> str:
    """Return everything that an estimator was told, for the origin of a member: its repr may leave things out."""
    return f"{type(estimator).__name__} {sorted(estimator.get_params(deep=True).items())}"


def cluster_rows(X: np.ndarray, estimator: Any, rows: np.ndarray | None, number: int) -> np.ndarray:
    """Labels of one member; -1 for rows that it was not given or calls noise. A single thread."""
    part = X if rows is None else X[rows]
    try:
        with library_threads(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct points than k: the empty ids vanish
            model = clone(estimator)
            found = model.fit_predict(part) if hasattr(model, "fit_predict") else model.fit(part).labels_
    except Exception as error:
        msg = f"member {number}, {estimator!r}, failed: {error}"
        raise ValueError(msg) from error
    found = np.asarray(found)
    if found.shape != (part.shape[0],) or found.dtype.kind not in "iub":
        msg = (
            f"member {number}, {estimator!r}, returned an array of shape {found.shape} and dtype {found.dtype}; one "
            f"whole number for each of the {part.shape[0]} rows was expected."
        )
        raise ValueError(msg)
    labels = np.full(X.shape[0], -1, np.int32)
    labels[slice(None) if rows is None else rows] = np.maximum(found.astype(np.int64), -1)
    return labels


@dataclass(eq=False, repr=False)
class SubsamplePartitions(PartitionGenerator):
    """The same clusterer on many random parts of the data; objects left out have no label there.

    Parameters
    ----------
    estimator : clusterer or None, default=None
        With ``fit_predict``, or ``fit`` and ``labels_``; copied for every member. None for k-means.
    n_partitions : int, default=100 (base clusterings)
    fraction : float, default=0.8
        Share of the objects in every part, drawn without replacement, in (0, 1].
    n_clusters : int or None, default=None
        Number of clusters of every member, as in the original method. None for the number that the ``estimator`` has,
        or a random one for every member if there is no estimator.
    k_range : tuple of two int or None, default=None
        Smallest and largest number of clusters, both included, drawn uniformly; instead of ``n_clusters``.
    directory : path or None, default=None
        Save every finished member there, and take those that are there already: a stopped run goes on where it was.
    random_state : int, RandomState, Generator or None, default=None
    n_jobs : int or None, default=None (base clusterings computed at a time; the labels do not depend on it)
    verbose : bool, default=False (whether to show a progress bar)

    Attributes
    ----------
    members_ : list of clusterers (the setting of every member, not fitted)

    References
    ----------
    Monti, Tamayo, Mesirov & Golub (2003), Consensus clustering: a resampling-based method for class discovery and
    visualization of gene expression microarray data, Machine Learning 52. https://doi.org/10.1023/A:1023949509487

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from consensa.generate import SubsamplePartitions
    >>> labels = SubsamplePartitions(n_partitions=20, n_clusters=3, random_state=0).fit_transform(load_iris().data)
    >>> labels.shape, (labels >= 0).sum(axis=0).tolist() == [120] * 20
    ((150, 20), True)
    """

    _fitted = "members_"
    _scale_free = False  # parameters of clusterers may be in the units of the features
    estimator: Any = None
    n_partitions: Count = 100
    fraction: Fraction = 0.8
    _: KW_ONLY
    n_clusters: Count | None = None
    k_range: KRange = None
    directory: Directory = None
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: bool = False

    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        X = ordinary_scale(X)[0] if self.estimator is None else X
        n_partitions = int(self.n_partitions)
        n_drawn = max(1, round(float(self.fraction) * X.shape[0]))
        rng = as_generator(self.random_state)
        members = self._settings(n_partitions, n_drawn, rng)
        seeds = [int(seed) for seed in rng.integers(2**31 - 1, size=n_partitions)]
        self.members_ = [seeded(member, seed) for member, seed in zip(members, seeds, strict=True)]
        parts = [_draw_rows(X.shape[0], n_drawn, seed) for seed in seeds]
        tasks = [(X, member, rows, m) for m, (member, rows) in enumerate(zip(self.members_, parts, strict=True))]
        origin = {"members": [describe(member) for member in self.members_], "seeds": seeds, "n_drawn": n_drawn}
        store = open_store(self.directory, X, self.random_state, origin)
        return np.stack(self._run(cluster_rows, tasks, "subsamples", store), axis=1)

    def _settings(self, n_partitions: int, n_drawn: int, rng: np.random.Generator) -> list[Any]:
        """The clusterer of every member, without its seed."""
        if self.n_clusters is not None and self.k_range is not None:
            msg = f"n_clusters={self.n_clusters!r} and k_range={self.k_range!r} exclude each other; give one of them."
            raise ValueError(msg)
        estimator = KMeans(n_init=1) if self.estimator is None else self.estimator
        check_clusterer(estimator)
        if self.n_clusters is None and self.k_range is None and self.estimator is not None:
            return [estimator] * n_partitions
        k_range = self.k_range if self.n_clusters is None else (self.n_clusters, self.n_clusters)
        numbers = draw_cluster_numbers(n_partitions, k_range, n_drawn, rng)
        name = "n_clusters" if "n_clusters" in estimator.get_params() else "n_components"
        return [clone(estimator).set_params(**{name: int(k)}) for k in numbers]


def _draw_rows(n: int, n_drawn: int, seed: int) -> np.ndarray:
    """Rows of one part, rising."""
    return np.sort(np.random.default_rng([seed, 1]).choice(n, n_drawn, replace=False))
