"""Checks of parameters, with errors that say what came, what is allowed and what to do."""

from __future__ import annotations

import math
import numbers
import sys
from typing import Any

import numpy as np

from consensa._messages import meant

__all__ = [
    "LARGEST",
    "as_cluster_numbers",
    "auto_range",
    "check_choice",
    "check_cluster_weights",
    "check_fraction",
    "check_growth",
    "check_integer",
    "check_n_clusters",
    "check_positive",
    "check_sizes",
    "is_auto",
]

_MOST = 1e100  # of a number by which others are multiplied or divided, and its inverse
LARGEST = 1e300  # of a number that is used by itself
_MOST_NUMBERS = 1_000_000  # of clusters in one list; far more than can be looked at


def check_positive(name: str, value: Any, most: float = _MOST) -> float:
    """Return a finite number > 0 as float, up to ``most`` and its inverse: its products and quotients must fit.

    Examples
    --------
    >>> check_positive("theta", 1)
    1.0
    """
    if _is_above(value, 0):
        return _fitting(name, value, most)
    msg = f"{name}={value!r} is not allowed: {name} must be a number greater than 0."
    raise ValueError(msg)


def _is_above(value: Any, low: float) -> bool:
    number: Any = value  # a Real, which knows no comparison to the type checker
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and low < number < math.inf


def _fitting(name: str, value: Any, most: float = _MOST) -> float:
    if 1 / most <= value <= most:
        return float(value)
    msg = f"{name}={value!r} is not allowed: {name} must lie between {1 / most:g} and {most:g}."
    raise ValueError(msg)


def check_fraction(name: str, value: Any) -> float:
    """Return a number in (0, 1] as float.

    Examples
    --------
    >>> check_fraction("feature_fraction", 1)
    1.0
    """
    if _is_above(value, 0) and value <= 1:
        return float(value)
    msg = f"{name}={value!r} is not allowed: it must be a number in (0, 1]."
    raise ValueError(msg)


def check_growth(name: str, value: Any) -> float:
    """Return a finite number > 1 as float.

    Examples
    --------
    >>> check_growth("rho", 2.3)
    2.3
    """
    if _is_above(value, 1):
        return _fitting(name, value)
    msg = f"{name}={value!r} is not allowed: {name} must be a number greater than 1."
    raise ValueError(msg)


def check_integer(name: str, value: Any, *, at_least: int = 1, otherwise: str = "") -> int:
    """Return a whole number not below ``at_least``; the error also names what else the caller allows.

    Examples
    --------
    >>> check_integer("n_init", 3)
    3
    """
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and int(value) >= at_least:
        return int(value)
    msg = f"{name}={value!r} is not allowed: {name} must be an integer of at least {at_least}{otherwise}."
    raise ValueError(msg)


