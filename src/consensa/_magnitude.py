"""Features of any magnitude: a scale whose squares do not fit is divided out by a power of two, without rounding."""

from __future__ import annotations

import math

import numpy as np

__all__ = ["FITS", "check_near", "even_rows", "exponent_of", "in_units", "ordinary_scale", "rows_at", "times_power"]

_ORDINARY = 32  # values up to 2**32, the largest of them at least 2**-32, stay as they are, also in single precision
FITS = 500  # squares of 2**-500 .. 2**500 fit into double precision, also when summed
_FITS = {np.dtype(np.float32): 60, np.dtype(np.float64): FITS}


def exponent_of(X: np.ndarray, *, keep: int = _ORDINARY) -> int:
    """Return e, so that the largest values of X * 2**-e lie between 1/2 and 1; 0 where X needs no scaling.

    ``keep`` is the largest exponent, of either sign, that is left alone.

    Examples
    --------
    >>> import numpy as np
    >>> exponent_of(np.array([[1e200, -3.0]])), exponent_of(np.array([[1e-200]])), exponent_of(np.array([[7.0]]))
    (665, -664, 0)
    """
    exponent = math.frexp(_largest(X))[1]
    return 0 if abs(exponent) <= keep else exponent


def times_power(values: np.ndarray, exponent: int) -> np.ndarray:
    """Return values * 2**exponent, the same array if the exponent is 0; what is too large becomes infinite.

    Examples
    --------
    >>> import numpy as np
    >>> times_power(np.array([1.5, -2.0]), 3)
    array([ 12., -16.])
    """
    if exponent == 0:
        return values
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.ldexp(values, exponent))


def in_units(points: np.ndarray, exponent: int) -> np.ndarray:
    """Return points * 2**exponent, of points between others that fit: what rounding took too far is the largest number.

    Examples
    --------
    >>> import numpy as np
    >>> in_units(np.array([1.0, -0.5]), 1024)
    array([ 1.79769313e+308, -8.98846567e+307])
    """
    if exponent == 0:
        return points
    largest = np.finfo(points.dtype).max
    return np.clip(times_power(points, exponent), -largest, largest)


def ordinary_scale(X: np.ndarray, *, keep: int = _ORDINARY) -> tuple[np.ndarray, int]:
    """Divide the scale out of features where their squares might not fit.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64 or float32
        Finite.
    keep : int, default=32
        Largest exponent, of either sign, that is left alone.

    Returns
    -------
    scaled : ndarray of shape (n_samples, n_features)
        X * 2**-exponent; X itself where its scale is an ordinary one. Single precision becomes double where it could
        not hold the squares of large and small values together.
    exponent : int

    Examples
    --------
    >>> import numpy as np
    >>> ordinary_scale(np.array([[2.0**600, 2.0**599]]))
    (array([[0.5 , 0.25]]), 601)
    >>> ordinary_scale(np.array([[1e200, 1.0]]))
    Traceback (most recent call last):
    ...
    ValueError: X holds 1e+200 (row 0, feature 0) beside 1.0 (row 0, feature 1): the squares of both do not fit into ...
    """
    exponent = exponent_of(X, keep=keep)
    if exponent == 0:
        return X, 0
    scaled = times_power(X, -exponent)
    if not _lost(X, scaled).any():
        return scaled, exponent
    if scaled.dtype == np.float32:
        return ordinary_scale(X.astype(float), keep=keep)
    if exponent > _FITS[scaled.dtype]:
        large = np.unravel_index(np.argmax(np.abs(scaled)), X.shape)
        small = np.unravel_index(np.argmax(_lost(X, scaled)), X.shape)
        msg = (
            f"X holds {_cell(X, large)} beside {_cell(X, small)}: the squares of both do not fit into double "
            "precision. Mend a value that is wrong, or leave out or scale the feature."
        )
        raise ValueError(msg)
    return scaled, exponent  # what is so much smaller than the rest counts for nothing


def rows_at(X: np.ndarray, exponent: int) -> np.ndarray:
    """Bring rows to the scale of what they are compared with, X * 2**-exponent; refuse rows too far from it.

    Examples
    --------
    >>> import numpy as np
    >>> rows_at(np.array([[2.0]]), 1)
    array([[1.]])
    >>> rows_at(np.array([[2.0], [1e200]]), 0)
    Traceback (most recent call last):
    ...
    ValueError: row 1 of X holds 1e+200, so much more than what was fitted that its squared distances do not fit ...
    """
    scaled = X if exponent == 0 else times_power(X.astype(float), -exponent)
    check_near(scaled, X)
    return scaled


def check_near(scaled: np.ndarray, X: np.ndarray) -> None:
    """Refuse rows that are too far from what was fitted; ``scaled`` are the values that squares are made of.

    Examples
    --------
    >>> import numpy as np
    >>> check_near(np.array([[1e20, np.inf]]), np.array([[0.0, 1e9]]))
    Traceback (most recent call last):
    ...
    ValueError: row 0 of X holds 1000000000.0, so much more than what was fitted that its squared distances do not ...
    """
    limit = 2.0 ** _FITS[np.dtype(float)]
    if _largest(scaled) > limit:
        row, feature = np.unravel_index(np.argmax(np.abs(scaled) > limit), X.shape)
        msg = (
            f"row {row} of X holds {float(X[row, feature])!r}, so much more than what was fitted that its squared "
            "distances do not fit into double precision. Mend the value, or leave out the row."
        )
        raise ValueError(msg)


def even_rows(X: np.ndarray) -> np.ndarray:
    """Scale every row whose scale is not an ordinary one by a power of two: for directions, which it does not change.

    Examples
    --------
    >>> import numpy as np
    >>> even_rows(np.array([[2.0**600, 0.0], [3.0, 4.0], [0.0, 0.0]]))
    array([[0.5, 0. ],
           [3. , 4. ],
           [0. , 0. ]])
    """
    exponents = np.frexp(np.maximum(X.max(axis=1), -X.min(axis=1)))[1]
    exponents[np.abs(exponents) <= _ORDINARY] = 0
    return np.asarray(np.ldexp(X, -exponents[:, None])) if exponents.any() else X


def _largest(X: np.ndarray) -> float:
    return max(float(X.max(initial=0)), -float(X.min(initial=0)))


def _lost(X: np.ndarray, scaled: np.ndarray) -> np.ndarray:
    return (X != 0) & (np.abs(scaled) < 2.0 ** -_FITS[scaled.dtype])


def _cell(X: np.ndarray, where: tuple[np.intp, ...]) -> str:
    return f"{float(X[where])!r} (row {where[0]}, feature {where[1]})"
