"""What all generators share: a transformer from features to a label matrix, members in parallel, progress."""

from __future__ import annotations

from abc import ABCMeta, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from joblib import delayed
from sklearn.utils.validation import check_is_fitted

from consensa._features import check_features
from consensa._magnitude import exponent_of, in_units, ordinary_scale, rows_at, times_power
from consensa._sklearn import BaseEstimator, TransformerMixin
from consensa._threads import library_threads, row_ranges, run_parallel, thread_map
from consensa._types import check_parameters
from consensa.generate import _kernels_anchors as kernels
from consensa.generate.registry import GENERATORS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from consensa.io.members import MemberStore

__all__ = [
    "LabellingGenerator",
    "PartitionGenerator",
    "label_new_data",
    "nearest_centers",
    "open_store",
]

_BLOCK_ROWS = 8192
_FEWEST_ROWS = 64
_CACHED_CELLS = 1 << 19  # distances at a time


class PartitionGenerator(TransformerMixin, BaseEstimator, metaclass=ABCMeta):
    """Base of the generators: ``fit_transform`` gives the label matrix (n_samples x n_partitions, int32)."""

    n_partitions: int
    n_jobs: int | None
    verbose: bool
    _fitted: ClassVar[str | None] = None  # what there is only after a whole fit; None for any attribute of a fit
    _layout: ClassVar[dict[str, Any]] = {}  # how features are read
    _scale_free: ClassVar[bool] = True  # whether X and c * X mean the same, so that c can be divided out before the fit
    _in_units: ClassVar[tuple[str, ...]] = ()  # fitted lists of arrays that are in the units of the features
    reads_tables: ClassVar[bool] = False  # whether X may be a table with gaps and anything beside numbers
    leaves_out: ClassVar[bool] = False  # whether members that label new rows may leave some out

    @abstractmethod
    def _fit_labels(self, X: np.ndarray) -> np.ndarray:
        """Make the members of features that are checked, store what is fitted, return the label matrix."""

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
        self.fit_transform(X)
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
        check_parameters(self)
        X = check_features(self, X, **self._layout)
        if not self._scale_free:
            return self._fit_labels(X)
        scaled, exponent = ordinary_scale(X)
        labels = self._fit_labels(scaled)
        for name in self._in_units:
            setattr(self, name, [in_units(values, exponent) for values in getattr(self, name)])
        return labels

    def _run(
        self, function: Callable[..., Any], tasks: Sequence[Any], name: str, store: MemberStore | None = None
    ) -> list[Any]:
        """Compute the members, several at a time; results stand in the order of the tasks.

        With a ``store``, finished members are saved at once, and those it holds already are not computed again.
        """
        results = [None if store is None else store.get(m) for m in range(len(tasks))]
        missing = [m for m, result in enumerate(results) if result is None]
        computed = run_parallel(self.n_jobs, (delayed(function)(*tasks[m]) for m in missing))
        if self.verbose:
            from consensa._progress import progress_bar

            computed = progress_bar(computed, total=len(tasks), initial=len(tasks) - len(missing), desc=name)
        for m, result in zip(missing, computed, strict=True):
            results[m] = result
            if store is not None:
                store.put(m, result)
        return results

    def model_arrays(self) -> dict[str, np.ndarray] | None:
        """Return what ``transform`` needs as named arrays; None if it cannot be written so."""
        return None

    def restore(self, arrays: dict[str, np.ndarray]) -> Self:
        """Become the fitted generator that the arrays of ``model_arrays`` describe."""
        msg = f"{type(self).__name__} cannot be restored from {len(arrays)} arrays; fit it again."
        raise ValueError(msg)

    def cluster_numbers(self) -> list[int] | None:
        """Return the number of clusters of every fitted member, None if it is not known."""
        return None

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
        check_is_fitted(self, self._fitted)
        return np.array(self._member_names(), dtype=object)

    def _member_names(self) -> list[str]:
        """Names of the fitted members, all different."""
        name = type(self).__name__.lower().removesuffix("partitions")
        return [f"{name}{m}" for m in range(self.n_partitions)]


