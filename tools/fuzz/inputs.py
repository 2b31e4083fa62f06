"""Inputs as nobody would choose them: labels of every kind and dress, features of every scale, type and layout."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["clear_labels", "dressed", "dressed_features", "features", "label_matrix"]

_SCALES = (1e-300, 1e-150, 1e-30, 1e-6, 1.0, 1.0, 1.0, 1e6, 1e30, 1e150, 1e300)


def label_matrix(rng: np.random.Generator) -> np.ndarray:
    """Return labels (n x M, int64, -1 missing): few or many, with ties, empty and constant columns, repeated rows."""
    n = int(rng.choice([1, 2, 3, 5, 8, 12, 20, 60], p=[0.04, 0.08, 0.13, 0.2, 0.25, 0.2, 0.08, 0.02]))
    n_partitions = int(rng.choice([1, 2, 3, 4, 5, 9]))
    most = int(rng.choice([1, 2, 3, 6, max(1, n)]))
    labels = rng.integers(0, most, (n, n_partitions))
    labels[rng.random(labels.shape) < rng.choice([0.0, 0.0, 0.1, 0.5, 0.9])] = -1
    for column in np.flatnonzero(rng.random(n_partitions) < 0.1):
        labels[:, column] = rng.choice([-1, 0])
    if rng.random() < 0.3:
        labels = labels[rng.integers(0, n, int(rng.choice([n, 2 * n, 30])))]
    if rng.random() < 0.2:
        labels = labels[:, rng.integers(0, n_partitions, n_partitions + 1)]
    return labels


def clear_labels(rng: np.random.Generator) -> np.ndarray:
    """Return clusterings of four hidden groups with few objects misplaced: nothing hangs on a tie."""
    truth = rng.integers(4, size=60)
    pairs, three = np.array([0, 0, 1, 1])[truth], np.array([0, 0, 1, 2])[truth]
    halves = [truth * 2 + rng.integers(2, size=60) for _ in range(4)]
    labels = np.stack([*[pairs] * 3, *[three] * 2, *[truth] * 3, *halves], axis=1)
    moved = rng.random(labels.shape) < 0.04
    labels[moved] = rng.integers(8, size=moved.sum())
    return labels[rng.permutation(np.concatenate([np.arange(60), rng.integers(60, size=60)]))]


def dressed(labels: np.ndarray, rng: np.random.Generator) -> tuple[Any, str]:
    """Return the same labels in another dress, and the name of it."""
    import pandas as pd

    texts = np.where(labels < 0, None, np.char.add("w", labels.astype(str)).astype(object))
    dresses = {
        "int64": lambda: labels,
        "int8": lambda: np.minimum(labels, 127).astype(np.int8),
        "float": lambda: np.where(labels < 0, np.nan, labels).astype(float),
        "fortran": lambda: np.asfortranarray(labels),
        "strided": lambda: np.repeat(labels, 2, axis=0)[::2],
        "big endian": lambda: labels.astype(">i4"),
        "read only": lambda: _frozen(labels),
        "texts": lambda: texts,
        "list": lambda: [column.tolist() for column in labels.T],
        "frame": lambda: pd.DataFrame(np.where(labels < 0, np.nan, labels)),
        "categories": lambda: pd.DataFrame(texts).astype("category"),
    }
    name = str(rng.choice(list(dresses)))
    if name == "list" and labels.shape[1] > labels.shape[0]:
        name = "int64"
    return dresses[name](), name


def features(rng: np.random.Generator) -> np.ndarray:
    """Return features (n x d) of one of many kinds, scales, types and layouts."""
    n, d = int(rng.choice([1, 2, 3, 6, 10, 20, 40])), int(rng.choice([1, 2, 3, 8]))
    kinds = {
        "normal": lambda: rng.normal(size=(n, d)),
        "groups": lambda: rng.normal(size=(n, d)) * 0.1 + rng.integers(0, 3, (n, 1)) * 5,
        "grid": lambda: rng.integers(0, 3, (n, d)).astype(float),
        "constant": lambda: np.ones((n, d)) * rng.normal(),
        "one odd": lambda: _with_one(rng.normal(size=(n, d)), rng),
        "columns apart": lambda: rng.normal(size=(n, d)) * 10.0 ** rng.integers(-100, 100, d),
        "far away": lambda: rng.normal(size=(n, d)) + 1e15,
        "zeros": lambda: np.where(rng.random((n, d)) < 0.9, 0.0, rng.normal(size=(n, d))),
    }
    with np.errstate(all="ignore"):
        X = kinds[str(rng.choice(list(kinds)))]() * rng.choice(_SCALES)
        X = X.astype(rng.choice([np.float64, np.float64, np.float32]))
        if rng.random() < 0.03:
            X = np.where(np.median(X) < X, np.finfo(X.dtype).max, np.finfo(X.dtype).min).astype(X.dtype)
    X = np.nan_to_num(X, posinf=np.finfo(X.dtype).max, neginf=np.finfo(X.dtype).min)
    return np.asfortranarray(X) if rng.random() < 0.3 else X


def dressed_features(X: np.ndarray, rng: np.random.Generator) -> tuple[Any, str]:
    """Return the same features in another dress, and the name of it."""
    import pandas as pd

    dresses = {
        "plain": X.copy,
        "fortran": lambda: np.asfortranarray(X),
        "strided": lambda: np.repeat(X, 2, axis=0)[::2],
        "backwards": lambda: X[::-1].copy()[::-1],
        "big endian": lambda: X.astype(X.dtype.newbyteorder(">")),
        "read only": lambda: _frozen(X),
        "matrix of objects": lambda: X.astype(float).astype(object) if X.dtype == float else X,
        "frame": lambda: pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]),
        "list": lambda: X.tolist() if X.dtype == float else X,
    }
    name = str(rng.choice(list(dresses)))
    return dresses[name](), name


def _with_one(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    X[rng.integers(X.shape[0]), rng.integers(X.shape[1])] = rng.choice([1e200, -1e308, 1e20, 5e-324])
    return X


def _frozen(labels: np.ndarray) -> np.ndarray:
    copy = labels.copy()
    copy.flags.writeable = False
    return copy
