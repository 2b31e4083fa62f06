"""Lengths and distances of rows: the same bits as the plain expressions, and rows of zeros."""

from __future__ import annotations

import numpy as np
import pytest

from consensa._rows import squared_distances, squared_lengths, unit_rows


def matrices():
    rng = np.random.default_rng(0)
    for shape in ((1, 1), (7, 3), (40, 8), (513, 70), (9, 300)):
        X = rng.normal(size=shape) * 10.0 ** rng.integers(-12, 12, size=(shape[0], 1))
        yield from (X, np.asfortranarray(X), X.astype(np.float32), np.repeat(X, 2, axis=1)[:, ::2])


def same(found, expected):
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("X", list(matrices()))
def test_bits(X):
    length = np.linalg.norm(X, axis=1, keepdims=True)
    same(unit_rows(X), X / length)
    same(unit_rows(X, guard=1e-10), X / (length + 1e-10))
    held = X.copy(order="K")  # the order of the sums is that of the memory
    assert unit_rows(held, guard=1e-10, out=held) is held
    same(held, X / (length + 1e-10))
    same(squared_lengths(X), np.einsum("ij,ij->i", X, X))
    assert squared_lengths(X, float).dtype == float


def test_rows_of_zeros():
    X = np.array([[0.0, 0.0], [0.0, -2.0]])
    np.testing.assert_array_equal(unit_rows(X), [[0, 0], [0, -1]])
    np.testing.assert_array_equal(unit_rows(X, guard=1e-10)[0], [0, 0])


def test_distances():
    X = np.random.default_rng(1).normal(size=(600, 5))
    found = squared_distances(X)
    np.testing.assert_allclose(found, ((X[:, None] - X) ** 2).sum(axis=2), atol=1e-10)
    np.testing.assert_array_equal(found.diagonal(), 0.0)
    assert found.min() == 0.0
