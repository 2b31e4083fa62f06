"""What all generators share: a transformer from features to a label matrix, members in parallel, progress."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from consensa._threads import row_ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consensa.io.members import MemberStore

__all__ = ["PartitionGenerator", "label_new_data", "nearest_centers", "open_store", "run_members"]


class PartitionGenerator(TransformerMixin, BaseEstimator, metaclass=ABCMeta):  # type: ignore[misc]
    """Base of the generators: ``fit_transform`` gives the label matrix (n_samples x n_partitions, int32)."""

    n_partitions: int

    @abstractmethod
    def _fit_labels(self, X: Any) -> np.ndarray:
        """Validate X, make the members, store what is fitted, return the label matrix."""

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Make the base clusterings.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self._fit_labels(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:  # noqa: ARG002 - scikit-learn's signature
        """Make the base clusterings and return their labels.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_partitions), int32
            -1 where a base clustering leaves an object out.
        """
        return self._fit_labels(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # numbers in, names of clusters out
        return tags

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:  # noqa: ARG002 - scikit-learn's signature
        """Names of the base clusterings.

        Parameters
        ----------
        input_features : None
            Ignored.

        Returns
        -------
        ndarray of n_partitions str
        """
        check_is_fitted(self)
        name = type(self).__name__.lower().removesuffix("partitions")
        return np.array([f"{name}{m}" for m in range(self.n_partitions)], dtype=object)


def run_members(
    function: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    *,
    n_jobs: int | None,
    verbose: bool,
    name: str,
    store: MemberStore | None = None,
) -> list[Any]:
    """Compute the members of an ensemble, several at a time; results stand in the order of the tasks.

    With a ``store``, finished members are saved at once, and those it holds already are not computed again.
    """
    results = [None if store is None else store.get(m) for m in range(len(tasks))]
    open_tasks = [m for m, result in enumerate(results) if result is None]
    computed = Parallel(n_jobs=n_jobs, return_as="generator")(delayed(function)(*tasks[m]) for m in open_tasks)
    if verbose:
        from tqdm.auto import tqdm

        computed = tqdm(computed, total=len(tasks), initial=len(tasks) - len(open_tasks), desc=name)
    for m, result in zip(open_tasks, computed, strict=True):
        results[m] = result
        if store is not None:
            store.put(m, result)
    return results


def open_store(directory: Any, X: np.ndarray, random_state: Any, origin: dict[str, Any]) -> MemberStore | None:
    """Open the folder that finished members are kept in, if there is one; ``origin`` is all they depend on beside X."""
    if directory is None:
        return None
    if random_state is None:
        msg = "directory needs a random_state: without a seed, a stopped run cannot go on with the same members."
        raise ValueError(msg)
    from consensa.io.members import MemberStore, fingerprint

    return MemberStore(directory, {"data": fingerprint(X), **origin})


def label_new_data(generator: Any, X: Any) -> np.ndarray:
    """Label new data by a fitted generator, if its members can; the error names the generators that can."""
    if hasattr(generator, "transform"):
        return np.asarray(generator.transform(X))
    from consensa import generate

    kinds = {name: getattr(generate, name) for name in generate.__all__}
    able = [k for k, kind in kinds.items() if issubclass(kind, PartitionGenerator) and hasattr(kind, "transform")]
    msg = (
        f"{type(generator).__name__} cannot label new data, as its members keep no centres; use one of the generators "
        f"{', '.join(able)}, or label the new data by other means."
    )
    raise ValueError(msg)


def nearest_centers(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return the number of the nearest centre of every row (int32), ties to the smaller."""
    labels = np.empty(X.shape[0], np.int32)
    half_norms = 0.5 * np.einsum("ij,ij->i", centers, centers)
    for start, stop in row_ranges(X.shape[0], 65536):
        labels[start:stop] = np.argmax(X[start:stop] @ centers.T - half_norms, axis=1)
    return labels
