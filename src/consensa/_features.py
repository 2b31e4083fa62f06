"""Features as users have them, checked, and named where something is said about them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from consensa._frames import as_frame, collected
from consensa._validation import check_integer

__all__ = ["FLOATS", "FeatureWeightsMixin", "check_features"]

FLOATS = (np.float64, np.float32)


def check_features(estimator: Any, X: Any, *, dtype: Any = FLOATS, **options: Any) -> np.ndarray:
    """Return features as an array of numbers; errors name the feature that they are about.

    Parameters
    ----------
    estimator : estimator or None
        Keeps the number and the names of the features, or compares them with those it knows (``reset=False``); None
        to do neither.
    X : array or frame of shape (n_samples, n_features)
    dtype : dtype or sequence of dtypes
    **options
        Of scikit-learn's ``validate_data``.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Examples
    --------
    >>> import pandas as pd
    >>> check_features(None, pd.DataFrame({"height": [1.0, 2.0], "age": [3.0, float("nan")]}))
    Traceback (most recent call last):
    ...
    ValueError: Input X contains NaN: feature 'age' has no finite number in row 1. ...
    """
    X = collected(X)
    X = _plain(X) if isinstance(X, np.ndarray) else X
    if issparse(X):
        msg = (
            "Sparse data was passed for X, but dense data is required. Reduce it first, for example with "
            "sklearn.decomposition.TruncatedSVD as is usual for TF-IDF, or give X.toarray() if it has few columns."
        )
        raise TypeError(msg)
    frame = as_frame(X, "X")
    if frame is not None and not frame.columns:
        msg = f"Found 0 feature(s) in a frame of {len(frame)} rows. Give at least one column of numbers."
        raise ValueError(msg)
    wanted = list(dtype) if isinstance(dtype, tuple) else dtype
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn sums all, to find out whether all are finite
            if estimator is None:
                return np.asarray(check_array(X, dtype=wanted, **options))
            return np.asarray(validate_data(estimator, X, dtype=wanted, **options))
    except (TypeError, ValueError, OverflowError) as error:
        other = str(error).startswith(("The feature names", "X has "))  # features that differ from those of the fit
        fault = None if other else _first_fault(X, frame)
        if fault is None:
            raise
        raise ValueError(fault) from error


def _plain(X: np.ndarray) -> np.ndarray:
    """Numbers without what scikit-learn would not see or would tell in a page: masks, records, imaginary parts."""
    if X.dtype.names is not None:
        records = ", ".join(X.dtype.names)
        msg = f"X is an array of records ({records}). Pass pandas.DataFrame(X), or a 2D array of numbers."
        raise ValueError(msg)
    if X.dtype.kind == "c":
        msg = "Complex data not supported: features are real numbers. Pass X.real, X.imag or both side by side."
        raise ValueError(msg)
    if np.ma.is_masked(X) and X.dtype.kind in "biuf":  # what is hidden is not there, whatever stands below the mask
        X = np.ma.filled(X.astype(float), np.nan)
    if not X.dtype.isnative:  # or single precision would become double
        X = X.astype(X.dtype.newbyteorder("="))
    return X


def _first_fault(X: Any, frame: Any) -> str | None:
    """Say which feature holds something else than finite numbers, and where."""
    if frame is not None and len(frame.shape) == 2:
        columns = ((repr(str(name)), frame[:, f]) for f, name in enumerate(frame.columns))
    elif isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fO":
        columns = ((str(f), X[:, f]) for f in range(X.shape[1]))
    else:
        return None
    faults = (_fault_of(name, column) for name, column in columns)
    return next((fault for fault in faults if fault is not None), None)


def _fault_of(name: str, column: Any) -> str | None:
    if not isinstance(column, np.ndarray) and column.dtype.is_temporal():
        return f"feature {name} holds dates or times; features are numbers. Turn it into one, or leave it out."
    values = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)
    if values.dtype.kind == "O":
        values = np.array([np.nan if _is_missing(value) else value for value in values], dtype=object)
    for row, value in enumerate(values if values.dtype.kind in "OUST" else ()):
        if isinstance(value, str) and not _is_number(value):
            return (
                f"feature {name} holds {str(value)!r} in row {row}; features are numbers. Encode it, or leave it out."
            )
        if isinstance(value, int) and not _is_number(value):
            return f"feature {name} holds a number in row {row} that does not fit into double precision. Scale it."
        if not _is_number(value):
            return None  # scikit-learn says what else it is
    with np.errstate(over="ignore"):  # of long doubles
        rows = np.flatnonzero(~np.isfinite(values.astype(float)))
    if not rows.size:
        return None
    kind = "NaN" if np.isnan(float(values[rows[0]])) else "infinity"
    more = "" if rows.size == 1 else f" and in {rows.size - 1} more"
    table = ", or give EnsembleClustering a data frame, which may have gaps" if isinstance(column, np.ndarray) else ""
    return (
        f"Input X contains {kind}: feature {name} has no finite number in row {rows[0]}{more}. Fill such values (for "
        f"example with sklearn.impute.SimpleImputer), or leave out the rows or the feature{table}."
    )


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def _is_number(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


class FeatureWeightsMixin:
    """For estimators with ``feature_weights_`` (n_clusters x n_features)."""

    feature_weights_: np.ndarray
    n_features_in_: int

    def top_features(self, n_features: int = 5) -> dict[int, dict[str, float]]:
        """Return the features that weigh most in every cluster, by name.

        Parameters
        ----------
        n_features : int, default=5
            How many features to give for a cluster.

        Returns
        -------
        dict of dict
            For every cluster the names of its features, heaviest first, with their weights. Features without names
            are called x0, x1, ...
        """
        check_is_fitted(self, "feature_weights_")
        n_shown = check_integer("n_features", n_features)
        names: Any = getattr(self, "feature_names_in_", [f"x{f}" for f in range(self.n_features_in_)])
        heaviest = np.argsort(-self.feature_weights_, axis=1, kind="stable")[:, :n_shown]
        return {
            cluster: {str(names[f]): float(self.feature_weights_[cluster, f]) for f in order}
            for cluster, order in enumerate(heaviest)
        }