class LabellingGenerator(PartitionGenerator):
    """Base of the generators that can label new data."""

    @abstractmethod
    def _assign(self, X: np.ndarray) -> np.ndarray:
        """Return the labels of rows by every fitted member."""

    def transform(self, X: Any) -> np.ndarray:
        """Label new data by every base clustering.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_partitions), int32
        """
        return self._assign(self._read(X))

    def _read(self, X: Any) -> np.ndarray:
        check_is_fitted(self, self._fitted)
        return check_features(self, X, **self._layout, reset=False)


def open_store(
    directory: Any, X: np.ndarray, random_state: Any, origin: dict[str, Any], what: str = "member"
) -> MemberStore | None:
    """Open the folder that finished members are kept in, if there is one; ``origin`` is all they depend on beside X."""
    if directory is None:
        return None
    if random_state is None:
        msg = f"directory needs a random_state: without a seed, a stopped run cannot go on with the same {what}s."
        raise ValueError(msg)
    from consensa.io.members import MemberStore, fingerprint

    return MemberStore(directory, {"data": fingerprint(X), **origin}, what)


def label_new_data(generator: Any, X: Any) -> np.ndarray:
    """Label new data by a fitted generator, if its members can; the error names the generators that can."""
    if hasattr(generator, "transform"):
        return np.asarray(generator.transform(X))
    able = [info.estimator for info in GENERATORS.values() if info.transform]
    msg = (
        f"{type(generator).__name__} cannot label new data, as its members keep no centres; use one of the generators "
        f"{', '.join(able)}, or label the new data by other means."
    )
    raise ValueError(msg)


def nearest_centers(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """Return the number of the nearest centre of every row (int32), ties to the smaller; every row by itself.

    A product of matrices in single precision leaves out all centres that are too far by more than its error can be;
    among the others the distances decide, in double precision and in a fixed order of sums. So the labels do not depend
    on how the product is computed.
    """
    labels = np.empty(X.shape[0], np.int32)
    exponent = exponent_of(centers)
    X = rows_at(X, exponent)
    centers = np.ascontiguousarray(times_power(centers, -exponent), float)
    middle = centers.mean(axis=0)
    shifted = centers - middle
    halves = np.einsum("ij,ij->i", shifted, shifted) / 2
    # half of the squared length as one more feature, so that the product is already what is compared
    single, reach = np.vstack([-shifted.T, halves]).astype(np.float32), float(np.sqrt(2 * halves.max()))
    slack = 2.0**-22 * (centers.shape[1] + 5)  # twice the error of a sum of so many products, relative to the lengths
    n_rows = min(max(_CACHED_CELLS // centers.shape[0], _FEWEST_ROWS), _BLOCK_ROWS)

    def assign(rows: tuple[int, int]) -> None:
        room = np.empty((n_rows, centers.shape[0]), np.float32)
        away = np.ones((n_rows, single.shape[0]), np.float32)
        for start, stop in row_ranges(rows[1] - rows[0], n_rows):
            part = slice(rows[0] + start, rows[0] + stop)
            block = np.ascontiguousarray(X[part], float)
            from_middle = block - middle
            lengths = np.sqrt(np.einsum("ij,ij->i", from_middle, from_middle))
            with np.errstate(over="ignore", invalid="ignore"):  # where single precision overflows, all centres stay
                away[: len(block), :-1] = from_middle
                gaps = np.matmul(away[: len(block)], single, out=room[: len(block)])
                limits = gaps.min(axis=1) + slack * reach * (lengths + reach)
                limits = np.nextafter(limits.astype(np.float32), np.float32(np.inf))
            kernels.settle_nearest(block, centers, gaps, limits, labels[part])

    with library_threads(1, "blas"):
        thread_map(assign, row_ranges(X.shape[0], _BLOCK_ROWS))
    return labels
