"""Base clusterings by any clusterer that follows scikit-learn's conventions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._random import draw_seeds
from consensa._threads import library_threads
from consensa._validation import check_integer
from consensa.generate.base import PartitionGenerator, open_store, run_members

if TYPE_CHECKING:
    import os

    from consensa._random import RandomState

__all__ = ["EstimatorPartitions", "check_clusterer", "cluster_rows", "describe", "seeded"]


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
        Seed. The labels do not depend on ``n_jobs``.
    n_jobs : int or None, default=None
        Number of members computed at a time; None is 1 unless a joblib context says otherwise, -1 all cores.
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    members_ : list of clusterers
        The setting of every member, not fitted.
    n_features_in_ : int

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

    def __init__(
        self,
        estimators: Any = None,
        param_grid: Any = None,
        n_partitions: int | None = None,
        *,
        directory: str | os.PathLike[str] | None = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.estimators = estimators
        self.param_grid = param_grid
        self.n_partitions = n_partitions  # type: ignore[assignment]  # None for every setting once
        self.directory = directory
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _fit_labels(self, X: Any) -> np.ndarray:
        X = check_features(self, X)
        settings = self._settings()
        n_members = len(settings) if self.n_partitions is None else check_integer("n_partitions", self.n_partitions)
        seeds = draw_seeds(self.random_state, n_members)
        self.members_ = [seeded(settings[m % len(settings)], seed) for m, seed in enumerate(seeds)]
        tasks = [(X, member, None, m) for m, member in enumerate(self.members_)]
        store = open_store(
            self.directory, X, self.random_state, {"members": [repr(member) for member in self.members_]}
        )
        labels = run_members(
            cluster_rows, tasks, n_jobs=self.n_jobs, verbose=self.verbose, name="clusterings", store=store
        )
        return np.stack(labels, axis=1)

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

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002 - scikit-learn's signature
        """Names of the base clusterings: the class of the clusterer and the number of the member.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of n_partitions str
        """
        check_is_fitted(self, "members_")
        names = [f"{type(member).__name__.lower()}{m}" for m, member in enumerate(self.members_)]
        return np.array(names, dtype=object)


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