def check_choice(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """Return the value if it is one of the allowed words.

    Examples
    --------
    >>> check_choice("linkage", "average", ("average", "single"))
    'average'
    """
    if isinstance(value, str) and value in allowed:
        return value
    near = meant(value, allowed) if isinstance(value, str) else ""
    msg = f"{name}={value!r} is not known{near}; choose one of {', '.join(map(repr, allowed))}."
    raise ValueError(msg)


def is_auto(n_clusters: Any) -> bool:
    """Whether the number of clusters is to be chosen: "auto", or "auto:2:20" with a range of candidates.

    Examples
    --------
    >>> is_auto("auto"), is_auto("auto:2:20"), is_auto(3)
    (True, True, False)
    """
    return isinstance(n_clusters, str) and n_clusters.partition(":")[0] == "auto"


def auto_range(n_clusters: str) -> list[int] | None:
    """Return the candidates in "auto:LOW:HIGH", both ends included; None for "auto" alone.

    Examples
    --------
    >>> auto_range("auto:2:5"), auto_range("auto")
    ([2, 3, 4, 5], None)
    """
    if n_clusters == "auto":
        return None
    parts = n_clusters.split(":")
    if len(parts) == 3 and all(part.isdecimal() for part in parts[1:]) and 1 <= int(parts[1]) <= int(parts[2]):
        return _listed("n_clusters", n_clusters, range(int(parts[1]), int(parts[2]) + 1))
    msg = f'n_clusters={n_clusters!r} is not allowed: give "auto", or "auto:LOW:HIGH" with 1 <= LOW <= HIGH.'
    raise ValueError(msg)


def as_cluster_numbers(n_clusters: Any, name: str = "n_clusters") -> list[int]:
    """Return the numbers of clusters asked for: one integer, or a sequence of them.

    Examples
    --------
    >>> as_cluster_numbers(3), as_cluster_numbers(range(2, 5))
    ([3], [2, 3, 4])
    """
    if isinstance(n_clusters, numbers.Integral) and not isinstance(n_clusters, bool):
        return [int(n_clusters)]
    if isinstance(n_clusters, (list, tuple, range)) or (isinstance(n_clusters, np.ndarray) and n_clusters.ndim > 0):
        wanted = _listed(name, n_clusters, n_clusters)
        if wanted and all(isinstance(k, numbers.Integral) and not isinstance(k, bool) for k in wanted):
            return [int(k) for k in wanted]
    if name == "n_clusters" and is_auto(n_clusters):
        msg = (
            f"n_clusters={n_clusters!r} is not allowed here: find a number with choose_k, or with "
            'EnsembleClustering(n_clusters="auto"), and give that.'
        )
        raise ValueError(msg)
    or_auto = ', or "auto"' if name == "n_clusters" else ""
    msg = f"{name}={n_clusters!r} is not allowed: give an integer of at least 1, a sequence of such integers{or_auto}."
    raise ValueError(msg)


def _listed(name: str, given: Any, values: Any) -> list[Any]:
    """List numbers that may stand for themselves in a range, unless the list alone would fill the memory."""
    try:
        n_values = len(values)
    except OverflowError:  # more than a machine can count
        n_values = sys.maxsize
    if n_values > _MOST_NUMBERS:
        msg = f"{name}={given!r} is not allowed: it holds more than {_MOST_NUMBERS:,} numbers. Give fewer of them."
        raise ValueError(msg)
    return list(values)


def check_n_clusters(wanted: list[int], n_distinct: int, what: str) -> list[int]:
    """Check 1 <= k <= the number of things that can be told apart."""
    for k in wanted:
        if k < 1:
            msg = f"n_clusters={k} is not allowed: it must be at least 1."
            raise ValueError(msg)
        if k > n_distinct:
            msg = (
                f"n_clusters={k} is more than the {n_distinct} {what} that this ensemble tells apart. Ask for fewer "
                "clusters, or add base clusterings that split the objects further; rows with equal features never are."
            )
            raise ValueError(msg)
    return wanted


def check_sizes(sizes: np.ndarray | None, n_rows: int) -> np.ndarray:
    """Return one number of objects > 0 per microcluster; None stands for ones."""
    if sizes is None:
        return np.ones(n_rows, np.int64)
    counts = np.asarray(sizes)
    if counts.shape != (n_rows,) or counts.dtype.kind not in "iuf" or not np.all((counts > 0) & np.isfinite(counts)):
        msg = (
            f"sizes of shape {counts.shape} do not fit: one number of objects greater than 0 is needed for each of "
            f"the {n_rows} microclusters."
        )
        raise ValueError(msg)
    return counts


def check_cluster_weights(weights: np.ndarray | None, n_base_clusters: int) -> np.ndarray:
    """Return one finite weight >= 0 per cluster; None stands for ones."""
    if weights is None:
        return np.ones(n_base_clusters)
    w = np.asarray(weights, dtype=float)
    if w.shape != (n_base_clusters,) or not np.all(np.isfinite(w)) or np.any(w < 0):
        msg = (
            f"weights of shape {w.shape} do not fit: one finite weight of at least 0 is needed for each of the "
            f"{n_base_clusters} base clusters."
        )
        raise ValueError(msg)
    return w
